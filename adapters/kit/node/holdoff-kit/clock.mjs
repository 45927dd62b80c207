/** The clock and sleeper to hand to an SDK that takes one. Milliseconds throughout. */

import { decimalToNanos, instantToNanos, millisToNanos, nanosToDecimal } from "./span.mjs";

/** The process's own clock: real, or moved by the runner from outside. */
export class SystemClock {
  injected = false;
  monotonic = () => performance.now();
  time = () => Date.now();
  sleep = (millis, { signal } = {}) =>
    abortable(signal, (over) => {
      const timer = setTimeout(over, millis);
      return () => clearTimeout(timer);
    });
}

/**
 * A clock that the runner owns: it moves when the runner says, or by a tick at
 * each reading. `sleep` asks the runner and is over when the runner says so.
 * The members are bound: hand `clock.sleep` to an SDK as it is.
 */
export class InjectedClock {
  injected = true;
  #now;
  #wall;
  #tick;
  #ticked = 0n;
  #count = 0;
  #waiting = new Map();
  #ask;

  /** `ask({ duration, n, during })` sends the message for the running call. */
  constructor({ now, wall, tick = "0" }, ask) {
    this.#now = decimalToNanos(now);
    this.#wall = instantToNanos(wall);
    this.#tick = decimalToNanos(tick);
    this.#ask = ask;
  }

  /** Milliseconds since the case's zero. */
  monotonic = () => Number(this.#now + this.#read()) / 1e6;

  /** Milliseconds since the Unix epoch, whole as those of `Date.now()`. */
  time = () => Number((this.#wall + this.#read()) / 1_000_000n);

  /** `during: "request"` marks a timer that runs beside a request. */
  sleep = (millis, { signal, during } = {}) =>
    abortable(signal, (over) => {
      const n = ++this.#count;
      this.#waiting.set(n, over);
      this.#ask({ duration: nanosToDecimal(millisToNanos(millis)), n, during });
      return () => this.#waiting.delete(n);
    });

  /** The runner says that sleep `n` is over, and where the clocks stand. */
  slept({ n, now, wall }) {
    this.advance(now, wall);
    this.#waiting.get(n)?.();
    this.#waiting.delete(n);
  }

  /** The runner moves both clocks. What ticks added so far stays added. */
  advance(now, wall) {
    this.#now = decimalToNanos(now);
    this.#wall = instantToNanos(wall);
  }

  #read() {
    const offset = this.#ticked;
    this.#ticked += this.#tick;
    return offset;
  }
}

/** A promise for `start(over)`, which returns how to stop; rejects when `signal` aborts. */
function abortable(signal, start) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const abort = () => {
      stop();
      reject(signal.reason);
    };
    const stop = start(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    });
    signal?.addEventListener("abort", abort, { once: true });
  });
}
