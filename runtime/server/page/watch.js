// The runs of the store: looked for by workflow, status, age and key; failures told in groups.
import { part } from "./api.js";
import { ask, badge, button, h, length, moment, nothing, renew, show, table, tell, waiting } from "./dom.js";
import { growing } from "./lists.js";
import { again, newer } from "./moments.js";
import { t } from "./words.js";

const STATUSES = ["live", "queued", "parked", "halted", "done", "failed", "cancelled", "dead"];

const CANCELLED = ["live", "queued", "parked", "halted"]; // what may be cancelled together

const MOST_LOOKS = 20; // at runs that are at work, for half a minute: what goes on may fail again at once

const AT_ONCE = 200; // as many runs the server takes in one request

const PRESETS = ["10m", "1h", "6h", "1d", "7d", "30d"];

const AGES = /** @type {Record<string, string>} */ ({ newer: "since", older: "until" }); // in the address of the page, and of the server

const UNITS = /** @type {Record<string, number>} */ ({ m: 60_000, h: 3_600_000, d: 86_400_000 });

/** Return the moment that is some time ago, such as `6h`; another text as it is, which the server refuses. @param {string | null} age */
function momentBefore(age) {
  const [, count, unit] = /^(\d{1,5})([mhd])$/.exec(age || "") || [];
  return unit ? new Date(Date.now() - Number(count) * UNITS[unit]).toISOString() : age;
}

/** @param {import("./app.js").Place} place */
export async function showWatch({ main, server, me, query, left }) {
  const offered = me.roles.some((/** @type {string} */ one) => ["see", "start"].includes(one)) ? (await server.call("v1/workflows")).workflows : [];
  const list = h("div", {}, waiting());
  const groups = h("div");
  const sums = h("div");
  show(main, h("h1", {}, t("Runs")), sums, groups, filters(query, offered.map((/** @type {any} */ one) => one.workflow)), list);
  let counts = 0;
  let latest = 0; // of the counts that have come
  let isAtWork = false; // by that one
  const count = async () => {
    const own = (counts += 1);
    const counted = await server.call("v1/runs/counts");
    if (left.aborted || own < latest) return; // one that was asked later has come before
    latest = own;
    renew(sums, summary(counted));
    renew(groups, failures(server, me, counted.failures, refresh), counted.set_aside ? h("p", { class: "soft" }, t("{n} failed runs are set aside.", { n: counted.set_aside })) : null);
    isAtWork = counted.runs.some((/** @type {any} */ one) => ["live", "queued"].includes(one.status));
  };
  const refresh = async () => {
    try {
      await Promise.all([count(), look()]);
    } finally {
      if (isAtWork && (looks += 1) < MOST_LOOKS) setTimeout(() => left.aborted || refresh().catch(() => {}), 1500);
    }
  };
  let looks = 0;
  const wanted = ["workflow", "status", "key"].map((name) => [name, query.get(name)]);
  const ages = Object.entries(AGES).map(([name, bound]) => [bound, momentBefore(query.get(name))]);
  const asked = [...wanted, ...ages].map(([name, value]) => (value ? `${name}=${part(value)}&` : "")).join("");
  const mayCancel = me.roles.includes("operate") && query.get("workflow") && !query.get("key") && CANCELLED.includes(query.get("status") || "");
  const read = async (/** @type {string} */ after) => {
    const told = await server.call(`v1/runs?${asked}most=50${after ? `&after=${part(after)}` : ""}`);
    return left.aborted ? null : { rows: told.runs, next: told.next };
  };
  const look = growing(read, (found, more) => {
    const next = more ? button(t("More"), more, { id: "more" }) : null;
    const none = asked ? nothing(t("No run is like that.")) : offered.length || !me.roles.includes("author") ? nothing(t("There are no runs yet. Start one."), " ", h("a", { href: "#/start" }, t("Start"))) : unserved();
    const these = ages.some(([, bound]) => bound) ? { runs: found.slice(0, AT_ONCE).map((one) => one.run) } : { workflow: query.get("workflow"), status: query.get("status") };
    renew(list, mayCancel && found.length ? h("div", { class: "row" }, button(t("Cancel these"), () => cancelAll(server, these, refresh), { id: "cancel-these" })) : null, found.length ? runTable(found) : none, next);
  });
  await Promise.all([count(), look()]);
}

