/** What a purchase does with the policy's word: nothing signed, what was reserved is free again. */

import { beforeEach, describe, expect, it } from 'vitest';
import type { Spending } from '../../../src/api/payment/measure.ts';
import { ScripError } from '../../../src/domain/message/errors.ts';
import { t } from '../../../src/domain/message/message.ts';
import { atomic } from '../../../src/domain/money/money.ts';
import { DEFAULT_RULE, REAL_MONEY } from '../../../src/domain/policy/policy.ts';
import type { Outflow } from '../../../src/domain/policy/spend-log.ts';
import type { PayerRail } from '../../../src/rails/rail.ts';
import { purchase } from '../../support/purchase.ts';
import {
  aRequest,
  CHECKOUT_URL,
  makeWorld,
  PRICE,
  type World,
} from '../../support/purchase-world.ts';

let world: World;
beforeEach(async () => {
  world = await makeWorld();
});

const HOST = new URL(CHECKOUT_URL).host;
const real = (over: Partial<Spending> = {}): Spending => ({
  ...world.deps().spending,
  policy: { ...REAL_MONEY, hosts: new Map([[HOST, DEFAULT_RULE]]) },
  isPlayMoney: false,
  channel: 'terminal',
  ...over,
});
const railOf = (over: Partial<PayerRail> = {}): PayerRail => ({ ...world.rail, ...over });
const buy = (spending: Spending, key = 'key-1', over: Partial<PayerRail> = {}) =>
  purchase(world.deps({ spending, rail: railOf(over) }), aRequest({ key, allowsDuplicate: true }));
const DELIVERED = { kind: 'delivered' };
const OVER = { code: 'SPENDING_LIMIT', details: { rule: 'perDay', remaining: '0.00' } };
const reserved = () => world.deps().spending.log.read();

describe('a purchase with real money', () => {
  it('of a host that the policy names is made, and reserves once', async () => {
    expect(await buy(real())).toMatchObject(DELIVERED);
    expect((await reserved()).last).toBe(1);
  });

  it.each([
    ['a stranger', { policy: REAL_MONEY }, 'HOST_NOT_ALLOWED'],
    ['nobody there to be asked', { channel: 'unattended' }, 'UNATTENDED_OFF'],
    ['an agent', { channel: 'agent' }, 'POLICY_REFUSED'],
  ] as const)('is refused for %s, with nothing signed or reserved', async (_what, over, code) => {
    await expect(buy(real(over))).rejects.toMatchObject({ code, fundsAtRisk: 'none' });
    expect(world.signed()).toBe(0);
    expect(world.sent).toEqual([]);
    expect((await reserved()).last).toBe(0);
  });

  it('to an address is made where the manifest lists it, and refused where not', async () => {
    const rule = { ...DEFAULT_RULE, payTo: 'manifest' as const };
    const policy = { ...REAL_MONEY, hosts: new Map([[HOST, rule]]) };
    await expect(buy(real({ policy }))).rejects.toMatchObject({ code: 'POLICY_REFUSED' });
    const { payTo } = await challengeTerms();
    expect(await buy(real({ policy, listed: async () => [payTo] }), 'key-2')).toMatchObject(
      DELIVERED,
    );
  });

  it('keeps the reserve in the wallet', async () => {
    const policy = { ...real().policy, minReserve: atomic(1n) };
    const holding = (usdc: bigint): Partial<PayerRail> => ({
      balances: async (address) => ({ address, coinAtomic: atomic(0n), usdcAtomic: atomic(usdc) }),
    });
    await expect(buy(real({ policy }), 'key-1', holding(PRICE))).rejects.toMatchObject({
      code: 'SPENDING_LIMIT',
      details: { rule: 'minReserve' },
    });
    expect(await buy(real({ policy }), 'key-2', holding(PRICE + 1n))).toMatchObject(DELIVERED);
  });
});

async function challengeTerms(): Promise<{ readonly payTo: string }> {
  let payTo = '';
  world.challenge.edit = (required) => {
    const [first] = required.accepts as { payTo: string }[];
    payTo = first?.payTo ?? '';
    return required;
  };
  const deps = world.deps({ spending: real({ policy: REAL_MONEY }), rail: railOf() });
  await expect(purchase(deps, aRequest({ key: 'look' }))).rejects.toThrow();
  return { payTo };
}

