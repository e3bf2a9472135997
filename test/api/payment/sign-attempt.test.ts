/** Signing for one challenge: how often it is asked for, what is signed, and what was paid meanwhile. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { PurchaseDeps } from '../../../src/api/checkout/purchase-deps.ts';
import type { KeyWatch, Stray } from '../../../src/api/payment/payment-tag.ts';
import { signAttempt } from '../../../src/api/payment/sign-attempt.ts';
import { ScripError } from '../../../src/domain/message/errors.ts';
import { t } from '../../../src/domain/message/message.ts';
import { atomic } from '../../../src/domain/money/money.ts';
import { anAttempt, anIntent } from '../../support/journal-records.ts';
import { type ManualClock, START_MS, skippingClock } from '../../support/manual-clock.ts';
import { CHECKOUT_URL, makeWorld, PRICE, type World } from '../../support/purchase-world.ts';

let world: World;
let said: string[];
beforeEach(async () => {
  world = await makeWorld();
  said = [];
});

const { number: _number, ...SIGNED } = anAttempt();
const PAID = {
  isTagged: true,
  recovered: undefined,
  get rail() {
    return world.rail;
  },
  payment: {
    ...{ signed: SIGNED, amountAtomic: atomic(PRICE), asset: SIGNED.asset, destination: 'account' },
    ...{ payTo: 'merchant', extra: {}, isDirect: false, isFinal: false, slot: 1 },
    ...{ transactionId: 'tx-elsewhere', timeMs: undefined, carries: () => true },
  },
} as unknown as Stray;

/** What each look of the key's history finds; nothing after that. */
function watching(...looks: (readonly Stray[])[]): KeyWatch {
  return { look: async () => looks.shift() ?? [], wasOvertaken: async () => undefined };
}

async function sign(over: Partial<PurchaseDeps> = {}, watch = watching()): Promise<boolean> {
  const progress = {
    step: (text: unknown) => void said.push(`${text} …`),
    done: (text?: unknown) => void said.push(`${text}`),
  };
  const deps = world.deps({ progress, ...over });
  const intent = anIntent({ host: CHECKOUT_URL, payer: world.signer.address });
  const entry = await deps.journal.open(intent);
  return signAttempt(deps, entry, { capAtomic: atomic(26_000_000n), watch });
}

it('a payment is signed, recorded and told of, step by step', async () => {
  const points: string[] = [];
  expect(await sign({ failPoint: (name) => void points.push(name) })).toBe(true);
  expect(world.signed()).toBe(1);
  expect(said).toEqual([
    'Asking the merchant for the payment request …',
    'Checking the payment request and signing …',
    'Price confirmed 25.25 USDC',
    'Checking the payment request and signing …',
    'Signed and recorded',
  ]);
  expect(points).toEqual(expect.arrayContaining(['challenge-answered', 'challenge-read']));
  expect(points.at(-1)).toBe('attempt-written');
});

it('the attempt of another process is not told of as ours', async () => {
  const { journal } = world.deps();
  const addAttempt = async () => anAttempt(1, { transaction: 'theirs' });
  expect(await sign({ journal: { ...journal, addAttempt } })).toBe(false);
  expect(said).not.toContain('Signed and recorded');
});

it('another asset than the merchant asks for is not paid with', async () => {
  await expect(sign({ asset: 'another' })).rejects.toMatchObject({ retryable: false });
  expect(world.signed()).toBe(0);
});

it('a payment that was signed after its request is over is not recorded', async () => {
  const clock = skippingClock();
  const slow: World['rail']['sign'] = (order) => {
    clock.advance(61_000);
    return world.rail.sign(order);
  };
  await expect(sign({ clock, rail: { ...world.rail, sign: slow } })).rejects.toMatchObject({
    code: 'CHALLENGE_EXPIRED',
  });
  expect((await world.deps().journal.all())[0]?.attempts).toEqual([]);
});

it('a key that has paid asks for nothing', async () => {
  expect(await sign({}, watching([PAID]))).toBe(false);
  expect([world.requests.length, world.signed()]).toEqual([0, 0]);
});

describe('a wallet with too little', () => {
  const refusing = (error: Error) => ({
    rail: { ...world.rail, checkRequirement: () => Promise.reject(error) },
  });
  const poor = new ScripError('FUNDS_TOO_LOW', t`too little`);

  it('has paid for this very key', async () => {
    expect(await sign(refusing(poor), watching([], [PAID]))).toBe(false);
    expect(world.signed()).toBe(0);
  });

  it('or has not', async () => {
    await expect(sign(refusing(poor))).rejects.toBe(poor);
  });

  it.each([
    new ScripError('REQUIREMENT_UNACCEPTABLE', t`no`),
    Object.assign(new Error('a code alone'), { code: 'FUNDS_TOO_LOW' }),
  ])('is not what %s says', async (error) => {
    await expect(sign(refusing(error), watching([], [PAID]))).rejects.toBe(error);
  });
});

describe('a merchant whose payment request fails', () => {
  /** Requests of a run in which each takes a time and fails. */
  async function tries(requestMs: number, clock: ManualClock = skippingClock()): Promise<number> {
    world.challengeFaults.push(...Array.from({ length: 9 }, () => '502 before' as const));
    const fetch: PurchaseDeps['fetch'] = (url, init) => {
      clock.advance(requestMs);
      return world.fetch(url, init);
    };
    await expect(sign({ clock, fetch })).rejects.toMatchObject({ code: 'MERCHANT_ERROR' });
    return world.requests.length;
  }

  it('is asked three times, half a second and a second apart', async () => {
    const clock = skippingClock();
    expect(await tries(0, clock)).toBe(3);
    expect(clock.now() - START_MS).toBe(1_500);
  });

  it.each([
    // Two tries and the two waits come to 35 seconds, or to less.
    [16_750, 2],
    [16_749, 3],
  ])(
    'is asked no more once all tries would take 35 s: %s ms for each, %s tries',
    async (ms, count) => {
      expect(await tries(ms)).toBe(count);
    },
  );

  it('has its waits counted by a clock that stands still', async () => {
    expect(await tries(16_750, { ...skippingClock(), sleep: async () => undefined })).toBe(2);
  });
});

describe('a key whose payments expired again and again', () => {
  const afterNine = async (key: string) => {
    const deps = world.deps();
    const intent = anIntent({ host: CHECKOUT_URL, payer: world.signer.address, key });
    await deps.journal.open(intent);
    for (let number = 1; number <= 9; number += 1) {
      await deps.journal.addAttempt(intent, anAttempt(number));
      await deps.journal.addFact(intent, { fact: 'dead', attempt: number, proof: 'past it' });
    }
    const entry = await deps.journal.byKey(key);
    if (entry === undefined) throw new Error('no entry');
    const watch = watching();
    return signAttempt(deps, entry, { capAtomic: atomic(26_000_000n), watch });
  };

  it('is not signed for again where another machine would not recognize it', async () => {
    await expect(afterNine('key-1')).rejects.toMatchObject({
      ...{ code: 'IDEMPOTENCY_KEY_REUSED', fundsAtRisk: 'none' },
      message: expect.stringContaining('has signed 9 payments, which all expired unused'),
    });
    expect(world.signed()).toBe(0);
  });

  it('that only this journal knows is signed for', async () => {
    expect(await afterNine(anIntent().intentId)).toBe(true);
  });
});
