// The parts that need no process.
import assert from "node:assert/strict";
import { test } from "node:test";
import { InjectedClock } from "../holdoff-kit/clock.mjs";
import { Raised } from "../holdoff-kit/outcome.mjs";
import { decimalToNanos, instantToNanos, millisToNanos, nanosToDecimal } from "../holdoff-kit/span.mjs";

test("milliseconds become whole nanoseconds", () => {
  for (const [millis, nanos] of [[120, 120_000_000n], [0.1, 100_000n], [-2, -2_000_000n], [299999.99928, 299_999_999_280n], [1e300, BigInt(1e300) * 1_000_000n]]) {
    assert.equal(millisToNanos(millis), nanos);
  }
  for (const millis of [NaN, Infinity, "12", undefined]) assert.throws(() => millisToNanos(millis), RangeError);
});

test("the wire form has no float in it", () => {
  for (const [text, nanos] of [["0", 0n], ["0.000000001", 1n], ["120", 120_000_000_000n], ["-1.5", -1_500_000_000n]]) {
    assert.equal(nanosToDecimal(nanos), text);
    assert.equal(decimalToNanos(text), nanos);
  }
  for (const text of ["", "1.", ".5", "1e3", "1.0000000001"]) assert.throws(() => decimalToNanos(text), RangeError);
});

test("instants are read to the nanosecond", () => {
  assert.equal(instantToNanos("2030-01-01T00:00:00.123456789Z"), 1_893_456_000_123_456_789n);
  assert.equal(instantToNanos("1970-01-01T00:00:01Z"), 1_000_000_000n);
});

test("a tick advances both clocks after each reading", () => {
  const clock = new InjectedClock({ now: "0", wall: "2030-01-01T00:00:00Z", tick: "1" }, () => {});
  assert.deepEqual([clock.monotonic(), clock.time(), clock.monotonic()], [0, 1_893_456_001_000, 2000]);
  clock.advance("10", "2030-01-01T00:00:10Z");
  assert.equal(clock.monotonic(), 13_000);
});

test("a kind that the protocol does not know is refused", () => {
  assert.throws(() => new Raised("throttled"), RangeError);
});
