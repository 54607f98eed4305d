// The page of runs, questions and workflows; which screen is shown stands behind the `#`.
import { Server, part } from "./api.js";
import { data, h, moment, show, wrong } from "./dom.js";
import { form } from "./forms.js";

const KEPT = "wfc-token";
const main = /** @type {HTMLElement} */ (document.getElementById("main"));
/** @type {Server} */
let server;
let leaves = new AbortController();

if (location.hash.startsWith("#k=")) {
  sessionStorage.setItem(KEPT, location.hash.slice(3));
  history.replaceState(null, "", location.pathname + "#/runs");
}
addEventListener("hashchange", () => go());

/** @type {Record<string, (id: string) => Promise<void>>} */
const SCREENS = { runs: showRuns, run: showRun, tasks: showTasks, task: showTask, workflows: showWorkflows, workflow: showWorkflow };

async function begin() {
  const token = sessionStorage.getItem(KEPT);
  if (!token) return askForToken("");
  server = new Server(`Bearer ${token}`);
  try {
    const me = await server.call("v1/me");
    show(document.getElementById("me"), me.name);
  } catch (error) {
    return askForToken(/** @type {Error} */ (error).message);
  }
  await go();
}

/** @param {string} said */
function askForToken(said) {
  const field = /** @type {HTMLInputElement} */ (h("input", { type: "password", autocomplete: "off" }));
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    sessionStorage.setItem(KEPT, field.value.trim());
    begin();
  };
  const told = said ? h("p", { class: "bad", role: "alert" }, said) : null;
  show(main, h("h1", {}, "Who are you?"), h("form", { submit }, h("label", {}, "Your token", field), told, h("button", {}, "Go on")));
  field.focus();
}

async function go() {
  leaves.abort();
  leaves = new AbortController();
  const own = leaves;
  const [, screen = "runs", id = ""] = location.hash.split("/");
  const name = id ? screen.replace(/s$/, "") : screen;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.getAttribute("href") === `#/${screen}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  try {
    await (SCREENS[name] || showRuns)(decodeURIComponent(id));
  } catch (error) {
    if (own.signal.aborted) return;
    show(main, h("h1", {}, "That did not work"), wrong(/** @type {Error} */ (error)));
  }
  main.focus({ preventScroll: true });
}

/** @param {string[]} heads @param {HTMLElement[][]} rows @param {string} empty */
function table(heads, rows, empty) {
  if (!rows.length) return h("p", { class: "soft" }, empty);
  const head = h("thead", {}, h("tr", {}, heads.map((one) => h("th", { scope: "col" }, one))));
  return h("table", {}, head, h("tbody", {}, rows.map((row) => h("tr", {}, row.map((one) => h("td", {}, one))))));
}

/** @param {string} status */
function badge(status) {
  return h("span", { class: `status ${status}` }, status);
}

/**
 * Show a list page by page.
 * @param {string} title @param {string} path @param {string} name @param {string[]} heads @param {(one: any) => any[]} row @param {string} empty
 */
async function showList(title, path, name, heads, row, empty) {
  /** @type {any[]} */
  let found = [];
  const more = async (/** @type {string | null} */ after) => {
    const told = await server.call(after ? `${path}&after=${part(after)}` : path);
    found = [...found, ...told[name]];
    const button = told.next ? h("button", { click: () => more(told.next) }, "More") : null;
    show(main, h("h1", {}, title), table(heads, found.map(row), empty), button);
  };
  await more(null);
}

async function showRuns() {
  const heads = ["Run", "Workflow", "Status", "Started", "Questions"];
  await showList("Runs", "v1/runs?most=50", "runs", heads, (one) => [
    h("a", { href: `#/runs/${part(one.run)}` }, one.run.slice(0, 12)),
    one.workflow,
    badge(one.status),
    moment(one.started),
    one.open_tasks || "",
  ], "There are no runs yet. Start one under Workflows.");
}

async function showTasks() {
  await showList("Questions", "v1/tasks?most=50", "tasks", ["Question", "For", "Until"], (one) => [
    h("a", { href: `#/tasks/${part(one.task)}` }, one.title),
    one.assign.join(", ") || "anybody",
    moment(one.expires),
  ], "Nothing waits for an answer.");
}

async function showWorkflows() {
  const told = await server.call("v1/workflows");
  const rows = told.workflows.map((/** @type {any} */ one) => [h("a", { href: `#/workflows/${part(one.workflow)}` }, one.workflow), one.start, one.ends.join(", ")]);
  show(main, h("h1", {}, "Workflows"), table(["Workflow", "Begins with", "Ends with"], rows, "This server starts none."));
}

