// A client of fetch, AbortSignal.timeout and setTimeout.
// What a client does: see clients/main.rs.
const base = process.argv[2];

const sleep = (milliseconds) => new Promise((over) => setTimeout(over, milliseconds));

const toldWait = (value) =>
  /^\d+$/.test(value) ? Number(value) * 1000 : Math.max(0, Date.parse(value) - Date.now());

async function get(path) {
  for (;;) {
    const reply = await fetch(base + path, { signal: AbortSignal.timeout(30_000) });
    const body = await reply.text();
    if (reply.status === 200) return body;
    await sleep(toldWait(reply.headers.get('retry-after')));
  }
}

const fail = (words) => {
  throw new Error(words);
};

await get('/date');
await get('/wait');
await get('/silent').then(
  () => fail('an answer from the silent'),
  (error) => error.name === 'TimeoutError' || fail(error),
);
if ((await get('/delay')) !== 'done') fail('delay');
if ((await get('/parts')) !== 'done') fail('parts');
await get('/end');
