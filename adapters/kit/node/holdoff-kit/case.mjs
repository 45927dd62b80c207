/** One case, its calls, and what the SDK tells its caller during them. */

import { AsyncLocalStorage } from "node:async_hooks";
import { send } from "./channel.mjs";
import { adapterError, Unsupported } from "./outcome.mjs";
import { decimalToNanos, millisToNanos, nanosToDecimal } from "./span.mjs";

const current = new AsyncLocalStorage();

/**
 * The call that the running code works for; for hooks that are given to a
 * client rather than to a call.
 *
 * @returns {Call}
 */
export function currentCall() {
  const call = current.getStore();
  if (call === undefined) throw new Error("no call is running here");
  return call;
}

/** What `open` said: everything that an adapter may know of a case. */
export class Case {
  constructor(message, clock) {
    this.id = message.case;
    /** The loop under test, by the adapter's own name of it. */
    this.loop = message.loop;
    /** Where the mock server listens; may have a path. */
    this.baseUrl = message.base_url;
    /** Knobs as sent: counts are numbers, durations decimal strings of seconds. */
    this.params = message.params ?? {};
    this.seed = message.seed ?? 0;
    /** `virtual`, `real` or `injected`. */
    this.clockKind = message.clock?.kind ?? "real";
    /** A clock with `monotonic()`, `time()` and `sleep(ms, { signal })`. */
    this.clock = clock;
  }

  /**
   * The SDK's options for the knobs that this case sets:
   * `knobs({ retries: "max_attempts", baseMs: "base_delay" })` gives only those
   * that were sent, durations as milliseconds. A knob that was sent and is not
   * named here makes the case unsupported: an ignored knob would test the
   * SDK's defaults under another name.
   */
  knobs(names) {
    const unclaimed = Object.keys(this.params).filter((name) => !Object.values(names).includes(name)).sort();
    if (unclaimed.length > 0) throw new Unsupported(`the adapter has no knob for ${unclaimed.join(", ")}`);
    const sent = Object.entries(names).filter(([, theirs]) => theirs in this.params);
    return Object.fromEntries(sent.map(([ours, theirs]) => [ours, knob(this.params[theirs])]));
  }
}

/** One call: what is asked, and where to report what the SDK says meanwhile. */
export class Call {
  #finished = false;
  #broken;
  #controller = new AbortController();

  constructor(given, message) {
    this.case = given;
    this.id = message.call;
    /** The verb, such as `read`. */
    this.do = message.request.do;
    /** Put it where the wire shows it (path, name, query). */
    this.mark = message.request.mark;
    /** Whether this call's credentials can be refreshed, `t1` to `t2`. */
    this.refreshable = message.request.auth === "refreshable";
    /** `undefined`, `on-retry` or `before-start`; the kit acts on it. */
    this.cancelAt = message.request.cancel;
  }

  /** Aborts when the call is cancelled; thread it into the SDK. */
  get signal() {
    return this.#controller.signal;
  }

  /** The SDK's retry hook ran: attempts from 1, `delayMs` as the SDK gave it. */
  retry({ failedAttempt, nextAttempt, delayMs, status } = {}) {
    this.#guarded(() => {
      const delay = delayMs == null ? undefined : nanosToDecimal(millisToNanos(delayMs));
      this.#event({ event: "retry", failed_attempt: failedAttempt, next_attempt: nextAttempt, delay, status: status ?? undefined });
      if (this.cancelAt === "on-retry") this.cancel();
    });
  }

  /** The SDK asked for new credentials. */
  refresh() {
    this.#event({ event: "refresh" });
  }

  /** A remark for the report, tied to this call. */
  log(text) {
    this.#event({ event: "log", message: String(text) });
  }

  /** Under the injected clock: this call waits for another one (a gate, a queue). */
  held() {
    send({ type: "held", case: this.case.id, call: this.id });
  }

  // For the kit ---------------------------------------------------------------

  /** Cancels the call; the kit calls it, an adapter need not. */
  cancel() {
    this.#controller.abort();
  }

  /** Runs `work` with this as the current call. */
  run(work) {
    return current.run(this, work);
  }

  /** Whether the call has no result yet and its case is open. */
  get running() {
    return !this.#finished;
  }

  /** Sends the one result; later ones are dropped. */
  finish(outcome) {
    if (this.#finished) return;
    this.#finished = true;
    send({ type: "result", case: this.case.id, call: this.id, outcome: this.#broken ?? outcome });
  }

  /** The case is over: nothing of this call is sent any more. */
  abandon() {
    this.#finished = true;
    this.cancel();
  }

  #event(fields) {
    if (!this.#finished) send({ type: "event", case: this.case.id, call: this.id, ...fields });
  }

  /** SDKs swallow what a hook throws; a mistake in one must still be blamed on the adapter. */
  #guarded(work) {
    try {
      work();
    } catch (error) {
      this.#broken = adapterError(error);
      throw error;
    }
  }
}

function knob(value) {
  return typeof value === "number" ? value : Number(decimalToNanos(value)) / 1e6;
}
