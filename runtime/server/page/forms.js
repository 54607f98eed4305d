// Forms made of JSON Schemas: what has no field of its own is written as JSON.
import { h } from "./dom.js";

/**
 * A part of a form: what is shown, and a function that returns its value (undefined: it is left out).
 * @typedef {{element: HTMLElement, read: () => any}} Part
 */

/** Return the part for a schema. @param {any} schema @param {any} root @param {string} name @param {any} given @param {boolean} needed @returns {Part} */
export function part(schema, root, name, given, needed) {
  const { kind, isOptional } = plain(schema, root);
  const title = kind.description || kind.title || name;
  const isNeeded = needed && !isOptional;
  const start = given ?? kind.default;
  if (kind.enum || kind.const !== undefined) return choice(kind.enum || [kind.const], title, start, isNeeded);
  if (kind.type === "boolean") return flag(title, start);
  if (kind.type === "object" && kind.properties) return group(kind, root, name, start);
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

/** @param {string} title @param {HTMLElement} field @param {boolean} needed */
function labelled(title, field, needed) {
  return h("label", {}, h("span", {}, needed ? title : `${title} (may be left out)`), field);
}

/** @param {any[]} values @param {string} title @param {any} start @param {boolean} needed @returns {Part} */
function choice(values, title, start, needed) {
  const chosen = values.indexOf(start);
  const field = /** @type {HTMLSelectElement} */ (h("select", { required: needed }));
  field.append(h("option", { value: "" }, ""));
  values.forEach((one, number) => field.append(h("option", { value: number, selected: number === chosen }, String(one))));
  return { element: labelled(title, field, needed), read: () => (field.value === "" ? undefined : values[Number(field.value)]) };
}

/** @param {string} title @param {any} start @returns {Part} */
function flag(title, start) {
  const field = /** @type {HTMLInputElement} */ (h("input", { type: "checkbox", checked: start === true }));
  return { element: h("label", { class: "check" }, field, title), read: () => field.checked };
}

/** @param {any} kind @param {any} root @param {string} name @param {any} start @returns {Part} */
function group(kind, root, name, start) {
  const parts = Object.entries(kind.properties).map(([own, schema]) => {
    const needed = (kind.required || []).includes(own);
    return { own, ...part(schema, root, own, start?.[own], needed) };
  });
  const read = () => Object.fromEntries(parts.map((one) => [one.own, one.read()]).filter((one) => one[1] !== undefined));
  const legend = name ? h("legend", {}, kind.title || name) : null;
  return { element: h(name ? "fieldset" : "div", name ? {} : { class: "fields" }, legend, parts.map((one) => one.element)), read };
}

/** @param {any} kind @param {string} title @param {any} start @param {boolean} needed @returns {Part} */
function number(kind, title, start, needed) {
  const step = kind.type === "integer" ? "1" : "any";
  const bounds = { min: kind.minimum, max: kind.maximum };
  const field = /** @type {HTMLInputElement} */ (h("input", { type: "number", step, ...bounds, required: needed, value: start }));
  return { element: labelled(title, field, needed), read: () => (field.value === "" ? undefined : Number(field.value)) };
}

/** @param {any} kind @param {string} title @param {any} start @param {boolean} needed @returns {Part} */
function text(kind, title, start, needed) {
  const isShort = kind.format || (kind.maxLength || 1000) <= 100 || kind.pattern;
  const field = /** @type {HTMLInputElement} */ (h(isShort ? "input" : "textarea", { maxlength: kind.maxLength, type: isShort ? "text" : null, placeholder: kind.format }));
  field.value = start ?? "";
  return { element: labelled(title, field, needed), read: () => (field.value === "" && !needed ? undefined : field.value) };
}

/** @param {string} title @param {any} start @param {boolean} needed @returns {Part} */
function json(title, start, needed) {
  const field = /** @type {HTMLTextAreaElement} */ (h("textarea", { spellcheck: "false" }));
  field.value = start === undefined ? "" : JSON.stringify(start);
  const read = () => {
    if (field.value.trim() === "") return undefined;
    try {
      return JSON.parse(field.value);
    } catch {
      throw new Error(`${title}: that is not JSON`);
    }
  };
  return { element: labelled(`${title} (JSON)`, field, needed), read };
}

/**
 * Return a form for a schema, which says what is wrong with what was sent.
 * @param {any} schema @param {any} given @param {string} action @param {(value: any) => Promise<void>} send
 */
export function form(schema, given, action, send) {
  const told = h("div", { "aria-live": "assertive" });
  const button = /** @type {HTMLButtonElement} */ (h("button", {}, action));
  const fields = schema ? part(schema, schema, "", given, true) : { element: h("span"), read: () => null };
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    button.disabled = true;
    told.replaceChildren();
    try {
      await send(fields.read());
    } catch (error) {
      told.replaceChildren(h("p", { class: "bad", role: "alert" }, /** @type {Error} */ (error).message));
    }
    button.disabled = false;
  };
  return h("form", { submit, novalidate: true }, fields.element, told, button);
}
