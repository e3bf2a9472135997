/** Standard output that takes nothing: what was bought is found again. A server whose disk takes nothing. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { type CliResult, collect, makeHome, SCRIP } from '../support/cli.ts';
import { HEADERS, orderBody } from '../support/partner-sandbox.ts';
import { serveSandbox } from '../support/served-sandbox.ts';
import { amazonProducts, fundedWallet, orderOf } from '../support/shop.ts';

/** A device of Linux that is always full. */
const FULL = '/dev/full';

const home = makeHome();

const runIntoFull = (args: readonly string[]) => runInto(openSync(FULL, 'w'), args);

/** With a descriptor as its standard output. */
function runInto(full: number, args: readonly string[]): Promise<CliResult> {
  const [program = '', ...first] = SCRIP;
  const child = spawn(program, [...first, ...args], {
    cwd: home.dir,
    env: { PATH: process.env.PATH ?? '', HOME: home.dir },
    stdio: ['ignore', full, 'pipe'],
  });
  closeSync(full);
  return collect(child);
}

describe.skipIf(!existsSync(FULL))('standard output on a full disk', () => {
  let productId: string;
  beforeAll(async () => {
    await fundedWallet(home);
    productId = amazonProducts().fixed.product_id;
  });

  it.each([['countries'], ['--help']])('is an error of %s', async (word) => {
    const { status, stderr } = await runIntoFull([word]);
    expect(status).toBe(13);
    expect(stderr).toContain('Standard output cannot be written (ENOSPC)');
  });

  it('after an order says that it was paid and how to see its code', async () => {
    const { status, stderr } = await runIntoFull([...orderOf(productId), '--json']);
    const { error } = JSON.parse(stderr);
    expect(status).toBe(13);
    expect(error).toMatchObject({ code: 'OUTPUT_UNWRITABLE', funds_at_risk: 'spent' });
    const [, id = ''] = /Run: scrip orders reveal (\S+)/.exec(error.hint) ?? [];
    const shown = await home.json<{ deliveries: readonly unknown[] }>(['orders', 'reveal', id]);
    expect(shown.deliveries).toHaveLength(1);
  });
});

/** Stands for a full disk: no file of the process may grow or be written further. */
const canLimit = spawnSync('prlimit', ['--version']).status === 0;

describe.skipIf(!canLimit)('a server whose disk takes nothing more', () => {
  it('sells nothing, says so to monitors, and sells again', async () => {
    const { url, process, stop } = await serveSandbox(home);
    const limit = (size: string) =>
      execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${size}:unlimited`]);
    const order = async () => {
      const body = JSON.stringify(orderBody());
      const reply = await fetch(`${url}/v5/orders`, { method: 'POST', headers: HEADERS, body });
      await reply.text();
      return reply.status;
    };
    const ready = async () => {
      const reply = await fetch(`${url}/readyz`);
      return [reply.status, await reply.json()];
    };
    expect([await order(), (await ready())[0]]).toEqual([200, 200]);
    limit('1');
    expect(await order()).toBe(500);
    // An answer may be a second old.
    await expect
      .poll(ready)
      .toEqual([
        503,
        expect.objectContaining({ checks: { database: 'STORE_UNUSABLE', chain: 'ok' } }),
      ]);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain('scrip_ready{part="database"} 0\n');
    expect(metrics).toContain('scrip_http_requests_total{surface="partner",status="500"} 1\n');
    expect(metrics).not.toMatch(/^scrip_warnings_total 0$/m);
    limit('unlimited');
    expect(await order()).toBe(200);
    expect(await stop()).toBe(0);
  });
});

describe('standard output that is open for reading alone', () => {
  it.each([['countries'], ['countries --json'], ['--help'], ['--version'], ['schema price']])(
    'is an error of %s',
    async (words) => {
      const { status, stderr } = await runInto(openSync('/dev/null', 'r'), words.split(' '));
      expect(status).toBe(13);
      expect(stderr).toContain('Standard output cannot be written (EBADF)');
    },
  );
});
