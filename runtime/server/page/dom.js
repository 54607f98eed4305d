// Elements of the page: all that comes from a server is text, and becomes text.

/**
 * Return an element with attributes and children; a function is called at an event.
 * @param {string} tag @param {Record<string, any>} attributes @param {...any} children @returns {HTMLElement}
 */
export function h(tag, attributes = {}, ...children) {
  const found = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") found.addEventListener(name, value);
    else if (value === true) found.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) found.setAttribute(name, String(value));
  }
  found.append(...children.flat().filter((one) => one !== null && one !== undefined));
  return found;
}

/** Show something in the place of what a place has. @param {any} place @param {...any} children */
export function show(place, ...children) {
  place.replaceChildren(...children.flat().filter(Boolean));
}

/** Return a moment as people read it. @param {string | null} text @returns {HTMLElement | string} */
export function moment(text) {
  if (!text) return "";
  return h("time", { datetime: text }, new Date(text).toLocaleString());
}

/** Return data as text. @param {unknown} data @returns {HTMLElement} */
export function data(data) {
  return h("pre", {}, typeof data === "string" ? data : JSON.stringify(data, null, 2));
}

/** Return what is said when something is wrong. @param {Error} error @returns {HTMLElement} */
export function wrong(error) {
  return h("p", { class: "bad", role: "alert" }, error.message);
}
