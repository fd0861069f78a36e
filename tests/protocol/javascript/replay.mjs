// Reads one JSON list of the room's messages, and prints every table after each: the Python client must agree.

import { readFileSync } from "node:fs";
import { ClientSession } from "../../../protocol/javascript/pokerroom.js";

const session = new ClientSession();
const states = JSON.parse(readFileSync(0, "utf8")).map((message) => {
  const happenings = session.take(message);
  return { tables: Object.fromEntries(session.tables), told: happenings.map(({ kind }) => kind), asks: session.bodiesToSend().map((body) => JSON.parse(body)) };
});
process.stdout.write(JSON.stringify(states));
