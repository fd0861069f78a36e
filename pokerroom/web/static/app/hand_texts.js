/** What is needed to ask the room for hands as text. */

import { refusal } from "./i18n.js";
import { room } from "./room.js";

/** The formats of a hand for other programs: their names, which are the same in each language, and endings of files. */
export const FORMATS = { pokerstars: ["PokerStars", "txt"], ohh: ["Open Hand History", "ohh"], phh: ["PHH", "phhs"] };

/** An answer; where the room asks the page to slow down, a little later. A refusal is told, and null. */
export async function patiently(message, told = (failure) => room.notify(null, refusal(failure), "refused")) {
  for (;;) {
    try {
      return await room.client.request(message);
    } catch (failure) {
      const wait = failure.code === "rate_limited" ? (failure.error.retry_after_ms ?? 1000) : null;
      if (wait === null) return told(failure), null;
      await new Promise((done) => setTimeout(done, wait));
    }
  }
}
