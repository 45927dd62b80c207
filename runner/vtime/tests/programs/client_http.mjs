// A client of node:http: the timeout is the socket's.
import http from 'node:http';

import { toldWait, visit } from './visits.mjs';

const base = process.argv[2];

const sleep = (milliseconds) => new Promise((over) => setTimeout(over, milliseconds));

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

await visit(get, (error) => error.message === 'timeout');
