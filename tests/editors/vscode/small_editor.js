// Runs the packed extension under Node with a small editor in the place of VS Code, against the language server:
//   node client_test.js EXTENSION_FOLDER SPEC SERVER_COMMAND...
// and prints what the editor was told, as JSON.
"use strict";

const Module = require("node:module");
const fs = require("node:fs");
const path = require("node:path");

const [folder, spec, ...command] = process.argv.slice(2);

class Emitter {
  constructor() {
    this.listeners = [];
    this.event = (listener, self) => {
      this.listeners.push(self ? listener.bind(self) : listener);
      return { dispose() {} };
    };
  }
  fire(said) {
    for (const each of [...this.listeners]) each(said);
  }
  dispose() {}
}
class Position {
  constructor(line, character) {
    Object.assign(this, { line, character });
  }
}
class Range {
  constructor(start, end, endLine, endCharacter) {
    if (typeof start === "number") [start, end] = [new Position(start, end), new Position(endLine, endCharacter)];
    Object.assign(this, { start, end });
  }
}
class Diagnostic {
  constructor(range, message, severity) {
    Object.assign(this, { range, message, severity });
  }
}
class Uri {
  constructor(said) {
    this.said = said;
    const parts = new URL(said);
    Object.assign(this, { scheme: parts.protocol.slice(0, -1), path: decodeURIComponent(parts.pathname), authority: parts.host, query: "", fragment: "" });
    this.fsPath = this.path;
  }
  toString() {
    return this.said;
  }
  with() {
    return this;
  }
  static file(name) {
    return new Uri(require("node:url").pathToFileURL(name).toString());
  }
  static parse(said) {
    return new Uri(said);
  }
  static joinPath(uri, ...names) {
    return Uri.file(path.join(uri.fsPath, ...names));
  }
}

class CancellationTokenSource {
  token = { isCancellationRequested: false, onCancellationRequested: new Emitter().event };
  cancel() {}
  dispose() {}
}

const emitters = {};
const on = (name) => (emitters[name] ??= new Emitter()).event;
const told = { findings: [], messages: [], errors: [], shown: [], opened: [], contexts: {}, commands: {} };
let webview;
const collection = {
  set: (uri, found) => told.findings.push(found.map((each) => ({ code: each.code?.value ?? each.code, line: each.range.start.line, source: each.source }))),
  delete() {}, clear() {}, dispose() {}, forEach() {}, has: () => false, get: () => [],
};
const document = {
  uri: Uri.file(spec), fileName: spec, languageId: "yaml", version: 1, isDirty: false, isUntitled: false, isClosed: false,
  text: fs.readFileSync(spec, "utf8"),
  getText() { return this.text; },
  get lineCount() { return this.text.split("\n").length; },
};
const channel = { append() {}, appendLine() {}, show() {}, dispose() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {}, logLevel: 3, onDidChangeLogLevel: on("log") };

/** Everything else of the editor: whatever is registered or asked for does nothing. */
const rest = (known, name) =>
  new Proxy(known, {
    get(target, key) {
      if (key in target || typeof key === "symbol") return target[key];
      if (/^on(Did|Will)/.test(key)) return (target[key] = on(`${name}.${key}`));
      if (/^[A-Z]/.test(key)) return (target[key] = class {});
      return (target[key] = () => ({ dispose() {} }));
    },
  });
