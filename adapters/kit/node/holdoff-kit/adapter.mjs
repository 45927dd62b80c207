/** The dispatch loop: messages in, calls of the SDK out. */

import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Call, Case, currentCall } from "./case.mjs";
import { exit, lines, log, send } from "./channel.mjs";
import { InjectedClock, SystemClock } from "./clock.mjs";
import { adapterError, Raised, Returned, thrownByAdapter, Unsupported } from "./outcome.mjs";

const PROTOCOL = 1;

/** One adapter process: which SDK, which loops, how its errors are called. */
export class Adapter {
  #sdk;
  #loops = new Map();
  #classify = () => undefined;
  #open = new Map();

  /** `sdk` is the package's name; its version is read from the package that Node would load. */
  constructor({ sdk, version }) {
    this.#sdk = { name: sdk, version: version ?? installedVersion(sdk) };
  }

  /**
   * Serves the loops `names` with `type`, which is made once for each case,
   * `constructor(given)`. Its methods are the verbs, in camel case
   * (`writeUnsafe`); an optional `close()` is the SDK's own shutdown and an
   * optional `drop()` frees what is left when the case ends.
   */
  loop(names, type) {
    for (const name of names) this.#loops.set(name, type);
  }

  /** `classify(error)` gives a `Raised` or a `Cancelled`, or nothing for the default. */
  errors(classify) {
    this.#classify = classify;
  }

  /** Serves the runner until `shutdown` or the end of input, then exits with status 0. */
  run() {
    lines((line) => this.#take(line), exit);
  }

  #take(line) {
    let message;
    try {
      message = JSON.parse(line);
    } catch (error) {
      log(`unreadable line from the runner: ${error.message}`);
      return;
    }
    const handler = Object.hasOwn(this.#handlers, message?.type) ? this.#handlers[message.type] : undefined;
    if (handler === undefined) log(`unknown message type ${JSON.stringify(message?.type)}, ignored`);
    else handler(message);
  }

  #handlers = {
    hello: (message) =>
      send({
        type: "hello",
        protocol: PROTOCOL,
        sdk: this.#sdk,
        language: "javascript",
        runtime: `Node.js ${process.versions.node}`,
        environment: { zone_offsets: message.probe.map(zoneOffset), locale: localeInForce() },
      }),
    open: (message) => this.#openCase(message),
    call: (message) => this.#with(message, (session) => session.call(message)),
    cancel: (message) => this.#with(message, (session) => session.calls.get(message.call)?.cancel()),
    close: (message) => this.#with(message, (session) => session.close()),
    slept: (message) => this.#with(message, (session) => session.clock.slept(message)),
    advance: (message) =>
      this.#with(message, (session) => {
        session.clock.advance(message.to, message.wall);
        send({ type: "advanced", case: message.case, now: message.to });
      }),
    end: (message) => {
      this.#with(message, (session) => session.end());
      this.#open.delete(message.case);
      send({ type: "ended", case: message.case });
    },
    shutdown: exit,
  };

  #with(message, act) {
    const session = this.#open.get(message.case);
    if (session === undefined) log(`${message.type} for a case that is not open, ignored`);
    else act(session);
  }

  #openCase(message) {
    const type = this.#loops.get(message.loop);
    if (type === undefined) {
      const reason = `unknown loop ${message.loop}; known: ${[...this.#loops.keys()].sort().join(", ")}`;
      send({ type: "unsupported", case: message.case, reason });
      return;
    }
    Math.random = seeded(message.seed ?? 0);
    const session = new Session(message, (error, call) => this.#outcomeOf(error, call));
    this.#open.set(message.case, session);
    session.open(type);
  }

  #outcomeOf(error, call) {
    if (error instanceof Unsupported) return { kind: "unsupported", reason: error.message };
    try {
      const known = this.#classify(error);
      if (known !== undefined) return known.toWire(error);
      if (call.signal.aborted && (error === call.signal.reason || error?.name === "AbortError")) {
        return { kind: "cancelled" };
      }
      return thrownByAdapter(error) ? adapterError(error) : new Raised("other").toWire(error);
    } catch (mistake) {
      return adapterError(mistake);
    }
  }
}

