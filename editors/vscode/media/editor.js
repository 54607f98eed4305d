// The flow of a spec in the view of an editor: drawn anew with each message, a click says the line and its workflow.

import { Viewer, drawing } from "./viewer.js";

// @ts-ignore: given by the editor
const editor = acquireVsCodeApi();
/** @type {string[]} */
let workflows = []; // whose files are known

const viewer = new Viewer(/** @type {HTMLElement} */ (document.getElementById("viewer")), (_, chosen) => {
  const line = Number(chosen.getAttribute("data-line")); // counted from 1; 0 if there is none
  const workflow = viewer.within(chosen);
  if (!line || (workflow && !workflows.includes(workflow))) return false;
  editor.postMessage({ line: line - 1, workflow });
  return true;
});

addEventListener("message", ({ data }) => {
  document.body.classList.toggle("broken", Boolean(data.broken)); // the last good drawing stays, paler
  const svg = data.broken ? null : drawing(data.svg);
  if (svg === null) return;
  workflows = Object.keys(data.files);
  viewer.show(svg);
});

editor.postMessage({ ready: true });
