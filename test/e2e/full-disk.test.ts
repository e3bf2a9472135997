/** Standard output that takes nothing: what was bought is found again. */
import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeHome, SCRIP } from '../support/cli.ts';
import { amazonProducts, fundedWallet, orderOf } from '../support/shop.ts';

/** A device of Linux that is always full. */
const FULL = '/dev/full';

const home = makeHome();
afterAll(() => home.remove());

function runIntoFull(args: readonly string[]): Promise<{ status: number | null; stderr: string }> {
  return runInto(openSync(FULL, 'w'), args);
}

/** With a descriptor as its standard output. */
function runInto(
  full: number,
  args: readonly string[],
): Promise<{ status: number | null; stderr: string }> {
  const [program = '', ...first] = SCRIP;
  const child = spawn(program, [...first, ...args], {
    cwd: home.dir,
    env: { PATH: process.env.PATH ?? '', HOME: home.dir },
    stdio: ['ignore', full, 'pipe'],
  });
  closeSync(full);
  return new Promise((resolve) => {
    let stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.once('close', (status) => resolve({ status, stderr }));
  });
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
    const { code, funds_at_risk, hint } = JSON.parse(stderr).error;
    expect({ status, code, funds_at_risk }).toEqual({
      status: 13,
      code: 'OUTPUT_UNWRITABLE',
      funds_at_risk: 'spent',
    });
    const [, id = ''] = /Run: scrip orders reveal (\S+)/.exec(hint) ?? [];
    const shown = await home.json<{ deliveries: readonly unknown[] }>(['orders', 'reveal', id]);
    expect(shown.deliveries).toHaveLength(1);
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

describe.skipIf(!existsSync('/proc/self'))('a home in which no folder can be made', () => {
  it.each([
    ['brands --country us', 'STORE_UNUSABLE'],
    ['config set country us', 'STORE_UNUSABLE'],
    ['wallet new', 'WALLET_UNSAFE'],
  ])('is an error of %s', async (line, code) => {
    const env = { HOME: '/proc' };
    const { status, stderr } = await home.run(line.split(' '), { env, isProcess: true });
    expect([status, stderr]).toEqual([13, expect.stringContaining(`error[${code}]`)]);
  });
});
