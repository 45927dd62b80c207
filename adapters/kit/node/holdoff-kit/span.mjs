/** Lengths of time on the wire: decimal strings of seconds, exact to the nanosecond. */

const NANOS_PER_SECOND = 1_000_000_000n;

/**
 * Whole nanoseconds of a number of milliseconds, taken at its exact binary
 * value and rounded to the nearest nanosecond.
 *
 * @param {number} millis any finite number
 * @returns {bigint}
 * @throws {RangeError} if it is not finite
 */
export function millisToNanos(millis) {
  if (typeof millis !== "number" || !Number.isFinite(millis)) {
    throw new RangeError(`no length of time: ${String(millis)}`);
  }
  // Number.prototype.toFixed is exact, multiplication is not; from 1e21 on it
  // changes to an exponent, and every such number is whole.
  if (Math.abs(millis) >= 1e21) return BigInt(millis) * 1_000_000n;
  return BigInt(millis.toFixed(6).replace(".", ""));
}

/**
 * @param {string} text decimal seconds, such as `299.99999928`
 * @returns {bigint} nanoseconds
 * @throws {RangeError} if it is not a decimal number with at most nine decimals
 */
export function decimalToNanos(text) {
  const parts = /^([+-]?)(\d+)(?:\.(\d{1,9}))?$/.exec(text);
  if (parts === null) throw new RangeError(`not decimal seconds: ${String(text)}`);
  const [, sign, whole, fraction = ""] = parts;
  const nanos = BigInt(whole) * NANOS_PER_SECOND + BigInt(fraction.padEnd(9, "0"));
  return sign === "-" ? -nanos : nanos;
}

/**
 * @param {bigint} nanos
 * @returns {string} decimal seconds: `120`, `0.1`, `-2`
 */
export function nanosToDecimal(nanos) {
  const size = nanos < 0n ? -nanos : nanos;
  const fraction = (size % NANOS_PER_SECOND).toString().padStart(9, "0").replace(/0+$/, "");
  return `${nanos < 0n ? "-" : ""}${size / NANOS_PER_SECOND}${fraction && "."}${fraction}`;
}

/**
 * @param {string} text an RFC 3339 instant in UTC
 * @returns {bigint} nanoseconds from the Unix epoch
 */
export function instantToNanos(text) {
  const [, whole, fraction = ""] = /^([^.Z]+)(?:\.(\d{1,9}))?Z$/.exec(text);
  return BigInt(Date.parse(`${whole}Z`)) * 1_000_000n + BigInt(fraction.padEnd(9, "0"));
}