/** @param {string} id */
async function showWorkflow(id) {
  const told = await server.call(`v1/workflows/${part(id)}`);
  const key = crypto.randomUUID(); // so that a second click starts no second run
  const start = form(told.inputs, undefined, "Start", async (inputs) => {
    const run = await server.call(`v1/workflows/${part(id)}/runs`, { inputs: inputs || {} }, { "Idempotency-Key": key });
    location.hash = `#/runs/${part(run.run)}`;
  });
  const flow = h("figure", { tabindex: "0", role: "region", "aria-label": "The flow" });
  show(main, h("h1", {}, told.workflow), h("h2", {}, "Start a run"), start, h("h2", {}, "Flow"), flow);
  show(flow, await server.picture(`v1/workflows/${part(id)}/flow?form=svg`));
}

/** @param {string} id */
async function showRun(id) {
  const own = leaves;
  const path = `v1/runs/${part(id)}`;
  const places = { head: h("div"), flow: h("figure", { tabindex: "0", role: "region", "aria-label": "The flow of the run" }), log: h("tbody") };
  const shown = async () => {
    const [run, picture] = await Promise.all([server.call(path), server.picture(`${path}/flow?form=svg`)]);
    if (own.signal.aborted) return;
    show(places.head, ...runHead(run, path, shown));
    show(places.flow, picture);
  };
  await shown();
  show(main, h("h1", {}, `Run ${id}`), places.head, h("h2", {}, "Flow"), places.flow, h("h2", {}, "What has happened"), h("table", {}, places.log));
  /** @type {any} */
  let soon;
  server.follow(`${path}/stream`, (message) => {
    const line = told(message);
    if (line) places.log.append(line);
    clearTimeout(soon);
    soon = setTimeout(() => shown().catch(() => {}), 150);
  }, own.signal);
}

/** @param {any} run @param {string} path @param {() => Promise<void>} shown */
function runHead(run, path, shown) {
  const isOver = run.ended !== null;
  const cancel = async () => {
    if (!confirm("Cancel this run?")) return;
    await server.call(`${path}/cancel`, {}).catch((/** @type {Error} */ error) => alert(error.message));
    await shown();
  };
  const waits = run.waits.map((/** @type {any} */ one) => h("li", {}, `${one.step} waits for ${one.for}`));
  return [
    h("div", { class: "row" }, badge(run.status), run.workflow, moment(run.started), run.open_tasks ? h("a", { href: "#/tasks" }, "Questions") : null, isOver ? null : h("button", { click: cancel }, "Cancel")),
    waits.length ? h("ul", {}, waits) : null,
    run.result ? data(run.result) : null,
    run.error ? h("p", { class: "bad" }, run.error.message) : null,
  ];
}

/** Return a line of what has happened; nothing for what is no news to people. @param {any} message */
function told({ event, data: said }) {
  const words = {
    event: () => [said.event, JSON.stringify(said.with ?? "")],
    task: () => [said.what.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase(), said.title || ""],
    handled: () => ["an error was handled", said.error || ""],
    end: () => [`the end: ${said.status}`, said.error?.message || ""],
    gap: () => ["what came before is not kept any more", ""],
    broken: () => ["it cannot be followed", said.detail],
  }[/** @type {string} */ (event)];
  if (!words) return null;
  const [what, more] = words();
  return h("tr", {}, h("td", {}, moment(said.at || said.ended)), h("td", {}, what), h("td", { class: "soft" }, more.slice(0, 300)));
}

/** @param {string} id */
async function showTask(id) {
  const path = `v1/tasks/${part(id)}`;
  const [task, me] = await Promise.all([server.call(path), server.call("v1/me")]);
  const isAsked = !task.assign.length || task.assign.some((/** @type {string} */ one) => one === me.name || `user:${one}` === me.name || me.groups.includes(one.replace(/^group:/, "")));
  const answer = form(task.form, task.prefill, "Answer", async (value) => {
    await server.call(`${path}/answer`, { answer: value });
    location.hash = `#/runs/${part(task.run)}`;
  });
  const take = h("button", { click: () => server.call(`${path}/delegate`, { to: me.name }).then(go).catch((/** @type {Error} */ error) => alert(error.message)) }, "Answer it myself");
  const other = h("div", {}, h("p", {}, `${task.assign.join(", ")} is asked.`), me.roles.includes("operate") ? take : null);
  const closed = h("p", {}, `It is closed: ${task.because}.`);
  show(main, h("h1", {}, task.title), h("p", { class: "soft" }, "In the run ", h("a", { href: `#/runs/${part(task.run)}` }, task.run.slice(0, 12)), task.expires ? ", until " : "", moment(task.expires)), task.show === null || task.show === undefined ? null : data(task.show), task.closed ? closed : isAsked ? answer : other);
}

begin();
