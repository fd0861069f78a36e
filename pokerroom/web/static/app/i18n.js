/** Texts by key in the reader's language, from `/locales/*.json`. */

import { formatAmount } from "./amounts.js";

export const LANGUAGES = { en: "English", de: "Deutsch", pl: "Polski" };
const OTHERWISE = "en";

let language = OTHERWISE;
let texts = {};

/** The language of the browser, if it is supported. */
export function preferred(languages) {
  return languages.map((each) => each.slice(0, 2).toLowerCase()).find((each) => each in LANGUAGES) ?? OTHERWISE;
}

/** Folders with the texts of windows that load late. */
const more = new Set();

/** Load a language from a folder of the room. Each has all texts. */
export async function speak(wanted, folder = "/locales") {
  use(wanted, Object.assign({}, ...(await Promise.all([folder, ...more].map((each) => load(`${each}/${wanted}.json`))))));
  document.documentElement.lang = wanted;
}

/** Load the texts of a window that loads late. */
export async function speakMore(folder) {
  Object.assign(texts, await load(`${folder}/${language}.json`));
  more.add(folder);
}

/** The loaded texts. */
export function use(wanted, chosen) {
  language = wanted;
  texts = chosen;
}

async function load(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`no texts at ${path}`);
  return answer.json();
}

export const currentLanguage = () => language;

/** The language with the reader's region, for dates and times. */
export const regionOfDates = () => (globalThis.navigator?.languages ?? []).find((each) => each.slice(0, 2).toLowerCase() === language) ?? language;

/** The text of a key, with `{name}` replaced. A key without a text is shown as it is. */
export function t(code, values = {}) {
  const text = texts[code] ?? code;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** Tell whether a key has a text. */
export const has = (code) => code in texts;

/** Format an amount of money. */
export const money = (amount) => formatAmount(amount, language);

/** Format the value of a limit: an amount, or the minutes of so many seconds. */
export const limitValue = (limit, value) => (limit === "session_day" ? t("limits.in_minutes", { minutes: Math.floor(value / 60) }) : money(value));

/** The text of a refusal: by its code, else the room's own text. */
export function refusal(failure) {
  const code = `error.${failure.code}`;
  const { limit, amount, until_ms } = failure.error ?? {};
  if (limit) {
    const until = new Intl.DateTimeFormat(regionOfDates(), { dateStyle: "short", timeStyle: "short" }).format(until_ms);
    return t("limits.reached", { limit: t(`limits.name.${limit}`), left: limitValue(limit, amount), until });
  }
  if (failure.code === "chat_muted") return t(code, { until: dayAndTime(until_ms) });
  return has(code) ? t(code) : failure.error?.message || t("error.internal");
}

/** "ace of spades" for As. */
export const cardName = (card) => t("card.of", { rank: t(`rank.${card[0]}`), suit: t(`suit.${card[1]}`) });

/** Format tournament chips, which have no fractions. */
export const wholeChips = (amount) => new Intl.NumberFormat(language).format(amount);

/** The format of a table's amounts: money or tournament chips. */
export const amountsOf = (snapshot) => (snapshot?.tournament ? wholeChips : money);

/** The time of day. */
export const time = (ms) => new Intl.DateTimeFormat(regionOfDates(), { hour: "2-digit", minute: "2-digit" }).format(ms);

/** The weekday, date and time of day, in the reader's zone. */
export const dayAndTime = (ms) => new Intl.DateTimeFormat(regionOfDates(), { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" }).format(ms);

/** "3 days". */
export const days = (count) => new Intl.NumberFormat(language, { style: "unit", unit: "day", unitDisplay: "long" }).format(count);
