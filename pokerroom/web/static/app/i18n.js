/** Texts by code, in the language of the reader. All of them are in `/locales/*.json`. */

import { formatAmount } from "./amounts.js";

export const LANGUAGES = { en: "English", de: "Deutsch", pl: "Polski" };
const FALLBACK = "en";

let language = FALLBACK;
let texts = {};
let fallback = {};

/** The language of the browser, if it is one of ours. */
export function preferred(languages) {
  return languages.map((each) => each.slice(0, 2).toLowerCase()).find((each) => each in LANGUAGES) ?? FALLBACK;
}

/** Loads a language; texts that it lacks are English. */
export async function speak(wanted) {
  const [chosen, english] = await Promise.all([load(wanted), load(FALLBACK)]);
  use(wanted, chosen, english);
  document.documentElement.lang = wanted;
}

/** The texts to go by, as `speak` has loaded them. */
export function use(wanted, chosen, english = chosen) {
  language = wanted;
  texts = chosen;
  fallback = english;
}

async function load(name) {
  const answer = await fetch(`/locales/${name}.json`);
  if (!answer.ok) throw new Error(`no texts in ${name}`);
  return answer.json();
}

export const currentLanguage = () => language;

/** The text of a code, with `{name}` replaced. A code without a text is shown as it is. */
export function t(code, values = {}) {
  const text = texts[code] ?? fallback[code] ?? code;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** Whether a code has a text. */
export const has = (code) => code in texts || code in fallback;

/** An amount as people write it. */
export const money = (amount) => formatAmount(amount, language);

/** What to say of a refusal: by its code, else what the room said. */
export function refusal(failure) {
  const code = `error.${failure.code}`;
  return has(code) ? t(code) : failure.error?.message || t("error.internal");
}

/** "ace of spades" for As. */
export const cardName = (card) => t("card.of", { rank: t(`rank.${card[0]}`), suit: t(`suit.${card[1]}`) });

/** Tournament chips as people write them: there are no fractions of one. */
export const wholeChips = (amount) => new Intl.NumberFormat(language).format(amount);

/** How amounts of a table are written: money, or the chips of a tournament. */
export const amountsOf = (snapshot) => (snapshot?.tournament ? wholeChips : money);

/** The time of day. */
export const time = (ms) => new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit" }).format(ms);
