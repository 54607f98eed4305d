// Forms made of JSON Schemas: what has no field of its own is written as JSON.
import { button, h, show } from "./dom.js";
import { t } from "./words.js";

/**
 * A part of a form: what is shown, a function that returns its value (undefined: it is left out), and one that says
 * what is wrong at a place within, or that what is said elsewhere (`at`, an id) is of this place, too. It returns the
 * id of what it says; nothing: there is no such place.
 * @typedef {{element: HTMLElement, read: () => any, blame: (place: string[], said: string, at?: string) => string | undefined}} Part
 */

let fields = 0;

/** Return the part for a schema. @param {any} schema @param {any} root @param {string} name @param {any} given @param {boolean} needed @returns {Part} */
export function part(schema, root, name, given, needed) {
  const { kind, isOptional } = plain(schema, root);
  const title = kind.description || kind.title || name;
  const isNeeded = needed && !isOptional;
  const start = given ?? kind.default;
  if (kind.enum || kind.const !== undefined) return choice(kind.enum || [kind.const], title, start, isNeeded);
  if (kind.type === "boolean") return flag(title, start);
  if (kind.type === "object" && kind.properties) return group(kind, root, name, start);
  if (kind.type === "array" && kind.items && !kind.prefixItems) return list(kind, root, title, start, isNeeded);
  if (kind.type === "integer" || kind.type === "number") return number(kind, title, start, isNeeded);
  if (kind.type === "string") return text(kind, title, start, isNeeded);
  return json(title, start, isNeeded);
}

/** Return a schema without references and `null`. @param {any} schema @param {any} root */
function plain(schema, root) {
  let kind = schema;
  let isOptional = false;
  for (let deep = 0; deep < 20; deep += 1) {
    if (kind.$ref?.startsWith("#/$defs/")) {
      const { $ref, ...own } = kind;
      kind = { ...root.$defs[$ref.slice(8)], ...own };
    } else if (kind.anyOf?.some((/** @type {any} */ one) => one.type === "null") && kind.anyOf.length === 2) {
      const { anyOf, ...own } = kind;
      kind = { ...own, ...anyOf.find((/** @type {any} */ one) => one.type !== "null") };
      isOptional = true;
    } else break;
  }
  return { kind, isOptional };
}

/** Return a field with its name and a place for what is wrong. @param {string} title @param {HTMLElement} field @param {boolean} needed @param {() => any} read @param {string} about What fits, in a few words. @returns {Part} */
function labelled(title, field, needed, read, about = "") {
  const id = `field-${(fields += 1)}`;
  const own = `${id}-wrong`;
  const said = h("span", { class: "bad", id: own });
  field.id = id;
  field.setAttribute("aria-describedby", own);
  const words = [about, needed ? "" : t("may be left out")].filter(Boolean).join(", ");
  const head = h("label", { for: id }, title, words ? h("span", { class: "soft" }, ` (${words})`) : null);
  field.addEventListener("input", () => forgive(/** @type {any} */ (field)));
  const blame = (/** @type {string[]} */ _, /** @type {string} */ words, at = own) => {
    if (at === own) said.textContent = [said.textContent, words].filter(Boolean).join(" ");
    const others = field.hasAttribute("aria-invalid") ? describers(field) : []; // what is said of it already
    field.setAttribute("aria-describedby", [...new Set([...others, at])].join(" "));
    field.setAttribute("aria-invalid", "true");
    return own;
  };
  const isFlag = field.getAttribute("type") === "checkbox";
  const shown = isFlag ? [h("div", { class: "check" }, field, head), said] : [head, field, said];
  return { element: h("div", { class: "field" }, shown), read, blame };
}

/** Take back what is said of a field, at all fields of which it is said. @param {HTMLInputElement} field */
function forgive(field) {
  for (const at of describers(field)) {
    show(document.getElementById(at));
    for (const one of field.form?.querySelectorAll(`[aria-describedby~="${at}"]`) || []) {
      const left = describers(one).filter((other) => other !== at && document.getElementById(other)?.textContent);
      if (!left.length) one.removeAttribute("aria-invalid");
      one.setAttribute("aria-describedby", left.join(" ") || `${one.id}-wrong`);
    }
  }
}

/** Return the ids of what is said of a field. @param {Element} field */
function describers(field) {
  return (field.getAttribute("aria-describedby") || "").split(" ");
}

/** @param {any[]} values @param {string} title @param {any} start @param {boolean} needed @returns {Part} */
function choice(values, title, start, needed) {
  const chosen = values.indexOf(start);
  const field = /** @type {HTMLSelectElement} */ (h("select", { required: needed }));
  field.append(h("option", { value: "" }, ""));
  values.forEach((one, number) => field.append(h("option", { value: number, selected: number === chosen }, String(one))));
  return labelled(title, field, needed, () => (field.value === "" ? undefined : values[Number(field.value)]));
}

/** @param {string} title @param {any} start @returns {Part} */
function flag(title, start) {
  const field = /** @type {HTMLInputElement} */ (h("input", { type: "checkbox", checked: start === true }));
  return labelled(title, field, true, () => field.checked);
}

/** @param {any} kind @param {any} root @param {string} name @param {any} start @returns {Part} */
function group(kind, root, name, start) {
  const parts = Object.entries(kind.properties).map(([own, schema]) => {
    const needed = (kind.required || []).includes(own);
    return { own, ...part(schema, root, own, start?.[own], needed) };
  });
  const read = () => Object.fromEntries(parts.map((one) => [one.own, one.read()]).filter((one) => one[1] !== undefined));
  const blame = (/** @type {string[]} */ [first, ...rest], /** @type {string} */ said, /** @type {string | undefined} */ at) =>
    (first === undefined ? parts.at(-1) : parts.find((one) => one.own === first))?.blame(rest, said, at); // of all of it: at the last, as above
  const legend = name ? h("legend", {}, kind.title || name) : null;
  return { element: h(name ? "fieldset" : "div", name ? {} : { class: "fields" }, legend, parts.map((one) => one.element)), read, blame };
}

