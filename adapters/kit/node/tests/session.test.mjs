// Whole sessions over real pipes.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { INJECTED, Runner } from "./runner.mjs";

let runner;
beforeEach(() => {
  runner = new Runner();
});
afterEach(async () => {
  await runner.stop();
});

test("hello tells what is loaded", async () => {
  const hello = await runner.hello();
  assert.deepEqual(hello.sdk, { name: "sample-sdk", version: "1.2.3" });
  assert.deepEqual([hello.protocol, hello.language], [1, "javascript"]);
  assert.deepEqual(hello.environment, { zone_offsets: ["+00:00", "+00:00"], locale: "C" });
});

test("zone offsets are those of the instants", async () => {
  const zoned = new Runner({ TZ: "Europe/Prague" });
  assert.deepEqual((await zoned.hello()).environment.zone_offsets, ["+01:00", "+02:00"]);
  await zoned.stop();
  const west = new Runner({ TZ: "America/St_Johns" });
  assert.deepEqual((await west.hello()).environment.zone_offsets, ["-03:30", "-02:30"]);
  await west.stop();
});

test("a locale that is in force is claimed, one that is not is not", async () => {
  for (const [asked, told] of [["cs_CZ.UTF-8", "cs_CZ.UTF-8"], ["xx_XX.UTF-8", "C"]]) {
    const other = new Runner({ LC_ALL: asked });
    assert.equal((await other.hello()).environment.locale, told);
    await other.stop();
  }
});

test("what the SDK prints is log, and its timers do not hold the process", async () => {
  await runner.open({ params: { max_attempts: 1 } });
  runner.call();
  assert.deepEqual(await runner.outcome(), { kind: "returned", status: 200 });
  assert.deepEqual(await runner.stop(), { status: 0, left: [] });
  assert.match(runner.log, /prints while it is imported[^]*reads 8820417/);
});

test("shutdown exits with status 0", async () => {
  await runner.open();
  runner.ask({ type: "shutdown" });
  assert.deepEqual((await runner.exited)[0], 0);
});

test("an unknown loop is unsupported", async () => {
  const answer = await runner.open({ loop: "zzz" });
  assert.equal(answer.type, "unsupported");
  assert.match(answer.reason, /zzz/);
});

test("a refused case says why", async () => {
  const answer = await runner.open({ loop: "refused" });
  assert.deepEqual(answer, { type: "unsupported", case: "c1", reason: "no such mechanism", issue: "https://example.org/1" });
});

test("a knob that is not wired is unsupported", async () => {
  const answer = await runner.open({ params: { max_jitter: "0.1" } });
  assert.equal(answer.reason, "the adapter has no knob for max_jitter");
});

test("a verb that is not there is unsupported", async () => {
  await runner.open();
  runner.call({ verb: "connect" });
  assert.deepEqual(await runner.outcome(), { kind: "unsupported", reason: "the adapter does not serve `connect`" });
});

test("unknown messages, fields and junk are ignored", async () => {
  runner.process.stdin.write("not json\n\n[1]\nnull\n");
  runner.ask({ type: "something-new" });
  runner.ask({ type: "toString" });
  runner.ask({ type: "cancel", case: "none", call: "a" });
  assert.deepEqual(await runner.open({ clock: { kind: "real", new: 1 } }), { type: "opened", case: "c1" });
  runner.ask({ type: "end", case: "c1" });
  assert.deepEqual(await runner.read(), { type: "ended", case: "c1" });
});

test("an SDK error is classified", async () => {
  await runner.open({ params: { max_attempts: 1 } });
  runner.call({ mark: "throttled" });
  const error = { kind: "rate-limited", status: 429, retry_after: "120", message: "Throttled: slow down" };
  assert.deepEqual(await runner.outcome(), { kind: "raised", error });
});

test("an unclassified error from within the SDK is other", async () => {
  await runner.open();
  runner.call({ verb: "write-unsafe" });
  const { kind, error } = await runner.outcome();
  assert.deepEqual([kind, error.kind], ["raised", "other"]);
  assert.match(error.message, /RangeError/);
});

test("a mistake of the adapter is its own, in a verb and in a hook", async () => {
  await runner.open();
  runner.call({ verb: "write" });
  assert.match((await runner.outcome()).trace, /a mistake in the adapter/);
  runner.call({ verb: "upload", call: "b" });
  assert.match((await runner.outcome()).trace, /not a number/);
});

test("the seed decides the draws", async () => {
  const draws = [];
  for (const [id, seed] of [["c1", 7], ["c2", 7], ["c3", 8]]) {
    await runner.open({ id, seed });
    runner.call({ id, verb: "poll" });
    draws.push((await runner.read()).message);
    await runner.read();
  }
  assert.equal(draws[0], draws[1]);
  assert.notEqual(draws[0], draws[2]);
});

test("injected sleeps are asked and answered", async () => {
  await runner.open({ clock: INJECTED, params: { max_attempts: 2, base_delay: "299.99999928" } });
  runner.call();
  const event = { type: "event", case: "c1", call: "a", event: "retry" };
  assert.deepEqual(await runner.read(), { ...event, failed_attempt: 1, next_attempt: 2, delay: "299.99999928", status: 503 });
  assert.deepEqual(await runner.read(), { type: "sleep", case: "c1", call: "a", duration: "299.99999928", n: 1 });
  runner.ask({ type: "advance", case: "c1", to: "10", wall: "2030-01-01T00:00:10Z" });
  assert.deepEqual(await runner.read(), { type: "advanced", case: "c1", now: "10" });
  runner.ask({ type: "slept", case: "c1", n: 1, now: "299.99999928", wall: "2030-01-01T00:04:59.99999928Z" });
  assert.deepEqual(await runner.outcome(), { kind: "returned", status: 200 });
});

test("calls run side by side", async () => {
  await runner.open({ clock: INJECTED, params: { max_attempts: 2 } });
  for (const call of ["a", "b"]) {
    runner.call({ call });
    await runner.read();
    assert.equal((await runner.read()).call, call);
  }
  for (const [n, call] of [[2, "b"], [1, "a"]]) {
    runner.ask({ type: "slept", case: "c1", n, now: "1", wall: "2030-01-01T00:00:01Z" });
    assert.equal((await runner.read()).call, call);
  }
});

test("a cancel ends a sleep at once", async () => {
  await runner.open({ params: { base_delay: "3600" } });
  runner.call();
  await runner.read();
  runner.ask({ type: "cancel", case: "c1", call: "a" });
  assert.deepEqual(await runner.outcome(), { kind: "cancelled" });
});

test("a cancel on the retry hook and one before the start come before the wait", async () => {
  for (const [id, cancel] of [["c1", "on-retry"], ["c2", "before-start"]]) {
    await runner.open({ id, clock: INJECTED });
    runner.call({ id, cancel });
    assert.equal((await runner.read()).type, "event");
    assert.deepEqual(await runner.outcome(), { kind: "cancelled" });
  }
});

test("close is the SDK's own", async () => {
  await runner.open();
  runner.ask({ type: "close", case: "c1" });
  assert.deepEqual(await runner.read(), { type: "closed", case: "c1" });
  await runner.stop();
  assert.match(runner.log, /sample-sdk is closed/);
});

test("nothing is sent of a case that has ended", async () => {
  await runner.open({ clock: INJECTED });
  runner.call();
  await runner.read();
  await runner.read();
  runner.ask({ type: "end", case: "c1" });
  assert.deepEqual(await runner.read(), { type: "ended", case: "c1" });
  assert.deepEqual(await runner.stop(), { status: 0, left: [] });
});
