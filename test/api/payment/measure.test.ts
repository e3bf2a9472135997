/** What a payment is measured by: which records are read, how far back, and what counts. */
import { expect, it } from 'vitest';
import {
  forecast,
  forecastAll,
  type Intention,
  leftOfDay,
  type MeasuringDeps,
  takeStock,
} from '../../../src/api/payment/measure.ts';
import { SOLANA_MAINNET, USDC_MINT } from '../../../src/contract/usdc.ts';
import { ScripError } from '../../../src/domain/message/errors.ts';
import { t } from '../../../src/domain/message/message.ts';
import { atomic } from '../../../src/domain/money/money.ts';
import { DEFAULT_RULE, type Policy, REAL_MONEY } from '../../../src/domain/policy/policy.ts';
import type { Outflow } from '../../../src/domain/policy/spend-log.ts';
import { anIntent } from '../../support/journal-records.ts';

const NOW = 1_800_000_000_000;
const DAY = 86_400_000;
const HOST = 'https://checkout.example';
const OWN = 'own address';
const usdc = (units: number) => atomic(BigInt(units) * 1_000_000n);
const rule = (over: Partial<typeof DEFAULT_RULE> = {}) =>
  new Map([['checkout.example', { ...DEFAULT_RULE, ...over }]]);

interface Given {
  readonly policy?: Partial<Policy>;
  readonly isPlayMoney?: boolean;
  readonly balance?: bigint | null;
  readonly outflows?: readonly Partial<Outflow>[] | Error;
  readonly isTimeKnown?: boolean;
  /** Of the chain's clock. */
  readonly aheadMs?: number;
  readonly listed?: readonly string[];
}

/** Ports that answer as given, and the calls that they got. */
function world(given: Given = {}): { readonly deps: MeasuringDeps; readonly calls: unknown[][] } {
  const { policy, isPlayMoney = false, balance = 0n, outflows = [] } = given;
  const calls: unknown[][] = [];
  const insight = {
    timeMs: async () => (given.isTimeKnown === false ? null : NOW + (given.aheadMs ?? 0)),
    outflows: async (address: string, { sinceMs, nowMs }: { sinceMs: number; nowMs: number }) => {
      calls.push(['outflows', address, sinceMs, nowMs]);
      if (outflows instanceof Error) throw outflows;
      return outflows.map((one, index) => ({
        ...{ transactionId: `${index}`, signatures: [`${index}`], amountAtomic: usdc(1) },
        ...{ atMs: NOW - 1_000, ...one },
      }));
    },
  };
  const deps = {
    spending: {
      policy: { ...REAL_MONEY, hosts: rule(), ...policy },
      isPlayMoney,
      channel: 'terminal',
      log: {
        read: async (sinceMs: number) => {
          calls.push(['log', sinceMs]);
          return { last: 7, held: [] };
        },
      },
      listed: async () => {
        calls.push(['listed']);
        return given.listed ?? [];
      },
    },
    journal: {
      recent: async (sinceMs: number) => {
        calls.push(['journal', sinceMs]);
        return [];
      },
    },
    rail: {
      network: SOLANA_MAINNET,
      ...insight,
      balances: async (address: string) => {
        calls.push(['balances', address]);
        return { address, coinAtomic: 0n, usdcAtomic: balance };
      },
    },
    others: async () => [],
    signer: { address: OWN },
    clock: { now: () => NOW },
  };
  return { deps: deps as unknown as MeasuringDeps, calls };
}

const INTENT = anIntent();
const TERMS = { network: SOLANA_MAINNET, asset: USDC_MINT, payTo: 'merchant' };
const of = (units: number, over: Partial<Intention> = {}): Intention => ({
  ...{ host: HOST, body: INTENT.body, summary: INTENT.summary, kinds: ['giftcard'] },
  ...{ usdcAtomic: usdc(units), terms: TERMS },
  ...over,
});
const named = (calls: readonly unknown[][]) => calls.map(([name]) => name);

it('is read for the day and one more, the newest last, and the balance not without a reserve', async () => {
  const { deps, calls } = world();
  expect(await forecast(deps, of(10))).toEqual({
    leftAtomic: usdc(100),
    remainingAtomic: usdc(90),
  });
  expect(calls).toEqual([
    ['log', NOW - 2 * DAY],
    ['journal', NOW - 2 * DAY],
    ['outflows', OWN, NOW - DAY, NOW],
  ]);
});

it('is not read at all where a rule refuses that needs none of it', async () => {
  const { deps, calls } = world({ policy: { hosts: undefined } });
  const refused = forecast(deps, of(10));
  await expect(refused).rejects.toMatchObject({ code: 'HOST_NOT_ALLOWED' });
  expect(calls).toEqual([]);
});

const listing = { policy: { hosts: rule({ payTo: 'manifest' }) } };
const cards: Given = { policy: { kinds: ['giftcard'] } };
const ann = { policy: { recipients: ['ann@*'] } };
const buyer = { policy: { recipients: ['a@*'] } };

