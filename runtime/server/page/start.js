// The screen that starts runs: a workflow with its flow and a form for what it takes.
import { part } from "./api.js";
import { button, h, nothing, show, table, tell, wrong } from "./dom.js";
import { form } from "./forms.js";
import { openings } from "./talks.js";
import { Viewer } from "./viewer.js";
import { unserved } from "./watch.js";
import { t } from "./words.js";

/** @param {import("./app.js").Place} place */
export async function showStart({ main, server, me }) {
  const [told, open] = await Promise.all([server.call("v1/workflows"), openings(server, me)]);
  const rows = told.workflows.map((/** @type {any} */ one) => [
    h("a", { href: `#/start/${part(one.workflow)}` }, one.workflow),
    one.start,
    one.ends.join(", "),
  ]);
  const found = rows.length ? table([t("Workflow"), t("Begins with"), t("Ends with")], rows, t("Workflows")) : me.roles.includes("author") ? unserved() : nothing(t("This server starts no workflows."));
  show(main, h("h1", {}, t("Start")), found, open);
}

/** @param {import("./app.js").Place} place */
export async function showWorkflow({ main, server, me, id, left }) {
  const path = `v1/workflows/${part(id)}`;
  const told = await server.call(path);
  const key = crypto.randomUUID(); // so that a second click starts no second run
  const start = form(told.inputs, undefined, t("Start"), async (inputs) => {
    const run = await server.call(`${path}/runs`, { inputs: inputs || {} }, { "Idempotency-Key": key });
    if (!left.aborted) location.hash = `#/runs/${part(run.run)}`; // who went elsewhere meanwhile stays there
  }, "/inputs");
  const flow = h("div");
  const copied = button(t("Copy as a command"), async () => {
    await navigator.clipboard.writeText(command(server.address(`${path}/runs`)));
    tell(t("The command is in the clipboard; it needs your token."));
  });
  const mayStart = me.roles.includes("start");
  const viewer = new Viewer(flow, undefined, t);
  const draw = () => server.picture(`${path}/flow?form=svg`);
  const file = me.roles.includes("author") ? (await server.call("v1/offers")).offers[told.workflow] : undefined;
  const rehearse = h("details", {}, h("summary", {}, t("Rehearse, without doing anything")));
  rehearse.addEventListener("toggle", async () => rehearse.append((await import("./rehearse.js")).rehearsals(server, file, draw, viewer)), { once: true });
  show(main, h("h1", {}, told.workflow), mayStart ? [h("h2", {}, t("Start a run")), start, h("p", {}, copied)] : null, file ? rehearse : null, h("h2", {}, t("Flow")), flow);
  await draw().then((picture) => viewer.show(picture), (error) => show(flow, wrong(error))); // what is written in the form stays
}

/** Return a command that starts a run; the token is not in it. @param {string} address */
function command(address) {
  return `curl "${address}" -H "Authorization: Bearer $WFC_TOKEN" -H "Content-Type: application/json" -d '{"inputs": {}}'`;
}
