// What models say while they say it: texts that come piece by piece, each known by its step and its reply.

/** The texts that are growing, in the order in which they began. */
export class GrowingTexts {
  constructor() {
    this.texts = /** @type {Map<string, {step: string, text: string}>} */ (new Map());
  }

  /** Take a piece; a text whose beginning was missed is left out, for the whole of it comes soon. @param {any} piece */
  take(piece) {
    const key = `${piece.step} ${piece.worker} ${piece.attempt} ${piece.reply}`;
    const before = piece.from ? this.texts.get(key)?.text : "";
    if (piece.over) this.texts.delete(key);
    else if (before !== undefined) this.texts.set(key, { step: piece.step, text: before + piece.text });
  }

  clear() {
    this.texts.clear();
  }

  /** Return them all. */
  all() {
    return [...this.texts.values()];
  }
}
