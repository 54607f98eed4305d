// Requests to the server that this page is from.
import { t } from "./words.js";

const BASE = new URL(".", document.baseURI);

const PATIENCE = 60_000; // in milliseconds, for an answer: a button whose request hangs would be dead for ever

const LONG = /^v1\/(tests|rehearsals|proposals|offers)\b/; // take as long as what they run

/** A request that was refused: the server's problem details. */
export class Refused extends Error {
  /** @param {any} problem */
  constructor(problem) {
    const places = (problem.errors || []).map((/** @type {any} */ one) => `${one.pointer.slice(1)}: ${one.message}`);
    super([problem.detail, ...places].join("\n"));
    this.problem = problem;
    this.detail = problem.detail;
    this.status = problem.status;
    this.code = problem.code;
    this.errors = problem.errors || [];
  }
}

/** A server, and what its reader shows it. */
export class Server {
  /** @param {string} shown such as `Bearer TOKEN` */
  constructor(shown) {
    this.shown = shown;
  }

  /** Return the whole address of a path. @param {string} path */
  address(path) {
    return new URL(path, BASE).href;
  }

  /**
   * Return what the server says.
   * @param {string} path @param {any} body with one it is a POST @param {Record<string, string>} headers @param {string} method
   * @returns {Promise<any>}
   */
  async call(path, body = undefined, headers = {}, method = body === undefined ? "GET" : "POST") {
    const signal = LONG.test(path) ? undefined : AbortSignal.timeout(PATIENCE);
    try {
      const reply = await this.fetch(path, {
        method,
        signal,
        body: body === undefined ? undefined : JSON.stringify(body),
        headers: body === undefined ? headers : { "Content-Type": "application/json", ...headers },
      });
      return await reply.json();
    } catch (error) {
      throw signal?.aborted ? late() : error;
    }
  }

  /** @param {string} path @param {RequestInit} options */
  async fetch(path, options) {
    let reply;
    try {
      reply = await fetch(new URL(path, BASE), {
        ...options,
        headers: { ...(this.shown ? { Authorization: this.shown } : {}), ...options.headers },
        credentials: "omit",
        cache: "no-store",
      });
    } catch (error) {
      if (options.signal?.aborted) throw error;
      throw new Error(t("The server cannot be reached."));
    }
    if (!reply.ok) throw new Refused(await reply.json());
    return reply;
  }

  /**
   * Return a drawing; the browser reads it as XML, so that no text of it becomes part of this page as markup.
   * @param {string} path @param {any} body with one it is a POST @returns {Promise<any>}
   */
  picture(path, body = undefined) {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open(body === undefined ? "GET" : "POST", new URL(path, BASE));
      request.setRequestHeader("Authorization", this.shown);
      request.responseType = "document";
      request.timeout = PATIENCE;
      request.ontimeout = () => reject(late());
      request.onload = () => {
        const found = request.status === 200 ? request.responseXML : null;
        if (found) resolve(document.importNode(found.documentElement, true));
        else reject(new Error(t("There is no drawing.")));
      };
      request.onerror = () => reject(new Error(t("The server cannot be reached.")));
      if (body !== undefined) request.setRequestHeader("Content-Type", "application/json");
      request.send(body === undefined ? null : JSON.stringify(body));
    });
  }

  /**
   * Call a function with each message of a stream, from its beginning; it goes on where it was when it is cut off. While
   * nobody sees the page there is no stream: a browser has six for all pages of a server.
   * @param {string} path @param {(message: any) => void} heard @param {AbortSignal} signal
   * @param {(is: boolean) => void} isThere told whether there is a connection
   */
  async follow(path, heard, signal, isThere = () => {}) {
    let last = "";
    while (!signal.aborted) {
      await untilSeen(signal);
      const stops = whileSeen(signal);
      try {
        for await (const message of this.messages(path, last, stops)) {
          isThere(true);
          last = message.id || last;
          heard(message);
          if (message.event === "end") return;
        }
      } catch (error) {
        if (signal.aborted || (error instanceof Refused && error.status !== 429 && error.status < 500)) return;
        if (!stops.aborted) isThere(false);
      }
      if (!stops.aborted) await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }

  /** @param {string} path @param {string} last @param {AbortSignal} signal */
  async *messages(path, last, signal) {
    const headers = { Accept: "application/x-ndjson", ...(last ? { "Last-Event-ID": last } : {}) };
    const reply = await this.fetch(path, { headers, signal });
    if (!reply.body) return;
    const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + value).split("\n");
      rest = lines.pop() || "";
      for (const line of lines) if (line) yield JSON.parse(line);
    }
  }
}

/** Wait until somebody sees the page, or has left the screen. @param {AbortSignal} signal */
function untilSeen(signal) {
  return new Promise((/** @type {(value?: any) => void} */ resolve) => {
    const look = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener("visibilitychange", look);
      signal.removeEventListener("abort", look);
      resolve();
    };
    document.addEventListener("visibilitychange", look);
    signal.addEventListener("abort", look);
    look();
  });
}

/** Return a signal that is given once nobody sees the page, or the screen was left. @param {AbortSignal} signal */
function whileSeen(signal) {
  const stops = new AbortController();
  const look = () => {
    if (!document.hidden && !signal.aborted) return;
    document.removeEventListener("visibilitychange", look);
    signal.removeEventListener("abort", look);
    stops.abort();
  };
  document.addEventListener("visibilitychange", look, { signal: stops.signal });
  signal.addEventListener("abort", look, { signal: stops.signal });
  look();
  return stops.signal;
}

/** Return what is told of a request that nobody has answered. */
function late() {
  return new Error(t("The server has not answered for a minute. What was asked of it may be done all the same."));
}

/** Return the id of something as a part of a path. @param {string} id */
export function part(id) {
  return encodeURIComponent(id);
}
