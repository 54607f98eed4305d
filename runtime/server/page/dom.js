// Elements of the page: all that comes from a server is text, and becomes text.
import { language, t } from "./words.js";

/** @type {WeakMap<Node, Record<string, any>>} */
const heard = new WeakMap(); // what is called at the events of an element

/**
 * Return an element with attributes and children; a function is called at an event.
 * @param {string} tag @param {Record<string, any>} attributes @param {...any} children @returns {HTMLElement}
 */
export function h(tag, attributes = {}, ...children) {
  const found = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") found.addEventListener(name, (event) => heard.get(found)?.[name]?.(event));
    else if (value === true) found.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) found.setAttribute(name, String(value));
  }
  heard.set(found, attributes);
  found.append(...said(children));
  return found;
}

/** What turns other text around, hides, or is no text: to be seen by its number, so that nothing looks like something else. */
export const UNSEEN = /\r(?!\n)|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Return what there is of what is to be shown: `null`, `undefined` and `false` are nothing. @param {any[]} children */
function said(children) {
  return children.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false).map(plain);
}

/** Return a text as it may be shown; all else as it is. @param {any} one */
function plain(one) {
  return typeof one === "string" ? one.replace(UNSEEN, numbered) : one;
}

/** Return a sign by its number. @param {string} sign */
export function numbered(sign) {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/**
 * Show something in the place of what a place has. Whoever was in a field or at a button of it that is still there
 * (by its `id`) stays in it.
 * @param {any} place @param {...any} children
 */
export function show(place, ...children) {
  const held = place.contains(document.activeElement) ? document.activeElement : null;
  place.replaceChildren(...said(children));
  if (held?.id) document.getElementById(held.id)?.focus({ preventScroll: true });
}

/**
 * Show anew what comes again and again. What is equal stays where it is, so that a press on it that has begun ends on it,
 * and does from now on what the new one would do. It must listen to the same events, and nobody may hold on to a new one.
 * @param {any} place @param {...any} children
 */
export function renew(place, ...children) {
  const held = place.contains(document.activeElement) ? document.activeElement : null;
  merge(place, h("div", {}, children));
  if (held && held !== document.activeElement) /** @type {any} */ (held.isConnected ? held : document.getElementById(held.id))?.focus({ preventScroll: true });
}

/** Give an element the children of another, but for those that it has already. @param {any} place @param {any} wanted */
function merge(place, wanted) {
  const left = new Set(place.childNodes);
  const fresh = [...wanted.childNodes];
  const found = /** @type {Map<any, any>} */ (new Map()); // by the new ones, the old ones that stay for them
  const pair = (/** @type {(one: any) => string} */ keyOf, /** @type {(old: any, now: any) => boolean} */ may) => {
    const olds = grouped([...left].reverse(), keyOf);
    for (const [key, news] of grouped(fresh.filter((one) => !found.has(one)), keyOf)) {
      const those = key && olds.get(key);
      for (const now of those ? news : []) {
        const old = those.at(-1);
        if (!old || !may(old, now)) continue;
        found.set(now, those.pop());
        left.delete(old);
      }
    }
  };
  pair((one) => `${outside(one)}\n${one.textContent}`, (old, now) => old.isEqualNode(now));
  const equal = new Set(found.keys());
  const alike = grouped([...place.childNodes, ...fresh], outside);
  const isOnly = (/** @type {any} */ one) => alike.get(outside(one))?.length === 2; // of what was there and of what comes
  pair((one) => (one.matches?.("a, button, input, select, textarea") ? "" : outside(one)), (_, now) => now.nodeName !== "LI" || isOnly(now));
  const now = fresh.map((one) => {
    const old = found.get(one);
    if (!old) return one;
    heard.set(old, heard.get(one) || {});
    equal.has(one) ? handOver(old, one) : merge(old, one);
    return old;
  });
  for (const one of left) one.remove();
  now.forEach((one, number) => {
    const there = place.childNodes[number];
    if (one !== there) place.insertBefore(one, there || null); // what is moved loses a press
  });
}

/** @param {any[]} all @param {(one: any) => string} keyOf @returns {Map<string, any>} */
function grouped(all, keyOf) {
  const found = new Map();
  for (const one of all) {
    const key = keyOf(one);
    found.get(key)?.push(one) || found.set(key, [one]);
  }
  return found;
}

/** Return what makes two elements the same that differ only within: their tag, a row's link, what an item of a list says; "" for no element. @param {any} one */
function outside(one) {
  if (!one.attributes) return "";
  const own = [one.nodeName, ...[...one.attributes].map(({ name, value }) => `${name}=${value}`).sort()];
  if (one.nodeName === "TR") own.push(one.querySelector("a")?.getAttribute("href"));
  if (one.nodeName === "LI") own.push(...[...one.childNodes].filter((child) => child.nodeName !== "BUTTON").map((child) => child.textContent));
  return JSON.stringify(own);
}

/** Let what is in an element do what is done in an equal one. @param {Node} old @param {Node} now */
function handOver(old, now) {
  now.childNodes.forEach((one, number) => {
    heard.set(old.childNodes[number], heard.get(one) || {});
    handOver(old.childNodes[number], one);
  });
}

/** Return a moment as people read it. @param {string | null | undefined} text @returns {HTMLElement | string} */
export function moment(text) {
  if (!text) return "";
  const when = new Date(text);
  const isToday = when.toDateString() === new Date().toDateString();
  return h("time", { datetime: text, title: text }, isToday ? when.toLocaleTimeString(language()) : when.toLocaleString(language()));
}

/** Return how long something took, or takes by now. @param {string | null} from @param {string | null} to */
export function length(from, to) {
  if (!from) return "";
  const seconds = Math.max(0, (to ? Date.parse(to) : Date.now()) - Date.parse(from)) / 1000;
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 120) return `${seconds.toFixed(1)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86400)} d`;
}

