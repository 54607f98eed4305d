// @ts-check
"use strict";

const vscode = require("vscode");

/** What nobody types. */
const NEVER = "\u0001";

/**
 * What the server proposes, as this editor needs it.
 *
 * After a key, what may be its value is proposed at once. Where the server knows nothing that fits, the editor would propose
 * words from anywhere in the text; in a spec those are wrong hints, so it is given one that fits nothing instead.
 *
 * @param {vscode.CompletionItem[] | vscode.CompletionList | null | undefined} found
 * @param {boolean} isSpec
 * @param {vscode.TextDocument} document
 * @param {vscode.Position} position
 */
function asToldHere(found, isSpec, document, position) {
  const items = Array.isArray(found) ? found : (found?.items ?? []);
  for (const each of items) {
    const text = typeof each.insertText === "string" ? each.insertText : "";
    if (/\s$/.test(text)) each.command = { command: "editor.action.triggerSuggest", title: "", arguments: [{ auto: true }] };
  }
  const before = document.lineAt(position.line).text.slice(0, position.character);
  if (items.length > 0 || !isSpec || before.trim() === "") return found;
  const nothing = new vscode.CompletionItem(NEVER);
  nothing.filterText = NEVER;
  nothing.insertText = "";
  nothing.range = new vscode.Range(position.line, 0, position.line, position.character);
  return [nothing];
}

module.exports = { asToldHere };
