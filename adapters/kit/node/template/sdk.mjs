/** A stand-in for an SDK, so that this adapter runs before yours is wired in. Delete it then. */

import { setTimeout as sleep } from "node:timers/promises";

export const VERSION = "0.0.0";

export class StatusError extends Error {
  name = "StatusError";

  constructor(status, retryAfterMs) {
    super(`status ${status}`);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

export class Client {
  constructor(baseUrl, { onRetry, attempts = 3, baseDelayMs = 1000, timeoutMs = 30_000 }) {
    Object.assign(this, { baseUrl, onRetry, attempts: Math.min(Math.max(1, attempts), 3), baseDelayMs, timeoutMs });
  }

  async request(method, path, { signal, body } = {}) {
    for (let attempt = 1; ; attempt += 1) {
      let failure;
      try {
        return await this.#send(method, path, signal, body);
      } catch (error) {
        failure = error;
      }
      const retryable = !(failure instanceof StatusError) || failure.status === 429 || failure.status === 503;
      if (signal?.aborted || !retryable || method === "POST" || attempt >= this.attempts) throw failure;
      const delay = failure.retryAfterMs ?? Math.min(this.baseDelayMs * 2 ** (attempt - 1), 30_000);
      this.onRetry(attempt, delay, failure.status);
      await sleep(delay, undefined, { signal });
    }
  }

  async #send(method, path, signal, body) {
    const limit = new AbortController();
    const expired = new DOMException("the request took too long", "TimeoutError");
    const timer = setTimeout(() => limit.abort(expired), this.timeoutMs);
    const abort = () => limit.abort(signal.reason);
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted) abort();
    try {
      const reply = await fetch(this.baseUrl + path, { method, body, signal: limit.signal, redirect: "manual" });
      const text = await reply.text();
      if (reply.status < 400) return text;
      const told = /^[ \t]*(\d+)[ \t]*$/.exec(reply.headers.get("retry-after") ?? "");
      throw new StatusError(reply.status, told && Number(told[1]) > 0 ? Number(told[1]) * 1000 : undefined);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    }
  }
}
