// The vectors and transcripts of the contract, as the Python client passes them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ClientSession, CodecError, decode, encode } from "../../../protocol/javascript/pokerroom.js";
import { transcripts, vectors } from "./support.mjs";

test("every message of the room is read as the vectors have it", () => {
  for (const { json } of vectors("server")) assert.deepEqual(decode(JSON.stringify(json)), json);
});

test("every request is written as the vectors have it, under a number of its own", () => {
  for (const { json } of vectors("client")) {
    const session = new ClientSession();
    const id = session.request(json);
    const [body] = session.bodiesToSend();
    assert.deepEqual(JSON.parse(body), { ...json, id });
    assert.deepEqual(decode(encode(json)), json);
  }
});

test("text that is no message is refused, and what it says is not repeated", () => {
  for (const text of ["", "{", "[]", "null", "1", '"hello"', "{}", '{"type":5}', '{"token":"secret"']) {
    assert.throws(
      () => decode(text),
      (failure) => failure instanceof CodecError && !failure.message.includes("secret"),
    );
  }
});

test("every transcript is followed: each answer finds its request, no event is lost", () => {
  for (const { name, entries } of transcripts()) {
    let session = new ClientSession();
    const asked = new Map();
    for (const entry of entries) {
      if (entry.from === "note") continue;
      if (entry.from === "client") {
        if (entry.message.type === "hello") session = new ClientSession(); // a connection begins
        asked.set(session.request(entry.message), entry.message);
        assert.equal(session.bodiesToSend().length, 1);
        continue;
      }
      const { message } = entry;
      const happenings = session.take(message);
      assert.deepEqual(session.bodiesToSend(), [], `${name}: nothing is to be healed`);
      if (typeof message.seq === "number" && !message.type.endsWith("snapshot")) {
        assert.deepEqual(happenings.map(({ kind }) => kind), ["event"], `${name}: ${JSON.stringify(message)}`);
        assert.equal(session.tables.get(message.table).seq, message.seq);
      } else if (typeof message.re === "number") {
        assert.equal(happenings[0].kind, "answered", `${name}: ${JSON.stringify(message)}`);
      }
    }
  }
});
