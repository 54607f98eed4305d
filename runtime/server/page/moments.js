// How a run was after any of its ticks: state, what changed, what was pending, and a fork from there.
import { part } from "./api.js";
import { ask, button, data, h, moment, renew, tell } from "./dom.js";
import { t } from "./words.js";

/**
 * Return the slider over a run's ticks. Whoever has moved it stays where he is while the run goes on.
 * @param {import("./app.js").Place} place @param {string} path @param {(seen: any) => Promise<void>} seen
 */
export function timeMachine({ server, me, left }, path, seen) {
  const slider = /** @type {HTMLInputElement} */ (h("input", { type: "range", min: 1, max: 1, value: 1, id: "tick" }));
  const label = h("label", { for: "tick" });
  const told = h("div");
  let last = 1;
  let wanted = 0;
  let shown = 0;
  /** @type {any} */
  let run = null;

  const look = async (/** @type {number} */ tick, /** @type {any} */ known = null) => {
    wanted = tick;
    label.textContent = t("Tick {n} of {last}", { n: tick, last });
    if (tick !== shown) told.querySelector("#fork")?.setAttribute("disabled", ""); // it is of the tick before, until this one is there
    const at = (/** @type {number} */ one) => server.call(`${path}/at/${one}`);
    const [now, before] = await Promise.all([known || at(tick), tick > 1 ? at(tick - 1) : null]);
    if (left.aborted || wanted !== tick) return;
    shown = tick;
    renew(told, momentOf(now, before, tick, me.roles.includes("operate") ? () => fork(server, path, tick, now) : null));
    await seen(now);
  };
  slider.addEventListener("input", () => look(Number(slider.value)).catch((error) => tell(error.message)));
  const now = (/** @type {any} */ latest, /** @type {any} */ data) => {
    const isAtEnd = Number(slider.value) >= last || run === null;
    run = latest;
    last = Math.max(1, latest.tick);
    slider.max = String(last);
    if (!isAtEnd) return undefined;
    slider.value = String(last);
    return latest.tick ? look(last, data) : undefined;
  };
  const element = h("details", {}, h("summary", {}, t("Time machine")), h("div", { class: "field" }, label, slider), told);
  return { element, now };
}

/** @param {any} now @param {any} before @param {number} tick @param {(() => void) | null} fork */
function momentOf(now, before, tick, fork) {
  const changes = changed(before?.state ?? {}, now.state);
  const pending = now.pending.map((/** @type {any} */ one) => h("li", {}, `${one.event} `, h("code", {}, JSON.stringify(one.with))));
  return [
    h("p", { class: "soft" }, moment(now.at)),
    h("h3", {}, t("State")),
    data(now.state),
    h("h3", {}, t("Changed since the tick before")),
    changes.length ? h("ul", {}, changes.map((one) => h("li", {}, h("code", {}, one)))) : h("p", { class: "soft" }, t("Nothing changed.")),
    pending.length ? [h("h3", {}, t("Events that nobody has taken yet")), h("ul", {}, pending)] : null,
    fork ? button(t("Fork from here"), fork, { id: "fork" }) : null,
  ].flat();
}

/** Return what differs between two states, a line for each place. @param {any} before @param {any} now @param {string} at @returns {string[]} */
function changed(before, now, at = "") {
  if (JSON.stringify(before) === JSON.stringify(now)) return [];
  const isData = (/** @type {any} */ one) => one !== null && typeof one === "object" && !Array.isArray(one);
  if (!isData(before) || !isData(now)) return [`${at}: ${JSON.stringify(before) ?? "–"} → ${JSON.stringify(now) ?? "–"}`];
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  return names.flatMap((name) => changed(before[name], now[name], at ? `${at}.${name}` : name));
}

/** Return what would be done again, with what it does outside. @param {any} dry @returns {HTMLElement} */
export function again(dry) {
  const lines = (dry.again || []).map((/** @type {any} */ one) => h("li", {}, `${one.step} `, one.acts ? h("strong", {}, t("it acts outside")) : h("span", { class: "soft" }, one.status)));
  const failed = dry.failed_by ? h("p", { class: "bad" }, dry.failed_by) : null;
  const lost = (dry.gone || []).map((/** @type {string} */ one) => h("li", {}, one));
  const parts = (dry.parts || []).map(again);
  const said = lines.length ? [h("p", {}, t("This is done again:")), h("ul", {}, lines)] : parts.length ? null : h("p", {}, t("Nothing would be done again."));
  return h("div", {}, failed, said, lost.length ? [h("p", {}, t("What came from outside since is gone:")), h("ul", {}, lost)] : null, parts);
}

/**
 * Return what dry runs say of the version that the server starts now, and a function that tells whether it is wanted.
 * @param {any[]} dry @returns {{element: HTMLElement | null, wanted: () => boolean}}
 */
export function newer(dry) {
  const found = dry.map((one) => one.newer).filter(Boolean);
  if (!found.length) return { element: null, wanted: () => false };
  const refused = found.filter((one) => one.refused);
  const box = /** @type {HTMLInputElement} */ (h("input", { type: "checkbox", id: "upgrade", disabled: refused.length === found.length }));
  const why = refused.length ? h("p", { class: "bad" }, t("It cannot go on with today's:"), ` ${refused[0].refused}`) : null;
  const said = [...new Set(found.flatMap((one) => one.verdicts.map((/** @type {any} */ verdict) => verdict.told)))];
  const means = said.length ? [h("p", {}, t("If it goes on with today's:")), h("ul", {}, said.map((one) => h("li", {}, one)))] : null;
  const keeps = h("p", {}, t("Without this it goes on with the version that it began with, which is not today's."));
  const element = h("div", { class: "field" }, h("label", { class: "check" }, box, t("With today's version of the workflow")), keeps, why, means);
  return { element, wanted: () => box.checked };
}

/** Return the fields of a state that were edited. @param {any} before @param {string} written */
function edits(before, written) {
  let now;
  try {
    now = JSON.parse(written);
  } catch {
    throw new Error(t("that is not JSON"));
  }
  return Object.fromEntries(Object.entries(now ?? {}).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])));
}

/** Begin a run that goes on from a tick, with what would be done again told before. @param {any} server @param {string} path @param {number} tick @param {any} now */
async function fork(server, path, tick, now) {
  const dry = await server.call(`${path}/fork?dry`, { at: tick });
  const state = /** @type {HTMLTextAreaElement} */ (h("textarea", { id: "state", spellcheck: "false" }));
  state.value = JSON.stringify(now.state, null, 2);
  const content = h("div", { class: "fields" }, h("p", {}, t("A run of its own goes on from there; this one stays as it is.")), again(dry), h("div", { class: "field" }, h("label", { for: "state" }, t("The state from there on")), state));
  ask(t("Fork from here"), content, t("Fork from here"), async () => {
    const told = await server.call(`${path}/fork`, { at: tick, state: edits(now.state, state.value) });
    location.hash = `#/runs/${part(told.run)}`;
  });
}
