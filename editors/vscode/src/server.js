// @ts-check
"use strict";

const vscode = require("vscode");
const { CloseAction, LanguageClient } = require("vscode-languageclient/node");
const { serverCommand, started } = require("./program");

const SELECTOR = [
  { scheme: "file", language: "yaml" },
  { scheme: "untitled", language: "yaml" },
];
const INSTALL = 'pip install "wfc-workflows[lsp]"';
/** So many characters of what a server has said are told, if it does not begin. */
const SAID = 300;
/** For so many milliseconds what a server says as it ends is waited for. */
const LAST_WORDS = 2000;

/** A client that is told apart by whether it begins: while it does, what fails is told once, by us. */
class Client extends LanguageClient {
  begins = true;

  /** @param {string} message @param {any} [data] @param {boolean | 'force'} [show] */
  error(message, data, show) {
    super.error(message, data, this.begins ? false : show);
  }
}

/** The language server, while there is one. */
class Server {
  /** @param {import("vscode-languageclient/node").Middleware} middleware */
  constructor(middleware) {
    this.middleware = middleware;
    /** @type {Client | undefined} */
    this.client = undefined;
    this.isWanted = false;
    /** What is being done, one after the other. @type {Promise<void>} */
    this.work = Promise.resolve();
  }

  /** Starts it if it could not be started before: somebody looks at a spec. */
  wanted() {
    return this.isWanted ? this.work : this.restart(true);
  }

  /**
   * Starts it anew, or for the first time.
   *
   * @param {boolean} isWanted Whether there is a spec, so that it matters if it cannot be started.
   */
  restart(isWanted) {
    this.isWanted ||= isWanted;
    this.work = this.work.then(() => this.end()).then(() => this.begin());
    return this.work;
  }

  stop() {
    this.work = this.work.then(() => this.end());
    return this.work;
  }

  async end() {
    const running = this.client;
    this.client = undefined;
    await running?.stop().catch(() => undefined); // it may have ended by itself
  }

  async begin() {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    const chosen = vscode.workspace.getConfiguration("wfc").get("command", []);
    const command = serverCommand(/** @type {string[]} */ (chosen), folder);
    let said = "";
    /** @type {Promise<unknown>} */
    let ended = Promise.resolve();
    const start = async () => {
      const child = await started(command, folder, (more) => (said = (said + more).slice(-SAID)));
      ended = new Promise((done) => child.once("close", done));
      return child;
    };
    /** @type {Client} */
    const client = new Client("wfc", "wfc", start, {
      documentSelector: SELECTOR,
      synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/*.{yaml,yml,md,toml,json}") },
      initializationFailedHandler: () => false,
      errorHandler: {
        error: (...how) => usual.error(...how),
        closed: () => (client.begins ? { action: CloseAction.DoNotRestart, handled: true } : usual.closed()),
      },
      middleware: this.middleware,
    });
    const usual = client.createDefaultErrorHandler(); // which starts it again, but not for ever
    try {
      await client.start();
      client.begins = false;
      this.client = client;
      this.isWanted = true;
    } catch (error) {
      await Promise.race([ended, new Promise((done) => setTimeout(done, LAST_WORDS))]);
      if (this.isWanted) void this.complain(command, said.trim() || String(error));
    }
  }

  /**
   * Says why it could not be started, and offers what helps.
   *
   * @param {string[]} command
   * @param {string} why
   */
  async complain(command, why) {
    const isMissing = /ENOENT/.test(why);
    const about = isMissing
      ? `wfc is not installed where the editor looks: there is no \`${command[0]}\`. Install it with \`${INSTALL}\` in the folder's .venv, or say where it is in the setting \`wfc.command\`.`
      : `\`${command.join(" ")}\` could not be started: ${why}. An older wfc is brought up to date with \`${INSTALL.replace("install", "install --upgrade")}\`.`;
    const answer = await vscode.window.showErrorMessage(about, "Try Again", "Open the Setting");
    if (answer === "Try Again") await this.restart(true);
    if (answer === "Open the Setting") await vscode.commands.executeCommand("workbench.action.openSettings", "wfc.command");
  }
}

module.exports = { Server };
