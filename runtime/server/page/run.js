// The screen of one run: its flow lit by what its steps do, what has happened, and how it was at any moment.
import { part } from "./api.js";
import { ask, badge, button, data, h, length, moment, nothing, renew, show, table, wrong } from "./dom.js";
import { again, newer, timeMachine } from "./moments.js";
import { GrowingTexts } from "./texts.js";
import { Viewer } from "./viewer.js";
import { t } from "./words.js";

const LINES = 500; // of what has happened are shown; those before are left out

const MOST_FAILURES = 8; // one after the other, until it is news again that has it looked for: while a run moves it may not be told how it is

/** @param {import("./app.js").Place} place */
export async function showRun(place) {
  const { main, server, id, left } = place;
  const path = `v1/runs/${part(id)}`;
  const head = h("div");
  const flow = h("div");
  const viewer = new Viewer(flow, undefined, t);
  const steps = h("div");
  const log = h("tbody");
  const said = saying();
  const version = h("div");
  const done = h("div");
  const note = noteIn(log, soonAndSeldom(() => refresh()));
  let following = new AbortController();
  const follow = () => {
    following.abort(); // a run that was over may go on, and is followed anew
    following = new AbortController();
    log.replaceChildren();
    const own = following;
    left.addEventListener("abort", () => own.abort(), { once: true });
    server.follow(`${path}/stream`, (message) => (message.event === "text" ? said.hear(message.data) : note(message)), own.signal);
  };
  let drawn = 0;
  const machine = timeMachine(place, path, async (seen) => {
    const own = (drawn += 1);
    const picture = await drawFlow(server, path, seen);
    if (own === drawn) viewer.show(picture); // one that was asked for later may have come before
  });
  let asked = 0;
  let latest = 0;
  const refresh = async () => {
    const own = (asked += 1);
    const run = await server.call(path);
    const now = await server.call(`${path}/at/${run.tick}`);
    if (left.aborted) return;
    const deeds = await server.call(`${path}/deeds`);
    const alike = run.status === "failed" && !deeds.set_aside ? await failedAlike(server, run).catch(() => 1) : 1; // a run is shown without it, too
    if (left.aborted || own < latest) return; // what was asked later has come before
    latest = own;
    renew(head, headOf(place, run, { ...deeds, alike }, path, async () => {
      await refresh().catch(() => {}); // what was done is done, and while the run moves it may not be told how it is
      follow();
    }));
    renew(done, deeds.deeds.length ? deedTable(deeds.deeds) : nothing(t("(none)")));
    renew(steps, stepTable(now.steps));
    await machine.now(run, now);
  };
  await refresh();
  show(
    main,
    h("h1", {}, t("Run {id}", { id })),
    head,
    h(
      "div",
      { class: "beside" },
      h("div", {}, h("h2", {}, t("Flow")), flow, machine.element, version),
      h("div", {}, h("h2", {}, t("Steps and attempts")), steps, said.element, h("h2", {}, t("What has happened")), h("table", { "aria-label": t("What has happened"), class: "log" }, log), h("h2", {}, t("What people have done")), done),
    ),
  );
  compareVersions(server, path, version).catch((error) => [404, 409].includes(error.status) || show(version, wrong(error))); // it is not served any more, or does not rest
  follow();
}

/** Return a place for what models say, and what shows there a piece of it. */
function saying() {
  const texts = new GrowingTexts();
  const element = h("div", { class: "coming", hidden: true, "aria-label": t("What models say"), role: "group" });
  const hear = (/** @type {any} */ piece) => {
    texts.take(piece);
    show(element, texts.all().map((one) => h("p", {}, h("strong", {}, `${one.step}: `), one.text)));
    element.hidden = !texts.all().length;
  };
  return { element, hear };
}

/** Tell in what a run's version differs from the one that is served, if it does. @param {any} server @param {string} path @param {HTMLElement} room */
async function compareVersions(server, path, room) {
  const told = await server.call(`${path}/version`);
  if (told.from === told.to || !told.to) return;
  const refused = told.refusals.map((/** @type {any} */ one) => h("li", { class: "bad" }, one.told));
  const verdicts = told.verdicts.map((/** @type {any} */ one) => h("li", {}, one.told));
  const files = told.files === null ? h("p", { class: "soft" }, t("Its code is not kept here.")) : told.files.map((/** @type {any} */ one) => [h("h3", {}, one.path), data(one.difference)]);
  const judged = refused.length + verdicts.length ? h("ul", {}, refused, verdicts) : null;
  show(room, h("details", {}, h("summary", {}, t("Its version differs from today's")), refused.length ? h("p", {}, t("It cannot go on with today's:")) : verdicts.length ? h("p", {}, t("If it goes on with today's:")) : null, judged, files));
}

