// @ts-check
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const { FlowView } = require("./flow");
const { serverCommand } = require("./program");

const SPEC = /^(wfc|workflow):/m;
const SELECTOR = [
  { scheme: "file", language: "yaml" },
  { scheme: "untitled", language: "yaml" },
];

/** @type {LanguageClient | undefined} */
let client;

/**
 * Starts the language server, and offers the flow beside the text.
 *
 * @param {vscode.ExtensionContext} context
 * @returns {Promise<{client: () => LanguageClient | undefined}>} For tests.
 */
async function activate(context) {
  const media = vscode.Uri.joinPath(context.extensionUri, "media");
  const flow = new FlowView(media, async (uri) => (client ? client.sendRequest("wfc/flow", { uri }) : null));
  context.subscriptions.push(
    vscode.commands.registerCommand("wfc.openFlow", async () => {
      const document = vscode.window.activeTextEditor?.document;
      if (document !== undefined) await flow.open(document.uri);
    }),
    vscode.commands.registerCommand("wfc.restart", async () => {
      await stop();
      await start(flow);
    }),
    vscode.workspace.onDidChangeTextDocument((event) => flow.changed(event.document.uri)),
    vscode.window.onDidChangeActiveTextEditor(mark),
    vscode.workspace.onDidSaveTextDocument(() => mark(vscode.window.activeTextEditor)),
  );
  mark(vscode.window.activeTextEditor);
  await start(flow);
  return { client: () => client };
}

/**
 * Tells the editor whether it shows a spec, so that the button of the flow is there.
 *
 * @param {vscode.TextEditor | undefined} editor
 */
function mark(editor) {
  const text = editor?.document.languageId === "yaml" ? editor.document.getText() : "";
  void vscode.commands.executeCommand("setContext", "wfc.isSpec", SPEC.test(text));
}

/** @param {FlowView} flow */
async function start(flow) {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const chosen = vscode.workspace.getConfiguration("wfc").get("command", []);
  const [command, ...args] = serverCommand(/** @type {string[]} */ (chosen), folder);
  client = new LanguageClient(
    "wfc",
    "wfc",
    { command, args, options: folder === undefined ? {} : { cwd: folder } },
    {
      documentSelector: SELECTOR,
      synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/*.{yaml,yml,md,toml,json}") },
      middleware: {
        // the picture belongs beside the text here, and not into a browser
        executeCommand: async (name, given, next) =>
          name === "wfc.showFlow" ? flow.open(vscode.Uri.parse(String(given[0]))) : next(name, given),
      },
    },
  );
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    void vscode.window.showErrorMessage(
      `wfc: \`${[command, ...args].join(" ")}\` could not be started: ${error}. ` +
        'Install it with `pip install "wfc-workflows[lsp]"`, or say where it is in the setting `wfc.command`.',
    );
  }
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop();
}

module.exports = { activate, deactivate: stop };
