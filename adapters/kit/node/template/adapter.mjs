/** Holdoff adapter for {name}: the calls, the hook, the names of the errors. */

import * as holdoff from "./holdoff-kit/index.mjs"; // first: it takes standard output before the SDK can print
import * as sdk from "./sdk.mjs"; // the stand-in beside this file; import your SDK here and delete it

const adapter = new holdoff.Adapter({ sdk: "{name}", version: sdk.VERSION });

const onRetry = (failedAttempt, delayMs, status) =>
  holdoff.currentCall().retry({ failedAttempt, nextAttempt: failedAttempt + 1, delayMs, status });

adapter.loop(["operation"], class {
  constructor(given) {
    const knobs = given.knobs({ attempts: "max_attempts", baseDelayMs: "base_delay", timeoutMs: "request_timeout" });
    this.client = new sdk.Client(given.baseUrl, { onRetry, ...knobs });
  }

  read(call) {
    return this.client.request("GET", `/items/${call.mark}`, { signal: call.signal });
  }

  write(call) {
    return this.client.request("PUT", `/items/${call.mark}`, { signal: call.signal, body: call.mark });
  }

  writeUnsafe(call) {
    return this.client.request("POST", `/items/${call.mark}`, { signal: call.signal, body: call.mark });
  }
});

adapter.errors((error) => {
  if (error instanceof sdk.StatusError) {
    const kind = { 401: "auth", 403: "auth", 429: "rate-limited" }[error.status] ?? "status";
    return new holdoff.Raised(kind, { status: error.status, retryAfterMs: error.retryAfterMs });
  }
  if (error?.name === "TimeoutError") return new holdoff.Raised("timeout");
  if (error instanceof TypeError && error.message === "fetch failed") return new holdoff.Raised("transport");
  return undefined; // an abort of the call: `cancelled`; from this file: a mistake of this file; else `other`
});

adapter.run();
