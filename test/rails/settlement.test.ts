/** The rail on a real VM: payer, facilitator and chain, through JSON-RPC and a store. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type PaymentPayload, SOLANA_MAINNET, USDC_MINT } from '../../src/contract/x402.ts';
import { ScripError } from '../../src/domain/message/errors.ts';
import { verbatim } from '../../src/domain/message/message.ts';
import { atomic } from '../../src/domain/money/money.ts';
import type { Facilitator } from '../../src/rails/merchant-rail.ts';
import type { PayerRail } from '../../src/rails/rail.ts';
import { openPayerRail } from '../../src/rails/registry.ts';
import { createFacilitator, type FacilitatorOptions } from '../../src/rails/solana/facilitator.ts';
import { decodeTransaction } from '../../src/rails/solana/message.ts';
import type { SolanaRpc } from '../../src/rails/solana/rpc.ts';
import { recorded, type SolanaPayment } from '../../src/rails/solana/seal.ts';
import type { Chain } from '../../src/sandbox/chain/chain.ts';
import { createPayerBudget } from '../../src/service/payer-budget.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { fundedChain } from '../support/live-chain.ts';
import { type ManualClock, skippingClock } from '../support/manual-clock.ts';
import { tagOf } from '../support/rails.ts';
import {
  AMOUNT,
  FEE_PAYER,
  GOOD,
  MERCHANT,
  PAYER,
  payerSigned,
  payloadOf,
  REQUIREMENT,
  SOURCE,
  setLimit,
  setPrice,
  transfer,
} from '../support/solana-payment.ts';

const SLOT_MS = 400;
const CONFIRM_TIMEOUT_MS = 8_000;
const PAYER_USDC = 100_000_000n;

let clock: ManualClock;
let store: Store;
let close: () => Promise<void>;
let chain: Chain;
let rpc: SolanaRpc;
let payer: PayerRail;
let sends: number;

beforeEach(async () => {
  clock = skippingClock();
  store = await openSqliteStore(':memory:');
  sends = 0;
  const live = await fundedChain(clock);
  ({ chain, rpc, close } = live);
  const url = 'http://chain.invalid/rpc';
  payer = await openPayerRail(SOLANA_MAINNET, { url, fetch: live.fetch, clock });
});

afterEach(() => Promise.all([store.close(), close()]));

function advanceBlocks(blocks: number): void {
  clock.advance(blocks * SLOT_MS);
}

/** A facilitator on the store, without a budget. */
const plain = (more: Partial<FacilitatorOptions> = {}): Facilitator =>
  createFacilitator({
    rpc,
    feePayer: FEE_PAYER,
    claims: store.tables.claims,
    clock,
    confirmTimeoutMs: CONFIRM_TIMEOUT_MS,
    network: SOLANA_MAINNET,
    mint: USDC_MINT,
    ...more,
  });

/** The facilitator of one process; `send` replaces its broadcast. */
function facilitator(send: (wire: Uint8Array) => Promise<string> = rpc.send): Facilitator {
  const counted = (wire: Uint8Array) => {
    sends += 1;
    return send(wire);
  };
  return plain({ rpc: { ...rpc, send: counted }, budget: createPayerBudget(store, clock) });
}

/** The payer's money goes elsewhere between the check and the broadcast. */
function drainingFacilitator(): Facilitator {
  return facilitator(async (wire) => {
    const source = await chain.account(SOURCE);
    if (source) await chain.setAccount({ ...source, data: withoutTokens(source.data) });
    return rpc.send(wire);
  });
}

const sign = async (nonce = 0): Promise<SolanaPayment> =>
  recorded(
    await payer.sign({
      way: 'x402',
      requirement: REQUIREMENT,
      amountAtomic: atomic(AMOUNT),
      signer: PAYER,
      tag: tagOf(nonce),
    }),
  );

const payloadFor = ({ transaction }: SolanaPayment) =>
  payloadOf(Buffer.from(transaction, 'base64'));

