// P12: memory of the served sandbox at rest, beside a bare Hono on node-server: `weight.mjs bare` is that one.
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startSandbox } from './reads.mjs';

const MB = 1_000_000;
const MOST = 120 * MB;
const REST_MS = 5_000;

function residentBytes(pid) {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1_024;
}

/** @param fact told of the figure, of the floor, of the budget, and whether it is over */
export async function weighServed({ folder, fact }) {
  const bare = fork(fileURLToPath(import.meta.url), ['bare']);
  await new Promise((resolve) => bare.once('message', resolve));
  const served = await startSandbox(join(folder, 'weight'));
  try {
    await (await fetch(`${served.url}/v1/brands?country_code=us`)).text();
    await pause(REST_MS);
    const [most, floor] = [served.child.pid, bare.pid].map(residentBytes);
    const told = (bytes) => `${(bytes / MB).toFixed(0)} MB`;
    const isOver = most > floor + MOST;
    fact('served sandbox at rest', told(most), told(floor), told(floor + MOST), isOver);
  } finally {
    served.child.kill();
    bare.kill();
  }
}

if (process.argv[2] === 'bare') {
  const { Hono } = await import('hono');
  const { serve } = await import('@hono/node-server');
  const app = new Hono();
  app.get('/', (context) => context.text(''));
  serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () => process.send('open'));
}
