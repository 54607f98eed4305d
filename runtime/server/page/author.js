// The screen of authors: specs with their health, an editor with the flow beside it, tests, and proposals.
import { part } from "./api.js";
import { ask, button, data, h, nothing, renew, show, table, tell } from "./dom.js";
import { rehearsals } from "./rehearse.js";
import { Viewer } from "./viewer.js";
import { t } from "./words.js";

/** The last save of each file. @type {Map<string, Promise<boolean>>} */
const saves = new Map();

/** @param {import("./app.js").Place} place */
export async function showFiles({ main, server }) {
  const told = await server.call("v1/files");
  const rows = told.files.map((/** @type {any} */ one) => [h("a", { href: `#/author/${part(one.path)}` }, one.path), health(one)]);
  const add = button(t("New"), () => begin(server), { id: "new" });
  const found = rows.length ? table([t("File"), t("Health")], rows, t("Author")) : nothing(t("There are no specs yet. New begins one from a pattern."));
  show(main, h("h1", {}, t("Author")), h("div", { class: "row" }, add), found);
}

/** @param {any} file */
function health(file) {
  if (file.problem) return h("span", { class: "bad" }, file.problem);
  if (!file.is_spec) return h("span", { class: "soft" }, t("no spec"));
  if (file.errors) return h("span", { class: "status failed" }, t("{n} errors", { n: file.errors }));
  return file.warnings ? h("span", { class: "status parked" }, t("{n} warnings", { n: file.warnings })) : h("span", { class: "status done" }, t("good"));
}

/** Begin a spec from a pattern. @param {any} server */
async function begin(server) {
  const told = await server.call("v1/patterns");
  const select = /** @type {HTMLSelectElement} */ (h("select", { id: "pattern", size: 8, required: true }));
  const said = h("p", { class: "soft", "aria-live": "polite" });
  const choose = (_ = "") => show(said, told.patterns.find((/** @type {any} */ one) => one.name === select.value)?.about || t("No pattern is like that."));
  const search = /** @type {HTMLInputElement} */ (h("input", { type: "search", id: "search-patterns" }));
  let chosen = ""; // by hand; what stood there because of half a word is nobody's choice
  const find = () => {
    const found = bestOf(told.patterns, search.value);
    select.replaceChildren(...found.map((/** @type {any} */ one) => h("option", { value: one.name }, one.title)));
    select.value = found.some((/** @type {any} */ one) => one.name === chosen) ? chosen : found[0]?.name || "";
    choose();
  };
  select.addEventListener("change", () => choose(chosen = select.value));
  search.addEventListener("input", find);
  find();
  const name = /** @type {HTMLInputElement} */ (h("input", { id: "name", required: true, placeholder: "my_workflow" }));
  const fields = [h("div", { class: "field" }, h("label", { for: "search-patterns" }, t("Search")), search), h("div", { class: "field" }, h("label", { for: "pattern" }, t("Pattern")), select, said), h("div", { class: "field" }, h("label", { for: "name" }, t("Name")), name)];
  ask(t("New"), h("div", { class: "fields" }, fields), t("Begin"), async () => {
    const made = await server.call("v1/patterns", { pattern: select.value, name: asName(name.value) });
    location.hash = `#/author/${part(made.path)}`;
  });
}

/** What people call what steps of a kind do, where that is not the kind's name. */
const CALLED = /** @type {Record<string, string>} */ ({ human: "ask a person for approval by a form", llm: "model", wait: "timer", map: "each of a list" });

/** Return those of the patterns that have most of the words that somebody looks for, of whole words or their beginnings. @param {any[]} patterns @param {string} wanted */
function bestOf(patterns, wanted) {
  const words = wanted.toLowerCase().split(/\s+/).filter((one) => one.length > 2 || one === wanted.trim().toLowerCase());
  const count = (/** @type {string} */ text) => words.filter((word) => ` ${text}`.toLowerCase().includes(` ${word}`)).length;
  const called = (/** @type {any} */ one) => one.kinds.map((/** @type {string} */ kind) => `${kind} ${CALLED[kind] || ""}`).join(" ");
  const scored = patterns.map((one) => ({ one, score: count(`${one.title} ${one.about} ${called(one)}`), own: count(`${one.title} ${one.about}`) }));
  const best = Math.max(0, ...scored.map(({ score }) => score));
  const found = scored.filter(({ score }) => score === best).sort((one, other) => other.own - one.own); // what says so itself comes first
  return !wanted.trim() ? patterns : best ? found.map(({ one }) => one) : [];
}