/** Return what to do where no workflow is served yet. */
export function unserved() {
  return nothing(t("No workflow is served yet. Write one under Author, and press Serve it there."), " ", h("a", { href: "#/author" }, t("Author")));
}

/** Return how many runs there are of each status. @param {any} counted */
function summary(counted) {
  const sums = new Map();
  for (const one of counted.runs) sums.set(one.status, (sums.get(one.status) || 0) + one.count);
  const shown = STATUSES.filter((one) => sums.has(one)).map((one) => h("a", { href: `#/runs?status=${one}`, class: `status ${one}` }, `${one} ${sums.get(one)}`));
  return h("div", { class: "row" }, shown);
}

/**
 * Return the failures in groups: what failed alike is looked at, resumed or given up together.
 * @param {any} server @param {any} me @param {any[]} groups @param {() => Promise<any>} refresh
 */
function failures(server, me, groups, refresh) {
  if (!groups.length) return null;
  const rows = groups.map((one) => [
    h("strong", {}, t("{error} at {step}: {count} runs since {since}", { ...one, step: one.step || one.workflow, since: new Date(one.since).toLocaleString() })),
    one.workflow,
    h("span", {}, one.runs.slice(0, 3).map((/** @type {string} */ run) => [h("a", { href: `#/runs/${part(run)}` }, run.slice(0, 10)), " "]).flat()),
    me.roles.includes("operate") ? h("span", { class: "row" }, button(t("Go on"), () => resumeAll(server, one, refresh), { id: `resume-${nameOf(one)}` }), button(t("Set aside"), () => setAside(server, one, refresh), { id: `aside-${nameOf(one)}` })) : "",
  ]);
  return [h("h2", {}, t("Failures")), table([t("What failed"), t("Workflow"), t("Runs"), t("Actions")], rows, t("Failures"))];
}

/** Let all runs of a group go on, after telling what each would do again. @param {any} server @param {any} group @param {() => Promise<any>} refresh */
async function resumeAll(server, group, refresh) {
  const dry = await server.call("v1/runs/resume?dry", alike(group));
  const other = newer(dry.runs);
  const shown = (/** @type {any} */ one) => ({ line: undone(one), more: again(one) });
  await withSeveral(server, "v1/runs/resume", dry, { title: t("Go on from what has failed"), action: t("Go on"), shown, needed: false, other: other.element, more: () => (other.wanted() ? { upgrade: true } : {}), done: (n) => t("{n} runs go on.", { n }) }, refresh);
}

/** Set all runs of a group aside: nobody need look at them any more. @param {any} server @param {any} group @param {() => Promise<any>} refresh */
async function setAside(server, group, refresh) {
  const dry = await server.call("v1/runs/set-aside?dry", { ...alike(group), reason: "-" });
  await withSeveral(server, "v1/runs/set-aside", dry, { title: t("Set aside what has failed"), action: t("Set aside"), about: t("They stay as they are, and may still go on."), needed: true, done: (n) => t("{n} runs are set aside.", { n }) }, refresh);
}

/** Cancel those of the runs in the list. @param {any} server @param {any} which @param {() => Promise<any>} refresh */
async function cancelAll(server, which, refresh) {
  const dry = await server.call("v1/runs/cancel?dry", which);
  await withSeveral(server, "v1/runs/cancel", dry, { title: t("Cancel these runs?"), action: t("Cancel"), shown: (one) => ({ line: one.status }), needed: true, done: (n) => t("{n} runs are cancelled.", { n }) }, refresh);
}

/** Return the name of a group, which stays when other groups come before it. @param {any} group */
function nameOf(group) {
  return Object.values(alike(group)).join("/");
}

/** @param {any} group */
function alike(group) {
  return { workflow: group.workflow, step: group.step, error: group.error };
}

/**
 * Ask with which of several runs something is to be done, and for what reason, and do it.
 * @param {any} server @param {string} path @param {any} dry what the server has said that would become of each
 * @param {{title: string, action: string, about?: string, needed: boolean, other?: any, shown?: (one: any) => {line: string, more?: any}, more?: () => any, done: (n: number) => string}} how
 * @param {() => Promise<any>} refresh
 */
