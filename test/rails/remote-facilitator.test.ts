/** Payments that a facilitator elsewhere settles, with every fault that it may have, on a real VM. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type PaymentPayload,
  type SettleResponse,
  SOLANA_MAINNET,
  USDC_MINT,
} from '../../src/contract/x402.ts';
import { ScripError } from '../../src/domain/message/errors.ts';
import { t } from '../../src/domain/message/message.ts';
import { type FacilitatorClient, routeByFeePayer } from '../../src/rails/facilitator-http.ts';
import type { Facilitator } from '../../src/rails/merchant-rail.ts';
import { createFacilitator } from '../../src/rails/solana/facilitator.ts';
import { decodeTransaction, withSignature } from '../../src/rails/solana/message.ts';
import {
  createRemoteFacilitator,
  type RemoteFacilitatorOptions,
} from '../../src/rails/solana/remote-facilitator.ts';
import type { SolanaRpc } from '../../src/rails/solana/rpc.ts';
import { memoryClaims } from '../support/claims.ts';
import { fundedChain, type LiveChain } from '../support/live-chain.ts';
import { type ManualClock, skippingClock } from '../support/manual-clock.ts';
import {
  AMOUNT,
  DESTINATION,
  FEE_PAYER,
  GOOD,
  MERCHANT,
  PAYER,
  payerSigned,
  payloadOf,
  REQUIREMENT,
  STRANGER,
  transfer,
} from '../support/solana-payment.ts';

const SLOT_MS = 400;
const PENDING = { success: false, errorReason: 'settlement_pending', transaction: '' };
const EXPIRED = {
  success: false,
  errorReason: 'invalid_exact_svm_transaction_expired',
  transaction: '',
};

let clock: ManualClock;
let live: LiveChain;
let rpc: SolanaRpc;
/** The facilitator elsewhere, while it is honest. */
let honest: Facilitator;
let warnings: string[];
/** How often a payment was handed over. */
let given: number;

beforeEach(async () => {
  clock = skippingClock();
  live = await fundedChain(clock);
  rpc = live.rpc;
  honest = facilitatorOf(FEE_PAYER);
  warnings = [];
  given = 0;
  await live.chain.airdrop(STRANGER.address, 1_000_000_000n);
  advanceBlocks(40);
});

afterEach(() => live.close());

function advanceBlocks(blocks: number): void {
  clock.advance(blocks * SLOT_MS);
}

function facilitatorOf(feePayer: typeof FEE_PAYER): Facilitator {
  return createFacilitator({
    rpc,
    feePayer,
    clock,
    claims: memoryClaims(),
    confirmTimeoutMs: 8_000,
    network: SOLANA_MAINNET,
    mint: USDC_MINT,
  });
}

type Settle = (payload: PaymentPayload) => Promise<SettleResponse>;

const settles: Settle = (payload) => honest.settle(payload, REQUIREMENT);

/** The shop's side, as one process has it. */
function shop(settle: Settle | 'none', more: Partial<RemoteFacilitatorOptions> = {}): Facilitator {
  const client: FacilitatorClient = {
    supported: () => honest.supported(),
    settle: async (payload) => {
      given += 1;
      if (settle === 'none') throw away();
      return settle(payload);
    },
  };
  return createRemoteFacilitator({
    client: settle === 'none' ? undefined : client,
    rpc,
    network: SOLANA_MAINNET,
    mint: USDC_MINT,
    clock,
    confirmTimeoutMs: 8_000,
    report: (error) => warnings.push(error.message),
    ...more,
  });
}

function away(): ScripError {
  return new ScripError('FACILITATOR_UNAVAILABLE', t`gone`, { fundsAtRisk: 'possible' });
}

async function signed(instructions = GOOD): Promise<PaymentPayload> {
  const { blockhash } = await rpc.latestBlockhash('finalized');
  return payloadOf(await payerSigned(instructions, { blockhash }));
}

/** As a facilitator that does not look first. */
async function land({ payload }: PaymentPayload): Promise<string> {
  const wire = Buffer.from(payload.transaction ?? '', 'base64');
  const signature = await FEE_PAYER.sign(decodeTransaction(wire).message);
  return rpc.send(withSignature(wire, 0, signature));
}

async function paid(): Promise<bigint> {
  return (await rpc.tokenAccountBalance(DESTINATION)) ?? 0n;
}

const saying = (more: Partial<SettleResponse>): SettleResponse => ({
  success: false,
  transaction: '',
  network: SOLANA_MAINNET,
  ...more,
});
const LIE = saying({ success: true, transaction: 'never-sent' });

const settledThen =
  (say: () => SettleResponse | Promise<SettleResponse>): Settle =>
  async (payload) => {
    await settles(payload);
    return say();
  };

