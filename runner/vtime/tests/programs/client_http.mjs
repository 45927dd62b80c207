// A client of node:http: the timeout is the socket's.
import http from 'node:http';

const base = process.argv[2];

const sleep = (milliseconds) => new Promise((over) => setTimeout(over, milliseconds));

const toldWait = (value) =>
  /^\d+$/.test(value) ? Number(value) * 1000 : Math.max(0, Date.parse(value) - Date.now());

const exchange = (path) =>
  new Promise((done, failed) => {
    const request = http.get(base + path, { timeout: 30_000 }, (reply) => {
      let body = '';
      reply.on('data', (part) => (body += part));
      reply.on('end', () => done({ status: reply.statusCode, headers: reply.headers, body }));
    });
    request.on('timeout', () => request.destroy(new Error('timeout')));
    request.on('error', failed);
  });

async function get(path) {
  for (;;) {
    const { status, headers, body } = await exchange(path);
    if (status === 200) return body;
    await sleep(toldWait(headers['retry-after']));
  }
}

const fail = (words) => {
  throw new Error(words);
};

await get('/date');
await get('/wait');
await get('/silent').then(
  () => fail('an answer from the silent'),
  (error) => error.message === 'timeout' || fail(error),
);
if ((await get('/delay')) !== 'done') fail('delay');
if ((await get('/parts')) !== 'done') fail('parts');
await get('/end');
