/** `scrip doctor` by the real process: damage is found, nothing is paid meanwhile, and all comes back. */
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { geteuid } from 'node:process';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeHome } from '../support/cli.ts';
import { amazonProducts, buy, fundedWallet, orderOf } from '../support/shop.ts';

const home = makeHome();

interface Doctor {
  readonly ok: boolean;
  readonly checks: readonly {
    readonly check: string;
    readonly state: string;
    readonly detail?: string;
  }[];
  readonly repair: { readonly kept: number; readonly aside: string };
}

const productId = amazonProducts().fixed.product_id;
const dir = join(home.dir, '.local/state/scrip/journal');
/** The records of intents that lie in the journal. */
const intents = () =>
  readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('intent.rec'))
    .map((name) => join(dir, name));

describe('a journal of which a record is damaged', () => {
  let code: string | undefined;
  beforeAll(async () => {
    await fundedWallet(home);
    const order = await buy(home, productId, ['--idempotency-key', 'one']);
    code = order.deliveries[0]?.voucher_code;
    appendFileSync(intents()[0] ?? '', 'x');
  });

  it('is found by doctor, and refuses every payment with 13', async () => {
    const looked = await home.failure(['doctor']);
    expect([looked.status, looked.details.failed]).toEqual([13, ['journal']]);
    const before = await home.json(['wallet', 'balance']);
    for (const key of ['one', 'two']) {
      const paid = await home.failure(orderOf(productId, ['--idempotency-key', key]));
      expect(paid).toMatchObject({
        status: 13,
        code: 'JOURNAL_UNUSABLE',
        funds_at_risk: 'possible',
        hint: expect.stringContaining('scrip doctor --repair'),
      });
    }
    expect(await home.json(['wallet', 'balance'])).toEqual(before);
  });

  it('is written anew by doctor --repair: the same key gives the same code, and buys nothing', async () => {
    const { ok, repair } = await home.json<Doctor>(['doctor', '--repair']);
    expect({ ok, kept: repair.kept }).toEqual({ ok: true, kept: 0 });
    expect(existsSync(repair.aside)).toBe(true);
    expect((await home.json<Doctor>(['doctor', '--repair'])).repair.aside).toBeNull();
    const before = await home.json(['wallet', 'balance']);
    const again = await buy(home, productId, ['--idempotency-key', 'one']);
    expect(again.deliveries[0]?.voucher_code).toBe(code);
    expect(await home.json(['wallet', 'balance'])).toEqual(before);
  });
});

describe('an entry of the journal that was removed', () => {
  it('is told by doctor, as a payment that the chain has', async () => {
    const strays = async () => {
      const { checks } = await home.json<Doctor>(['doctor']);
      return checks.filter(({ detail }) => detail?.includes('that it lacks'));
    };
    expect(await strays()).toEqual([]);
    await buy(home, productId, ['--idempotency-key', 'removed']);
    const [{ intent_id }] = await home.json<[{ intent_id: string }]>(['orders']);
    const holding = intents().find((name) => readFileSync(name, 'utf8').includes(intent_id));
    rmSync(dirname(holding ?? ''), { recursive: true });
    expect(await strays()).toEqual([
      expect.objectContaining({
        check: 'journal',
        state: 'warn',
        detail: expect.stringMatching(/: 1, of \d+\.\d+ USDC$/),
      }),
    ]);
  });
});

describe('a state folder that others may change', () => {
  const unsafe = makeHome();
  const journal = join(unsafe.dir, '.local/state/scrip/journal');

  /** What doctor fails, no order is signed in; and after the mend it is bought. */
  const expectRefused = async (fix: string, mend: () => void) => {
    const before = await unsafe.json(['wallet', 'balance']);
    expect(await unsafe.failure(['doctor'])).toMatchObject({ status: 13, hint: fix });
    const refused = await unsafe.failure(orderOf(productId));
    expect(refused).toMatchObject({ code: 'MACHINE_UNFIT', hint: fix, funds_at_risk: 'none' });
    expect(await unsafe.json(['wallet', 'balance'])).toEqual(before);
    mend();
    expect((await buy(unsafe, productId, [])).status).toBe('completed');
    expect((await unsafe.json<Doctor>(['doctor'])).ok).toBe(true);
  };

  it('by its mode is failed by doctor and refused by an order', async () => {
    await fundedWallet(unsafe);
    await buy(unsafe, productId, []);
    chmodSync(journal, 0o777);
    await expectRefused(`Run: chmod 700 ${journal}`, () => chmodSync(journal, 0o700));
  });

  // Only root can give a folder away.
  it.runIf(geteuid?.() === 0)('by its owner is failed and refused as well', async () => {
    chownSync(journal, 12_345, 12_345);
    const fix = `Run: chown -R "$(id -un)" ${journal}`;
    await expectRefused(fix, () => chownSync(journal, 0, 0));
  });
});
