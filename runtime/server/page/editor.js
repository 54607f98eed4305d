// The editor of a spec: CodeMirror with the compiler's own findings, fixes, completion and hover. It stands in a shadow
// root, where its styles need no exception from the page's policy.
import {
  Decoration,
  EditorState,
  EditorView,
  HighlightStyle,
  StateEffect,
  StateField,
  autocompletion,
  bracketMatching,
  completionKeymap,
  defaultKeymap,
  drawSelection,
  highlightActiveLine,
  history,
  historyKeymap,
  hoverTooltip,
  indentUnit,
  keymap,
  lineNumbers,
  lintKeymap,
  setDiagnostics,
  syntaxHighlighting,
  tags,
  yaml,
} from "./codemirror.js";
import { UNSEEN, numbered } from "./dom.js";

const STYLE = HighlightStyle.define([
  { tag: tags.propertyName, fontWeight: "600" },
  { tag: [tags.string, tags.attributeValue], color: "var(--string)" },
  { tag: tags.comment, color: "var(--soft)", fontStyle: "italic" },
]);

const THEME = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--paper)", height: "100%", border: "1px solid var(--line)" },
  "&.cm-focused": { outline: "2px solid var(--ink)" },
  ".cm-content": { fontFamily: "ui-monospace, monospace", caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--grey)", color: "var(--soft)", border: "0" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--grey)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--blue) !important" },
  ".cm-tooltip": { backgroundColor: "var(--paper)", color: "var(--ink)", border: "1px solid var(--line)", maxWidth: "36rem" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--blue)", color: "var(--ink)" },
  ".cm-lintRange-error, .cm-lintRange-warning, .cm-lintRange-info": { backgroundImage: "none", textDecoration: "underline wavy var(--bad)", textUnderlineOffset: "3px" },
  ".cm-lintRange-warning, .cm-lintRange-info": { textDecorationColor: "var(--string)" },
  ".cm-diagnostic": { borderLeft: "4px solid var(--bad)", padding: ".3rem .6rem", whiteSpace: "pre-wrap" },
  ".cm-diagnosticAction": { backgroundColor: "var(--blue)", color: "var(--ink)", padding: ".2rem .5rem" },
  ".said": { padding: ".3rem .6rem", whiteSpace: "pre-wrap", maxHeight: "20rem", overflow: "auto" },
  ".marked": { backgroundColor: "var(--yellow)" },
  ".unseen": { unicodeBidi: "isolate", direction: "ltr" },
  ".unseen::before": { content: "attr(data-sign)", color: "var(--bad)" },
});

/** What turns other text around or hides stays in the text, and is seen by its number beside it. */
const unseen = StateField.define({
  create: (/** @type {any} */ state) => unseenIn(state.doc),
  update: (/** @type {any} */ now, /** @type {any} */ change) => (change.docChanged ? unseenIn(change.state.doc) : now),
  provide: (/** @type {any} */ field) => EditorView.decorations.from(field),
});

/** @param {any} doc */
function unseenIn(doc) {
  const signs = [...doc.toString().matchAll(UNSEEN)];
  return Decoration.set(signs.map((one) => Decoration.mark({ class: "unseen", attributes: { "data-sign": numbered(one[0]) } }).range(one.index, one.index + one[0].length)));
}

const mark = StateEffect.define();
const marks = StateField.define({
  create: () => Decoration.none,
  update(/** @type {any} */ now, /** @type {any} */ change) {
    for (const one of change.effects) {
      if (one.is(mark)) return one.value ? Decoration.set([Decoration.mark({ class: "marked" }).range(one.value.from, one.value.to)]) : Decoration.none;
    }
    return now.map(change.changes);
  },
  provide: (/** @type {any} */ field) => EditorView.decorations.from(field),
});

const KINDS = /** @type {Record<string, string>} */ ({ key: "property", event: "class", field: "variable", step: "function" });

/**
 * Return an editor in a place.
 * @param {HTMLElement} place @param {string} text @param {string} label
 * @param {{complete: (text: string, at: number) => Promise<any>, hover: (text: string, at: number) => Promise<any>, changed: () => void, moved: (at: number) => void, save: () => void}} asked
 */
