/** Events in the reader's language. */

import { cardNames } from "./cards.js";
import { has, money, t } from "./i18n.js";
import { narrated } from "./narrate.js";

/** The sentence for an event, in the reader's language; null for none. */
export function sentence(event, model) {
  const told = narrated(event, model, { money, names: cardNames });
  if (!told) return null;
  const values = { ...told.values };
  if (values.rank) values.rank = has(`rank.${values.rank}`) ? t(`rank.${values.rank}`) : values.rank;
  return t(told.code, values);
}
