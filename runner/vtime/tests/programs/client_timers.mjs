// A client of node:net whose waits are those of timers/promises, and whose
// longest is counted by an interval, beside a timer that is put off.
import net from 'node:net';
import { setInterval as every, setTimeout as sleep } from 'node:timers/promises';

import { toldWait, visit } from './visits.mjs';

const { hostname, port } = new URL(process.argv[2]);

function exchange(path) {
  return new Promise((done, failed) => {
    const socket = net.connect(Number(port), hostname);
    const limit = setTimeout(() => socket.destroy(new Error('timeout')), 30_000);
    let reply = '';
    socket.on('data', (part) => (reply += part));
    socket.on('close', () => clearTimeout(limit));
    socket.on('error', failed);
    socket.on('end', () => {
      const [head, body] = reply.split('\r\n\r\n');
      const told = /retry-after: (.*)/i.exec(head);
      done({ status: Number(head.split(' ')[1]), told: told && told[1], body });
    });
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
  });
}

// Seconds by a ticker of three minutes; dates by one timer.
async function wait(value) {
  if (!/^\d+$/.test(value)) return sleep(toldWait(value));
  let ticks = 0;
  const watchdog = setTimeout(() => process.exit(3), 181_000);
  for await (const _ of every(180_000)) {
    watchdog.refresh();
    if (++ticks * 180 >= Number(value)) break;
  }
  clearTimeout(watchdog);
}

async function get(path) {
  for (;;) {
    const { status, told, body } = await exchange(path);
    if (status === 200) return body;
    await wait(told);
  }
}

await visit(get, (error) => error.message === 'timeout');
