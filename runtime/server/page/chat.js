// The page of a talk that the operator has opened: to anybody, by its name behind `#/`, or to whoever has a link to it.
// A stranger who begins gets a link of his own, which the address then holds: whoever opens it again goes on.
import { Server, part } from "./api.js";
import { h, show, wrong, button } from "./dom.js";
import { form } from "./forms.js";
import { talk } from "./talk.js";
import { language, t } from "./words.js";

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
let left = new AbortController();

/** Show the talk that the address names. */
async function begin() {
  left.abort();
  left = new AbortController();
  document.documentElement.lang = language();
  const behind = location.hash.slice(1);
  try {
    if (behind.startsWith("/")) await begun(new Server(""), `v1/open/chats/${part(decodeURIComponent(behind.slice(1)))}`);
    else await linked(new Server(`Link ${behind}`));
  } catch (error) {
    show(main, h("h1", {}, t("A talk")), wrong(/** @type {Error} */ (error)), h("p", {}, button(t("Try again"), begin)));
  }
}

/** @param {any} told */
function titled(told) {
  const title = told.title || (told.chat || "").replaceAll("_", " ") || t("A talk");
  document.title = title;
  return h("h1", {}, title);
}

/** Begin a talk that is open to anybody. @param {Server} server @param {string} path */
async function begun(server, path) {
  const told = await server.call(path);
  const start = form(told.inputs, undefined, t("Begin to talk"), async (inputs) => {
    const made = await server.call(path, { inputs: inputs || {} });
    history.replaceState(null, "", `#${made.token}`);
    await begin();
  }, "/inputs");
  show(main, titled(told), start);
}

/** @param {Server} server */
async function linked(server) {
  const path = "v1/links/chat";
  const told = await server.call(path);
  if (!told.begun) {
    const start = form(told.inputs, undefined, t("Begin to talk"), async (inputs) => {
      await server.call(path, { inputs: inputs || {} });
      await begin();
    }, "/inputs");
    return show(main, titled(told), start);
  }
  const room = h("div");
  show(main, titled({ ...told, chat: "" }), room);
  talk(room, { server, stream: `${path}/stream`, say: (text, message_id) => server.call(path, { text, message_id }) }, left.signal);
}

addEventListener("hashchange", begin);
begin();
