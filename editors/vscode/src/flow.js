// @ts-check
"use strict";

const vscode = require("vscode");

/** For so many milliseconds nobody types before the flow is drawn anew, which would hold up the next findings. */
const REST = 300;

/**
 * The flow of a spec, in a view beside the text: drawn anew as it is written, a click on a step goes to its line.
 */
class FlowView {
  /**
   * @param {vscode.Uri} media The folder of the viewer's files.
   * @param {(uri: string) => Promise<{svg: string, files: Record<string, string>} | null>} ask Asks the server.
   */
  constructor(media, ask) {
    this.media = media;
    this.ask = ask;
    /** @type {vscode.WebviewPanel | undefined} */
    this.panel = undefined;
    /** @type {vscode.Uri | undefined} */
    this.shown = undefined;
    this.asked = 0;
    /** @type {NodeJS.Timeout | undefined} */
    this.timer = undefined;
    /** Where the workflows in the picture are, by their names. @type {Record<string, string>} */
    this.files = {};
    /** Whether there was nothing to draw when it was last asked, for the text had errors. */
    this.isBroken = false;
  }

  /**
   * Opens the view beside the text.
   *
   * @param {vscode.Uri} uri Of the spec.
   */
  async open(uri) {
    if (this.panel === undefined) {
      this.panel = vscode.window.createWebviewPanel(
        "wfc.flow",
        "Flow",
        { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
        { enableScripts: true, localResourceRoots: [this.media], retainContextWhenHidden: true },
      );
      this.panel.onDidDispose(() => {
        clearTimeout(this.timer);
        this.panel = undefined;
      });
      // it says when it listens: what it is sent before is lost
      this.panel.webview.onDidReceiveMessage((said) => (said?.ready === true ? this.draw() : this.go(said)));
      this.panel.title = titleOf(uri);
      this.shown = uri;
      this.panel.webview.html = page(this.panel.webview, this.media);
      return;
    }
    this.shown = uri;
    this.panel.reveal(undefined, true);
    await this.draw();
  }

  /**
   * Draws anew, once nobody types, if a spec is the one that is shown, or one of those that may be open within.
   *
   * @param {vscode.Uri} uri Of the spec that has changed.
   */
  changed(uri) {
    const changed = uri.toString();
    const isShown = changed === this.shown?.toString() || Object.values(this.files).includes(changed);
    if (this.panel === undefined || !isShown) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.draw(), REST);
  }

  /**
   * Draws anew where there was nothing to draw: another file may have mended what was wrong.
   *
   * @param {readonly vscode.Uri[]} uris Of files of which something else is found now.
   */
  found(uris) {
    const shown = this.shown;
    if (this.isBroken && shown !== undefined && uris.some((each) => each.toString() === shown.toString())) this.changed(shown);
  }

  async draw() {
    const uri = this.shown;
    if (uri === undefined) return;
    const asked = ++this.asked;
    const flow = await this.ask(uri.toString());
    if (asked !== this.asked || this.panel === undefined) return; // a later answer counts
    this.isBroken = flow === null;
    if (flow !== null) this.files = flow.files;
    this.panel.title = titleOf(uri);
    await this.panel.webview.postMessage(flow === null ? { broken: true } : flow);
  }

  /**
   * Goes to the line that was clicked at, of the spec that is shown or of a workflow that is open within.
   *
   * @param {unknown} said By the viewer.
   */
  async go(said) {
    const { line, workflow } = /** @type {{line?: unknown, workflow?: unknown}} */ (said ?? {});
    if (typeof line !== "number" || this.shown === undefined) return;
    const within = typeof workflow === "string" && Object.hasOwn(this.files, workflow) ? this.files[workflow] : undefined;
    if (workflow && within === undefined) return;
    const document = await vscode.workspace.openTextDocument(within === undefined ? this.shown : vscode.Uri.parse(within));
    const at = new vscode.Position(Math.max(0, Math.min(line, document.lineCount - 1)), 0);
    const beside = vscode.window.visibleTextEditors.find((each) => each.document === document);
    await vscode.window.showTextDocument(document, {
      viewColumn: beside?.viewColumn ?? vscode.ViewColumn.One,
      selection: new vscode.Range(at, at),
    });
  }
}

/** @param {vscode.Uri} uri Of a spec. */
function titleOf(uri) {
  return `Flow of ${uri.path.split("/").pop()}`;
}

/**
 * The page of the view: it loads the viewer's files and nothing else.
 *
 * @param {vscode.Webview} webview
 * @param {vscode.Uri} media
 * @returns {string}
 */
function page(webview, media) {
  const file = (/** @type {string} */ name) => webview.asWebviewUri(vscode.Uri.joinPath(media, name));
  const allowed = webview.cspSource;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${allowed}; script-src ${allowed}">
<link rel="stylesheet" href="${file("drawing.css")}">
<link rel="stylesheet" href="${file("viewer.css")}">
<link rel="stylesheet" href="${file("editor.css")}">
<title>Flow</title>
</head>
<body>
<div id="viewer"></div>
<p class="nothing">There is nothing to draw yet: the text has errors. The drawing comes as soon as they are mended.</p>
<script type="module" src="${file("editor.js")}"></script>
</body>
</html>`;
}

module.exports = { FlowView, page };