export function editor(place, text, label, asked) {
  const root = place.attachShadow({ mode: "open" });
  const frame = document.createElement("div");
  frame.style.height = "100%";
  root.append(frame);
  const view = new EditorView({ root, parent: frame, state: EditorState.create({ doc: text, extensions: extensions(label, asked) }) });
  view.scrollDOM.tabIndex = 0; // whoever has no mouse scrolls it, too
  return {
    text: () => view.state.doc.toString(),
    focus: () => view.focus(),
    /** @param {string} now */
    replace: (now) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: now } }),
    /** @param {any[]} findings */
    show: (findings) => view.dispatch(setDiagnostics(view.state, findings.map((one) => diagnostic(one, view.state.doc.length)))),
    /** @param {number} from @param {number} to */
    go: (from, to) => {
      const [first, last] = [from, to].map((one) => Math.min(one, view.state.doc.length));
      view.dispatch({ selection: { anchor: first }, effects: [EditorView.scrollIntoView(first, { y: "center" }), mark.of(first < last ? { from: first, to: last } : null)] });
      view.focus();
    },
    /** @param {any} fix */
    mend: (fix) => apply(view, fix),
  };
}

/** @param {any} label @param {any} asked */
function extensions(label, asked) {
  return [
    lineNumbers(),
    history(),
    drawSelection(),
    highlightActiveLine(),
    bracketMatching(),
    indentUnit.of("  "),
    yaml(),
    syntaxHighlighting(STYLE),
    THEME,
    marks,
    unseen,
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": label }),
    autocompletion({ override: [(/** @type {any} */ context) => proposals(context, (text, at) => asked.complete(text, at))] }),
    hoverTooltip((/** @type {any} */ view, /** @type {number} */ at) => tooltip(view, at, (text, at) => asked.hover(text, at))),
    EditorView.domEventHandlers({ beforeinput: typedOver }),
    keymap.of([{ key: "Mod-s", run: () => (asked.save(), true), preventDefault: true }, ...completionKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap]),
    EditorView.updateListener.of((/** @type {any} */ update) => {
      if (update.docChanged) asked.changed();
      else if (update.selectionSet) asked.moved(update.state.selection.main.head);
    }),
  ];
}

/**
 * Take what is typed over a selection from the event. The browser would keep how that looked, by a style of its own that
 * the page's policy forbids, and complain.
 * @param {any} event @param {any} view
 */
function typedOver(event, view) {
  if (event.inputType !== "insertText" || !event.data || view.state.selection.main.empty) return false;
  event.preventDefault();
  view.dispatch(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
  return true;
}

/** @param {any} context @param {(text: string, at: number) => Promise<any>} complete */
async function proposals(context, complete) {
  const typed = context.matchBefore(/[\w.-]+/);
  if (!typed && !context.explicit) return null;
  const told = await complete(context.state.doc.toString(), context.pos).catch(() => null);
  if (!told?.proposals.length) return null;
  const options = told.proposals.map((/** @type {any} */ one) => ({
    label: one.label,
    detail: one.detail || undefined,
    info: one.about || undefined,
    type: KINDS[one.what] || "text",
    apply: one.insert,
  }));
  return { from: told.proposals[0].from, options };
}

/** Return a piece of Markdown as it is meant, `code` or **strong**; other text as it is. @param {string} piece */
function marked(piece) {
  const [, strong, code] = /^\*\*(.+)\*\*$|^`(.+)`$/.exec(piece) || [];
  if (!strong && !code) return piece;
  const found = document.createElement(strong ? "strong" : "code");
  found.textContent = strong || code;
  return found;
}

/** @param {any} view @param {number} at @param {(text: string, at: number) => Promise<any>} hover */
async function tooltip(view, at, hover) {
  const told = await hover(view.state.doc.toString(), at).catch(() => null);
  if (!told?.said) return null;
  const create = () => {
    const dom = document.createElement("div");
    dom.className = "said";
    dom.append(...told.said.split(/(\*\*[^*\n]+\*\*|`[^`\n]+`)/).map(marked));
    return { dom };
  };
  return { pos: told.from, end: told.to, create };
}

/** @param {any} finding @param {number} length */
function diagnostic(finding, length) {
  const from = Math.min(finding.from, length);
  return {
    from,
    to: Math.max(from, Math.min(finding.to, length)),
    severity: finding.severity === "error" ? "error" : "warning",
    source: finding.code,
    message: finding.hint ? `${finding.message}\n${finding.hint}` : finding.message,
    actions: finding.fix ? [{ name: finding.fix.title, apply: (/** @type {any} */ view) => apply(view, finding.fix) }] : [],
  };
}

/** @param {any} view @param {any} fix */
function apply(view, fix) {
  view.dispatch({ changes: fix.edits.map((/** @type {any} */ one) => ({ from: one.from, to: one.to, insert: one.text })) });
}
