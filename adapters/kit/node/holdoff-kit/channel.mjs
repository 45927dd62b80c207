/** The two pipes to the runner, and the protection of the outgoing one. */

const TAG_VARIABLE = "HOLDOFF_TAG";

// The tag leaves the environment so that nothing which prints its environment
// can imitate the protocol.
const tag = process.env[TAG_VARIABLE] ?? "";
delete process.env[TAG_VARIABLE];

const write = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);

/** Writes one tagged line. `done` is called when the pipe has it. */
export function send(message, done) {
  write(`${tag}${JSON.stringify(message)}\n`, done);
}

/** Writes to the log (standard error), which the runner shows with a failure. */
export function log(text) {
  process.stderr.write(`holdoff kit: ${text}\n`);
}

/** Ends the process with status 0 once everything written has left it. */
export function exit() {
  // process.exit() drops what a pipe has not taken yet; waiting for the SDK's
  // own timers and sockets instead could take for ever.
  write("", () => process.stderr.write("", () => process.exit(0)));
}

/** Calls `take(line)` for each line of standard input, then `end()`. */
export function lines(take, end) {
  let rest = "";
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (chunk) => {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop();
    for (const line of parts) if (line.trim()) take(line);
  });
  process.stdin.on("end", end);
}
