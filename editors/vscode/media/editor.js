// The flow of a spec in the view of an editor: drawn anew with each message, a click says the line.

import { Viewer, drawing } from "./viewer.js";

// @ts-ignore: given by the editor
const editor = acquireVsCodeApi();
/** @type {Record<string, number>} */
let lines = {};

const viewer = new Viewer(/** @type {HTMLElement} */ (document.getElementById("viewer")), (name) => {
  const line = Object.hasOwn(lines, name) ? lines[name] : undefined;
  if (line !== undefined) editor.postMessage({ line });
  return line !== undefined;
});

addEventListener("message", ({ data }) => {
  document.body.classList.toggle("broken", Boolean(data.broken)); // the last good drawing stays, paler
  const svg = data.broken ? null : drawing(data.svg);
  if (svg === null) return;
  lines = data.lines;
  viewer.show(svg);
});