describe('what the chain has', () => {
  const two = () => real({ policy: { ...real().policy, perDay: atomic(2n * PRICE) } });
  const chain = (outflows: PayerRail['outflows']) => ({ outflows });
  const moved = (amount: bigint, more: Partial<Outflow> = {}) =>
    chain(async (_owner, { nowMs: atMs }) => {
      const own = { transactionId: 'elsewhere', signatures: ['elsewhere'], atMs };
      return [{ ...own, amountAtomic: atomic(amount), ...more }];
    });

  it('counts, whoever moved it, and at every merchant', async () => {
    const limited = { perDay: atomic(10n * PRICE), perMerchantPerDay: atomic(2n * PRICE) };
    const spending = real({ policy: { ...real().policy, ...limited } });
    await expect(buy(spending, 'key-1', moved(PRICE + 1n))).rejects.toMatchObject({
      code: 'SPENDING_LIMIT',
      details: { rule: 'perMerchantPerDay' },
    });
    expect(world.signed()).toBe(0);
    expect(await buy(two(), 'key-2', moved(PRICE))).toMatchObject(DELIVERED);
  });

  it('counts once, where it is a payment of the journal', async () => {
    await buy(two(), 'key-1');
    const [entry] = await world.deps().journal.all();
    const signature = entry?.attempts[0]?.signature ?? '';
    const own = moved(PRICE, { signatures: ['of the fee payer', signature] });
    expect(await buy(two(), 'key-2', own)).toMatchObject(DELIVERED);
  });

  it('refuses a payment of real money where it cannot be asked', async () => {
    const away = chain(() => Promise.reject(new ScripError('CHAIN_UNREACHABLE', t`away`)));
    const refusal = {
      code: 'CHAIN_UNREACHABLE',
      fundsAtRisk: 'none',
      message: expect.stringContaining('nothing was signed'),
    };
    await expect(buy(real(), 'key-1', away)).rejects.toMatchObject(refusal);
    expect(world.signed()).toBe(0);
    expect((await reserved()).last).toBe(0);
  });

  it('is not asked about play money', async () => {
    const unaskable = chain(() => Promise.reject(new Error('nobody asks')));
    const spending = world.deps().spending;
    expect(await buy(spending, 'key-1', unaskable)).toMatchObject(DELIVERED);
  });
});

describe('what was reserved', () => {
  const limited = () => real({ policy: { ...real().policy, perDay: atomic(PRICE) } });

  it('is free again when the signature fails', async () => {
    const failing = { sign: () => Promise.reject(new Error('no')) };
    await expect(buy(limited(), 'key-1', failing)).rejects.toThrow('no');
    expect(await reserved()).toEqual({ last: 1, held: [] });
    expect(await buy(limited(), 'key-2')).toMatchObject(DELIVERED);
  });

  it('is spent when the payment landed', async () => {
    await buy(limited());
    await expect(buy(limited(), 'key-2')).rejects.toMatchObject({ ...OVER, exit: 6 });
    world.clock.advance(24 * 60 * 60 * 1_000 + 1);
    expect(await buy(limited(), 'key-3')).toMatchObject(DELIVERED);
  });

  it('is free again when the payment is proven dead: the next attempt takes its place', async () => {
    world.faults.push(...Array<'request lost'>(30).fill('request lost'));
    expect(await buy(limited())).toMatchObject(DELIVERED);
    expect(world.signed()).toBeGreaterThan(1);
    expect(world.landed.size).toBe(1);
  });

  it('is no obstacle to the same key', async () => {
    const first = await buy(limited());
    expect(await buy(limited())).toEqual({ ...first, signatures: 0 });
    expect(world.signed()).toBe(1);
  });
});

describe('a day of the policy', () => {
  const DAY = 24 * 60 * 60 * 1_000;
  const limited = () => real({ policy: { ...real().policy, perDay: atomic(PRICE) } });
  /** Where the world's clock stood at first: the chain's time does not move with it here. */
  const chainAt = (timeMs: number | null) => ({ timeMs: async () => timeMs });

  it.each([
    ['back, when it was made', -30],
    ['forward, when the next is made', 30],
  ])('is not begun anew by a clock that was set %s', async (_what, hours) => {
    const nowMs = world.clock.now();
    if (hours < 0) world.clock.set(nowMs + hours * 60 * 60 * 1_000);
    expect(await buy(limited(), 'key-1', chainAt(nowMs))).toMatchObject(DELIVERED);
    world.clock.set(nowMs + Math.max(0, hours) * 60 * 60 * 1_000);
    await expect(buy(limited(), 'key-2', chainAt(nowMs))).rejects.toMatchObject(OVER);
    expect(world.signed()).toBe(1);
  });

  it('is not begun anew by a clock that was set back where no node tells the time', async () => {
    const two = real({ policy: { ...real().policy, perDay: atomic(2n * PRICE) } });
    const nowMs = world.clock.now();
    expect(await buy(two, 'key-1', chainAt(null))).toMatchObject(DELIVERED);
    world.clock.set(nowMs - 2 * DAY);
    expect(await buy(two, 'key-2', chainAt(null))).toMatchObject(DELIVERED);
    world.clock.set(nowMs + DAY / 2);
    await expect(buy(two, 'key-3', chainAt(null))).rejects.toMatchObject({
      code: 'SPENDING_LIMIT',
    });
  });

  it('ends when it has by the chain’s time and by this machine’s', async () => {
    const nowMs = world.clock.now();
    const laterMs = nowMs + DAY + 60_000;
    expect(await buy(limited(), 'key-1', chainAt(nowMs))).toMatchObject(DELIVERED);
    world.clock.set(nowMs);
    await expect(buy(limited(), 'key-2', chainAt(laterMs))).rejects.toMatchObject({
      code: 'SPENDING_LIMIT',
    });
    world.clock.set(laterMs);
    expect(await buy(limited(), 'key-3', chainAt(laterMs))).toMatchObject(DELIVERED);
  });
});

describe('the journal', () => {
  it('keeps the policy that held when a purchase was agreed on', async () => {
    await buy(real({ policy: { ...real().policy, perDay: atomic(80_000_000n) } }));
    const [entry] = await world.deps().journal.all();
    expect(entry?.intent.policy).toMatchObject({
      perOrder: '50.00',
      perDay: '80.00',
      hosts: { [HOST]: { payTo: 'any' } },
    });
  });
});
