// A small adapter for the tests; its "SDK" is the module beside it.
import * as holdoff from "../holdoff-kit/index.mjs";
import * as sdk from "./sample-sdk.mjs";

const adapter = new holdoff.Adapter({ sdk: "sample-sdk", version: "1.2.3" });

adapter.loop(["operation"], class {
  constructor(given) {
    const knobs = given.knobs({ attempts: "max_attempts", baseMs: "base_delay" });
    const onRetry = (failed, delayMs) =>
      holdoff.currentCall().retry({ failedAttempt: failed, nextAttempt: failed + 1, delayMs, status: 503 });
    this.client = new sdk.Client({ clock: given.clock, onRetry, ...knobs });
  }

  async read(call) {
    return new holdoff.Returned({ status: await this.client.read(call.mark, call.signal) });
  }

  async write() {
    throw new Error("a mistake in the adapter");
  }

  async writeUnsafe() {
    this.client.overflow();
  }

  async upload(call) {
    try {
      call.retry({ delayMs: "not a number" });
    } catch {
      // as an SDK does that guards its hooks
    }
  }

  async poll(call) {
    call.log(`random ${Math.random()}`);
  }

  async close() {
    this.client.close();
  }
});

adapter.loop(["refused"], class {
  constructor() {
    throw new holdoff.Unsupported("no such mechanism", { issue: "https://example.org/1" });
  }
});

adapter.errors((error) =>
  error instanceof sdk.Throttled ? new holdoff.Raised("rate-limited", { status: 429, retryAfterMs: 120_000 }) : undefined);

adapter.run();
