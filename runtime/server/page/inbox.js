// The inbox: what people are asked, and their answers.
import { part } from "./api.js";
import { ask, button, data, h, leave, moment, nothing, renew, show, table, tell, waiting } from "./dom.js";
import { form } from "./forms.js";
import { growing } from "./lists.js";
import { t } from "./words.js";

const VIEWS = /** @type {Record<string, {name: string, query: string}>} */ ({
  mine: { name: "Mine", query: "mine&" },
  open: { name: "All open", query: "" },
  all: { name: "Done", query: "all&" },
});

const FIRST = 50; // questions are shown at first
const AT_ONCE = 100; // as many answers the server takes in one request
const EVERY = 4000; // milliseconds after which it is looked whether there are others

/** @param {import("./app.js").Place} place */
export async function showInbox({ main, server, me, query, left }) {
  const view = query.get("view") || "mine";
  const run = query.get("run"); // of which the questions are, if not of all
  const shown = `${(VIEWS[view] || VIEWS.mine).query}${run ? `run=${part(run)}&` : ""}`;
  const views = me.roles.includes("see") ? Object.entries(VIEWS) : [["mine", VIEWS.mine]];
  const tabs = h("div", { class: "row" }, views.map(([name, one]) => h("a", { href: `#/inbox?view=${name}`, "aria-current": name === view ? "page" : null, class: "tab" }, t(/** @type {any} */ (one).name))));
  const list = h("div", {}, waiting());
  show(main, h("h1", {}, t("Inbox")), tabs, run ? h("p", {}, h("a", { href: `#/runs/${part(run)}` }, t("Run {id}", { id: run }))) : null, list);
  /** @type {any[]} */
  let found = [];
  const isShown = (/** @type {any} */ one) => view !== "all" || one.closed;
  const read = async (/** @type {string} */ after) => {
    const told = await server.call(`v1/tasks?${shown}most=${FIRST}${after ? `&after=${part(after)}` : ""}`);
    return left.aborted ? null : { rows: told.tasks.filter(isShown), next: told.next };
  };
  const look = growing(read, (tasks, more) => {
    found = tasks;
    const next = more ? button(t("More"), more, { id: "more" }) : null;
    renew(list, found.length ? taskTable(found) : nothing(t("Nothing waits for an answer.")), next);
  });
  await look();
  const again = setInterval(async () => {
    if (document.hidden || found.length > FIRST) return; // whoever has asked for more keeps it
    const now = await server.call(`v1/tasks?${shown}most=${FIRST}`).catch(() => null);
    if (!now || left.aborted || now.tasks.filter(isShown).map(idOf).join() === found.map(idOf).join()) return;
    await look().catch(() => {});
  }, EVERY);
  left.addEventListener("abort", () => clearInterval(again), { once: true });
}

/** @param {any} task */
const idOf = (task) => task.task;

/** @param {any[]} tasks */
function taskTable(tasks) {
  const rows = tasks.map((one) => [
    h("a", { href: `#/inbox/${part(one.task)}`, id: `task-${one.task}` }, one.title),
    one.workflow,
    one.assign.join(", ") || t("anybody"),
    moment(one.opened),
    one.closed ? one.because : due(one.expires),
  ]);
  return table([t("Questions"), t("Workflow"), t("For"), t("Asked"), t("Until")], rows, t("Questions"));
}

/** Return until when, marked if that is soon. @param {string | null} expires */
function due(expires) {
  if (!expires) return "";
  const isSoon = Date.parse(expires) - Date.now() < 3_600_000;
  return h("span", { class: isSoon ? "bad" : "" }, moment(expires));
}

/** Return whether somebody may answer a task. @param {any} task @param {any} me */
function isAsked(task, me) {
  const names = [me.name, me.name.replace(/^user:/, ""), ...me.groups.map((/** @type {string} */ one) => `group:${one.replace(/^group:/, "")}`), ...me.groups];
  return me.roles.includes("answer") && (!task.assign.length || task.assign.some((/** @type {string} */ one) => names.includes(one)));
}

