// A client of fetch, AbortSignal.timeout and setTimeout.
import { toldWait, visit } from './visits.mjs';

const base = process.argv[2];

const sleep = (milliseconds) => new Promise((over) => setTimeout(over, milliseconds));

async function get(path) {
  for (;;) {
    const reply = await fetch(base + path, { signal: AbortSignal.timeout(30_000) });
    const body = await reply.text();
    if (reply.status === 200) return body;
    await sleep(toldWait(reply.headers.get('retry-after')));
  }
}

await visit(get, (error) => error.name === 'TimeoutError');
