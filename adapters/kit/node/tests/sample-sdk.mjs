// A client without a network that behaves as a bad guest: it prints, and it leaves a timer behind.
console.log("sample-sdk prints while it is imported");

export class Throttled extends Error {
  name = "Throttled";
}

export class Client {
  constructor({ clock, onRetry, attempts = 3, baseMs = 1000 }) {
    Object.assign(this, { clock, onRetry, attempts, baseMs });
    setInterval(() => {}, 3_600_000);
  }

  async read(mark, signal) {
    console.log(`sample-sdk reads ${mark}`);
    for (let attempt = 1; attempt < this.attempts; attempt += 1) {
      this.onRetry(attempt, this.baseMs);
      await this.clock.sleep(this.baseMs, { signal });
    }
    if (mark === "throttled") throw new Throttled("slow down");
    return 200;
  }

  overflow() {
    return "x".repeat(-1);
  }

  close() {
    console.log("sample-sdk is closed");
  }
}
