/** How a call ended, in the words of the protocol. */

import { fileURLToPath } from "node:url";
import { millisToNanos, nanosToDecimal } from "./span.mjs";

export const KINDS = [
  "rate-limited", "status", "transport", "timeout", "auth", "expired",
  "denied", "decode", "usage", "budget", "other",
];

/** Throw it in a constructor or a verb that this SDK cannot serve; say why. */
export class Unsupported extends Error {
  constructor(reason, { issue } = {}) {
    super(reason);
    this.issue = issue;
  }
}

/** What a verb may return where the SDK shows the status of the final reply. */
export class Returned {
  constructor({ status } = {}) {
    this.status = status;
  }

  toWire() {
    return { kind: "returned", status: this.status };
  }
}

/** What the classifier gives for the SDK's own error of a cancelled call. */
export class Cancelled {
  toWire() {
    return { kind: "cancelled" };
  }
}

/**
 * An error of the SDK, classified. `status` and `retryAfterMs` only if the
 * SDK's own error carries them; the message defaults to the error's own.
 */
export class Raised {
  constructor(kind, { status, retryAfterMs, message } = {}) {
    if (!KINDS.includes(kind)) throw new RangeError(`unknown kind of error ${kind}; known: ${KINDS.join(", ")}`);
    Object.assign(this, { kind, status, retryAfterMs, message });
  }

  toWire(error) {
    const told = this.retryAfterMs == null ? undefined : nanosToDecimal(millisToNanos(this.retryAfterMs));
    const message = this.message ?? describe(error);
    return { kind: "raised", error: { kind: this.kind, status: this.status ?? undefined, retry_after: told, message } };
  }
}

/** The outcome that blames the adapter, with the whole trace. */
export function adapterError(error) {
  return { kind: "adapter-error", trace: String(error?.stack ?? error) };
}

const OWN = [fileURLToPath(new URL("./", import.meta.url)), process.argv[1] ?? "\0"];

/**
 * Whether the adapter's own file, or the kit, threw `error`: then it is a
 * mistake of the adapter. Anything else reached the SDK's caller.
 */
export function thrownByAdapter(error) {
  const frame = String(error?.stack ?? "").split("\n").find((line) => /^\s+at /.test(line));
  return frame !== undefined && OWN.some((path) => frame.includes(path));
}

function describe(error) {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
