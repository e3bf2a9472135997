import { getEventListeners } from 'node:events';
import { beforeEach, describe, expect, it } from 'vitest';
import { resume } from '../../../src/api/checkout/pay.ts';
import type { PurchaseDeps, PurchaseRequest } from '../../../src/api/checkout/purchase-deps.ts';
import { lookUp } from '../../../src/api/payment/intent.ts';
import { timeoutsOf } from '../../../src/api/timeouts.ts';
import { decodeHeader } from '../../../src/contract/x402.ts';
import { canonicalJson } from '../../../src/domain/canonical-json.ts';
import type { ClientPoint } from '../../../src/domain/journal/fail-points.ts';
import type { Entry, Journal } from '../../../src/domain/journal/journal.ts';
import { ScripError } from '../../../src/domain/message/errors.ts';
import { t } from '../../../src/domain/message/message.ts';
import { atomic } from '../../../src/domain/money/money.ts';
import { purchase } from '../../support/purchase.ts';
import {
  aRequest,
  CHECKOUT_URL,
  type Fault,
  makeWorld,
  type World,
} from '../../support/purchase-world.ts';

let world: World;
beforeEach(async () => {
  world = await makeWorld();
});

class Crash extends Error {}

/** Tools of a process that dies the first time it comes to a point. */
function dyingAt(point: ClientPoint): PurchaseDeps {
  return world.deps({
    failPoint: (name) => {
      if (name === point) throw new Crash(point);
    },
  });
}

/** Reads as before; no new record finds room. */
function fullJournal(): Journal {
  return { ...world.deps().journal, open: full, addAttempt: full, addFact: full };
}

const full = async (): Promise<never> => {
  throw new ScripError('JOURNAL_UNUSABLE', t`no space left`);
};
const buy = (over: Partial<PurchaseDeps> = {}) => purchase(world.deps(over), aRequest());
const buyAs = (request: Partial<PurchaseRequest>) => purchase(world.deps(), aRequest(request));
/** Buys until the process dies. */
const dieAt = (point: ClientPoint, request: Partial<PurchaseRequest> = {}) =>
  expect(purchase(dyingAt(point), aRequest(request))).rejects.toThrow(Crash);
const DELIVERED = { kind: 'delivered' };
/** How many payments were signed, and how many landed. */
const counts = () => [world.signed(), world.landed.size];
const entries = (): Promise<readonly Entry[]> => world.deps().journal.all();

const POINTS: readonly ClientPoint[] = [
  'intent-written',
  'challenge-read',
  'signed',
  'attempt-written',
  'submitted',
  'accepted-recorded',
  'goods-recorded',
];

/** Faults after which sending the same bytes again brings the order. */
const PASSING: readonly Fault[] = [
  'none',
  'request lost',
  'reply lost',
  '502 before',
  '500 after',
  '503 before',
  '429',
  'reply cut',
  'reply is html',
  'receipt without id',
  'redirect',
];