const ENUMS = {
  DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 }, ViewColumn: { One: 1, Beside: -2 },
  LogLevel: { Off: 0, Trace: 1, Debug: 2, Info: 3, Warning: 4, Error: 5 }, DiagnosticTag: { Unnecessary: 1, Deprecated: 2 },
  CompletionItemKind: {}, CompletionItemTag: {}, SymbolKind: {}, SymbolTag: {}, CodeActionKind: new Proxy({}, { get: () => ({ value: "", append: () => ({}) }) }),
  CodeActionTriggerKind: {}, CompletionTriggerKind: {}, InlineCompletionTriggerKind: {}, TextDocumentSaveReason: {}, NotebookCellKind: {}, FileType: {}, ExtensionKind: {}, UIKind: {},
};
const editor = rest(
  {
    ...ENUMS, Position, Range, Selection: Range, Diagnostic, Uri, EventEmitter: Emitter, CancellationTokenSource, version: "1.106.0",
    RelativePattern: class {},
    env: rest({ language: "en", appName: "a small editor", uriScheme: "file" }, "env"),
    commands: rest({
      registerCommand: (name, work) => ((told.commands[name] = work), { dispose() {} }),
      executeCommand: async (name, ...given) => (name === "setContext" ? (told.contexts[given[0]] = given[1]) : told.commands[name]?.(...given)),
    }, "commands"),
    languages: rest({ createDiagnosticCollection: () => collection, match: (selector, document) => ([selector].flat().some((each) => each.language === document.languageId) ? 10 : 0) }, "languages"),
    workspace: rest({
      textDocuments: [document], notebookDocuments: [], workspaceFolders: [{ uri: Uri.file(path.dirname(spec)), name: "folder", index: 0 }],
      getConfiguration: () => ({ get: (name, usual) => (name === "command" ? command : usual), has: () => false, inspect: () => undefined }),
      createFileSystemWatcher: () => ({ onDidCreate: on("create"), onDidChange: on("change"), onDidDelete: on("delete"), dispose() {} }),
      getWorkspaceFolder: () => undefined, openTextDocument: async (uri) => (told.opened.push(path.basename(uri.path)), document), asRelativePath: String,
      isTrusted: true,
    }, "workspace"),
    window: rest({
      activeTextEditor: { document }, visibleTextEditors: [{ document, viewColumn: 1 }], tabGroups: { all: [], onDidChangeTabs: on("tabs"), onDidChangeTabGroups: on("groups") },
      createOutputChannel: () => channel,
      showErrorMessage: async (said) => void told.errors.push(String(said)),
      showInformationMessage: async (said) => void told.messages.push(String(said)),
      showTextDocument: async (_, options) => void told.shown.push(options.selection.start.line),
      createWebviewPanel: () => {
        const received = new Emitter();
        webview = { cspSource: "test:", html: "", posted: [], received, asWebviewUri: (uri) => `test:${path.basename(uri.path)}`, onDidReceiveMessage: received.event, postMessage: async (said) => webview.posted.push(said) };
        return { webview, title: "", reveal() {}, onDidDispose: on("disposed") };
      },
    }, "window"),
  },
  "vscode",
);
const load = Module._load;
Module._load = (name, ...more) => (name === "vscode" ? editor : load(name, ...more));

/** Waits until something holds. */
async function until(what, holds) {
  for (const begin = Date.now(); !holds(); await new Promise((done) => setTimeout(done, 20)))
    if (Date.now() - begin > 180_000) throw new Error(`in vain: ${what}; ${JSON.stringify(told)}`);
}

async function main() {
  const extension = require(path.join(folder, "dist", "extension.js"));
  const context = { extensionUri: Uri.file(folder), subscriptions: [], extensionPath: folder };
  const started = await extension.activate(context);
  if (started.client() === undefined) return;
  await until("findings", () => told.findings.length > 0);
  const first = told.findings.at(-1);
  document.text = document.text.replace("amuont", "amount");
  document.version += 1;
  emitters["workspace.onDidChangeTextDocument"].fire({ document, contentChanges: [{ text: document.text }], reason: undefined });
  await until("no findings", () => told.findings.at(-1).length === 0);
  await told.commands["wfc.openFlow"]();
  if (webview.posted.length > 0) throw new Error("something was sent before the view listens");
  webview.received.fire({ ready: true });
  await until("a drawing", () => webview.posted.length > 0);
  const [flow] = webview.posted;
  webview.received.fire({ line: document.text.split("\n").findIndex((one) => one.trim() === "look:") });
  await until("the line", () => told.shown.length > 0);
  webview.received.fire({ line: 3, workflow: "unknown" });
  webview.received.fire({ line: 2, workflow: "inner" });
  await until("the line within", () => told.shown.length > 1);
  const drawn = webview.posted.length;
  for (const word of ["integer", "integer?", "integer"]) {
    document.text = document.text.replace(/amount: [a-z?]+/, `amount: ${word}`);
    document.version += 1;
    emitters["workspace.onDidChangeTextDocument"].fire({ document, contentChanges: [{ text: document.text }], reason: undefined });
  }
  await until("a drawing after the typing", () => webview.posted.length > drawn);
  await new Promise((done) => setTimeout(done, 600));
  told.redrawn = webview.posted.length - drawn;
  await extension.deactivate();
  Object.assign(told, { first, html: webview.html, svg: flow.svg.slice(0, 200), files: flow.files, inside: flow.svg.includes('<svg data-name="inner"') });
}

main().then(
  () => (console.log(JSON.stringify(told)), process.exit(0)),
  (error) => (console.error(error), process.exit(1)),
);