/** Return a function that calls another one soon, and the less often the longer that takes; once more where it fails. @param {() => Promise<any>} act */
function soonAndSeldom(act) {
  let isWaiting = false;
  let took = 0;
  let failed = 0;
  const soon = () => {
    failed = 0; // it is news
    later();
  };
  const later = () => {
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(async () => {
      isWaiting = false;
      const began = performance.now();
      const isDone = await act().then(() => true, () => false);
      took = performance.now() - began;
      failed = isDone ? 0 : failed + 1;
      if (!isDone && failed < MOST_FAILURES) later(); // what was the last of the news would not be shown
    }, Math.max(120, 3 * took));
  };
  return soon;
}

/** @param {HTMLElement} log @param {() => void} changed */
function noteIn(log, changed) {
  return (/** @type {any} */ message) => {
    const line = told(message);
    if (line) log.append(line);
    while (log.children.length > LINES) log.firstElementChild?.remove();
    changed();
  };
}

/** Return the flow as it was, its steps lit. @param {any} server @param {string} path @param {{tick: number, steps: any[]}} seen */
async function drawFlow(server, path, seen) {
  const picture = await server.picture(`${path}/flow?form=svg&at=${seen.tick}`);
  light(picture, seen.steps);
  return picture;
}

/** Light the boxes of steps by what became of the last run of each. @param {Element} picture @param {any[]} steps */
export function light(picture, steps) {
  const last = new Map(steps.filter((one) => one.status !== "undone").map((one) => [one.step, one.status]));
  for (const box of picture.querySelectorAll(":scope > g.box")) {
    const status = last.get(box.querySelector("text")?.textContent || "");
    if (status) box.classList.add("lit", status.replace(" ", "-"));
  }
}

/** Return how many runs have failed as one has, which are resumed together best. @param {any} server @param {any} run */
async function failedAlike(server, run) {
  const { failures } = await server.call("v1/runs/counts");
  const isLike = (/** @type {any} */ one) => one.workflow === run.workflow && one.step === run.error.step && one.error === run.error.name;
  return failures.find(isLike)?.count || 1;
}

/** @param {any[]} deeds */
function deedTable(deeds) {
  const rows = deeds.map((one) => [moment(one.at), one.who, one.action.replaceAll("_", " "), h("span", { class: "long" }, one.reason)]);
  return table([t("When"), t("Who"), t("What was done"), t("Reason")], rows, t("What people have done"));
}

/** @param {import("./app.js").Place} place @param {any} run @param {any} deeds @param {string} path @param {() => Promise<void>} refresh */
function headOf({ me, server }, run, deeds, path, refresh) {
  const may = me.roles.includes("operate");
  const questions = run.open_tasks ? h("a", { href: `#/inbox?view=open&run=${part(run.run)}` }, `${t("Questions")}: ${run.open_tasks}`) : null;
  const waits = run.waits.map((/** @type {any} */ one) => h("li", {}, `${one.step}: `, t("Waits for {what}", { what: one.for }), one.until ? ` · ${t("Until")} ` : "", moment(one.until)));
  return [
    h("div", { class: "row" }, badge(run.status), t("of {workflow}", run), run.key ? h("code", {}, run.key) : null, moment(run.started), length(run.started, run.ended), questions, deeds.set_aside ? h("span", { class: "status" }, t("set aside")) : null, may ? actions(server, run, deeds.set_aside, path, refresh) : null),
    waits.length ? h("ul", {}, waits) : null,
    run.result ? [h("h2", {}, `${t("Result")}: ${run.result.event}`), data(run.result.with)] : null,
    run.error ? h("p", { class: "bad" }, run.error.message) : null,
    deeds.alike > 1 ? h("p", {}, h("a", { href: "#/runs" }, t("{count} runs failed alike", { count: deeds.alike }))) : null,
  ].flat();
}

