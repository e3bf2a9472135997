/** Orders of the partner API that an earlier run began and left, by the real process. */
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, makeHome, SCRIP } from '../support/cli.ts';
import { type ServedHere, serveHere } from '../support/served-here.ts';
import { fundedWallet, GIFT, HERE, markPlay } from '../support/shop.ts';

interface Product {
  readonly product_id: string;
  readonly denomination: string;
}

interface Order {
  readonly order_id: string;
  readonly order_state: string;
}

const LIMIT = { timeout: 180_000 };
const KILLED = { SCRIP_TEST: '1', SCRIP_FAIL_POINT: 'attempt-written' } as const;

let home: Home;
let sandbox: ServedHere;
/** As `home`, on a machine on which no byte fits into a file any more. */
let full: Home;
let words: readonly string[];

beforeAll(async () => {
  home = makeHome();
  sandbox = await serveHere(home);
  const flags = ['--api-url', sandbox.url, ...sandbox.flags];
  markPlay(home, await fundedWallet(home, flags));
  full = makeHome(['sh', '-c', 'ulimit -f 0; exec "$@"', 'sh', ...SCRIP]);
  const products = await home.json<Product[]>(['catalog', ...HERE, '--via', 'partner', ...flags]);
  const id = products.find(({ denomination }) => denomination === '25 USD')?.product_id ?? '';
  const gift = ['--via', 'partner', ...HERE, ...GIFT, '--coin', 'USDC', '--network', 'Solana'];
  words = ['order', id, ...gift, ...flags, '--yes', '--max-amount', '60'];
  expect((await home.run([...words, '--pay'], { env: KILLED })).signal).toBe('SIGKILL');
});
afterAll(async () => {
  await sandbox.stop();
});

describe('an order of the partner API that a killed run has signed for', LIMIT, () => {
  it.skipIf(!existsSync('/bin/sh'))(
    'may be paid, which is said where the journal takes nothing',
    async () => {
      const env = { HOME: home.dir };
      const { status, stderr } = await full.run([...words, '--pay', '--json'], { env });
      const { code, funds_at_risk, hint } = JSON.parse(stderr).error;
      expect({ status, code, funds_at_risk }).toEqual({
        status: 13,
        code: 'JOURNAL_UNUSABLE',
        funds_at_risk: 'possible',
      });
      expect(hint).toContain('Do not pay again.');
    },
  );

  it('is gone on with, and not the equal one that was only made', async () => {
    const other = ['--idempotency-key', 'other', '--allow-duplicate'];
    const { order_id: unpaid } = await home.json<Order>([...words, ...other]);
    const bought = await home.json<Order>([...words, '--pay']);
    expect(bought).toMatchObject({ order_state: 'Done' });
    expect(bought.order_id).not.toBe(unpaid);
    const left = await home.json<Order>([...words, ...other]);
    expect(left).toMatchObject({ order_id: unpaid, order_state: 'WaitingForPayment' });
  });
});