describe('a purchase', () => {
  it('pays once and brings the goods', async () => {
    const outcome = await buy();
    expect(outcome).toMatchObject({
      kind: 'delivered',
      code: null,
      orderId: 'cr_1',
      deliveries: [{ voucher_code: 'TEST-cr_1' }],
      payment: {
        amountAtomic: 25_250_000n,
        transaction: 'tx-1',
        isFinalized: false,
        payer: world.signer.address,
      },
    });
    expect(world.landed.size).toBe(1);
    expect(world.sent).toHaveLength(1);
  });

  it('sends the same body in both phases, prefers Solana, and never follows a redirect', async () => {
    await buy();
    const [first, second] = world.requests;
    expect(first?.init.body).toBe(canonicalJson(aRequest().body));
    expect(second?.init.body).toBe(first?.init.body);
    expect(second?.init.headers).toMatchObject({
      'x-preferred-network': 'solana',
      'X-Session-Id': 'session-1',
    });
    expect(world.requests.map(({ init }) => init.redirect)).toEqual(['error', 'error']);
  });

  it('echoes the requirement exactly as it was received', async () => {
    await buy();
    const payload = decodeHeader(world.sent[0] ?? '');
    expect(payload).toMatchObject({
      x402Version: 2,
      scheme: 'exact',
      accepted: { unknownField: { kept: true }, maxTimeoutSeconds: 60 },
      resource: { description: 'order' },
    });
  });

  it('keeps codes out of the journal’s text', async () => {
    await buy();
    expect(JSON.stringify(await entries())).not.toContain('TEST-');
  });

  it('repeated with the same key asks nobody and gives the same goods', async () => {
    const first = await buy();
    const again = await buy({ fetch: () => Promise.reject(new Crash('asked')) });
    expect(again).toMatchObject({ kind: 'delivered', orderId: 'cr_1' });
    expect(again.kind === 'delivered' && again.deliveries).toEqual(
      first.kind === 'delivered' && first.deliveries,
    );
  });

  it('the same key for another order or host is refused before anything is sent', async () => {
    await buy();
    const sentBefore = world.requests.length;
    const body = { ...aRequest().body, email: 'b@example.com' };
    await expect(buyAs({ body })).rejects.toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
    await expect(buy({ host: 'https://other.example' })).rejects.toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
    expect(world.requests).toHaveLength(sentBefore);
  });

  it('without a wait returns as soon as the order is accepted', async () => {
    world.delivery.afterMs = 30_000;
    const outcome = await buy({ waitMs: 0 });
    expect(outcome).toMatchObject({ kind: 'pending', code: 'DELIVERY_PENDING', orderId: 'cr_1' });
    const [entry] = await entries();
    expect(entry?.facts.map(({ fact }) => fact)).toEqual(['accepted']);
  });

  it('waits for a slow delivery and sees the payment finalized meanwhile', async () => {
    world.delivery.afterMs = 40_000;
    const outcome = await buy();
    expect(outcome).toMatchObject({ kind: 'delivered', payment: { isFinalized: true } });
  });

  it('asks for the order a second after the payment, then every five', async () => {
    world.delivery.afterMs = 12_000;
    const times: number[] = [];
    const { fetch } = world;
    const startMs = world.clock.now();
    const outcome = await purchase(
      world.deps({
        fetch: async (url, init) => {
          if (init?.method !== 'POST') times.push(world.clock.now());
          return fetch(url, init);
        },
      }),
      aRequest(),
    );
    expect(outcome.kind).toBe('delivered');
    expect(times.map((at) => at - startMs)).toEqual([1_000, 6_000, 11_000, 16_000]);
  });

  it('says pending, not paid, when the wait is over', async () => {
    world.delivery.afterMs = 300_000;
    const outcome = await buy({ waitMs: 5_000 });
    expect(outcome).toMatchObject({ kind: 'pending', payment: { isFinalized: false } });
  });

  it('a failed order that was paid is failed, and stays so', async () => {
    world.delivery.status = 'failed';
    const outcome = await buy();
    expect(outcome).toMatchObject({
      kind: 'failed',
      code: 'ORDER_FAILED',
      reason: expect.stringContaining('out of stock'),
      payment: { isFinalized: true },
    });
    expect(await buy()).toMatchObject({ kind: 'failed' });
    expect(world.landed.size).toBe(1);
  });
});

describe('without a key', () => {
  it('an unfinished purchase of the same thing is continued', async () => {
    await dieAt('submitted', { key: undefined });
    const { summary, body } = aRequest();
    const wanted = { body: canonicalJson(body), host: CHECKOUT_URL, summary, key: undefined };
    expect((await lookUp(world.deps().journal, { ...wanted, nowMs: 0 })).known).toBeDefined();
    expect(await buyAs({ key: undefined })).toMatchObject(DELIVERED);
    expect(world.landed.size).toBe(1);
    expect(await entries()).toHaveLength(1);
  });

  it('who continues is told when it was begun; who buys anew is not', async () => {
    const begun: number[] = [];
    const resuming = ({ createdAtMs }: { readonly createdAtMs: number }) => {
      begun.push(createdAtMs);
    };
    const anew = aRequest({ key: undefined });
    const dying = { ...dyingAt('submitted'), resuming };
    await expect(purchase(dying, anew)).rejects.toThrow(Crash);
    expect(begun).toEqual([]);
    await purchase(world.deps({ resuming }), anew);
    const [entry] = await entries();
    expect(begun).toEqual([entry?.intent.createdAtMs]);
  });

  it('a finished purchase is not: the same order again is refused for ten minutes', async () => {
    await buyAs({ key: undefined });
    const again = () => buyAs({ key: undefined });
    await expect(again()).rejects.toMatchObject({ code: 'DUPLICATE_PURCHASE', exit: 7 });
    expect(world.landed.size).toBe(1);
    world.clock.advance(11 * 60_000);
    await again();
    expect(world.landed.size).toBe(2);
  });

  it('the same goods are bought twice where that is wanted, also under another key', async () => {
    await buyAs({ key: 'one' });
    const other = aRequest({ key: 'two' });
    await expect(purchase(world.deps(), other)).rejects.toMatchObject({
      code: 'DUPLICATE_PURCHASE',
      details: { idempotency_key: 'one' },
    });
    await purchase(world.deps(), { ...other, allowsDuplicate: true });
    expect(world.landed.size).toBe(2);
  });

  it('what was given up unpaid is no obstacle to the same goods', async () => {
    world.challengeFaults.push('refused');
    await expect(buyAs({ key: 'one' })).rejects.toThrow();
    await buyAs({ key: 'two' });
    expect(world.landed.size).toBe(1);
  });

  it('an unfinished purchase of something else, or elsewhere, is left alone', async () => {
    await dieAt('submitted', { key: undefined });
    const { journal } = world.deps();
    const body = canonicalJson(aRequest().body);
    const { summary } = aRequest();
    const query = { key: undefined, nowMs: 0, summary };
    const elsewhere = { ...query, body, host: 'https://other.example' };
    expect((await lookUp(journal, elsewhere)).known).toBeUndefined();
    const other = { ...query, body: '{}', host: CHECKOUT_URL };
    expect((await lookUp(journal, other)).known).toBeUndefined();
  });
});

