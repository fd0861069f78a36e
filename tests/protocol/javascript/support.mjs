// What the JavaScript tests share: the files of the contract, and a WebSocket, timers and a clock that do as told.

import { readFileSync, readdirSync } from "node:fs";

const PROTOCOL = new URL("../../../protocol/", import.meta.url);

export const vectors = (name) => JSON.parse(readFileSync(new URL(`vectors/${name}.json`, PROTOCOL), "utf8"));

export const transcripts = () =>
  readdirSync(new URL("transcripts/", PROTOCOL))
    .filter((name) => name.endsWith(".jsonl"))
    .sort()
    .map((name) => ({ name, entries: entries(readFileSync(new URL(`transcripts/${name}`, PROTOCOL), "utf8")) }));

export const entries = (text) => text.trim().split("\n").map((line) => JSON.parse(line));

/** Sockets that were opened, in order; each is driven by the test. */
export class FakeSocket {
  static opened = [];

  constructor(url, subprotocols) {
    Object.assign(this, { url, subprotocols, readyState: 0, sent: [] });
    FakeSocket.opened.push(this);
  }

  send(body) {
    this.sent.push(JSON.parse(body));
  }

  close() {
    this.lost();
  }

  accept() {
    this.readyState = 1;
    this.onopen();
  }

  says(message) {
    this.onmessage({ data: JSON.stringify(message) });
  }

  lost() {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.onclose();
  }
}

/** Timers that fire when the test lets time pass. */
export class FakeTimers {
  now = 1_000_000;
  #timers = new Map();
  #last = 0;

  set = (work, ms) => {
    this.#timers.set(++this.#last, { work, at: this.now + ms });
    return this.#last;
  };

  clear = (timer) => this.#timers.delete(timer);

  pass(ms) {
    const until = this.now + ms;
    for (;;) {
      const due = [...this.#timers].filter(([, timer]) => timer.at <= until).sort((a, b) => a[1].at - b[1].at)[0];
      if (!due) break;
      this.now = due[1].at;
      this.#timers.delete(due[0]);
      due[1].work();
    }
    this.now = until;
  }
}

/** Lets promises that are settled be heard. */
export const settled = () => new Promise((resolve) => setImmediate(resolve));