const settling = (payment: PaymentPayload, by = facilitator()) => by.settle(payment, REQUIREMENT);
const SUCCESS = { success: true };
const PENDING = { success: false, errorReason: 'settlement_pending' };
const lost = async (): Promise<string> => 'lost on its way';

async function balanceOf(owner: string): Promise<bigint> {
  return (await payer.balances(owner)).usdcAtomic ?? 0n;
}

describe('a payment that has to be final', () => {
  test('is pending while it is only confirmed, from the amount on', async () => {
    const payload = payloadFor(await sign());
    const { settle } = plain({ finalFromAtomic: AMOUNT });
    expect(await settle(payload, REQUIREMENT)).toMatchObject({ errorReason: 'settlement_pending' });
    advanceBlocks(64);
    expect(await settle(payload, REQUIREMENT)).toMatchObject(SUCCESS);
    const below = payloadFor(await sign(1));
    const loose = plain({ finalFromAtomic: AMOUNT + 1n });
    expect(await loose.settle(below, REQUIREMENT)).toMatchObject(SUCCESS);
  });

  test('is decided by two nodes together', async () => {
    const payload = payloadFor(await sign());
    const blind = { ...rpc, signatureStatuses: async () => [null] };
    const pending = { errorReason: 'settlement_pending' };
    expect(await plain({ witness: blind }).settle(payload, REQUIREMENT)).toMatchObject(pending);
    // Absent at one of them only: no proof that it can never land.
    advanceBlocks(1_000);
    expect(await plain({ witness: blind }).settle(payload, REQUIREMENT)).toMatchObject(pending);
    expect(await plain({ witness: rpc }).settle(payload, REQUIREMENT)).toMatchObject(SUCCESS);
  });
});

describe('a payment', () => {
  test('is verified, settled and confirmed, and moves its amount once', async () => {
    const payload = payloadFor(await sign());
    const { verify, settle } = facilitator();
    await payer.checkRequirement(REQUIREMENT, PAYER.address);
    expect(await verify(payload, REQUIREMENT)).toEqual({ isValid: true, payer: PAYER.address });
    const settled = await settle(payload, REQUIREMENT);
    expect(settled).toMatchObject({ success: true, network: SOLANA_MAINNET, payer: PAYER.address });
    expect(await balanceOf(MERCHANT.address)).toBe(AMOUNT);
    expect(await balanceOf(PAYER.address)).toBe(PAYER_USDC - AMOUNT);
    expect(await chain.statuses([settled.transaction])).toMatchObject([{ error: null }]);
  });

  test('is settled again with the same answer and no other broadcast', async () => {
    const payload = payloadFor(await sign());
    const first = await settling(payload);
    advanceBlocks(1_000);
    expect(await settling(payload)).toEqual(first);
    // For any other order it pays nothing: who had it settled has it on record.
    expect(await facilitator().verify(payload, REQUIREMENT)).toMatchObject({
      isValid: false,
      invalidReason: 'duplicate_settlement',
    });
    expect(sends).toBe(1);
    expect(await balanceOf(MERCHANT.address)).toBe(AMOUNT);
  });

  test('costs the fee payer no more than 20,000 lamports, whatever it asks for', async () => {
    const { blockhash } = await rpc.latestBlockhash('finalized');
    const dearest = [setLimit(200_000), setPrice(50_000n), transfer()];
    const before = await rpc.balance(FEE_PAYER.address);
    const payload = payloadOf(await payerSigned(dearest, { blockhash }));
    expect(await settling(payload)).toMatchObject(SUCCESS);
    expect(before - (await rpc.balance(FEE_PAYER.address))).toBe(20_000n);
  });

  test('of the rail itself costs 10,021 lamports', async () => {
    const payload = payloadFor(await sign());
    const before = await rpc.balance(FEE_PAYER.address);
    await settling(payload);
    expect(before - (await rpc.balance(FEE_PAYER.address))).toBe(10_021n);
  });

  test('and its like with another nonce are two payments', async () => {
    const payloads = [payloadFor(await sign(0)), payloadFor(await sign(1))];
    const { settle } = facilitator();
    const results = await Promise.all(payloads.map((payload) => settle(payload, REQUIREMENT)));
    expect(new Set(results.map(({ transaction }) => transaction)).size).toBe(2);
    expect(await balanceOf(MERCHANT.address)).toBe(2n * AMOUNT);
  });
});