async function withSeveral(server, path, dry, how, refresh) {
  const why = /** @type {HTMLInputElement} */ (h("input", { id: "reason", required: how.needed }));
  const boxes = dry.runs.map((/** @type {any} */ one) => {
    const box = h("input", { type: "checkbox", value: one.run, checked: !one.code, disabled: Boolean(one.code) });
    const { line, more } = one.code ? { line: t("not possible"), more: h("p", { class: "bad" }, one.detail) } : how.shown ? how.shown(one) : { line: "", more: null };
    const label = h("label", { class: "check" }, box, [one.run.slice(0, 16), line].filter(Boolean).join(" · "));
    return more ? h("details", {}, h("summary", {}, label), more) : h("div", {}, label);
  });
  const left = dry.left_off ? h("p", { class: "soft" }, t("There are more; do it again for them.")) : null;
  const about = how.about ? h("p", {}, how.about) : null;
  const content = h("div", { class: "fields" }, about, h("div", {}, boxes), left, how.other || null, h("div", { class: "field" }, h("label", { for: "reason" }, t("Reason"), how.needed ? null : h("span", { class: "soft" }, ` (${t("may be left out")})`)), why));
  ask(how.title, content, how.action, async () => {
    const fields = /** @type {NodeListOf<HTMLInputElement>} */ (content.querySelectorAll("input[type=checkbox][value]"));
    const runs = [...fields].filter((one) => one.checked && one.id !== "upgrade").map((one) => one.value);
    const told = await server.call(path, { runs, reason: why.value.trim(), ...(how.more ? how.more() : {}) });
    const refused = told.runs.filter((/** @type {any} */ one) => !one.done);
    await refresh().catch(() => {}); // what was done is done
    tell([how.done(told.runs.length - refused.length), ...refused.slice(0, 1).map((/** @type {any} */ one) => one.detail)].join(" "));
  });
}

/** Return which steps a run would do again, in a line. @param {any} dry */
function undone(dry) {
  const steps = [...new Set((dry.again || []).map((/** @type {any} */ one) => (one.acts ? `${one.step} (${t("it acts outside")})` : one.step)))];
  return `${t("again:")} ${steps.join(", ") || t("(none)")}`;
}

/** @param {any[]} runs */
function runTable(runs) {
  const rows = runs.map((one) => [
    h("a", { href: `#/runs/${part(one.run)}` }, one.run.slice(0, 12)),
    one.workflow,
    badge(one.status),
    one.key || "",
    moment(one.started),
    length(one.started, one.ended),
    one.open_tasks || "",
  ]);
  return table([t("Run"), t("Workflow"), t("Status"), t("Key"), t("Started"), t("Took"), t("Questions")], rows, t("Runs"));
}

/** @param {URLSearchParams} query @param {string[]} workflows */
function filters(query, workflows) {
  const change = () => {
    const said = new URLSearchParams();
    for (const one of found.querySelectorAll("select, input")) if (one.value.trim()) said.set(one.name, one.value.trim());
    location.hash = `#/runs?${said}`;
  };
  const select = (/** @type {string} */ name, /** @type {string} */ label, /** @type {string} */ every, /** @type {string[]} */ values, say = (/** @type {string} */ one) => one) => {
    const given = query.get(name);
    const all = given && !values.includes(given) ? [given, ...values] : values;
    return h("select", { name, "aria-label": label, change, id: `filter-${name}` }, h("option", { value: "" }, every), all.map((one) => h("option", { value: one, selected: given === one }, say(one))));
  };
  const younger = (/** @type {string} */ age) => t("newer than {age}", { age });
  const older = (/** @type {string} */ age) => t("older than {age}", { age });
  const search = h("input", { type: "search", name: "key", value: query.get("key") || "", placeholder: t("Search by id or key"), "aria-label": t("Search by id or key"), id: "filter-key" });
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const said = /** @type {HTMLInputElement} */ (search).value.trim();
    if (/^[0-9a-f]{32}$/.test(said)) location.hash = `#/runs/${said}`;
    else change();
  };
  const found = /** @type {any} */ (h("form", { class: "row", submit, role: "search" }, search, select("workflow", t("Workflow"), t("all workflows"), workflows), select("status", t("Status"), t("any status"), STATUSES), select("newer", younger("…"), younger("…"), PRESETS, younger), select("older", older("…"), older("…"), PRESETS, older), h("button", {}, t("Show"))));
  return found;
}
