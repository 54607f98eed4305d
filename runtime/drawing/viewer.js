// A viewer of the drawing of a flow: search, zoom, a click on a step, and called workflows in place. Loads nothing but
// the program of those, and takes all texts for texts.

const SVG = "http://www.w3.org/2000/svg";
const ZOOMS = [0.25, 0.35, 0.5, 0.7, 1, 1.4, 2, 3];
const READABLE = 4; // where 100 % stands among them
const STYLE = new Set(["script", "foreignObject", "image", "use", "a", "style", "animate", "set"]);

/**
 * Return the drawing in a text, without anything that is no drawing.
 * @param {string} text @returns {SVGSVGElement | null}
 */
export function drawing(text) {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  if (parsed.namespaceURI !== SVG || parsed.nodeName !== "svg") return null;
  for (const each of [...parsed.querySelectorAll("*")]) {
    if (STYLE.has(each.localName)) each.remove();
    for (const { name } of [...each.attributes]) if (/^on|href$/i.test(name)) each.removeAttribute(name);
  }
  return /** @type {any} */ (document.importNode(parsed, true));
}

/** Return an element. @param {string} tag @param {Record<string, string>} attributes @param {string} [text] */
function make(tag, attributes, text = "") {
  const found = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) found.setAttribute(name, value);
  found.textContent = text;
  return found;
}

/** Return a text with values in its places. @param {string} text @param {Record<string, unknown>} [values] */
function filled(text, values = {}) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/**
 * Take the pictures of called workflows out of a drawing that has them within.
 * @param {SVGSVGElement} svg @returns {Map<string, SVGSVGElement>} By the names of the workflows.
 */
function inside(svg) {
  const found = /** @type {SVGSVGElement[]} */ ([...svg.querySelectorAll(":scope > defs.inside > svg")]);
  svg.querySelector(":scope > defs.inside")?.remove();
  return new Map(found.map((each) => [each.getAttribute("data-name") ?? "", each]));
}