describe('a crash at every point, then the same command again', () => {
  for (const point of POINTS) {
    it.each(PASSING)(`${point}, after %s: one payment, one order`, async (fault) => {
      world.faults.push(fault);
      await dieAt(point);
      expect(await buy()).toMatchObject({
        kind: 'delivered',
        orderId: 'cr_1',
      });
      expect(world.landed.size).toBe(1);
      expect(new Set(world.sent).size).toBe(1);
      const [entry] = await entries();
      expect(entry?.attempts).toHaveLength(1);
    });
  }

  it.each(POINTS.slice(3))('%s: nothing is signed a second time', async (point) => {
    await dieAt(point);
    await buy();
    expect(world.signed()).toBe(1);
  });

  it('attempt-written, then hours of sleep: the dead payment is proven dead before the next', async () => {
    await dieAt('attempt-written');
    world.clock.advance(3_600_000);
    expect(await buy()).toMatchObject(DELIVERED);
    expect(world.signed()).toBe(2);
    expect(world.sent).toHaveLength(1);
    const [entry] = await entries();
    expect(entry?.facts).toContainEqual(expect.objectContaining({ fact: 'dead', attempt: 1 }));
  });

  it('attempt-written, then a minute of sleep: expired bytes are not sent', async () => {
    await dieAt('attempt-written');
    const [before] = await entries();
    // Past its last block, and not yet provably dead.
    world.clock.advance(65_000);
    expect(await buy()).toMatchObject(DELIVERED);
    expect(world.sent).toHaveLength(1);
    expect(world.sent).not.toContain(before?.attempts[0]?.header);
  });

  it('goods that came without a payment are not bought again', async () => {
    world.faults.push('accepted, never sent to the chain');
    await dieAt('accepted-recorded');
    world.clock.advance(3_600_000);
    world.delivery.isGift = true;
    expect(await buy()).toMatchObject(DELIVERED);
    expect(counts()).toEqual([1, 0]);
  });

  it('submitted, then hours of sleep: the payment is found on the chain and the order fetched', async () => {
    await dieAt('submitted');
    world.clock.advance(3_600_000);
    expect(await buy()).toMatchObject({
      kind: 'delivered',
      payment: { isFinalized: true },
    });
    expect(counts()).toEqual([1, 1]);
  });
});

