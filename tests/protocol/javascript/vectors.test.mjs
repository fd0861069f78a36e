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

test("every message of the room happens: an answer to its request, an event at its table, or told to us", () => {
  const shown = ["snapshot", "ultimate_snapshot"].map((type) => vectors("server").find(({ json }) => json.type === type).json);
  for (const { json } of vectors("server")) {
    const kinds = (session, message) => session.take(message).map(({ kind }) => kind);
    if (typeof json.seq === "number" && !json.type.endsWith("snapshot")) {
      const followed = shown.filter((snapshot) => {
        const session = new ClientSession();
        session.take({ ...snapshot, table: json.table, seq: json.seq - 1, re: null });
        return kinds(session, json)[0] === "event" && session.tables.get(json.table).seq === json.seq;
      });
      assert.notEqual(followed.length, 0, `${json.type} is followed at no table`);
    } else if (typeof json.re === "number") {
      const session = new ClientSession();
      const re = session.request({ type: "ping" });
      assert.equal(kinds(session, { ...json, re })[0], "answered", json.type);
    } else {
      const kind = { goodbye: "goodbye", error: "error" }[json.type] ?? (json.type.endsWith("snapshot") ? "snapshot" : "told");
      assert.deepEqual(kinds(new ClientSession(), json), [kind], json.type);
    }
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