/** @param {any} server @param {any} run @param {boolean} isAside @param {string} path @param {() => Promise<void>} refresh */
function actions(server, run, isAside, path, refresh) {
  const isOver = run.ended !== null;
  const forReason = (/** @type {string} */ title, /** @type {any} */ content, /** @type {string} */ action, /** @type {(reason: any) => Promise<any>} */ act, needed = false) => {
    const why = /** @type {HTMLInputElement} */ (h("input", { id: "reason", required: needed }));
    const field = h("div", { class: "field" }, h("label", { for: "reason" }, t("Reason"), needed ? null : h("span", { class: "soft" }, ` (${t("may be left out")})`)), why);
    ask(title, h("div", { class: "fields" }, content, field), action, async () => {
      await act(why.value.trim() ? { reason: why.value.trim() } : {});
      await refresh();
    });
  };
  const cancel = () => forReason(t("Cancel this run?"), null, t("Cancel"), (reason) => server.call(`${path}/cancel`, reason));
  const aside = { runs: [run.run], ...(isAside ? { back: true } : {}) };
  const setAside = () => forReason(t(isAside ? "Bring it back" : "Set aside what has failed"), isAside ? null : h("p", {}, t("They stay as they are, and may still go on.")), t(isAside ? "Bring it back" : "Set aside"), (reason) => server.call("v1/runs/set-aside", { ...aside, ...reason }), !isAside);
  const resume = async () => {
    const dry = await server.call(`${path}/resume?dry`, {});
    const other = newer([dry]);
    forReason(t("Go on from what has failed"), [again(dry), other.element], t("Go on"), (reason) => server.call(`${path}/resume`, { ...reason, ...(other.wanted() ? { upgrade: true } : {}) }));
  };
  const mayGoOn = ["failed", "cancelled", "dead", "halted"].includes(run.status);
  const hasFailed = ["failed", "dead"].includes(run.status);
  return [isOver ? null : button(t("Cancel"), cancel, { id: "cancel" }), hasFailed ? button(t(isAside ? "Bring it back" : "Set aside"), setAside, { id: "aside" }) : null, mayGoOn ? button(t("Go on"), resume, { id: "go-on" }) : null];
}

/** Return the steps of a run with how long each took, as text and as a bar. @param {any[]} steps */
export function stepTable(steps) {
  if (!steps.length) return nothing(t("(none)"));
  const moments = steps.flatMap((one) => [one.began, one.ended]).filter(Boolean).map((one) => Date.parse(one));
  const isGoingOn = steps.some((one) => !one.ended);
  const [first, last] = [Math.min(...moments), isGoingOn ? Date.now() : Math.max(...moments)];
  const isPaid = steps.some((one) => one.tokens);
  const rows = steps.slice(-LINES).map((one) => [
    one.step,
    h("span", { class: `status ${one.status}` }, one.status),
    h("span", { class: "long" }, `${one.took} → ${one.gave || one.error || "…"}`),
    one.attempts,
    [bar(one, first, last), ` ${length(one.began, one.ended)}`],
    ...(isPaid ? [one.tokens ? `${one.tokens.toLocaleString()} · ${price(one.cost_usd)}` : ""] : []),
  ]);
  const heads = [t("Step"), t("Status"), t("What it gave"), t("Attempts"), t("Took"), ...(isPaid ? [t("Tokens and cost")] : [])];
  return table(heads, rows, t("Steps and attempts"));
}

/** Return a cost; 0 where no price is known. @param {number} dollars */
function price(dollars) {
  return dollars ? `$${dollars < 0.01 ? dollars.toPrecision(2) : dollars.toFixed(2)}` : "–";
}

/** @param {any} step @param {number} first @param {number} last */
function bar(step, first, last) {
  const whole = Math.max(1, last - first);
  const from = ((Date.parse(step.began) - first) / whole) * 100;
  const to = (((step.ended ? Date.parse(step.ended) : last) - first) / whole) * 100;
  const drawn = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  const sizes = { x: from, y: 0, width: Math.max(1, to - from), height: 10 };
  for (const [name, value] of Object.entries(sizes)) line.setAttribute(name, String(value));
  for (const [name, value] of Object.entries({ viewBox: "0 0 100 10", class: "bar", preserveAspectRatio: "none", "aria-hidden": "true" })) drawn.setAttribute(name, value);
  drawn.append(line);
  return drawn;
}

/** Return a line of what has happened; nothing for what is no news to people. @param {any} message */
export function told({ event, data: said }) {
  const words = {
    event: () => [said.event, JSON.stringify(said.with ?? "")],
    shown: () => [said.event, JSON.stringify(said.with ?? "")],
    task: () => [said.what.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase(), said.title || ""],
    handled: () => [t("an error was handled"), [said.step, said.error].filter(Boolean).join(": ")],
    back: () => [t("It went on from tick {to}.", said), ""],
    end: () => [t("the end: {status}", said), said.error?.message || ""],
    gap: () => [t("what came before is not kept any more"), ""],
    broken: () => [t("That did not work"), said.detail],
  }[/** @type {string} */ (event)];
  if (!words) return null;
  const [what, more] = words();
  return h("tr", {}, h("td", {}, moment(said.at || said.ended)), h("td", {}, what), h("td", { class: "soft long" }, more.slice(0, 300)));
}