describe('a paid call that fails', () => {
  it.each(PASSING)('%s, three times over: one payment, the same bytes', async (fault) => {
    world.faults.push(fault, fault, fault);
    expect(await buy()).toMatchObject(DELIVERED);
    expect(counts()).toEqual([1, 1]);
    expect(new Set(world.sent).size).toBe(1);
  });

  it.each([
    ['usually', undefined, 'PAYMENT_REFUSED'],
    ['with a limit of its own', 30_000, 'OUTCOME_UNKNOWN'],
  ] as const)(
    'refused, %s: the end is definite where there is time for its proof',
    async (_what, givenMs, code) => {
      world.faults.push('refused');
      const { settleMs = 0, ...timeouts } = timeoutsOf(givenMs, true);
      const outcome = await buy({ ...timeouts, settleMs });
      const reason = expect.stringContaining('no such session (no_session_left)');
      expect(outcome).toMatchObject({ code, reason });
    },
  );

  it.each<Fault>(['refused', 'fresh 402'])(
    '%s: nothing is concluded before the payment is proven dead, and nothing signed again',
    async (fault) => {
      world.faults.push(fault);
      const outcome = await buy();
      expect(outcome).toMatchObject({ kind: 'unpaid', code: 'PAYMENT_REFUSED' });
      expect([world.signed(), world.landed.size, world.sent.length]).toEqual([1, 0, 1]);
      const [entry] = await entries();
      expect(entry?.facts).toContainEqual(expect.objectContaining({ fact: 'dead', attempt: 1 }));
    },
  );

  it('refused when it came late: proven dead, then paid anew', async () => {
    world.faults.push('request lost', 'refused');
    expect(await buy()).toMatchObject(DELIVERED);
    expect(counts()).toEqual([2, 1]);
  });

  it('refused by word but settled in deed: the landed payment brings the order', async () => {
    world.faults.push('refused, then settled');
    expect(await buy()).toMatchObject(DELIVERED);
    expect(counts()).toEqual([1, 1]);
  });

  it('accepted but never sent to the chain: proven dead, then paid anew', async () => {
    world.faults.push('accepted, never sent to the chain');
    expect(await buy()).toMatchObject({
      kind: 'delivered',
      orderId: 'cr_2',
    });
    expect(counts()).toEqual([2, 1]);
  });

  it('a merchant that never takes a payment gets three signatures, each after proof of death', async () => {
    world.faults.push(...Array<Fault>(300).fill('502 before'));
    const outcome = await buy();
    expect(outcome).toMatchObject({ kind: 'unpaid', code: 'CHALLENGE_EXPIRED' });
    expect(counts()).toEqual([3, 0]);
    const [entry] = await entries();
    expect(entry?.facts.filter(({ fact }) => fact === 'dead')).toHaveLength(3);
  });

  it('paid, and the order refused for ever: attention, with all that the merchant needs', async () => {
    world.faults.push(...Array<Fault>(300).fill('settled, order forgotten'));
    const outcome = await buy();
    expect(outcome).toMatchObject({
      kind: 'attention',
      code: 'ATTENTION_NEEDED',
      bundle: { transaction: 'tx-1', session_id: 'session-1', amount_atomic: '25250000' },
    });
    expect(world.signed()).toBe(1);
    expect((await entries())[0]?.facts.map(({ fact }) => fact)).toEqual(['landed']);

    world.clock.advance(25 * 3_600_000);
    await buy();
    expect((await entries())[0]?.facts.map(({ fact }) => fact).toSorted()).toEqual([
      'attention',
      'landed',
    ]);
  });

  it('with the chain out of reach the outcome is unknown, and nothing is signed again', async () => {
    world.chain.isReachable = false;
    world.faults.push(...Array<Fault>(300).fill('502 before'));
    const outcome = await buy();
    expect(outcome).toMatchObject({ kind: 'unknown', code: 'OUTCOME_UNKNOWN' });
    expect(world.signed()).toBe(1);
    world.clock.advance(86_400_000);
    expect(await buy()).toMatchObject({ kind: 'unknown' });
    expect(world.signed()).toBe(1);
  });

  it.each([
    ['forward', 1],
    ['back', -1],
  ])('a wall clock that jumps %s by years after signing changes nothing', async (_way, sign) => {
    world.faults.push('reply lost', 'request lost', 'reply lost', '502 before');
    const { clock } = world;
    let jumpMs = 0;
    const jumping = world.deps({
      clock: { ...clock, now: () => clock.now() + jumpMs },
      failPoint: (name) => {
        if (name === 'attempt-written' || name === 'submitted') jumpMs += sign * 315_360_000_000;
      },
    });
    expect(await purchase(jumping, aRequest())).toMatchObject({ kind: 'delivered' });
    expect(counts()).toEqual([1, 1]);
  });
});