/** @param {import("./app.js").Place} place */
export async function showTask({ main, server, me, id, left }) {
  const path = `v1/tasks/${part(id)}`;
  const task = await server.call(path);
  const alike = task.closed ? [] : await others(server, task, me);
  const told = [
    h("h1", {}, task.title),
    h("p", { class: "soft" }, t("of {workflow}", task), " · ", h("a", { href: `#/runs/${part(task.run)}` }, t("Run {id}", { id: task.run.slice(0, 12) })), " · ", t("Asked"), " ", moment(task.opened), task.expires ? ` · ${t("Until")} ` : "", due(task.expires)),
    task.passed_on.map((/** @type {any} */ one) => h("p", { class: "soft" }, `${one.by} → ${one.to}${one.because ? `: ${one.because}` : ""}`)),
    task.show === null || task.show === undefined ? null : data(task.show),
  ];
  if (task.closed) return show(main, told, h("p", {}, t("It is closed: {why}.", { why: task.because })));
  const again = () => showTask({ main, server, me, id, query: new URLSearchParams(), left });
  const pass = isAsked(task, me) || me.roles.includes("operate") ? passOn(server, task, me, again) : null;
  const asked = h("p", {}, t("{names} is asked.", { names: task.assign.join(", ") }));
  show(main, told, isAsked(task, me) ? answerForm(server, task, alike, left) : asked, pass);
}

/** Return the other open questions of the same step of a workflow, which may be answered alike. @param {any} server @param {any} task @param {any} me */
async function others(server, task, me) {
  const told = await server.call("v1/tasks?mine&most=200");
  return told.tasks.filter((/** @type {any} */ one) => one.task !== task.task && one.workflow === task.workflow && one.step === task.step && isAsked(one, me));
}

/** @param {any} server @param {any} task @param {any[]} alike @param {AbortSignal} left */
function answerForm(server, task, alike, left) {
  const boxes = alike.map((one) => {
    const field = h("input", { type: "checkbox", value: one.task });
    return h("label", { class: "check" }, field, h("a", { href: `#/inbox/${part(one.task)}` }, one.title));
  });
  const found = form(task.form, task.prefill, t("Answer"), async (value) => {
    await server.call(`v1/tasks/${part(task.task)}/answer`, { answer: value });
    const chosen = boxes.map((one) => /** @type {HTMLInputElement} */ (one.querySelector("input"))).filter((one) => one.checked);
    const refused = [];
    for (let from = 0; from < chosen.length; from += AT_ONCE) {
      const answers = chosen.slice(from, from + AT_ONCE).map((one) => ({ task: one.value, answer: value }));
      const told = await server.call("v1/tasks/answers", { answers });
      refused.push(...told.answers.filter((/** @type {any} */ one) => !one.done).map((/** @type {any} */ one) => one.detail));
    }
    await untilKnown(server, task, (now) => now.closed);
    const said = [t("Your answer is recorded. Thank you."), ...refused.slice(0, 1)].join(" ");
    left.aborted ? tell(said) : leave("#/inbox", said); // who went elsewhere meanwhile stays there
  }, "/answer");
  if (boxes.length) {
    const said = h("summary", {}, t("{n} of the same kind are open.", { n: boxes.length }));
    found.lastChild.before(h("details", {}, said, boxes));
  }
  return found;
}

/**
 * Wait until a run has taken note of what was done with a question; not for ever.
 * @param {any} server @param {any} task @param {(now: any) => boolean} isKnown @param {number} looks
 */
async function untilKnown(server, task, isKnown, looks = 5) {
  for (let looked = 0; looked < looks; looked += 1) {
    const now = await server.call(`v1/tasks/${part(task.task)}`).catch(() => null);
    if (!now || isKnown(now)) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** @param {any} server @param {any} task @param {any} me @param {() => Promise<any>} again */
function passOn(server, task, me, again) {
  const path = `v1/tasks/${part(task.task)}/delegate`;
  const to = async (/** @type {string} */ name, /** @type {string} */ because) => {
    await server.call(path, because ? { to: name, because } : { to: name });
    await untilKnown(server, task, (now) => now.closed || now.passed_on.length > task.passed_on.length, 25);
    await again();
  };
  const other = () => {
    const name = /** @type {HTMLInputElement} */ (h("input", { id: "to", required: true, placeholder: "user:bob" }));
    const why = /** @type {HTMLInputElement} */ (h("input", { id: "why" }));
    const content = h("div", { class: "fields" }, h("div", { class: "field" }, h("label", { for: "to" }, t("Pass on to")), name), h("div", { class: "field" }, h("label", { for: "why" }, t("Reason")), why));
    ask(t("Pass on"), content, t("Pass on"), () => to(name.value.trim(), why.value.trim()));
  };
  const mine = isAsked(task, me) || !me.roles.includes("answer") ? null : button(t("Answer it myself"), () => to(me.name, "").catch((error) => tell(error.message)));
  return h("div", { class: "row" }, mine, button(t("Pass on"), other));
}
