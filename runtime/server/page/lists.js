// Lists of which a page is shown at first, and more at a press: looked at anew while somebody looks further on.

/**
 * Return a function that looks at a list from its beginning, or further on. An answer that has come late does not replace
 * one that was asked for later, and who has asked for more gets it, also where the list was looked at anew meanwhile.
 * @param {(after: string) => Promise<{rows: any[], next: string} | null>} read returns what follows; nothing once nobody looks
 * @param {(rows: any[], more: (() => Promise<void>) | null) => void} tell
 */
export function growing(read, tell) {
  /** @type {any[]} */
  let rows = [];
  let next = "";
  let asked = 0; // looks from the beginning
  let latest = 0; // the last of them that is shown
  let grown = 0; // how often more has come
  /** @type {(after?: string) => Promise<void>} */
  const look = async (after = "") => {
    const [own, was, before] = [after ? 0 : (asked += 1), latest, grown];
    const told = await read(after);
    if (!told || (own && own < latest)) return;
    const isLonger = before !== grown;
    if (after && was !== latest) return next ? look(next) : undefined; // it begins anew by now
    if (after && isLonger) return; // pressed twice
    if (after) grown += 1;
    latest = own || latest;
    rows = after ? [...rows, ...told.rows] : told.rows;
    next = told.next;
    tell(rows, next ? () => look(told.next) : null);
    if (isLonger && next) await look(next); // what has come meanwhile is asked for again
  };
  return look;
}