describe('a payment verified and settled in one block', () => {
  function counting() {
    const asked = { simulations: 0 };
    const simulate: typeof rpc.simulate = (wire) => {
      asked.simulations += 1;
      return rpc.simulate(wire);
    };
    return { asked, port: plain({ rpc: { ...rpc, simulate } }) };
  }

  test('is simulated once', async () => {
    const { asked, port } = counting();
    const payload = payloadFor(await sign());
    expect(await port.verify(payload, REQUIREMENT)).toMatchObject({ isValid: true });
    expect(await port.settle(payload, REQUIREMENT)).toMatchObject(SUCCESS);
    expect(asked.simulations).toBe(1);
  });

  test('is simulated again if its account paid something else meanwhile', async () => {
    const { asked, port } = counting();
    const payloads = [payloadFor(await sign(1)), payloadFor(await sign(2))];
    for (const payload of payloads) await port.verify(payload, REQUIREMENT);
    await Promise.all(payloads.map((payload) => port.settle(payload, REQUIREMENT)));
    expect(asked.simulations).toBe(3);
  });
});

describe('one message', () => {
  test('settled a hundred times at once is broadcast once', async () => {
    const payload = payloadFor(await sign());
    const { settle } = facilitator();
    const results = await Promise.all(
      Array.from({ length: 100 }, () => settle(payload, REQUIREMENT)),
    );
    expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1);
    expect(results[0]).toMatchObject(SUCCESS);
    expect(sends).toBe(1);
    expect(await balanceOf(MERCHANT.address)).toBe(AMOUNT);
  });

  test('settled by ten processes at once has one effect and one answer', async () => {
    const payload = payloadFor(await sign());
    const results = await Promise.all(
      Array.from({ length: 10 }, () => facilitator().settle(payload, REQUIREMENT)),
    );
    expect(new Set(results.map(({ transaction }) => transaction)).size).toBe(1);
    expect(results.every(({ success }) => success)).toBe(true);
    expect(await balanceOf(MERCHANT.address)).toBe(AMOUNT);
  });

  test('whose broadcast was lost is pending, and sent again by the next call', async () => {
    const payload = payloadFor(await sign());
    const pending = await settling(payload, facilitator(lost));
    expect(pending).toMatchObject({ success: false, errorReason: 'settlement_pending' });
    const settled = await settling(payload);
    expect(settled).toMatchObject({ success: true, transaction: pending.transaction });
    expect(await balanceOf(MERCHANT.address)).toBe(AMOUNT);
  });

  test('that was sent before the process died is found on the chain', async () => {
    const payload = payloadFor(await sign());
    const dying = facilitator(async (wire) => {
      await rpc.send(wire);
      throw new Error('killed');
    });
    await expect(dying.settle(payload, REQUIREMENT)).rejects.toThrow('killed');
    expect(await settling(payload)).toMatchObject(SUCCESS);
    expect(sends).toBe(1);
    expect(await balanceOf(MERCHANT.address)).toBe(AMOUNT);
  });

  // E5: what a node says after it was given the bytes proves nothing.
  test.each([
    ['a gateway that timed out', {}],
    ['a failed simulation', { rpcCode: -32_002 }],
    ['a node that is behind', { rpcCode: -32_005 }],
    ['a blockhash that it does not know', { rpcCode: -32_003 }],
  ])('that was sent, and answered with %s, has not failed', async (message, details) => {
    const payload = payloadFor(await sign());
    const told = facilitator(async (wire) => {
      await rpc.send(wire);
      throw new ScripError('CHAIN_UNREACHABLE', verbatim(message), { details });
    });
    expect(await told.settle(payload, REQUIREMENT)).toMatchObject(SUCCESS);
    expect(await settling(payload)).toMatchObject(SUCCESS);
    expect(await balanceOf(MERCHANT.address)).toBe(AMOUNT);
  });

  test('that never lands is expired, and then for good', async () => {
    const payment = await sign();
    const payload = payloadFor(payment);
    await settling(payload, facilitator(lost));
    advanceBlocks(150);
    expect(await settling(payload, facilitator(lost))).toMatchObject(PENDING);
    advanceBlocks(40);
    const expired = { success: false, errorReason: 'invalid_exact_svm_transaction_expired' };
    expect(await settling(payload, facilitator(lost))).toMatchObject(expired);
    expect(await settling(payload)).toMatchObject(expired);
    expect(await payer.fate(payment)).toMatchObject({ fate: 'dead' });
    expect(await balanceOf(MERCHANT.address)).toBe(0n);
  });

  test('that fails on the chain has failed once that is final', async () => {
    const payment = await sign();
    const payload = payloadFor(payment);
    expect(await drainingFacilitator().settle(payload, REQUIREMENT)).toMatchObject(PENDING);
    advanceBlocks(40);
    const failed = await settling(payload);
    expect(failed).toMatchObject({
      success: false,
      errorReason: 'invalid_exact_svm_transaction_failed',
    });
    expect(failed.transaction).not.toBe('');
    expect(sends).toBe(1);
    expect(await payer.fate(payment)).toMatchObject({
      fate: 'dead',
      proof: expect.stringContaining(failed.transaction),
    });
  });

  test('of a payer that failed three times in an hour is not countersigned for a day', async () => {
    for (let nonce = 0; nonce < 3; nonce += 1) {
      await chain.fundUsdc(PAYER.address, PAYER_USDC);
      const payload = payloadFor(await sign(nonce));
      await drainingFacilitator().settle(payload, REQUIREMENT);
      advanceBlocks(40);
      expect(await settling(payload)).toMatchObject({
        errorReason: 'invalid_exact_svm_transaction_failed',
      });
    }
    await chain.fundUsdc(PAYER.address, PAYER_USDC);
    const spent = await rpc.balance(FEE_PAYER.address);
    const reason = 'invalid_exact_svm_payer_blocked';
    // Another process on the store knows it as well: the record is not in memory.
    const { verify, settle } = facilitator();
    const payload = payloadFor(await sign(3));
    expect(await verify(payload, REQUIREMENT)).toMatchObject({ invalidReason: reason });
    expect(await settle(payload, REQUIREMENT)).toMatchObject({ errorReason: reason });
    expect(await rpc.balance(FEE_PAYER.address)).toBe(spent);
    clock.advance(24 * 3_600_000);
    const later = payloadFor(await sign(4));
    expect(await settle(later, REQUIREMENT)).toMatchObject(SUCCESS);
  });

  test('refused at settlement stays refused, for every process', async () => {
    const { blockhash } = await rpc.latestBlockhash('finalized');
    const amount = PAYER_USDC + 1n;
    const text = amount.toString();
    const requirement = { ...REQUIREMENT, amount: text, maxAmountRequired: text };
    const payload = payloadOf(await payerSigned(GOOD.with(2, transfer({ amount })), { blockhash }));
    const refused = {
      success: false,
      transaction: '',
      errorReason: 'invalid_exact_svm_transaction_simulation_failed',
    };
    expect(await facilitator().settle(payload, requirement)).toMatchObject(refused);
    await chain.fundUsdc(PAYER.address, PAYER_USDC);
    expect(await facilitator().settle(payload, requirement)).toMatchObject(refused);
    expect(await facilitator().verify(payload, requirement)).toMatchObject({
      isValid: false,
      invalidReason: refused.errorReason,
    });
    expect(sends).toBe(0);
  });

  test('decided by another process meanwhile is what that one decided', async () => {
    const signed = await sign();
    const payload = payloadFor(signed);
    const { settle } = facilitator(async (wire) => {
      // The other one looked through a node that knows of no such transaction.
      await store.tables.claims.decide(signed.messageHash, {
        ...{ state: 'expired', reason: 'it is over' },
      });
      return rpc.send(wire);
    });
    const first = await settle(payload, REQUIREMENT);
    expect(first).toMatchObject({ errorReason: 'invalid_exact_svm_transaction_expired' });
    expect(await settling(payload)).toEqual(first);
  });

  test('settled by another process between the two looks is a duplicate, and settled once', async () => {
    const payload = payloadFor(await sign());
    const simulate: typeof rpc.simulate = async (wire) => {
      await settling(payload);
      return rpc.simulate(wire);
    };
    const second = plain({ rpc: { ...rpc, simulate } });
    expect(await second.verify(payload, REQUIREMENT)).toMatchObject({
      isValid: false,
      invalidReason: 'duplicate_settlement',
    });
    expect(await second.settle(payload, REQUIREMENT)).toMatchObject(SUCCESS);
    expect(sends).toBe(1);
  });
});