/** One open case: the adapter's object for it, its clock and its calls. */
class Session {
  calls = new Map();
  #client;
  #outcomeOf;

  constructor(message, outcomeOf) {
    this.#outcomeOf = outcomeOf;
    this.clock = message.clock?.kind === "injected" ? new InjectedClock(message.clock, (ask) => this.#ask(ask)) : new SystemClock();
    this.case = new Case(message, this.clock);
  }

  open(type) {
    try {
      this.#client = new type(this.case);
    } catch (error) {
      // For anything else there is no message: the process ends, and the
      // runner reports the crash with this trace.
      if (!(error instanceof Unsupported)) throw error;
      send({ type: "unsupported", case: this.case.id, reason: error.message, issue: error.issue });
      return;
    }
    send({ type: "opened", case: this.case.id });
  }

  async close() {
    await this.#client.close?.();
    send({ type: "closed", case: this.case.id });
  }

  call(message) {
    const call = new Call(this.case, message);
    this.calls.set(call.id, call);
    void call.run(() => this.#call(call));
  }

  async #call(call) {
    let outcome;
    try {
      const verb = call.do.replace(/-./g, (pair) => pair[1].toUpperCase());
      if (typeof this.#client[verb] !== "function") throw new Unsupported(`the adapter does not serve \`${call.do}\``);
      if (call.cancelAt === "before-start") call.cancel();
      const value = await this.#client[verb](call);
      outcome = (value instanceof Returned ? value : new Returned()).toWire();
    } catch (error) {
      outcome = this.#outcomeOf(error, call);
    }
    call.finish(outcome);
  }

  end() {
    for (const call of this.calls.values()) call.abandon();
    Promise.resolve(this.#client?.drop?.()).catch((error) => log(`drop: ${error?.stack ?? error}`));
  }

  #ask(ask) {
    send({ type: "sleep", case: this.case.id, call: this.#sleepingCall().id, ...ask });
  }

  #sleepingCall() {
    try {
      return currentCall();
    } catch (error) {
      const running = [...this.calls.values()].filter((call) => call.running);
      if (running.length === 1) return running[0];
      throw error;
    }
  }
}

/** The version of the package that an import in the adapter's file would find. */
function installedVersion(name) {
  for (let folder = dirname(resolve(process.argv[1])); ; folder = dirname(folder)) {
    const file = join(folder, "node_modules", name, "package.json");
    if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8")).version;
    if (folder === dirname(folder)) {
      throw new Error(
        `holdoff kit: ${name} is not installed above ${process.argv[1]}; ` +
          "did `holdoff build` run? For code that is no package: new Adapter({ sdk, version: \"1.2.3\" })",
      );
    }
  }
}

/** The zone's offset at an RFC 3339 instant, as `+05:30`. */
function zoneOffset(instant) {
  const minutes = -new Date(instant).getTimezoneOffset();
  const two = (number) => String(Math.floor(number)).padStart(2, "0");
  return `${minutes < 0 ? "-" : "+"}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
}

/** The locale asked for by the environment if ICU has it and took it, else `C`. */
function localeInForce() {
  const asked = process.env.LC_ALL || process.env.LC_TIME || process.env.LANG || "C";
  if (/^(C|POSIX)\b/.test(asked)) return asked;
  const taken = new Intl.DateTimeFormat().resolvedOptions().locale;
  const known = Intl.DateTimeFormat.supportedLocalesOf([taken]).length > 0;
  return known && asked.split(/[.@]/)[0].replace("_", "-") === taken ? asked : "C";
}

/** A generator for `Math.random` (splitmix, 32 bits): V8's own cannot be seeded from within. */
function seeded(seed) {
  let state = Number(BigInt(seed) & 0xffffffffn);
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 4294967296;
  };
}