describe('before anything is signed', () => {
  const code = 'REQUIREMENT_UNACCEPTABLE';
  const over = { amount: '26000001', maxAmountRequired: '26000001' };
  it.each<[string, Record<string, unknown>, string?]>([
    ['an amount over the cap', over, 'AMOUNT_OVER_CAP'],
    ['two amounts', { amount: '1' }],
    ['another asset', { asset: 'So11111111111111111111111111111111111111112' }],
    ['another network', { network: 'eip155:8453' }],
    ['no fee payer', { extra: {} }],
  ])('%s is refused and the purchase closed', async (_name, edit, refusal = code) => {
    world.challenge.edit = (required) => ({
      ...required,
      accepts: (required.accepts as object[]).map((accept) => ({ ...accept, ...edit })),
    });
    await expect(buy()).rejects.toMatchObject({ code: refusal, fundsAtRisk: 'none' });
    expect(world.signed()).toBe(0);
    expect((await entries())[0]?.facts.map(({ fact }) => fact)).toEqual(['closed']);
    world.challenge.edit = (required) => required;
    expect(await buy()).toMatchObject(DELIVERED);
  });

  it('an expired challenge is refused', async () => {
    world.challenge.edit = (required) => ({ ...required, expiresAt: 1_700_000_000 });
    await expect(buy()).rejects.toMatchObject({ code: 'CHALLENGE_EXPIRED' });
  });

  it('a challenge that runs out while it is signed is thrown away unsent', async () => {
    const sign: World['rail']['sign'] = (input) => {
      world.clock.advance(61_000);
      return world.rail.sign(input);
    };
    const rail = { ...world.rail, sign };
    await expect(buy({ rail })).rejects.toMatchObject({ code: 'CHALLENGE_EXPIRED' });
    expect((await entries())[0]?.attempts).toEqual([]);
    expect(world.sent).toEqual([]);
  });

  it.each<Fault>(['502 before', '503 before', 'request lost'])(
    'phase 1 answered with %s is asked again',
    async (fault) => {
      world.challengeFaults.push(fault, fault);
      expect(await buy()).toMatchObject(DELIVERED);
    },
  );

  it.each([
    ['free', 'MERCHANT_REPLY_INVALID'],
    ['refused', 'OUT_OF_STOCK'],
    ['reply is html', 'MERCHANT_REPLY_INVALID'],
    ['redirect', 'REDIRECT_REFUSED'],
  ] as const)('phase 1 answered with %s is %s', async (fault, code) => {
    world.challengeFaults.push(fault);
    await expect(buy()).rejects.toMatchObject({ code });
    expect(world.signed()).toBe(0);
  });

  it('a requirement that the rail refuses is not signed', async () => {
    const refusal = new ScripError('REQUIREMENT_UNACCEPTABLE', t`payTo is a token account`);
    const rail = { ...world.rail, checkRequirement: () => Promise.reject(refusal) };
    await expect(buy({ rail })).rejects.toBe(refusal);
    expect(world.signed()).toBe(0);
  });

  it('a journal that cannot be written stops everything', async () => {
    const journal = { ...world.deps().journal, addAttempt: full };
    await expect(buy({ journal })).rejects.toMatchObject({ code: 'JOURNAL_UNUSABLE' });
    expect(world.sent).toEqual([]);
  });
});

describe('a disk that fails after the payment went out', () => {
  it.each(['resume', 'the same purchase'])(
    'never says to %s that nothing was charged',
    async (again) => {
      world.faults.push('reply lost');
      await dieAt('submitted');
      const [entry] = await entries();
      const failing = world.deps({ journal: fullJournal() });
      const going =
        again === 'resume' && entry !== undefined
          ? resume(failing, entry)
          : purchase(failing, aRequest());
      const error: unknown = await going.catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        code: 'JOURNAL_UNUSABLE',
        fundsAtRisk: 'possible',
        hint: expect.stringContaining('Do not pay again'),
      });
      expect(world.landed.size).toBe(1);
    },
  );

  it('does not lose the goods, and says that the journal lacks them', async () => {
    const journal = { ...world.deps().journal, addFact: full };
    const known = { ...DELIVERED, orderId: 'cr_1' };
    expect(await buy({ journal })).toMatchObject({ ...known, code: 'OUTCOME_UNKNOWN' });
    expect(await buy()).toMatchObject({ ...known, code: null });
    expect(counts()).toEqual([1, 1]);
  });
});

