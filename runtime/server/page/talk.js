// A talk with a workflow: what was said, what is being said, and a place to say something.
import { button, h, moment, show } from "./dom.js";
import { GrowingTexts } from "./texts.js";
import { t } from "./words.js";

const LINES = 500; // are shown; those before are left out

/**
 * What a talk is reached by.
 * @typedef {{server: import("./api.js").Server, stream: string, say: (text: string, messageId: string) => Promise<any>}} Door
 */

/**
 * Show a talk from its beginning, and follow it until it is over.
 * @param {HTMLElement} room @param {Door} door @param {AbortSignal} left
 */
export function talk(room, door, left) {
  const found = new Talk(door);
  show(room, found.log, found.coming, found.state, found.form);
  found.follow(left);
}

class Talk {
  /** @param {Door} door */
  constructor(door) {
    this.door = door;
    this.lines = h("ol", { class: "talk" });
    this.log = h("div", { class: "heard", role: "log", "aria-label": t("What was said"), tabindex: "0" }, this.lines);
    this.coming = h("div", { class: "said workflow coming", hidden: true, "aria-hidden": "true" }); // read aloud once it is whole
    this.state = h("p", { class: "soft", role: "status" });
    this.field = /** @type {HTMLTextAreaElement} */ (h("textarea", { id: "say", rows: 2, maxlength: 20000, keydown: (/** @type {KeyboardEvent} */ event) => this.typed(event) }));
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      this.send();
    };
    this.form = h("form", { submit, class: "say" }, h("label", { for: "say" }, t("Your message")), this.field, h("div", { class: "row" }, h("button", {}, t("Send")), h("span", { class: "soft" }, t("Enter sends, Shift+Enter begins a line"))));
    this.known = new Set();
    this.texts = new GrowingTexts();
    this.waiting = /** @type {{text: string, line: HTMLElement}[]} */ ([]);
  }

  /** @param {KeyboardEvent} event */
  typed(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.send();
  }

  /** @param {AbortSignal} left */
  follow(left) {
    const isThere = (/** @type {boolean} */ is) => show(this.state, is ? "" : t("The connection is gone; it is tried again."));
    return this.door.server.follow(this.door.stream, (message) => this.hear(message), left, isThere);
  }

  /** @param {any} message */
  hear({ id, event, data }) {
    if (event === "text") this.grow(data);
    else if (event === "said" && !this.known.has(id)) {
      this.known.add(id);
      if (data.by === "person") this.taken(data.text);
      else this.grow(null);
      this.add(data.by, data.text, data.at);
    } else if (event === "end") {
      this.grow(null);
      this.form.remove();
      show(this.state, t("This talk is over."));
    }
  }

  /** Show what is being said, piece by piece; nothing any more once it was said. @param {any} piece */
  grow(piece) {
    if (piece === null) this.texts.clear();
    else this.texts.take(piece);
    const said = this.texts.all().pop()?.text || "";
    this.coming.textContent = said;
    this.coming.hidden = !said;
    if (said) this.coming.scrollIntoView({ block: "nearest" });
  }

  /** @param {string} by @param {string} text @param {string} at */
  add(by, text, at) {
    const who = h("span", { class: "soft" }, by === "person" ? t("You") : t("Answer"), " ", moment(at));
    const line = h("li", { class: `said ${by}` }, who, h("div", { class: "text" }, text));
    this.lines.append(line);
    while (this.lines.children.length > LINES) this.lines.firstElementChild?.remove();
    line.scrollIntoView({ block: "nearest" });
    return line;
  }

  /** Drop what was shown of a message before the workflow had it. @param {string} text */
  taken(text) {
    const number = this.waiting.findIndex((one) => one.text === text);
    if (number >= 0) this.waiting.splice(number, 1)[0].line.remove();
  }

  send() {
    const text = this.field.value;
    if (!text.trim()) return;
    this.field.value = "";
    const line = this.add("person", text, new Date().toISOString());
    this.waiting.push({ text, line });
    const id = crypto.randomUUID(); // so that it is said once, however often it is sent
    this.pass(text, id, line);
  }

  /** @param {string} text @param {string} id @param {HTMLElement} line */
  async pass(text, id, line) {
    const told = h("span", { class: "soft", role: "status" }, t("is sent …"));
    line.append(told);
    try {
      await this.door.say(text, id);
      told.remove();
    } catch (error) {
      show(told, h("span", { class: "bad", role: "alert" }, /** @type {Error} */ (error).message), " ", button(t("Try again"), () => {
        told.remove();
        this.pass(text, id, line);
      }));
    }
  }
}