/** Return the name of a workflow that somebody means: small letters, digits and `_`. @param {string} said */
function asName(said) {
  return said.trim().toLowerCase().replace(/[^a-z0-9_]+/g, "_");
}

/** @param {import("./app.js").Place} place */
export async function showFile({ main, server, id, left }) {
  await saves.get(id)?.catch(() => {}); // who leaves while it is saved and comes back would have a conflict with oneself
  const [file, { editor }] = await Promise.all([server.call(`v1/files/${part(id)}`), import("./editor.js")]);
  const desk = new Desk(server, file, left);
  const where = h("div", { class: "editor" });
  show(
    main,
    h("h1", {}, file.path),
    h("div", { class: "row" }, button(t("Save"), () => desk.save(), { id: "save" }), button(t("Test"), () => desk.test(), { id: "test" }), button(t("Rehearse"), () => desk.rehearse(), { id: "rehearse" }), button(t("Serve it"), () => desk.offer(), { id: "offer" }), button(t("Propose"), () => desk.propose(), { id: "propose" }), desk.said),
    h("div", { class: "beside desk" }, where, h("div", {}, desk.findings, h("h2", {}, t("Tests")), desk.tests, h("h2", {}, t("Flow")), desk.behind, desk.flow, h("details", { toggle: () => desk.look().catch((error) => tell(error.message)) }, h("summary", {}, "Python"), desk.python))),
  );
  desk.begin(editor(where, desk.kept(), file.path, desk));
}

/** For how long, in milliseconds, nobody types before what takes longer is asked, which would hold up the next findings. */
const REST = 300;

/** What is written in one file, and what the compiler says of it. */
class Desk {
  /** @param {any} server @param {any} file @param {AbortSignal} left */
  constructor(server, file, left) {
    this.server = server;
    this.file = file;
    this.left = left;
    this.said = h("span", { class: "soft", role: "status" });
    this.findings = h("div", { "aria-live": "polite" });
    this.tests = h("div", {}, nothing(t("Not run yet.")));
    this.flow = h("div");
    this.behind = h("p", { class: "soft", role: "status" });
    this.viewer = new Viewer(this.flow, (name, chosen) => !this.viewer.within(chosen) && this.goTo(name), t);
    this.python = h("div");
    this.places = /** @type {any[]} */ ([]);
    this.isAsking = false;
    this.isStale = false;
    this.resting = 0;
    this.hasErrors = false;
    this.isDrawn = false;
    this.unask = () => {}; // closes the window about a conflict
    left.addEventListener("abort", () => this.unask());
    /** @type {any} */
    this.view = null;
    addEventListener("beforeunload", (event) => this.isUnsaved() && event.preventDefault(), { signal: left });
  }

  /** @param {any} view */
  begin(view) {
    this.view = view;
    this.changed();
    if ([document.body, document.getElementById("main")].includes(/** @type {HTMLElement} */ (document.activeElement))) view.focus(); // but for who went elsewhere meanwhile
  }

  draft() {
    return `draft:${this.file.path}`;
  }

  /** Return the text to begin with: what was written here and not saved, or else the file. */
  kept() {
    const kept = JSON.parse(sessionStorage.getItem(this.draft()) || "null");
    if (!kept || kept.text === this.file.text) return this.file.text;
    this.file = { ...this.file, etag: kept.etag };
    tell(t("What you had not saved is here again."));
    return kept.text;
  }

  isUnsaved() {
    return this.view !== null && this.view.text() !== this.file.text;
  }

  // --- what the compiler says

  /** @param {string} text @param {number} at */
  complete(text, at) {
    return this.server.call("v1/complete", { path: this.file.path, text, at });
  }

  /** @param {string} text @param {number} at */
  hover(text, at) {
    return this.server.call("v1/hover", { path: this.file.path, text, at });
  }

  /** Keep what is written and not saved, and say so; else say something else. @param {string} saved */
  keep(saved) {
    const isUnsaved = this.isUnsaved();
    show(this.said, isUnsaved ? t("not saved") : saved);
    try {
      if (isUnsaved) sessionStorage.setItem(this.draft(), JSON.stringify({ text: this.view.text(), etag: this.file.etag }));
      else sessionStorage.removeItem(this.draft());
    } catch {
      tell(t("This browser has no room to keep what is not saved. Save it before you leave."));
    }
  }