/** A drawing with a search box and buttons, within a place of a page. */
export class Viewer {
  /**
   * @param {HTMLElement} place
   * @param {(name: string, chosen: Element) => boolean} [choose] Told the name of a box that was clicked, or of the event at an arrow; returns whether it leads somewhere.
   * @param {(text: string, values?: Record<string, unknown>) => string} [say] Gives a text of the viewer in the reader's language.
   */
  constructor(place, choose = () => false, say = filled) {
    this.choose = choose;
    this.say = say;
    /** @type {SVGSVGElement | undefined} */
    this.svg = undefined;
    this.width = 600;
    /** @type {Element[]} */
    this.hits = [];
    /** @type {Map<string, SVGSVGElement>} */
    this.known = new Map();
    /** @type {import("./opening.js").Picture | undefined} */
    this.picture = undefined;
    this.at = -1;
    this.zoom = READABLE;
    this.fits = true;
    this.bar = make("div", { class: "viewer-bar", role: "toolbar", "aria-label": say("The drawing") });
    this.search = /** @type {HTMLInputElement} */ (make("input", { type: "search", placeholder: say("Search steps and events"), "aria-label": say("Search steps and events") }));
    this.count = make("span", { class: "viewer-count", role: "status" });
    this.figure = make("figure", { tabindex: "0", role: "region", "aria-label": say("The flow") });
    const button = (/** @type {string} */ words, /** @type {string} */ about, /** @type {() => void} */ work) => {
      const found = make("button", { type: "button", "aria-label": about, title: about }, words);
      found.addEventListener("click", work);
      return found;
    };
    this.bar.append(
      this.search,
      this.count,
      button("−", say("Smaller"), () => this.size(-1)),
      button("+", say("Larger"), () => this.size(1)),
      button(say("Fit"), say("Fit the width"), () => this.fit()),
    );
    this.search.addEventListener("input", () => this.find());
    this.search.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.step(event.shiftKey ? -1 : 1);
      else if (event.key === "Escape") ((this.search.value = ""), this.find());
    });
    this.figure.addEventListener("click", (event) => this.take(event.target));
    this.figure.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault(); // or whoever is led into a text by it breaks the line there
      this.take(event.target);
    });
    this.figure.addEventListener("resized", (event) => this.resized(/** @type {CustomEvent} */ (event).detail));
    place.replaceChildren(this.bar, this.figure);
  }

  /**
   * Show a drawing; what is searched, how large and where, and what is open stay as they are.
   * @param {SVGSVGElement} svg @param {string} [name] Of its workflow. @param {Map<string, SVGSVGElement>} [known] The pictures of those that it may run.
   */
  show(svg, name = "", known = inside(svg)) {
    const { scrollLeft, scrollTop } = this.figure;
    const opened = this.picture?.opened();
    this.svg = svg;
    this.known = known;
    this.width = Number(svg.getAttribute("width")) || 600;
    for (const each of [svg, ...known.values()])
      for (const side of ["width", "height"]) each.setAttribute(`data-${side}`, each.getAttribute(side) ?? "");
    svg.removeAttribute("height");
    this.figure.replaceChildren(svg);
    this.picture = undefined;
    if (known.size) void this.offer(svg, name, known, opened);
    for (const box of this.boxes()) box.classList.toggle("leads", this.choose.length > 0);
    this.fits ? this.fit() : this.size(0);
    this.find(false);
    this.figure.scrollTo(scrollLeft, scrollTop);
  }

  /** Let boxes open what they run; that program is loaded where it is wanted. @param {SVGSVGElement} svg @param {string} name @param {Map<string, SVGSVGElement>} known @param {any} opened */
  async offer(svg, name, known, opened) {
    const opening = await import("./opening.js");
    if (this.svg !== svg) return; // another one is shown by now
    this.picture = new opening.Picture(svg, name, known);
    if (opened) this.picture.reopen(opened);
    this.find(false);
  }

  /** The boxes of the workflow itself, and not of those that are open within. */
  boxes() {
    return [...(this.svg?.querySelectorAll(":scope > g.box") ?? [])];
  }

  /** The name of the called workflow that a box or an arrow is within; empty if it is of the workflow itself. @param {Element} chosen */
  within(chosen) {
    return chosen.closest(".opened")?.getAttribute("data-name") ?? "";
  }

  /** What is searched with a box, though it is not shown now: all that it would open. @param {Element} box */
  unseen(box) {
    const opens = (/** @type {Element} */ one) => (one.getAttribute("data-opens") ?? "").split(" ");
    const isClosed = box.nextElementSibling?.getAttribute("aria-expanded") === "false";
    const names = new Set(isClosed ? opens(box) : []);
    for (const name of names) {
      for (const each of this.known.get(name)?.querySelectorAll("[data-opens]") ?? []) opens(each).forEach((one) => names.add(one));
    }
    for (let around = box.closest(".opened"); around; around = around.parentElement?.closest(".opened") ?? null) {
      names.delete(around.getAttribute("data-name") ?? ""); // a circle ends there
    }
    return [...names].map((name) => this.known.get(name)?.textContent ?? "").join(" ");
  }

  /** Show the drawing as wide as it has become. @param {number} width */
  resized(width) {
    this.width = width;
    this.fits ? this.fit() : this.size(0);
    this.find(false);
  }

  /** The name of a box. @param {Element} box */
  name(box) {
    return box.querySelector("text")?.textContent ?? "";
  }

  /** @param {EventTarget | null} target */
  take(target) {
    const chosen = target instanceof Element ? target.closest("g.box, g.arrow") : null;
    if (chosen) this.choose(this.name(chosen), chosen);
  }

  /** Mark what holds the words that are searched, and go to the first. @param {boolean} [go] */
  find(go = true) {
    const words = this.search.value.trim().toLowerCase();
    const all = [...(this.svg?.querySelectorAll("g.box, g.arrow") ?? [])];
    this.hits = words ? all.filter((each) => `${each.textContent} ${this.unseen(each)}`.toLowerCase().includes(words)) : [];
    for (const each of all) each.classList.toggle("aside", words !== "" && !this.hits.includes(each));
    this.count.textContent = words ? this.say("{n} found", { n: this.hits.length }) : "";
    this.at = -1;
    if (go && this.hits.length) this.step(1);
  }

  /** Go to the next of what was found, or to the one before. @param {number} by */
  step(by) {
    if (!this.hits.length) return;
    this.at = (this.at + by + this.hits.length) % this.hits.length;
    this.hits[this.at].scrollIntoView({ block: "center", inline: "center" });
    this.count.textContent = this.say("{n} of {all}", { n: this.at + 1, all: this.hits.length });
  }

  /** @param {number} by */
  size(by) {
    this.fits = false;
    this.zoom = Math.max(0, Math.min(ZOOMS.length - 1, this.zoom + by));
    if (this.svg) this.svg.style.width = `${this.width * ZOOMS[this.zoom]}px`;
  }

  fit() {
    this.fits = true;
    this.zoom = READABLE;
    if (this.svg) this.svg.style.width = `max(min(100%, ${this.width}px), ${this.width * 0.6}px)`;
  }
}