/** Return data as text. @param {unknown} data @returns {HTMLElement} */
export function data(data) {
  return h("pre", { tabindex: "0" }, typeof data === "string" ? data : JSON.stringify(data, null, 2));
}

/** Return what is said when something is wrong. @param {Error} error @returns {HTMLElement} */
export function wrong(error) {
  return h("p", { class: "bad", role: "alert" }, error.message);
}

/** Return what is said while something is waited for. */
export function waiting() {
  return h("p", { class: "soft", role: "status" }, t("Loading …"));
}

/** Return what is said where there is nothing. @param {string} said @param {...any} more */
export function nothing(said, ...more) {
  return h("p", { class: "soft empty" }, said, more);
}

/** Return a status as a coloured word. @param {string} status */
export function badge(status) {
  return h("span", { class: `status ${status}` }, status);
}

/** @param {string[]} heads @param {any[][]} rows @param {string} label */
export function table(heads, rows, label) {
  const head = h("thead", {}, h("tr", {}, heads.map((one) => h("th", { scope: "col" }, one))));
  const body = rows.map((row) => h("tr", {}, row.map((one, number) => h("td", { "data-head": heads[number] }, one))));
  return h("table", { "aria-label": label }, head, h("tbody", {}, body));
}

const busy = new WeakSet();

/** Return a button; what goes wrong in what it does is told. @param {string} said @param {() => any} act @param {Record<string, any>} more */
export function button(said, act, more = {}) {
  const click = async (/** @type {any} */ { currentTarget: pressed }) => {
    if (busy.has(pressed)) return; // it is pressed twice
    busy.add(pressed);
    try {
      await act();
    } catch (error) {
      tell(/** @type {Error} */ (error).message);
    }
    busy.delete(pressed);
  };
  return h("button", { type: "button", click, ...more }, said);
}

/**
 * Ask before something is done, in a window of the page.
 * @param {string} title @param {any} content @param {string} action @param {() => Promise<void>} act done when it is agreed
 * @returns {() => void} what closes the window
 */
export function ask(title, content, action, act) {
  const told = h("div", { "aria-live": "assertive" });
  const go = /** @type {HTMLButtonElement} */ (h("button", {}, action));
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    go.disabled = true;
    try {
      await act();
      close();
    } catch (error) {
      show(told, wrong(/** @type {Error} */ (error)));
      go.disabled = false;
    }
  };
  const form = h("form", { submit }, content, told, h("div", { class: "row" }, go, button(t("Close"), () => close())));
  const dialog = /** @type {HTMLDialogElement} */ (h("dialog", { "aria-label": title }, h("h2", {}, title), form));
  const before = /** @type {HTMLElement | null} */ (inFocus());
  const close = () => {
    if (!dialog.isConnected) return;
    dialog.close();
    dialog.remove();
    (before?.isConnected ? before : document.getElementById(before?.id || ""))?.focus(); // it may have been shown anew
  };
  dialog.addEventListener("cancel", (event) => {
    event.preventDefault();
    close();
  });
  document.body.append(dialog);
  dialog.showModal();
  return close;
}

/** Return where the keys go, within a shadow root too. */
function inFocus() {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return at;
}

let later = "";

/** Tell something in passing, to the eye and to readers of screens. @param {string} said */
export function tell(said) {
  const place = document.getElementById("told");
  if (place) place.textContent = plain(said);
}

/** Go to another screen, and tell something there. @param {string} hash @param {string} said */
export function leave(hash, said) {
  later = said;
  location.hash = hash;
}

/** Tell what was to be told on this screen; what was told on the one before is gone. */
export function arrive() {
  tell(later);
  later = "";
}