/** What a facilitator may do that has the payment, and what it says of it. */
const LANDING: readonly (readonly [string, Settle, warning: string | undefined])[] = [
  ['settles it', settles, undefined],
  ['drops its answer', settledThen(() => Promise.reject(away())), 'gone'],
  [
    'refuses it',
    settledThen(() => saying({ errorReason: 'invalid_exact_svm_payload' })),
    'refused a payment that we accepted: "invalid_exact_svm_payload"',
  ],
  ['names another transaction', settledThen(() => LIE), 'settled "never-sent", but the payment is'],
  [
    'takes it for a repeat',
    settledThen(() => saying({ errorReason: 'duplicate_settlement' })),
    undefined,
  ],
];

describe('a payment that landed is paid, whatever the facilitator says', () => {
  test.each(LANDING)('one that %s', async (_what, settle, warning) => {
    const payload = await signed();
    const one = shop(settle);
    expect(await one.verify(payload, REQUIREMENT)).toEqual({ isValid: true, payer: PAYER.address });
    expect([given, await paid()]).toEqual([0, 0n]);
    const first = await one.settle(payload, REQUIREMENT);
    advanceBlocks(3);
    const second = first.success ? first : await one.settle(payload, REQUIREMENT);
    expect(second).toMatchObject({ success: true, payer: PAYER.address });
    const [landed] = await rpc.signaturesForAddress(DESTINATION, {
      limit: 1,
      commitment: 'confirmed',
    });
    expect(second.transaction).toBe(landed?.signature);
    expect(await paid()).toBe(AMOUNT);
    if (warning === undefined) expect(warnings).toEqual([]);
    else expect(warnings[0]).toContain(warning);
  });

  test('from an amount on, only once it is final', async () => {
    const payload = await signed();
    const one = shop(settles, { finalFromAtomic: AMOUNT });
    expect(await one.settle(payload, REQUIREMENT)).toMatchObject(PENDING);
    advanceBlocks(33);
    expect(await one.settle(payload, REQUIREMENT)).toMatchObject({ success: true });
    expect(given).toBe(1);
  });

  test('only by the word of both nodes', async () => {
    const blind: SolanaRpc = { ...rpc, signaturesForAddress: async () => [] };
    const payload = await signed();
    expect(await shop(settles, { witness: blind }).settle(payload, REQUIREMENT)).toMatchObject(
      PENDING,
    );
    expect(warnings[0]).toContain('which our nodes do not show');
    expect(await shop(settles, { witness: rpc }).settle(payload, REQUIREMENT)).toMatchObject({
      success: true,
    });
  });

  test('but for none that landed before it was sent to us: all can read it on the chain', async () => {
    const payload = await signed();
    await settles(payload);
    advanceBlocks(3);
    expect(await shop(settles).verify(payload, REQUIREMENT)).toMatchObject({ isValid: false });
  });
});

describe('a payment that did not land is unpaid only when it never can', () => {
  test.each<readonly [string, Settle]>([
    ['says that it settled it', async () => LIE],
    ['refuses it', async () => saying({ errorReason: 'invalid_exact_svm_payload' })],
    ['is away', () => Promise.reject(away())],
  ])('one that %s', async (_what, settle) => {
    const payload = await signed();
    const one = shop(settle);
    const startMs = clock.now();
    for (;;) {
      const answer = await one.settle(payload, REQUIREMENT);
      if (answer.errorReason !== PENDING.errorReason) {
        expect(answer).toMatchObject(EXPIRED);
        break;
      }
      advanceBlocks(10);
    }
    // 150 blocks of life, 32 until they are final, 32 of margin.
    expect(clock.now() - startMs).toBeGreaterThan(214 * SLOT_MS);
    expect(given).toBeGreaterThan(1);
    expect(warnings.length).toBeGreaterThan(0);
    expect(await paid()).toBe(0n);
    // Whatever it does now comes too late.
    await settles(payload).catch(() => undefined);
    expect(await paid()).toBe(0n);
  });

  test('one that was executed and failed, once that is final', async () => {
    const payload = await signed();
    const { blockhash } = await rpc.latestBlockhash('finalized');
    const amount = 90_000_000n;
    const rest = await payerSigned([...GOOD.slice(0, 2), transfer({ amount })], { blockhash });
    const one = shop(async () => {
      // What the payer had goes elsewhere in between.
      await land(payloadOf(rest));
      return { ...LIE, transaction: await land(payload) };
    });
    expect(await one.verify(payload, REQUIREMENT)).toMatchObject({ isValid: true });
    expect(await one.settle(payload, REQUIREMENT)).toMatchObject(PENDING);
    advanceBlocks(33);
    expect(await one.settle(payload, REQUIREMENT)).toMatchObject({
      success: false,
      errorReason: 'invalid_exact_svm_transaction_failed',
      transaction: expect.stringMatching(/^\w{86,88}$/),
    });
    expect(await paid()).toBe(amount);
  });
});

