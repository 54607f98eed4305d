// A page of a drawing that stands for itself: the viewer over the picture, and the source.

import { Viewer } from "./viewer.js";

const page = document.documentElement;
const whole = /** @type {SVGSVGElement} */ (document.querySelector("#drawing svg"));
/** @type {Map<string, SVGSVGElement>} */
const known = new Map();
for (const section of document.querySelectorAll("section.inside")) {
  known.set(section.getAttribute("data-name") ?? "", /** @type {SVGSVGElement} */ (section.querySelector("svg")));
}

/** Show the line of the source that a box or an arrow comes from. @param {string} _ @param {Element} [chosen] */
function lead(_, chosen) {
  const number = chosen?.getAttribute("data-line");
  const name = chosen?.closest(".opened")?.getAttribute("data-name") ?? document.querySelector("h1")?.textContent;
  const source = [...document.querySelectorAll("details.source")].find((each) => each.getAttribute("data-name") === name);
  const line = source?.querySelector(`span[data-number="${Number(number)}"]`);
  if (!number || !line) return false;
  for (const each of document.querySelectorAll(".source .marked")) each.classList.remove("marked");
  /** @type {HTMLDetailsElement} */ (source).open = true;
  line.classList.add("marked");
  line.setAttribute("tabindex", "-1");
  /** @type {HTMLElement} */ (line).focus({ preventScroll: true });
  line.scrollIntoView({ block: "center" });
  return true;
}

for (const svg of [whole, ...known.values()]) {
  for (const each of svg.querySelectorAll("[data-line]")) each.classList.add("leads");
}
page.classList.add("js");
const viewer = new Viewer(/** @type {HTMLElement} */ (document.getElementById("drawing")), lead);
viewer.show(whole, document.querySelector("h1")?.textContent ?? "", known);
