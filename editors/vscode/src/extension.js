// @ts-check
"use strict";

const vscode = require("vscode");
const { FlowView } = require("./flow");
const { Server } = require("./server");
const { asToldHere } = require("./suggestions");

const SPEC = /^(wfc:|workflow:[ \t]*["'\w])/m;
const BELOW = { beforeText: /^\s*(- )?[\w"'.-]+:\s*$/, action: { indentAction: vscode.IndentAction.Indent } };
const BESIDE = { beforeText: /^\s*- [\w"'.-]+:\s+\S.*$/, action: { indentAction: vscode.IndentAction.None, appendText: "  " } };

/** @type {Server | undefined} */
let server;

/**
 * Starts the language server, and offers the flow beside the text.
 *
 * @param {vscode.ExtensionContext} context
 * @returns {Promise<{client: () => import("vscode-languageclient/node").LanguageClient | undefined}>} For tests.
 */
async function activate(context) {
  const media = vscode.Uri.joinPath(context.extensionUri, "media");
  const flow = new FlowView(media, async (uri) => (server?.client ? server.client.sendRequest("wfc/flow", { uri }) : null));
  const made = (server = new Server({
    // the picture belongs beside the text here, and not into a browser
    executeCommand: async (name, given, next) =>
      name === "wfc.showFlow" ? flow.open(vscode.Uri.parse(String(given[0]))) : next(name, given),
    provideCompletionItem: async (document, position, how, token, next) =>
      asToldHere(await next(document, position, how, token), isSpec(document), document, position),
  }));
  const looked = (/** @type {vscode.TextEditor | undefined} */ editor) => {
    mark(editor);
    if (editor !== undefined && isSpec(editor.document)) void made.wanted();
  };
  context.subscriptions.push(
    vscode.commands.registerCommand("wfc.openFlow", async () => {
      const document = vscode.window.activeTextEditor?.document;
      if (document !== undefined) await flow.open(document.uri);
    }),
    vscode.commands.registerCommand("wfc.restart", () => made.restart(true)),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("wfc.command")) void made.restart(true);
    }),
    vscode.workspace.onDidChangeTextDocument((event) => {
      flow.changed(event.document.uri);
      if (event.document === vscode.window.activeTextEditor?.document) looked(vscode.window.activeTextEditor);
    }),
    vscode.languages.onDidChangeDiagnostics((event) => flow.found(event.uris)),
    vscode.window.onDidChangeActiveTextEditor(looked),
    { dispose: () => indenting?.dispose() },
  );
  mark(vscode.window.activeTextEditor);
  await made.restart(vscode.workspace.textDocuments.some(isSpec));
  return { client: () => made.client };
}

/** @param {vscode.TextDocument} document */
function isSpec(document) {
  return document.languageId === "yaml" && SPEC.test(document.getText());
}

/** @type {boolean | undefined} */
let marked;
/** @type {vscode.Disposable | undefined} */
let indenting;

/**
 * Tells the editor whether it shows a spec: the button of the flow is there then, and what follows a key is indented,
 * while other YAML is left as it is.
 *
 * @param {vscode.TextEditor | undefined} editor
 */
function mark(editor) {
  const now = editor !== undefined && isSpec(editor.document);
  if (now === marked) return;
  marked = now;
  void vscode.commands.executeCommand("setContext", "wfc.isSpec", now);
  indenting?.dispose();
  indenting = now ? vscode.languages.setLanguageConfiguration("yaml", { onEnterRules: [BELOW, BESIDE] }) : undefined;
}

module.exports = { activate, deactivate: () => server?.stop() };
