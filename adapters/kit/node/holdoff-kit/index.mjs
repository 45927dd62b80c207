/**
 * Holdoff adapter kit for Node: everything of an adapter but the SDK's calls.
 *
 * Import it FIRST: modules are evaluated in the order of their imports, and
 * this one points `process.stdout` (so `console.log` too) at standard error
 * before an SDK can print into the protocol. An adapter then is a class for
 * each loop and one `run()`:
 *
 *     import * as holdoff from "./holdoff-kit/index.mjs";   // before the SDK
 *     import { Client, HttpError } from "acme";
 *
 *     const adapter = new holdoff.Adapter({ sdk: "acme" });
 *
 *     adapter.loop(["operation"], class {
 *       constructor(given) {                                // one client for each case
 *         const knobs = given.knobs({ retries: "max_attempts", baseMs: "base_delay" });
 *         const onRetry = (failed, ms) => holdoff.currentCall().retry({ failedAttempt: failed, delayMs: ms });
 *         this.client = new Client({ url: given.baseUrl, onRetry, ...knobs });
 *       }
 *       async read(call) {                                  // a verb: `do: read`
 *         await this.client.items.get(call.mark, { signal: call.signal });
 *       }
 *     });
 *
 *     adapter.errors((error) =>
 *       error instanceof HttpError ? new holdoff.Raised("status", { status: error.status }) : undefined);
 *
 *     adapter.run();
 *
 * Node 18 or later, no dependencies. Lengths of time are milliseconds, as
 * everywhere in JavaScript; on the wire they are exact decimal seconds.
 */
import "./channel.mjs";

export { Adapter } from "./adapter.mjs";
export { Call, Case, currentCall } from "./case.mjs";
export { InjectedClock, SystemClock } from "./clock.mjs";
export { Cancelled, Raised, Returned, Unsupported } from "./outcome.mjs";
export { millisToNanos, nanosToDecimal, decimalToNanos } from "./span.mjs";
