// Opens the workflows that steps run in their place: the drawing is stretched until they have room, as is theirs within.

const NS = "http://www.w3.org/2000/svg";
const PAD = 12; // between a frame and what is in it
const HEAD = 22; // for the name of a workflow above its picture
const BORDER = 24; // of a picture, around what is drawn

/** @typedef {{x: number, y: number, w: number, h: number, room: number, g: Element, opens: string[], inner: Picture[], frame?: Element, button?: Element, width: number, height: number}} Box */
/** @typedef {{from: number, to: number, least: number}} Wish */
/** @typedef {Map<string, Map<string, any>>} Opened */

/** Return an element of a drawing. @param {string} tag @param {Record<string, unknown>} attributes @param {string} [text] */
function draw(tag, attributes, text = "") {
  const found = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) found.setAttribute(name, String(value));
  found.textContent = text;
  return found;
}

/**
 * Return where every coordinate goes so that stretches become as long as they have to be. It never goes back, and two
 * places never come closer to each other, so that nothing overlaps that did not before.
 * @param {Wish[]} wishes @returns {(value: number) => number}
 */
export function stretched(wishes) {
  /** @type {{from: number, to: number, more: number}[]} */
  const ramps = [];
  const at = (/** @type {number} */ value) => {
    let found = value;
    for (const { from, to, more } of ramps) found += more * Math.max(0, Math.min(1, (value - from) / (to - from)));
    return found;
  };
  for (const { from, to, least } of wishes.sort((a, b) => a.to - b.to)) {
    const lacks = least - (at(to) - at(from));
    if (lacks > 0) ramps.push({ from, to, more: lacks });
  }
  return at;
}

/** Return the points of a line, and by which command each part goes. @param {string} line */
function read(line) {
  /** @type {[string, number[][]][]} */
  const parts = [];
  let [x, y] = [0, 0];
  for (const [, command, rest] of line.matchAll(/([MHVQCL])([^MHVQCL]*)/g)) {
    const numbers = rest.trim().split(/\s+/).map(Number);
    const points = [];
    if (command === "H") points.push([numbers[0], y]);
    else if (command === "V") points.push([x, numbers[0]]);
    else for (let at = 0; at < numbers.length; at += 2) points.push([numbers[at], numbers[at + 1]]);
    [x, y] = points[points.length - 1];
    parts.push([command === "H" || command === "V" ? "L" : command, points]);
  }
  return parts;
}

/** A picture whose boxes can be opened. */
export class Picture {
  /**
   * @param {Element} root That holds what is drawn, and into which frames are put.
   * @param {string} name Of the workflow.
   * @param {Map<string, SVGSVGElement>} known The pictures of workflows, by their names.
   * @param {Picture} [around] The picture that this one is opened in.
   */
  constructor(root, name, known, around) {
    this.root = root;
    this.name = name;
    this.known = known;
    this.around = around;
    /** @type {Map<string, Box>} */
    this.boxes = new Map();
    for (const g of root.querySelectorAll("g.box[data-spot]")) this.boxes.set(g.getAttribute("data-id") ?? "", this.box(g));
    this.arrows = [...root.querySelectorAll("g.arrow[data-ends]")].map((g) => {
      const path = /** @type {Element} */ (g.querySelector("path"));
      const texts = [...g.querySelectorAll("text")];
      const mean = (/** @type {string} */ of) => texts.reduce((sum, one) => sum + Number(one.getAttribute(of)), 0) / (texts.length || 1);
      return { g, path, parts: read(path.getAttribute("d") ?? ""), ends: (g.getAttribute("data-ends") ?? "").split(" "), x: mean("x"), y: mean("y") };
    });
  }

  /** @param {Element} g @returns {Box} */
  box(g) {
    const [x, y, w, h, room] = (g.getAttribute("data-spot") ?? "").split(" ").map(Number);
    const opens = (g.getAttribute("data-opens") ?? "").split(" ").filter((name) => this.known.has(name) && !this.names().includes(name));
    /** @type {Box} */
    const box = { x, y, w, h, room, g, opens, inner: [], width: w, height: h };
    if (opens.length) this.offer(box);
    return box;
  }

