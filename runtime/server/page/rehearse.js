// A run rehearsed: a test of the spec answers for everything that acts, and what would happen is shown as runs are.
import { part } from "./api.js";
import { button, data, h, nothing, show } from "./dom.js";
import { form } from "./forms.js";
import { light, stepTable, told } from "./run.js";
import { t } from "./words.js";

/**
 * Return a place in which runs of a file are rehearsed.
 * @param {any} server @param {string} path @param {() => Promise<any>} draw draws the flow
 * @param {import("./viewer.js").Viewer} viewer where it is shown, lit by what the steps have done
 */
export function rehearsals(server, path, draw, viewer) {
  const room = h("div", {}, h("p", { class: "soft", role: "status" }, t("Loading …")));
  begin(server, path, draw, viewer, room).catch((error) => show(room, h("p", { class: "bad", role: "alert" }, error.message)));
  return room;
}

/** @param {any} server @param {string} path @param {() => Promise<any>} draw @param {any} viewer @param {HTMLElement} room */
async function begin(server, path, draw, viewer, room) {
  const known = await server.call(`v1/rehearsals/${part(path)}`);
  if (!known.tests.length) return show(room, nothing(t("It has no tests.")));
  const chosen = /** @type {HTMLSelectElement} */ (h("select", { id: "rehearsed" }));
  chosen.append(...known.tests.map((/** @type {any} */ one) => h("option", { value: one.name }, one.name)));
  const inputs = h("div");
  const seen = h("div", { "aria-live": "polite" });
  const play = async (/** @type {any} */ given) => {
    const found = await server.call("v1/rehearsals", { path, test: chosen.value, inputs: given || {} });
    const picture = await draw();
    if (picture) {
      light(picture, found.steps);
      viewer.show(picture);
    }
    show(seen, whatHappened(found, chosen.value, () => show(seen)));
    seen.querySelector("h3")?.scrollIntoView({ block: "nearest" });
  };
  const choose = () => show(inputs, form(known.inputs, known.tests.find((/** @type {any} */ one) => one.name === chosen.value)?.inputs, t("Rehearse"), play, "/inputs"));
  chosen.addEventListener("change", choose);
  choose();
  show(room, h("div", { class: "field" }, h("label", { for: "rehearsed" }, t("The test that answers for all that acts")), chosen), inputs, seen);
}

/** @param {any} found @param {string} test @param {() => void} close */
function whatHappened(found, test, close) {
  const lines = found.messages.map(told).filter(Boolean);
  const end = found.result ? [h("h4", {}, `${t("Result")}: ${found.result.event}`), data(found.result.with)] : h("p", { class: "bad" }, found.error.message);
  return [
    h("h3", {}, t("Rehearsed with {test}: nothing was done for real", { test })),
    end,
    found.unmet.length ? [h("p", {}, t("What the test expects besides does not hold:")), h("ul", {}, found.unmet.map((/** @type {string} */ one) => h("li", {}, one)))] : null,
    h("h4", {}, t("Steps and attempts")),
    stepTable(found.steps),
    h("h4", {}, t("What has happened")),
    h("table", { "aria-label": t("What has happened"), class: "log" }, h("tbody", {}, lines)),
    h("h4", {}, t("State")),
    data(found.state),
    button(t("Close"), close),
  ].flat(Infinity);
}
