// Talks of those who have a token, and links to what is open to others.
import { part } from "./api.js";
import { ask, button, h, show, table } from "./dom.js";
import { form } from "./forms.js";
import { t } from "./words.js";

/** Return what the operator has opened, as a part of a screen; nothing, if that is nothing. @param {any} server @param {any} me */
export async function openings(server, me) {
  const told = await server.call("v1/openings");
  const talks = told.chats.map((/** @type {any} */ one) => row(server, me, told.address, "chat", one));
  const forms = told.forms.map((/** @type {any} */ one) => row(server, me, told.address, "form", one));
  const heads = [t("Name"), t("Workflow"), t("For"), t("Actions")];
  return [
    talks.length ? [h("h2", {}, t("Talks")), table(heads, talks, t("Talks"))] : null,
    forms.length ? [h("h2", {}, t("Forms for others")), table(heads, forms, t("Forms for others"))] : null,
  ];
}

/** @param {any} server @param {any} me @param {string} address @param {string} kind @param {any} one */
function row(server, me, address, kind, one) {
  const open = `${address}/${kind}#/${part(one.name)}`;
  const name = kind === "chat" && me.roles.includes("start") ? h("a", { href: `#/talk/${part(one.name)}` }, one.title || one.name) : one.title || one.name;
  const whom = one.to === "anybody" ? h("a", { href: open }, t("anybody")) : one.to === "links" ? t("who has a link") : t("who has a token");
  const mayLink = one.to !== "principals" && me.roles.includes("operate");
  return [name, one.workflow, whom, mayLink ? button(t("Make a link"), () => link(server, kind, one.name)) : ""];
}

/** Make a link for somebody. @param {any} server @param {string} kind @param {string} name */
function link(server, kind, name) {
  const whom = /** @type {HTMLInputElement} */ (h("input", { id: "whom", required: true, placeholder: "user:eve" }));
  ask(t("Make a link"), h("div", { class: "field" }, h("label", { for: "whom" }, t("For")), whom), t("Make a link"), async () => {
    const made = await server.call(`v1/${kind}s/${part(name)}/link`, { for: whom.value.trim() });
    const field = /** @type {HTMLInputElement} */ (h("input", { id: "made", readonly: true }));
    field.value = made.link;
    const said = h("p", {}, t("Whoever has it can use it: send it to nobody else."));
    setTimeout(() => {
      ask(t("Make a link"), h("div", { class: "fields" }, said, h("div", { class: "field" }, h("label", { for: "made" }, t("The link")), field)), t("Copy"), () => navigator.clipboard.writeText(made.link));
      field.select();
    });
  });
}

/** Begin a talk, or go on with one. @param {import("./app.js").Place} place */
export async function showTalk({ main, server, id, left }) {
  const told = await server.call("v1/openings");
  const opening = told.chats.find((/** @type {any} */ one) => one.name === id);
  if (opening) {
    const about = await server.call(`v1/workflows/${part(opening.workflow)}`);
    const start = form(about.inputs, undefined, t("Begin to talk"), async (inputs) => {
      const made = await server.call(`v1/chats/${part(id)}`, { inputs: inputs || {} });
      if (!left.aborted) location.hash = `#/talk/${part(made.chat)}`;
    }, "/inputs");
    return show(main, h("h1", {}, opening.title || opening.name), start);
  }
  const path = `v1/chats/${part(id)}`;
  const [known, { talk }] = await Promise.all([server.call(path), import("./talk.js")]);
  const room = h("div");
  show(main, h("h1", {}, known.title || t("A talk")), room);
  talk(room, { server, stream: `${path}/stream`, say: (text, message_id) => server.call(`${path}/messages`, { text, message_id }) }, left);
}
