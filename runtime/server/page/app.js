// The frame of all screens: who is there, which screen is shown (behind the `#`), the keys, the language.
import { Server } from "./api.js";
import { arrive, ask, h, show, waiting, wrong } from "./dom.js";
import { showInbox, showTask } from "./inbox.js";
import { showWatch } from "./watch.js";
import { language, speak, t } from "./words.js";

const KEPT = "wfc-token";
const main = /** @type {HTMLElement} */ (document.getElementById("main"));
let leaves = new AbortController();

/**
 * What a screen is given: where it is shown, the server, who is there, the rest of the address, and what tells that
 * the screen was left.
 * @typedef {{main: HTMLElement, server: Server, me: any, id: string, query: URLSearchParams, left: AbortSignal}} Place
 */

/** @type {Record<string, {show: (place: Place) => Promise<void>, one?: (place: Place) => Promise<void>, name: string, key: string, roles: string[]}>} */
const SCREENS = {
  runs: { show: showWatch, one: async (place) => (await import("./run.js")).showRun(place), name: "Runs", key: "r", roles: ["see"] },
  inbox: { show: showInbox, one: showTask, name: "Inbox", key: "i", roles: ["see", "answer"] },
  start: { show: async (place) => (await import("./start.js")).showStart(place), one: async (place) => (await import("./start.js")).showWorkflow(place), name: "Start", key: "s", roles: ["start", "see"] },
  author: { show: async (place) => (await import("./author.js")).showFiles(place), one: async (place) => (await import("./author.js")).showFile(place), name: "Author", key: "a", roles: ["author"] },
};
const WITHIN = /** @type {Record<string, {one: (place: Place) => Promise<void>, of: string}>} */ ({ talk: { one: async (place) => (await import("./talks.js")).showTalk(place), of: "start" } }); // screens that others lead to
const OLD = /** @type {Record<string, string>} */ ({ tasks: "inbox", workflows: "start" }); // in links of before

/** @type {Server} */
let server;
/** @type {any} */
let me = null;

function may(/** @type {string} */ name) {
  return SCREENS[name].roles.some((one) => me.roles.includes(one));
}

async function begin() {
  const token = sessionStorage.getItem(KEPT);
  if (!token) return askForToken("");
  server = new Server(`Bearer ${token}`);
  try {
    me = await server.call("v1/me");
  } catch (error) {
    return askForToken(/** @type {Error} */ (error).message);
  }
  frame();
  await go();
}

/** @param {string} said */
function askForToken(said) {
  show(document.getElementById("screens"));
  const field = /** @type {HTMLInputElement} */ (h("input", { type: "password", autocomplete: "off", id: "token" }));
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    sessionStorage.setItem(KEPT, field.value.trim());
    begin();
  };
  const told = said ? h("p", { class: "bad", role: "alert" }, said) : null;
  const label = h("label", { for: "token" }, t("Your token"), h("span", { class: "soft" }, ` (${t("from whoever runs the server; it stands in the file that `wfc serve` names when it begins")})`));
  show(main, h("h1", {}, t("Who are you?")), h("form", { submit }, h("div", { class: "field" }, label, field), told, h("button", {}, t("Go on"))));
  field.focus();
}

function frame() {
  document.documentElement.lang = language();
  const links = Object.keys(SCREENS).filter(may).map((name) => h("a", { href: `#/${name}` }, t(SCREENS[name].name)));
  show(document.getElementById("screens"), links);
  show(document.getElementById("skip"), t("Skip to the content"));
  const chosen = h("select", { "aria-label": t("Language"), change: (/** @type {any} */ event) => {
    speak(event.target.value);
    frame();
    go();
  } }, [["en", "English"], ["zh", "中文"]].map(([value, said]) => h("option", { value, selected: value === language() }, said)));
  show(document.getElementById("me"), me.name, chosen, h("button", { type: "button", click: showKeys, "aria-label": t("Keys") }, "?"));
}

async function go() {
  leaves.abort();
  leaves = new AbortController();
  const from = document.activeElement;
  arrive();
  const address = location.hash;
  const [path, query = ""] = address.replace(/^#\/?/, "").split("?");
  const [wanted, ...rest] = path.split("/");
  const first = Object.keys(SCREENS).find(may) || "inbox";
  const within = rest.length && Object.hasOwn(WITHIN, wanted) ? WITHIN[wanted] : null;
  const name = within?.of || OLD[wanted] || (Object.hasOwn(SCREENS, wanted) ? wanted : first);
  for (const link of document.querySelectorAll("nav a")) {
    if (link.getAttribute("href") === `#/${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const room = h("div"); // a screen that was left goes on showing things in its own, which nobody sees
  main.replaceChildren(room);
  const place = { main: room, server, me, id: decodeURIComponent(rest.join("/")), query: new URLSearchParams(query), left: leaves.signal };
  const screen = within?.one || (place.id && SCREENS[name].one) || SCREENS[name].show;
  const waits = setTimeout(() => room.firstChild || show(room, waiting()), 200);
  try {
    await screen(place);
  } catch (error) {
    if (place.left.aborted) return;
    const again = h("button", { type: "button", click: go }, t("Try again"));
    show(room, h("h1", {}, t("That did not work")), wrong(/** @type {Error} */ (error)), again);
  } finally {
    clearTimeout(waits);
  }
  if (place.left.aborted) return;
  room.dataset.shown = address;
  document.title = `${main.querySelector("h1")?.textContent || ""} · wfc`;
  if ([from, document.body].includes(document.activeElement) && !main.contains(document.activeElement)) main.focus({ preventScroll: true }); // but for who went elsewhere meanwhile
}

// --- keys

function showKeys() {
  const screens = Object.values(SCREENS).map((one) => [`g ${one.key}`, `${t("to go there")}: ${t(one.name)}`]);
  const keys = [["/", t("to search")], ["?", t("to see the keys")], ...screens];
  const said = h("dl", {}, keys.map(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)]));
  ask(t("Keys"), said, t("Go on"), async () => {});
}

let before = "";

addEventListener("keydown", (event) => {
  const at = /** @type {HTMLElement} */ (event.target);
  if (!me || event.ctrlKey || event.metaKey || event.altKey || at.closest("input, textarea, select, dialog, .editor")) return;
  const screen = before === "g" ? Object.keys(SCREENS).find((name) => SCREENS[name].key === event.key && may(name)) : undefined;
  before = event.key;
  if (screen) location.hash = `#/${screen}`;
  else if (event.key === "?") showKeys();
  else if (event.key === "/") {
    const field = /** @type {HTMLElement | null} */ (main.querySelector("input[type=search]"));
    if (!field) return;
    event.preventDefault();
    field.focus();
  }
});

if (location.hash.startsWith("#k=")) {
  sessionStorage.setItem(KEPT, location.hash.slice(3));
  history.replaceState(null, "", `${location.pathname}#/`);
}
document.getElementById("skip")?.addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("hashchange", () => me && go());
begin();