  /** Ask for the findings in the newest text, one request at a time. */
  async changed() {
    this.keep("");
    this.isStale = true;
    clearTimeout(this.resting);
    if (this.isAsking) return;
    this.isAsking = true;
    while (this.isStale && !this.left.aborted) {
      this.isStale = false;
      await this.asked("?now");
    }
    this.isAsking = false;
    this.resting = setTimeout(() => this.rest(), this.places.length ? REST : 0);
  }

  /** @param {string} how */
  asked(how) {
    return this.check(this.view.text(), how).catch((error) => show(this.findings, h("p", { class: "bad" }, error.message)));
  }

  /** Ask what takes longer, once nobody types: for the one mistake behind several findings, and for the flow. */
  async rest() {
    if (this.left.aborted) return;
    await this.look().catch(() => {}); // that the server is away is said where the findings are
    if (!this.hasErrors || this.isAsking) return;
    this.isAsking = true;
    await this.asked("");
    this.isAsking = false;
    if (this.isStale) await this.changed();
  }

  /** @param {string} text @param {string} how */
  async check(text, how) {
    const told = await this.server.call(`v1/check${how}`, { path: this.file.path, text });
    if (this.view.text() !== text) return;
    const found = told.findings.filter((/** @type {any} */ one) => !one.suppressed);
    this.view.show(found);
    this.hasErrors = found.some((/** @type {any} */ one) => one.severity === "error");
    const lines = found.map((/** @type {any} */ one) => h("li", {}, button(`${one.line}:${one.column}`, () => this.view.go(one.from, one.to)), ` ${one.message}`, one.hint ? h("div", { class: "soft" }, one.hint) : null, one.fix ? button(one.fix.title, () => this.view.mend(one.fix)) : null));
    show(this.behind, this.hasErrors ? t(this.isDrawn ? "The flow is that of the text before it had errors." : "The flow is drawn once the text has no errors.") : "");
    this.flow.classList.toggle("behind", this.hasErrors);
    renew(this.findings, found.length ? h("ul", { class: "findings" }, lines) : h("p", { class: "status done" }, t("No findings.")));
  }

  /** Show the flow of the text, tied to its lines, and its Python if that is open. */
  async look() {
    const text = this.view.text();
    const body = { path: this.file.path, text };
    const isOpen = Boolean(this.python.parentElement?.hasAttribute("open"));
    const [told, picture] = await Promise.all([
      this.server.call(`v1/look${isOpen ? "?python" : ""}`, body),
      this.hasErrors ? null : this.server.picture("v1/draw", body).catch(() => null),
    ]);
    if (this.left.aborted || this.view.text() !== text) return;
    this.places = told.places;
    if (isOpen) show(this.python, data(told.python || t("(none)")));
    if (!picture) return;
    this.isDrawn = true;
    this.viewer.show(picture);
  }

  /** Go to the lines of a step or an event. @param {string} name */
  goTo(name) {
    const place = this.places.find((one) => one.name === name);
    if (place) this.view.go(place.from, place.to);
    return Boolean(place);
  }

  /** Mark in the flow where the cursor is in the text. @param {number} at */
  moved(at) {
    const place = this.places.findLast((one) => one.from <= at && at <= one.to);
    for (const box of this.viewer.boxes()) box.classList.toggle("lit", place !== undefined && this.viewer.name(box) === place.name);
  }

  // --- what is done with it

  /** Save what is written, after what is being saved: it would be a change that somebody else has made. */
  save() {
    const saving = (saves.get(this.file.path) || Promise.resolve(true)).catch(() => false).then(() => this.saved());
    saves.set(this.file.path, saving);
    return saving;
  }

  async saved() {
    const text = this.view.text();
    try {
      this.file = await this.server.call(`v1/files/${part(this.file.path)}`, { text }, { "If-Match": `"${this.file.etag}"` }, "PUT");
    } catch (error) {
      this.disagree(/** @type {any} */ (error));
      return false;
    }
    this.keep(t("Saved."));
    return true;
  }

