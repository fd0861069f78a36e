/** Announces events of the open tables to a screen reader politely, and your turn at once.
 *
 * It announces actions of players, but no clocks and no moving chips.
 */

import { money, t } from "./i18n.js";
import { room } from "./room.js";
import { sentence } from "./words.js";

const LINES_MAX = 8;

export function startSpeaking() {
  const polite = document.getElementById("polite");
  const assertive = document.getElementById("assertive");
  room.addEventListener("happened", ({ detail: { event, model } }) => {
    const where = room.open.length > 1 ? `${model.info.name}: ` : "";
    if (event.type === "decisions" && model.ownTurn) {
      assertive.textContent = `${where}${t("uth.decide")}`;
      return;
    }
    if (event.type === "turn" && event.seat === model.snapshot.your_seat) {
      const price = event.check ? t("speak.check") : t("speak.call", { amount: money(event.call_amount) });
      assertive.textContent = `${where}${t("dock.your_turn")}. ${price}`;
      return;
    }
    const text = event.type === "chat_said" ? `${event.name}: ${event.text}` : sentence(event, model);
    if (!text) return;
    const line = document.createElement("p");
    line.textContent = where + text;
    polite.append(line);
    while (polite.childElementCount > LINES_MAX) polite.firstChild.remove();
  });
}
