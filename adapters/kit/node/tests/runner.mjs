// The runner's side of the pipes, for the tests.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const TAG = "@h:test ";
export const INJECTED = { kind: "injected", now: "0", wall: "2030-01-01T00:00:00Z" };

export class Runner {
  constructor(environment = {}) {
    const script = fileURLToPath(new URL("./sample.mjs", import.meta.url));
    const env = { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC", HOLDOFF_TAG: TAG, ...environment };
    this.process = spawn(process.execPath, [script], { env });
    this.log = "";
    this.process.stderr.on("data", (chunk) => (this.log += chunk));
    this.exited = once(this.process, "exit");
    this.lines = createInterface({ input: this.process.stdout })[Symbol.asyncIterator]();
  }

  async hello() {
    const probe = ["2030-01-01T00:00:00Z", "2030-07-01T00:00:00Z"];
    this.ask({ type: "hello", protocol: { min: 1, max: 1 }, runner: "test", probe });
    return this.read();
  }

  ask(message) {
    this.process.stdin.write(`${JSON.stringify(message)}\n`);
  }

  async read() {
    const { value, done } = await this.lines.next();
    if (done || !value.startsWith(TAG)) throw new Error(`untagged on stdout: ${value} ${this.log}`);
    return JSON.parse(value.slice(TAG.length));
  }

  async open({ loop = "operation", id = "c1", clock = { kind: "real" }, params = {}, seed = 7 } = {}) {
    this.ask({ type: "open", case: id, loop, base_url: "http://127.0.0.1:1", params, seed, clock });
    return this.read();
  }

  call({ verb = "read", mark = "8820417", call = "a", id = "c1", ...request } = {}) {
    this.ask({ type: "call", case: id, call, request: { do: verb, mark, ...request } });
  }

  async outcome() {
    return (await this.read()).outcome;
  }

  /** Ends the input; gives the exit status and what is left on stdout. */
  async stop() {
    this.process.stdin.end();
    const left = [];
    for (let line = await this.lines.next(); !line.done; line = await this.lines.next()) left.push(line.value);
    const [status] = await this.exited;
    return { status, left };
  }
}