it.each<[string, Given, Partial<Intention>, isAllowed: boolean, isListRead?: boolean]>([
  ['any address', {}, {}, true],
  ['a listed address', listing, {}, false, true],
  ['a listed address, which this one is', { ...listing, listed: ['merchant'] }, {}, true, true],
  ['a listed address, before the terms are known', listing, { terms: undefined }, true],
  ['a kind', cards, {}, true],
  ['a kind that is not known', cards, { kinds: undefined as never }, false],
  ['the recipients of the order', ann, { recipients: ['ann@example.com'] }, true],
  ['the recipients of the body', ann, {}, false],
  ['the recipients of the body', buyer, {}, true],
  ['refunds to the paying wallet', buyer, { refundsTo: OWN }, true],
  ['refunds to another', buyer, { refundsTo: 'another' }, false],
])('a policy of %s is asked (%#)', async (_what, given, over, isAllowed, isListRead = false) => {
  const { deps, calls } = world(given);
  const decided = forecast(deps, of(10, over)).then(
    () => true,
    (error: unknown) => !(error instanceof ScripError),
  );
  expect(await decided).toBe(isAllowed);
  expect(named(calls).includes('listed')).toBe(isListRead);
});

it('several purchases are measured as if each were paid before the next', async () => {
  const limits = { perOrder: usdc(50), perDay: usdc(100), perMerchantPerDay: usdc(100) };
  const { deps } = world({ policy: limits, outflows: [{ amountAtomic: usdc(10) }] });
  expect(await forecastAll(deps, [of(40), of(50)])).toBe(usdc(90));
  const refused = forecastAll(deps, [of(40), of(50), of(1)]);
  await expect(refused).rejects.toMatchObject({ code: 'SPENDING_LIMIT' });
  // All that a reserve leaves is taken once.
  const kept = world({ policy: { ...limits, minReserve: usdc(5) }, balance: usdc(50) });
  expect(await forecastAll(kept.deps, [of(20), of(25)])).toBe(usdc(45));
  const tooMuch = forecastAll(kept.deps, [of(20), of(26)]);
  await expect(tooMuch).rejects.toMatchObject({ details: { rule: 'minReserve' } });
});

it('another coin of test money counts nothing', async () => {
  const { deps } = world({ isPlayMoney: true });
  const other = of(0, { usdcAtomic: undefined });
  expect(await forecastAll(deps, [other, of(50), other])).toBe(usdc(100));
  expect(await forecastAll(deps, [])).toBe(usdc(100));
});

it('what is left is what this merchant may still have', async () => {
  const { deps } = world({ policy: { perMerchantPerDay: usdc(30) }, outflows: [{}] });
  // What left for an unknown place counts everywhere.
  expect(await leftOfDay(deps, HOST)).toBe(usdc(29));
  expect(await forecastAll(deps, [of(20)])).toBe(usdc(29));
});

it.each<[string, Given, readonly string[]]>([
  ['with a reserve', { policy: { minReserve: 1n as never } }, ['outflows', 'balances']],
  ['of test money', { isPlayMoney: true }, []],
  [
    'of test money with a reserve',
    { isPlayMoney: true, policy: { minReserve: 1n as never } },
    ['outflows', 'balances'],
  ],
])('a payment %s asks the chain for what it needs', async (_what, given, asked) => {
  const { deps, calls } = world({ ...given, balance: 5n });
  const stock = await takeStock(deps);
  expect(named(calls).slice(2)).toEqual(asked);
  expect(stock).toMatchObject({ last: 7, nowMs: NOW });
  expect(stock.balanceAtomic).toBe(asked.includes('balances') ? 5n : undefined);
});

it('a payment is dated by the newest that counts where no node tells the time', async () => {
  const outflows = [{ atMs: NOW + 5_000 }, { atMs: NOW + 9_000 }, { atMs: NOW + 1_000 }];
  const dated = async (given: Given) =>
    (await takeStock(world({ isTimeKnown: false, ...given }).deps)).datedMs;
  expect(await dated({ outflows })).toBe(NOW + 9_000);
  expect(await dated({})).toBe(NOW);
});

it.each([
  ['behind', -60_000, NOW - 60_000, NOW],
  ['ahead', 60_000, NOW, NOW + 60_000],
])(
  'the day ends early and begins late where the chain is %s',
  async (_what, aheadMs, end, dated) => {
    const { deps, calls } = world({ aheadMs });
    expect(await takeStock(deps)).toMatchObject({ nowMs: end, datedMs: dated });
    expect(calls[2]).toEqual(['outflows', OWN, end - DAY, end]);
  },
);

it('a wallet without an account of USDC keeps no reserve', async () => {
  const { deps } = world({ policy: { minReserve: usdc(1) }, balance: null });
  await expect(forecast(deps, of(1))).rejects.toMatchObject({ details: { rule: 'minReserve' } });
});

const away = new ScripError('CHAIN_UNREACHABLE', t`the node is away`, { details: { node: 1 } });
const unknown = new ScripError('SPENDING_UNKNOWN', t`pruned`);
const ours = new RangeError('a fault of ours');

it('real money that cannot be counted is not spent', async () => {
  await expect(forecast(world({ outflows: away }).deps, of(1))).rejects.toMatchObject({
    ...{ code: 'CHAIN_UNREACHABLE', cause: away, details: { node: 1 } },
    message: expect.stringContaining('cannot be checked: the node is away; nothing was signed'),
  });
  for (const fault of [unknown, ours]) {
    await expect(forecast(world({ outflows: fault }).deps, of(1))).rejects.toBe(fault);
  }
});

it('test money that the chain does not tell of counts as under way', async () => {
  const given = { isPlayMoney: true, policy: { minReserve: usdc(1) }, balance: usdc(50) };
  for (const fault of [away, unknown]) {
    const { deps } = world({ ...given, outflows: fault });
    expect((await forecast(deps, of(1))).leftAtomic).toBe(usdc(49));
  }
  await expect(forecast(world({ ...given, outflows: ours }).deps, of(1))).rejects.toBe(ours);
});
