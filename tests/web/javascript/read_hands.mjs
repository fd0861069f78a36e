// Reads the text of a file (as JSON) from stdin, and prints its hands as the page would show them.

import { readFileSync } from "node:fs";
import { UnreadableFile, handsOf } from "../../../pokerroom/web/static/app/hand_files.js";

try {
  console.log(JSON.stringify(handsOf(JSON.parse(readFileSync(0, "utf8")))));
} catch (failure) {
  if (!(failure instanceof UnreadableFile)) throw failure;
  console.log('[{"unreadable": true}]');
}