describe('a blockhash', () => {
  /** A finalized one is 32 blocks old when it is given out. */
  const UNTIL_TOO_OLD = 150 - 60 - 32;

  test('is good for a payment down to its last 60 blocks', async () => {
    const payload = payloadFor(await sign());
    advanceBlocks(UNTIL_TOO_OLD);
    expect(await facilitator().verify(payload, REQUIREMENT)).toMatchObject({ isValid: true });
  });

  test.each([
    ['too old after that', UNTIL_TOO_OLD + 1, 'payload_blockhash_too_old'],
    ['expired after all of them', 150, 'payload_blockhash_expired'],
  ])('is %s', async (_name, blocks, reason) => {
    const payload = payloadFor(await sign());
    advanceBlocks(blocks);
    expect(await settling(payload)).toMatchObject({
      success: false,
      transaction: '',
      errorReason: `invalid_exact_svm_${reason}`,
    });
    expect(sends).toBe(0);
  });
});

describe('the payer’s own look at the chain', () => {
  test('finds the payment under the fee payer’s id once it is finalized', async () => {
    const payment = await sign();
    expect(await payer.isLive(payment)).toBe(true);
    expect(await payer.fate(payment)).toEqual({ fate: 'pending' });
    const { transaction } = await facilitator().settle(payloadFor(payment), REQUIREMENT);
    expect(await payer.fate(payment)).toEqual({ fate: 'pending' });
    advanceBlocks(40);
    expect(await payer.fate(payment)).toMatchObject({ fate: 'landed', transaction });
    advanceBlocks(1_000);
    expect(await payer.fate(payment)).toMatchObject({ fate: 'landed', transaction });
    expect(await payer.isLive(payment)).toBe(false);
  });

  test('is not misled by other payments from the same account', async () => {
    const [first, second] = [await sign(0), await sign(1)];
    await facilitator().settle(payloadFor(first), REQUIREMENT);
    advanceBlocks(40);
    expect(await payer.fate(second)).toEqual({ fate: 'pending' });
    advanceBlocks(300);
    expect(await payer.fate(second)).toMatchObject({ fate: 'dead' });
    expect(await payer.fate(first)).toMatchObject({ fate: 'landed' });
  });
});

test('what the claim keeps is the payment that the payer signed, with the fee payer’s name', async () => {
  const payment = await sign();
  await facilitator().settle(payloadFor(payment), REQUIREMENT);
  const claim = await store.tables.claims.byMessage(payment.messageHash);
  expect(claim).toMatchObject({ state: 'landed', reason: null });
  const wire = decodeTransaction(Buffer.from(claim?.wire ?? '', 'base64'));
  expect(wire.messageHash).toBe(payment.messageHash);
  expect(claim?.validUntil).toBeGreaterThanOrEqual(payment.lastValidBlockHeight);
});

/** A token account's bytes with an amount of zero. */
function withoutTokens(data: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(data);
  copy.fill(0, 64, 72);
  return copy;
}