describe('two at once', () => {
  it('with one key: one attempt, one payment, the same order', async () => {
    const outcomes = await Promise.all([buy(), buy(), buy()]);
    expect(outcomes.map(({ kind, orderId }) => [kind, orderId])).toEqual(
      Array(3).fill(['delivered', 'cr_1']),
    );
    expect(outcomes.map(({ signatures }) => signatures).toSorted()).toEqual([0, 0, 1]);
    expect(world.landed.size).toBe(1);
    expect(new Set(world.sent).size).toBe(1);
    expect((await entries())[0]?.attempts).toHaveLength(1);
  });

  it.each<Fault>(['reply lost', 'accepted, never sent to the chain', '502 before'])(
    'with one key and %s: one payment',
    async (fault) => {
      world.faults.push(fault, fault);
      await Promise.all([buy(), buy()]);
      expect(world.landed.size).toBe(1);
    },
  );

  it('with two keys: two payments', async () => {
    await Promise.all([buyAs({ key: 'a' }), buyAs({ key: 'b' })]);
    expect(world.landed.size).toBe(2);
  });
});

describe('resuming', () => {
  const crashed = async (point: ClientPoint): Promise<Entry> => {
    await dieAt(point);
    const [entry] = await entries();
    if (entry === undefined) throw new Crash('no entry');
    return entry;
  };

  it.each(POINTS.slice(3))('after a crash at %s finishes the purchase', async (point) => {
    const entry = await crashed(point);
    expect(await resume(world.deps(), entry)).toMatchObject({ kind: 'delivered' });
    expect(counts()).toEqual([1, 1]);
  });

  it.each(POINTS.slice(0, 3))('after a crash at %s signs nothing', async (point) => {
    const entry = await crashed(point);
    const before = world.signed();
    expect(await resume(world.deps(), entry)).toMatchObject({ kind: 'unpaid' });
    expect([world.signed(), world.sent.length]).toEqual([before, 0]);
  });

  it('a payment that was never sent and has expired is unpaid, and not signed again', async () => {
    const entry = await crashed('attempt-written');
    world.clock.advance(3_600_000);
    expect(await resume(world.deps(), entry)).toMatchObject({ kind: 'unpaid' });
    expect(counts()).toEqual([1, 0]);
  });
});

describe('interruption', () => {
  it('before signing: nothing at risk, the purchase is given up', async () => {
    world.challengeFaults.push('502 before');
    const interrupted = { code: 'INTERRUPTED', fundsAtRisk: 'none' };
    await expect(buy({ signal: AbortSignal.abort() })).rejects.toMatchObject(interrupted);
    expect(world.signed()).toBe(0);
  });

  it.each([
    ['while paying', 'submitted', 'The payment was sent', ['accepted']],
    ['once the payment landed', 'landed-recorded', 'Paid', ['accepted', 'landed']],
  ] as const)(
    '%s: it is recorded, and the error says how to go on',
    async (_, point, paid, known) => {
      world.delivery.afterMs = 30_000;
      const controller = new AbortController();
      const deps = world.deps({
        signal: controller.signal,
        failPoint: (name) => {
          if (name === point) controller.abort();
        },
      });
      const error: unknown = await purchase(deps, aRequest()).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        code: 'INTERRUPTED',
        fundsAtRisk: paid === 'Paid' ? 'spent' : 'possible',
        message: `Stopped. ${paid}; order cr_1 waits for delivery`,
        hint: expect.stringContaining('scrip track cr_1'),
        details: { order_id: 'cr_1' },
      });
      expect((await entries())[0]?.facts.map(({ fact }) => fact)).toEqual(known);
    },
  );
});

describe('the signal of the user', () => {
  it('has nobody waiting for it after a purchase, however often that was sent', async () => {
    world.faults.push(...Array<Fault>(4).fill('500 after'));
    const { signal } = new AbortController();
    expect(await buy({ signal })).toMatchObject({
      kind: 'delivered',
    });
    expect(world.sent).toHaveLength(5);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('the cap', () => {
  it('of the command that is given now counts, not an older one', async () => {
    await expect(buyAs({ capAtomic: atomic(25_000_000n) })).rejects.toMatchObject({
      code: 'AMOUNT_OVER_CAP',
    });
    expect(await buy()).toMatchObject(DELIVERED);
  });
});

it('a payment whose place another run took is not signed again, and the goods are said to be there', async () => {
  world.faults.push('refused');
  const taken = {
    fate: 'unknown',
    reason: t`tx-other used its nonce`,
    takenBy: 'tx-other',
  } as const;
  const rail = { ...world.rail, fate: async () => taken };
  const outcome = await purchase(world.deps({ rail }), aRequest());
  expect(outcome).toMatchObject({ kind: 'attention', code: 'PAID_ELSEWHERE' });
  expect(String(outcome.kind === 'attention' && outcome.reason)).toContain('tx-other');
  expect(world.signed()).toBe(1);
});
