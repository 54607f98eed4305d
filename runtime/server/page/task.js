// The page of a link: one question, for somebody whom the server does not know.
import { Server } from "./api.js";
import { data, h, moment, show, wrong } from "./dom.js";
import { form } from "./forms.js";
import { t } from "./words.js";

const main = document.getElementById("main");
const server = new Server(`Link ${location.hash.slice(1)}`);

async function begin() {
  try {
    const task = await server.call("v1/links/task");
    document.title = task.title;
    show(
      main,
      h("h1", {}, task.title),
      h("p", { class: "soft" }, `${t("For")} ${task.for}`, task.expires ? ` · ${t("Until")} ` : "", moment(task.expires)),
      task.show === null || task.show === undefined ? null : data(task.show),
      form(task.form, task.prefill, t("Answer"), async (answer) => {
        await server.call("v1/links/task", { answer });
        show(main, h("h1", {}, task.title), h("p", { role: "status" }, t("Your answer is recorded. Thank you.")));
      }, "/answer"),
    );
  } catch (error) {
    show(main, h("h1", {}, t("A question")), wrong(/** @type {Error} */ (error)));
  }
}

begin();
