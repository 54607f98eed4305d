// @ts-check
"use strict";

const { spawn } = require("node:child_process");
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

/**
 * Starts the language server.
 *
 * @param {string[]} command
 * @param {string | undefined} folder In which it works.
 * @param {(line: string) => void} tell Told what it says beside the protocol.
 * @returns {Promise<import("node:child_process").ChildProcess>} It is there; fails if there is no such program.
 */
function started([program, ...args], folder, tell) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: folder, windowsHide: true });
    child.once("spawn", () => resolve(child));
    child.once("error", reject);
    child.stderr.on("data", (said) => tell(String(said)));
  });
}

module.exports = { serverCommand, started };