  /** Show what somebody else has saved meanwhile; nothing of theirs is lost without a look at it. @param {any} error */
  disagree(error) {
    if (this.left.aborted) return tell(error.message);
    if (error.code !== "file.changed") return show(this.said, h("span", { class: "bad" }, error.message));
    const { theirs, etag } = error.problem;
    const content = h("div", { class: "fields" }, h("p", {}, t("Somebody else has saved this file meanwhile. This is their text; yours stays in the editor.")), data(theirs ?? t("(none)")), theirs === null ? null : button(t("Take theirs"), () => {
      this.file = { ...this.file, text: theirs, etag };
      this.view.replace(theirs);
      this.unask();
    }));
    this.unask(); // about what is saved twice is asked once
    this.unask = ask(t("Not saved"), content, t("Mine has all of theirs: save over it"), async () => {
      this.file = { ...this.file, etag };
      await this.save();
    });
  }

  async test() {
    if (this.isUnsaved() && !(await this.save())) return;
    show(this.tests, h("p", { class: "soft", role: "status" }, t("The tests run …")));
    try {
      const told = await this.server.call("v1/tests", { path: this.file.path });
      const lines = told.tests.map((/** @type {any} */ one) => h("li", {}, h("span", { class: `status ${one.passed ? "done" : "failed"}` }, one.passed ? "✓" : "✗"), ` ${one.name}`, one.problem ? data(one.problem) : null));
      show(this.tests, lines.length ? h("ul", {}, lines) : nothing(t(this.hasErrors ? "Mend the findings first." : "It has no tests.")));
    } catch (error) {
      show(this.tests, h("p", { class: "bad", role: "alert" }, /** @type {Error} */ (error).message));
    }
  }

  /** Play runs of what is saved, with its tests' answers, beside the text. */
  async rehearse() {
    if (this.isUnsaved() && !(await this.save())) return;
    const body = { path: this.file.path, text: this.file.text };
    show(this.tests, rehearsals(this.server, this.file.path, () => this.server.picture("v1/draw", body), this.viewer));
  }

  /** Let the server start runs of it as it is now, and go where one is started. */
  async offer() {
    if (this.isUnsaved() && !(await this.save())) return;
    try {
      const told = await this.server.call("v1/offers", { path: this.file.path });
      if (!this.left.aborted) location.hash = `#/start/${part(told.workflow)}`; // who went elsewhere meanwhile stays there
      tell(t("It is saved, and served from now on."));
    } catch (error) {
      show(this.said, h("span", { class: "bad", role: "alert" }, /** @type {Error} */ (error).message));
    }
  }

  async propose() {
    const name = /** @type {HTMLInputElement} */ (h("input", { id: "branch", required: true, pattern: "[a-z0-9][a-z0-9-]*", placeholder: "raise-the-limit" }));
    const about = /** @type {HTMLInputElement} */ (h("input", { id: "about", required: true }));
    const means = h("div");
    const body = () => ({ name: name.value.trim() || "look", about: about.value.trim() || "-", files: { [this.file.path]: this.view.text() } });
    this.server.call("v1/proposals?dry", body()).then(
      (/** @type {any} */ told) => show(means, h("h3", {}, t("What it changes")), h("ul", {}, changesOf(told.diff))),
      (/** @type {Error} */ error) => show(means, h("p", { class: "bad" }, error.message)),
    );
    const field = (/** @type {string} */ id, /** @type {string} */ label, /** @type {HTMLElement} */ input) => h("div", { class: "field" }, h("label", { for: id }, label), input);
    ask(t("Propose"), h("div", { class: "fields" }, means, field("branch", t("Name of the proposal"), name), field("about", t("Reason"), about)), t("Propose"), async () => {
      const told = await this.server.call("v1/proposals", body());
      tell(t("It is on the branch {branch}, for others to review.", told));
    });
  }
}

/** Return what a change means, a line each; a spec that cannot be read is told as such. @param {any} diff */
function changesOf(diff) {
  const broken = diff.broken.map((/** @type {any} */ one) => h("li", { class: "bad" }, `${one.path ?? ""} ${one.message ?? ""}`));
  const changes = diff.changes.map((/** @type {any} */ one) => h("li", {}, h("strong", {}, one.audience), ` ${one.message}`));
  return broken.length + changes.length ? [...broken, ...changes] : h("li", {}, t("Nothing changed."));
}
