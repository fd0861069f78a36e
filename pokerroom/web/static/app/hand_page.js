/** The page of a shared hand, `/hand#CODE`: opens the link without a log-in, or a file that the player drops in.
 *
 * With `?embed=1` it shows the replay alone: other pages may have it in a frame. It reads no account and no session.
 */

import { PokerClient, afterEvent } from "/client/pokerroom.js";
import { copied } from "./copy.js";
import { handText, titleOf } from "./hand_text.js";
import { preferred, refusal, speak, t } from "./i18n.js";
import { recordingOf, startOf } from "./past.js";
import { Replayer } from "./replayer.js";
import { settings } from "./settings.js";
import { View, h, patch } from "./view.js";

const FILE_BYTES_MAX = 5_000_000;
const isEmbedded = new URLSearchParams(location.search).has("embed");

class HandPage extends View {
  #replayer = null;
  #views = [];
  /** What the list of hands says of each; it stays as it is. */
  #labels = [];
  #shown = null;
  #problem = null;
  #told = null;
  #text = null;
  #waits = false;
  /** The link or file that was opened last: what comes later of another one is dropped. */
  #wanted = null;

  connectedCallback() {
    super.connectedCallback();
    addEventListener("hashchange", () => this.#follow());
    addEventListener("resize", () => this.update());
    document.addEventListener("keydown", (event) => this.#replayer?.key(event) && event.preventDefault());
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => (event.preventDefault(), this.#open(event.dataTransfer?.files[0])));
    this.#follow();
  }

  async #follow() {
    const code = location.hash.slice(1);
    if (code === "") return;
    this.#wanted = code;
    this.#waits = true;
    this.update();
    const answer = await asked({ type: "get_shared_hand", code }).catch((failure) => failure);
    if (this.#wanted !== code) return;
    if (answer.hand) return this.#show([answer.hand]);
    if (answer.code === undefined) throw answer;
    this.#show([]);
    this.#fail(refusal(answer));
  }

  async #open(file) {
    if (!file) return;
    this.#wanted = file;
    const { UnreadableFile, handsOf } = await import("./hand_files.js");
    try {
      if (file.size > FILE_BYTES_MAX) throw new UnreadableFile("the file is too large");
      const text = await file.text();
      if (this.#wanted === file) this.#show(handsOf(text));
    } catch (failure) {
      // a folder cannot be read, nor a file that is gone
      if (!(failure instanceof UnreadableFile || failure instanceof DOMException)) throw failure;
      if (this.#wanted === file) this.#fail(t("replay.unreadable"));
    }
  }

  #fail(problem) {
    [this.#problem, this.#waits] = [problem, false];
    this.update();
  }

  /** Show the first of these hands, or none. */
  #show(views) {
    this.#views = views;
    this.#labels = views.length > 1 ? views.map((view) => `${titleOf({ start: startOf(view), at: view.ended_ms })} · ${view.hand_id}`) : [];
    [this.#problem, this.#waits] = [null, false];
    this.#choose(views[0] ?? null);
  }

  /** Only the hand that is shown is made a recording: a file may have a thousand. */
  #choose(view) {
    this.#replayer?.stop();
    this.#shown = view;
    this.#replayer = view && new Replayer(told(view), () => this.update());
    [this.#told, this.#text] = [null, null];
    this.update();
  }

  render() {
    const hand = this.#replayer?.hand;
    document.title = hand ? `${titleOf(hand)} – ${t("bar.title")}` : t("replay.page");
    return [
      !isEmbedded && h("header", { class: "bar", key: "bar" }, h("a", { class: "brand", href: "/", "aria-label": t("bar.lobby") }, h("img", { src: "/icon.svg", alt: "", width: 28, height: 28 }), h("span", {}, t("bar.title")))),
      h("main", { key: "main", id: "main" },
        h("h1", { class: isEmbedded ? "unseen" : null }, hand ? titleOf(hand) : t("replay.page")),
        h("p", { key: "problem", class: "problem", role: "alert" }, this.#problem),
        this.#waits ? h("p", { key: "wait", class: "hint wait" }, t("connection.connecting")) : hand && h("section", { key: hand.id, class: "hand-replay" }, this.#replayer.render(isEmbedded && h("a", { key: "whole", href: `/hand${location.hash}`, target: "_blank", rel: "noopener" }, t("replay.whole")))),
        hand && !isEmbedded && this.#posting(hand),
        !isEmbedded && this.#files()),
    ];
  }

  #posting(hand) {
    const copy = async () => {
      const text = handText(hand);
      const isCopied = await copied(text, () => {
        this.#text = text;
        patch(this, this.render());
        return this.querySelector(".hand-text");
      });
      this.#told = t(isCopied ? "replay.copied" : "replay.copy_yourself");
      this.update();
    };
    return h("section", { key: "posting", class: "posting", "aria-label": t("replay.post") },
      h("div", { class: "row" },
        h("button", { id: "copy-text", onclick: copy }, t("replay.copy_text")),
        h("button", { id: "save-picture", onclick: async () => (await import("./hand_picture.js")).savePicture(hand, location.host) }, t("replay.picture"))),
      this.#text && h("textarea", { key: "text", class: "hand-text", readonly: true, rows: 6, "aria-label": t("replay.post"), value: this.#text }),
      h("p", { class: "status", role: "status" }, this.#told));
  }

  #files() {
    return h("section", { key: "files", class: "files" },
      this.#views.length > 1 && h("ul", { class: "hands" }, this.#views.map((view, index) => h("li", { key: index }, h("button", { "aria-current": view === this.#shown ? "true" : null, onclick: () => this.#choose(view) }, this.#labels[index])))),
      h("label", { class: "drop" }, h("span", {}, t("replay.drop")), h("input", { type: "file", accept: ".phh,.phhs,.ohh,.json,.txt", onchange: (event) => this.#open(event.target.files[0]) })));
  }
}

/** A recording of a hand that is told to anyone: it has no "you", and seats without a name have their number. */
function told(view) {
  const seats = view.seats.map((seat) => ({ ...seat, name: seat.name ?? t("replay.seat", { seat: seat.seat }) }));
  return { ...recordingOf({ ...view, seats }, afterEvent), told: true };
}

/** Ask the room one thing over a connection of its own. Throws what has a `code`. */
function asked(message) {
  const url = new URL("/ws", location.href);
  url.protocol = url.protocol.replace("http", "ws");
  const client = new PokerClient({ url: url.href, client: "pokerroom hand" });
  return new Promise((resolve, reject) => {
    client.addEventListener("state", ({ detail }) => {
      if (detail.state === "greeted") client.request(message).then(resolve, reject).finally(() => client.close());
      if (detail.state === "ended") reject(detail);
    });
    client.open();
  });
}

document.documentElement.dataset.theme = settings.get("theme");
document.documentElement.dataset.deck = settings.get("deck");
document.body.classList.toggle("embedded", isEmbedded);
await speak(settings.get("language") ?? preferred(navigator.languages));
customElements.define("pr-hand", HandPage);
