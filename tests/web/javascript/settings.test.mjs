// What a player has chosen: the account's part of it goes from device to device, the device's part stays.

import assert from "node:assert/strict";
import { test } from "node:test";

const held = new Map();
globalThis.localStorage = { getItem: (key) => held.get(key) ?? null, setItem: (key, value) => held.set(key, value) };
held.set("pokerroom.settings", JSON.stringify({ theme: "light", sounds: false }));
const { KEPT, settings } = await import("../../../pokerroom/web/static/app/settings.js");

test("what an earlier page has left there in another form is not taken", () => {
  assert.equal(settings.get("sounds"), 100);
  assert.equal(settings.get("theme"), "light");
});

test("what the account has kept comes before what the browser had, but for what is the device's own", () => {
  settings.set("deck", "four");
  settings.apply({ language: "pl", chat: false, side_bets: false, sounds: 40, muck_losing: false, straddle: true, deck: "two", announcements: 10, theme: "dark" });
  assert.deepEqual(settings.kept(), { language: "pl", chat: false, side_bets: false, sounds: 40, announcements: 10, muck_losing: false, straddle: true });
  assert.deepEqual([settings.get("deck"), settings.get("theme")], ["four", "light"]);
});

test("a choice is told, and is there after a reload", () => {
  let told = 0;
  settings.addEventListener("change", () => (told += 1));
  settings.set("sounds", 0);
  assert.equal(told, 1);
  assert.equal(JSON.parse(held.get("pokerroom.settings")).sounds, 0);
  assert.ok(KEPT.includes("sounds"));
});
