// @ts-check
"use strict";

const fs = require("node:fs");
const path = require("node:path");

const PLACES = process.platform === "win32" ? [".venv/Scripts/wfc.exe"] : [".venv/bin/wfc", "venv/bin/wfc"];

/**
 * What starts the language server.
 *
 * @param {string[]} chosen By the setting; empty if the user has chosen nothing.
 * @param {string | undefined} folder That is open.
 * @returns {string[]}
 */
function serverCommand(chosen, folder) {
  if (Array.isArray(chosen) && chosen.length > 0 && chosen.every((each) => typeof each === "string")) return chosen;
  for (const place of folder === undefined ? [] : PLACES) {
    const program = path.join(/** @type {string} */ (folder), place);
    if (fs.existsSync(program)) return [program, "lsp"];
  }
  return ["wfc", "lsp"];
}

module.exports = { serverCommand };