  /** The names of this workflow and of those around it, which cannot be opened within: a circle ends there. @returns {string[]} */
  names() {
    return [this.name, ...(this.around?.names() ?? [])];
  }

  /** Give a box what opens it. @param {Box} box */
  offer(box) {
    const button = draw("g", { class: "opens", tabindex: 0, role: "button", "aria-expanded": "false", "aria-label": `Open ${box.opens.join(", ")}` });
    const [x, y] = [box.x + box.w / 2 - 9, box.y - box.h / 2 + 9];
    button.append(draw("rect", { x: x - 8, y: y - 8, width: 16, height: 16, rx: 3 }), draw("text", { x, y: y + 4.5, class: "sign" }, "+"));
    const turn = (/** @type {Event} */ event) => (event.preventDefault(), event.stopPropagation(), this.turn(box, button));
    button.addEventListener("click", turn);
    button.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") turn(event);
    });
    box.g.after(button); // and not within, where a picture has no parts for who does not see it
    box.button = button;
  }

  /** Open a box, or close it. @param {Box} box @param {Element} button */
  turn(box, button) {
    const open = !box.frame;
    box.frame?.remove();
    box.frame = undefined;
    box.inner = [];
    if (open) this.fill(box);
    button.setAttribute("aria-expanded", String(open));
    button.setAttribute("aria-label", `${open ? "Close" : "Open"} ${box.opens.join(", ")}`);
    /** @type {Element} */ (button.querySelector(".sign")).textContent = open ? "\u2212" : "+";
    this.changed();
  }

  /** Return what is open: by the name of each box, by the names of the workflows within, what is open in these. @returns {Opened} */
  opened() {
    const open = [...this.boxes.values()].filter((box) => box.frame);
    return new Map(open.map((box) => [titled(box), new Map(box.inner.map((each) => [each.name, each.opened()]))]));
  }

  /** Open again what was open in another picture of the same. @param {Opened} opened */
  reopen(opened) {
    for (const box of this.boxes.values()) {
      const within = opened.get(titled(box));
      if (within === undefined || box.button === undefined) continue;
      this.turn(box, box.button);
      for (const each of box.inner) each.reopen(within.get(each.name) ?? new Map());
    }
  }

  /** Put the pictures of what a box runs into a frame below it. @param {Box} box */
  fill(box) {
    const frame = (box.frame = draw("g", { class: "frame", "data-of": box.opens.join(" ") }));
    frame.append(draw("rect", { rx: 8 }));
    for (const name of box.opens) {
      const place = draw("g", { class: "opened", "data-name": name });
      const copy = /** @type {SVGSVGElement} */ (/** @type {SVGSVGElement} */ (this.known.get(name)).cloneNode(true));
      const drawn = draw("g", { "data-width": copy.getAttribute("width"), "data-height": copy.getAttribute("height") });
      drawn.append(...[...copy.children].filter((each) => each.localName !== "defs"));
      place.append(draw("text", { class: "title", x: 0, y: 0 }, name), drawn);
      frame.append(place);
      box.inner.push(new Picture(drawn, name, this.known, this));
    }
    this.root.insertBefore(frame, box.g);
  }

  /** Lay this picture out anew, and those around it. @returns {void} */
  changed() {
    if (this.around) return this.around.changed();
    const { width, height } = this.layout();
    const svg = this.root;
    svg.setAttribute("viewBox", `${-BORDER} ${-BORDER} ${width.toFixed(0)} ${height.toFixed(0)}`);
    svg.setAttribute("width", width.toFixed(0));
    svg.dispatchEvent(new CustomEvent("resized", { bubbles: true, detail: width }));
  }

  /** Move everything so that what is open has room. @returns {{width: number, height: number}} What the picture takes. */
  layout() {
    /** @type {Wish[]} */ const across = [];
    /** @type {Wish[]} */ const down = [];
    for (const box of this.boxes.values()) {
      if (!box.frame) continue;
      this.measure(box);
      const beside = (box.width + box.room - box.w) / 2;
      across.push({ from: box.x - box.room / 2, to: box.x, least: beside }, { from: box.x, to: box.x + box.room / 2, least: beside });
      down.push({ from: box.y - box.h / 2, to: box.y, least: box.height / 2 }, { from: box.y, to: box.y + box.h / 2, least: box.height / 2 });
    }
    const x = stretched(across);
    const y = stretched(down);
    for (const box of this.boxes.values()) this.place(box, x(box.x), y(box.y));
    for (const arrow of this.arrows) this.lead(arrow, x, y);
    const [width, height] = ["width", "height"].map((name) => Number(this.root.getAttribute(`data-${name}`)));
    return { width: x(width), height: y(height) };
  }

  /** Lay out what is open in a box, and say how large its frame is. @param {Box} box */
  measure(box) {
    let [right, tall] = [PAD, 0];
    const places = [.../** @type {Element} */ (box.frame).querySelectorAll(":scope > .opened")];
    box.inner.forEach((picture, number) => {
      const { width, height } = picture.layout();
      const [title, drawn] = places[number].children;
      places[number].setAttribute("transform", `translate(${right} ${box.h + PAD})`);
      title.setAttribute("x", String(width / 2));
      title.setAttribute("y", "10");
      drawn.setAttribute("transform", `translate(${BORDER} ${BORDER + HEAD - PAD})`);
      right += width + PAD;
      tall = Math.max(tall, height + HEAD);
    });
    box.width = Math.max(right, box.w + 2 * PAD);
    box.height = box.h + PAD + tall;
  }

  /** Put a box, and its frame, around the new place of its centre. @param {Box} box @param {number} x @param {number} y */
  place(box, x, y) {
    const rises = box.frame ? (box.height - box.h) / 2 : 0;
    const moved = `translate(${(x - box.x).toFixed(1)} ${(y - rises - box.y).toFixed(1)})`;
    for (const each of [box.g, box.button]) each?.setAttribute("transform", moved);
    if (!box.frame) return;
    box.frame.setAttribute("transform", `translate(${(x - box.width / 2).toFixed(1)} ${(y - box.height / 2).toFixed(1)})`);
    const rect = /** @type {Element} */ (box.frame.firstElementChild);
    rect.setAttribute("width", box.width.toFixed(1));
    rect.setAttribute("height", box.height.toFixed(1));
  }

  /** Lead an arrow to where its boxes are now. @param {any} arrow @param {(value: number) => number} x @param {(value: number) => number} y */
  lead(arrow, x, y) {
    const [source, target] = arrow.ends.map((/** @type {string} */ id) => this.boxes.get(id));
    const last = arrow.parts.length - 1;
    let [dx, dy] = [x(arrow.x) - arrow.x, y(arrow.y) - arrow.y];
    const isLoop = source === target;
    if (isLoop) [dx, dy] = [x(source.x) - source.x + (source.frame ? (source.width - source.w) / 2 : 0), y(source.y) - source.y];
    const line = arrow.parts.map((/** @type {[string, number[][]]} */ [command, points], /** @type {number} */ number) => {
      const moved = points.map(([px, py], at) => {
        if (isLoop) return [px + dx, py + dy];
        if (number === 0) return meets(source, px, py, x, y);
        if (number === last && at === points.length - 1) return meets(target, px, py, x, y);
        return [x(px), y(py)];
      });
      return command + moved.map((point) => point.map((value) => value.toFixed(1)).join(" ")).join(" ");
    });
    arrow.path.setAttribute("d", line.join(""));
    for (const each of arrow.g.querySelectorAll("rect, text")) each.setAttribute("transform", `translate(${dx.toFixed(1)} ${dy.toFixed(1)})`);
  }
}

/** Return the name that stands in a box. @param {Box} box */
function titled(box) {
  return box.g.querySelector("text")?.textContent ?? "";
}

/** Return where an arrow now meets a box that it met at a point. @param {Box} box @param {number} px @param {number} py @param {(value: number) => number} x @param {(value: number) => number} y */
function meets(box, px, py, x, y) {
  const [cx, cy] = [x(box.x), y(box.y)];
  if (!box.frame) return [cx + px - box.x, cy + py - box.y];
  if (Math.abs(py - box.y) >= box.h / 2 - 1) return [cx + px - box.x, cy + (Math.sign(py - box.y) * box.height) / 2];
  return [cx + (Math.sign(px - box.x) * box.width) / 2, y(py)];
}