/** @param {any} kind @param {any} root @param {string} title @param {any} start @param {boolean} needed @returns {Part} */
function list(kind, root, title, start, needed) {
  /** @type {Part[]} */
  let parts = [];
  const rows = h("div", { class: "fields" });
  const add = (/** @type {any} */ value) => {
    const one = part(kind.items, root, `${title} ${parts.length + 1}`, value, true);
    const row = h("div", { class: "item" }, one.element, button(t("Remove"), () => {
      parts = parts.filter((other) => other !== one);
      row.remove();
    }));
    parts.push(one);
    rows.append(row);
  };
  for (const one of Array.isArray(start) ? start : []) add(one);
  const said = h("span", { class: "bad", id: `list-${(fields += 1)}` });
  const blame = (/** @type {string[]} */ [first, ...rest], /** @type {string} */ words, /** @type {string | undefined} */ at) => {
    if (first !== undefined) return parts[Number(first)]?.blame(rest, words, at);
    if (!at) said.textContent = words;
    return said.id;
  };
  const read = () => (parts.length || needed ? parts.map((one) => one.read()) : undefined);
  return { element: h("fieldset", {}, h("legend", {}, title), rows, button(t("Add"), () => add(undefined)), said), read, blame };
}

/** @param {any} kind @param {string} title @param {any} start @param {boolean} needed @returns {Part} */
function number(kind, title, start, needed) {
  const step = kind.type === "integer" ? "1" : "any";
  const bounds = { min: kind.minimum, max: kind.maximum };
  const field = /** @type {HTMLInputElement} */ (h("input", { type: "number", step, ...bounds, required: needed, value: start }));
  return labelled(title, field, needed, () => (field.value === "" ? undefined : Number(field.value)), between(kind.minimum, kind.maximum));
}

/** Return bounds in words; nothing where there are none. @param {number | undefined} least @param {number | undefined} most */
function between(least, most) {
  if (least !== undefined && most !== undefined) return t("{least} to {most}", { least, most });
  if (least !== undefined) return t("at least {least}", { least });
  return most === undefined ? "" : t("at most {most}", { most });
}

const INPUTS = /** @type {Record<string, string>} */ ({ date: "date", email: "email", uri: "url" });

/** @param {any} kind @param {string} title @param {any} start @param {boolean} needed @returns {Part} */
function text(kind, title, start, needed) {
  const isShort = kind.format || (kind.maxLength || 1000) <= 100 || kind.pattern;
  const type = isShort ? INPUTS[kind.format] || "text" : null;
  const field = /** @type {HTMLInputElement} */ (h(isShort ? "input" : "textarea", { maxlength: kind.maxLength, type, placeholder: kind.format === "date-time" ? "2026-12-31T17:00:00Z" : null }));
  field.value = start ?? "";
  return labelled(title, field, needed, () => (field.value === "" && !needed ? undefined : field.value));
}

/** @param {string} title @param {any} start @param {boolean} needed @returns {Part} */
function json(title, start, needed) {
  const field = /** @type {HTMLTextAreaElement} */ (h("textarea", { spellcheck: "false" }));
  field.value = start === undefined || start === null ? "" : JSON.stringify(start);
  const read = () => {
    if (field.value.trim() === "") return undefined;
    try {
      return JSON.parse(field.value);
    } catch {
      throw new Error(`${title}: ${t("that is not JSON")}`);
    }
  };
  return labelled(`${title} (JSON)`, field, needed, read);
}

/**
 * Return a form for a schema. What is wrong with what was sent is said at its field, or else above the button.
 * @param {any} schema @param {any} given @param {string} action @param {(value: any) => Promise<void>} send
 * @param {string} above where the value is in what is sent
 */
export function form(schema, given, action, send, above = "/") {
  const told = h("div", { "aria-live": "assertive" });
  const go = /** @type {HTMLButtonElement} */ (h("button", {}, action));
  const whole = schema ? part(schema, schema, "", given, true) : { element: h("span"), read: () => null, blame: () => undefined };
  const blamed = () => /** @type {HTMLInputElement[]} */ ([...found.querySelectorAll("[aria-invalid]")]);
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    go.disabled = true;
    show(told);
    blamed().forEach(forgive);
    for (const one of found.querySelectorAll(".bad[id]")) show(one);
    try {
      await send(whole.read());
    } catch (error) {
      show(told, h("p", { class: "bad", role: "alert" }, left(/** @type {any} */ (error), whole, above)));
      blamed().find((one) => describers(one).includes(`${one.id}-wrong`))?.focus();
    }
    go.disabled = false;
  };
  const found = /** @type {any} */ (h("form", { submit, novalidate: true }, whole.element, told, go));
  return found;
}

/** Say at its field what is wrong there, and return what is to be said of the whole. @param {any} error @param {Part} whole @param {string} above */
function left(error, whole, above) {
  const places = /** @type {{pointer: string, message: string, beside?: string[]}[]} */ (error.errors || []);
  const place = (/** @type {string} */ pointer) => (pointer.startsWith(above) ? pointer.slice(above.length).split("/").filter(Boolean).map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~")) : []);
  const rest = places.filter((one) => {
    const at = place(one.pointer).length ? whole.blame(place(one.pointer), one.message) : undefined;
    for (const other of one.beside || []) if (at) whole.blame(place(other), "", at);
    return !at;
  });
  const detail = error.detail || error.message;
  return [detail, ...rest.map((one) => `${one.pointer.slice(1)}: ${one.message}`)].join("\n");
}
