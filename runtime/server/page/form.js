// The page of a form that the operator has opened: to anybody, by its name behind `#/`, or to whoever has a link to it.
import { Server, part } from "./api.js";
import { button, h, show, wrong } from "./dom.js";
import { form } from "./forms.js";
import { language, t } from "./words.js";

const main = /** @type {HTMLElement} */ (document.getElementById("main"));

/** Show the form that the address names. */
async function begin() {
  const behind = location.hash.slice(1);
  const isOpen = behind.startsWith("/");
  const server = new Server(isOpen ? "" : `Link ${behind}`);
  const path = isOpen ? `v1/forms/${part(decodeURIComponent(behind.slice(1)))}` : "v1/links/form";
  document.documentElement.lang = language();
  try {
    const told = await server.call(path);
    const title = told.title || told.form.replaceAll("_", " ");
    document.title = title;
    const filled = form(told.inputs, undefined, t("Send"), async (inputs) => {
      await server.call(path, { inputs: inputs || {} });
      show(main, h("h1", { tabindex: "-1" }, title), h("p", { role: "status", class: "status done" }, t("It was received. Thank you.")), isOpen ? h("p", {}, button(t("Fill in once more"), begin)) : null);
      main.querySelector("h1")?.focus();
    }, "/inputs");
    show(main, h("h1", {}, title), told.for ? h("p", { class: "soft" }, `${t("For")} ${told.for}`) : null, filled);
  } catch (error) {
    show(main, h("h1", {}, t("A form")), wrong(/** @type {Error} */ (error)), h("p", {}, button(t("Try again"), begin)));
  }
}

addEventListener("hashchange", begin);
begin();