describe('a shop that is killed', () => {
  test.each<readonly [string, (payload: PaymentPayload) => Promise<unknown>]>([
    ['before the payment is handed over', async () => undefined],
    ['after it was handed over', (payload) => shop(settles).settle(payload, REQUIREMENT)],
    ['while the facilitator does not answer', (payload) => settles(payload)],
  ])('%s has one payment, by the same transaction', async (_when, before) => {
    const payload = await signed();
    await before(payload);
    const answers = [
      await shop(settles).settle(payload, REQUIREMENT),
      await shop(settles).settle(payload, REQUIREMENT),
    ];
    expect(answers.map(({ success }) => success)).toEqual([true, true]);
    expect(answers[0]?.transaction).toBe(answers[1]?.transaction);
    expect(await paid()).toBe(AMOUNT);
  });

  test('a payment that is asked about twice at once is handed over once', async () => {
    const payload = await signed();
    const one = shop(settles);
    const [first, second] = await Promise.all([
      one.settle(payload, REQUIREMENT),
      one.settle(payload, REQUIREMENT),
    ]);
    expect([first, given]).toEqual([second, 1]);
  });
});

describe('a payment is refused before it is handed over', () => {
  test('for a fee payer that the facilitator does not sign for', async () => {
    const requirement = { ...REQUIREMENT, extra: { feePayer: STRANGER.address } };
    const payload = await signed();
    for (const one of [shop(settles), shop('none')]) {
      expect(await one.verify(payload, requirement)).toMatchObject({
        isValid: false,
        invalidReason: 'invalid_exact_svm_fee_payer_not_managed_by_facilitator',
      });
    }
  });

  test('for its bytes, or by our own node', async () => {
    const less = await signed([...GOOD.slice(0, 2), transfer({ amount: 1n })]);
    const poor = await signed();
    const one = shop(async () => LIE);
    expect(await one.verify(less, REQUIREMENT)).toMatchObject({
      invalidReason: 'invalid_exact_svm_payload_amount_mismatch',
    });
    expect(await one.settle(less, REQUIREMENT)).toMatchObject({
      errorReason: 'invalid_exact_svm_payload_amount_mismatch',
    });
    advanceBlocks(70);
    expect(await one.verify(poor, REQUIREMENT)).toMatchObject({
      invalidReason: 'invalid_exact_svm_payload_blockhash_too_old',
    });
    expect(given).toBe(0);
  });

  test('while the facilitator is away', async () => {
    const supported = () => Promise.reject(away());
    const one = shop(settles, { client: { supported, settle: settles } });
    const payload = await signed();
    for (const ask of [one.checkFunds, one.supported, () => one.verify(payload, REQUIREMENT)]) {
      await expect(ask()).rejects.toMatchObject({ code: 'FACILITATOR_UNAVAILABLE' });
    }
  });
});

describe('a configuration that changes', () => {
  test('leaves a payment with whom it was made for', async () => {
    const own = facilitatorOf(STRANGER);
    const feePayer = STRANGER.address;
    const remote = shop(async () => saying({ errorReason: 'settlement_pending' }));
    const with_ = routeByFeePayer({ own, feePayer, remote, current: remote });
    const without = routeByFeePayer({ own, feePayer, remote: shop('none'), current: own });
    expect((await with_.supported()).kinds[0]?.extra?.feePayer).toBe(FEE_PAYER.address);
    expect((await without.supported()).kinds[0]?.extra?.feePayer).toBe(feePayer);
    // Handed over, then the facilitator is taken out of the configuration.
    const payload = await signed();
    expect(await with_.settle(payload, REQUIREMENT)).toMatchObject(PENDING);
    expect(await without.settle(payload, REQUIREMENT)).toMatchObject(PENDING);
    await settles(payload);
    advanceBlocks(3);
    expect(await without.settle(payload, REQUIREMENT)).toMatchObject({ success: true });
    expect(given).toBe(1);
    // Made for our own fee payer, then the facilitator is named.
    const { blockhash } = await rpc.latestBlockhash('finalized');
    const ours = payloadOf(await payerSigned(GOOD, { feePayer, blockhash }));
    const requirement = { ...REQUIREMENT, extra: { feePayer } };
    expect(await with_.verify(ours, requirement)).toMatchObject({ isValid: true });
    expect(await with_.settle(ours, requirement)).toMatchObject({ success: true });
    expect([given, await paid()]).toEqual([1, 2n * AMOUNT]);
  });

  test('asks for payments only while both can pay: ours for the accounts, the other for the buyers', async () => {
    const own = facilitatorOf(MERCHANT);
    const remote = shop(settles);
    const poor = routeByFeePayer({ own, feePayer: MERCHANT.address, remote, current: remote });
    await expect(poor.checkFunds()).rejects.toMatchObject({ code: 'FACILITATOR_UNAVAILABLE' });
    await live.chain.airdrop(MERCHANT.address, 1_000_000_000n);
    await poor.checkFunds();
  });
});
