/** The merchant's own look at the chain, through JSON-RPC on the embedded one. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SOLANA_MAINNET } from '../../src/contract/x402.ts';
import { ScripError } from '../../src/domain/message/errors.ts';
import { t } from '../../src/domain/message/message.ts';
import {
  createMerchantFates,
  type MerchantFateOptions,
} from '../../src/rails/solana/merchant-fate.ts';
import { decodeTransaction, withSignature } from '../../src/rails/solana/message.ts';
import { createSolanaRpc, type SolanaRpc } from '../../src/rails/solana/rpc.ts';
import { fundedChain, type LiveChain } from '../support/live-chain.ts';
import { type ManualClock, skippingClock } from '../support/manual-clock.ts';
import {
  FEE_PAYER,
  GOOD,
  PAYER,
  payerSigned,
  payloadOf,
  transfer,
} from '../support/solana-payment.ts';

const SLOT_MS = 400;

let clock: ManualClock;
let live: LiveChain;
let rpc: SolanaRpc;

beforeEach(async () => {
  clock = skippingClock();
  live = await fundedChain(clock);
  rpc = live.rpc;
});

afterEach(() => live.close());

function advanceBlocks(blocks: number): void {
  clock.advance(blocks * SLOT_MS);
}

type Ask = (
  wire: Uint8Array,
  landedAt?: 'confirmed' | 'finalized',
  sinceMs?: number,
) => Promise<unknown>;

/** The look of one process. */
function fateOn(node: SolanaRpc, more: Partial<MerchantFateOptions> = {}): Ask {
  const fates = createMerchantFates({ rpc: node, network: SOLANA_MAINNET, clock, ...more });
  return (wire, landedAt = 'finalized', sinceMs) =>
    fates.fateOf(payloadOf(wire), { landedAt, sinceMs });
}

const OPEN = { fate: 'open' };
const EXPIRED = { fate: 'expired' };

async function signed(instructions = GOOD): Promise<Uint8Array> {
  const { blockhash } = await rpc.latestBlockhash('finalized');
  return payerSigned(instructions, { blockhash });
}

/** As a facilitator that tells nobody. */
async function land(wire: Uint8Array): Promise<string> {
  const signature = await FEE_PAYER.sign(decodeTransaction(wire).message);
  return rpc.send(withSignature(wire, 0, signature));
}

test('a payment that landed is found, also by a new process, once it is final where that is asked', async () => {
  const wire = await signed();
  const fate = fateOn(rpc);
  const transaction = await land(wire);
  expect(await fate(wire)).toEqual(OPEN);
  advanceBlocks(2);
  expect(await fate(wire)).toEqual(OPEN);
  expect(await fate(wire, 'confirmed')).toEqual({ fate: 'landed', transaction });
  advanceBlocks(33);
  expect(await fate(wire)).toEqual({ fate: 'landed', transaction });
  advanceBlocks(100_000);
  expect(await fateOn(rpc)(wire)).toEqual({ fate: 'landed', transaction });
});

test('a payment that executed and failed has failed once that is final', async () => {
  const wire = await signed([...GOOD.slice(0, 2), transfer({ amount: 900_000_000n })]);
  const transaction = await land(wire);
  expect(await fateOn(rpc)(wire, 'confirmed')).toEqual(OPEN);
  advanceBlocks(33);
  expect(await fateOn(rpc)(wire, 'confirmed')).toEqual({ fate: 'failed', transaction });
});

test('a payment that nobody sent has expired when its blockhash must be over, and not before', async () => {
  const wire = await signed();
  const fate = fateOn(rpc);
  expect(await fate(wire)).toEqual(OPEN);
  // 150 blocks of life, 32 until they are final, 32 of margin.
  advanceBlocks(150 + 32 + 32);
  expect(await fate(wire)).toEqual(OPEN);
  expect(await fateOn(rpc)(wire)).toEqual(OPEN);
  advanceBlocks(1);
  expect(await fate(wire)).toEqual(EXPIRED);
});

test('both nodes have to show it, and both have to prove that it is absent', async () => {
  const blind: SolanaRpc = { ...rpc, signaturesForAddress: async () => [] };
  const wire = await signed();
  const seers = [fateOn(rpc, { witness: blind }), fateOn(blind, { witness: rpc })];
  for (const fate of seers) expect(await fate(wire)).toEqual(OPEN);
  await land(wire);
  advanceBlocks(33);
  for (const fate of seers) expect(await fate(wire, 'confirmed')).toEqual(OPEN);
  advanceBlocks(250);
  for (const fate of seers) expect(await fate(wire)).toEqual(OPEN);
  expect(await fateOn(rpc, { witness: rpc })(wire)).toMatchObject({ fate: 'landed' });
});

test('transactions that strangers add are read together, and once', async () => {
  const wire = await signed();
  const reads = { one: 0, many: 0 };
  const counted: SolanaRpc = {
    ...rpc,
    transaction: (signature) => {
      reads.one += 1;
      return rpc.transaction(signature);
    },
    transactions: (signatures) => {
      reads.many += signatures.length;
      return rpc.transactions(signatures);
    },
  };
  const fate = fateOn(counted);
  for (let amount = 1n; amount <= 5n; amount += 1n) {
    await land(await signed([...GOOD.slice(0, 2), transfer({ amount })]));
  }
  advanceBlocks(33);
  for (let look = 0; look < 3; look += 1) expect(await fate(wire)).toEqual(OPEN);
  expect(reads).toEqual({ one: 0, many: 5 });
  const transaction = await land(wire);
  advanceBlocks(33);
  expect(await fate(wire)).toEqual({ fate: 'landed', transaction });
  expect(reads).toEqual({ one: 1, many: 5 });
});

test('what is older than its record is not read: nodes need no older history', async () => {
  await land(await signed());
  advanceBlocks(33);
  const wire = await signed();
  const first = (await rpc.height('finalized')).slot;
  // It forgot what is older than an hour before.
  const pruned: SolanaRpc = { ...rpc, firstAvailableSlot: async () => first };
  const fate = fateOn(pruned);
  expect(await fate(wire)).toEqual(OPEN);
  advanceBlocks(20_000);
  const late = await signed();
  const sinceMs = clock.now();
  expect(await fate(late, 'finalized', sinceMs)).toEqual(OPEN);
  advanceBlocks(250);
  expect(await fate(late, 'finalized', sinceMs)).toEqual(EXPIRED);
  // Without it the node would have to know the whole history.
  expect(await fate(wire)).toEqual(OPEN);
});

test('a payment that landed is found by a process that starts a day later, by the time of its record', async () => {
  const sinceMs = clock.now();
  const wire = await signed();
  const transaction = await land(wire);
  advanceBlocks(216_000);
  expect(await fateOn(rpc)(wire, 'finalized', sinceMs)).toEqual({ fate: 'landed', transaction });
});

test('bytes that are no payment are refused', async () => {
  await expect(fateOn(rpc)(Uint8Array.of(1, 2, 3))).rejects.toMatchObject({
    code: 'PAYMENT_MALFORMED',
  });
});

test('a chain that cannot be asked leaves it open', async () => {
  const fetch = () => Promise.reject(new TypeError('down'));
  const down = createSolanaRpc({ url: 'http://chain.invalid/rpc', fetch, clock });
  const wire = await signed();
  expect(await fateOn(down)(wire)).toEqual(OPEN);
  expect(await fateOn(rpc, { witness: down })(wire)).toEqual(OPEN);
});

/** A node that lags, or is ahead. */
function moved(by: { readonly blocks?: number; readonly slots?: number }): SolanaRpc {
  const height: SolanaRpc['height'] = async (commitment) => {
    const { slot, blockHeight } = await rpc.height(commitment);
    if (commitment === 'finalized') return { slot, blockHeight };
    return { slot: slot + (by.slots ?? 0), blockHeight: blockHeight + (by.blocks ?? 0) };
  };
  return { ...rpc, height };
}

test.each(['own', 'second'])(
  'the last block is counted from the node that is ahead: the %s',
  async (which) => {
    const ahead = moved({ blocks: 10 });
    const [own, witness] = which === 'own' ? [ahead, rpc] : [rpc, ahead];
    const wire = await signed();
    const fate = fateOn(own, { witness });
    expect(await fate(wire)).toEqual(OPEN);
    advanceBlocks(215 + 9);
    expect(await fate(wire)).toEqual(OPEN);
    advanceBlocks(1);
    expect(await fate(wire)).toEqual(EXPIRED);
  },
);

test.each([
  // A record of this moment is looked for in the ten minutes before it: 3,000 of the shortest slots.
  ['own', 3_100, EXPIRED],
  ['own', 3_099, OPEN],
  ['second', 3_100, EXPIRED],
  ['second', 3_099, OPEN],
] as const)(
  'the history is read from the slot of the node that is behind: the %s, %d slots back',
  async (which, back, result) => {
    advanceBlocks(10_000);
    const wire = await signed();
    const sinceMs = clock.now();
    const { slot } = await rpc.height('processed');
    const pruned: SolanaRpc = { ...rpc, firstAvailableSlot: async () => slot - back };
    const behind: SolanaRpc = { ...pruned, height: moved({ slots: -100 }).height };
    const [own, witness] = which === 'own' ? [behind, pruned] : [pruned, behind];
    const fate = fateOn(own, { witness });
    expect(await fate(wire, 'finalized', sinceMs)).toEqual(OPEN);
    advanceBlocks(215);
    expect(await fate(wire, 'finalized', sinceMs)).toEqual(result);
  },
);

test('a payment that landed before its record, by a clock that goes wrong, is found', async () => {
  const wire = await signed();
  const transaction = await land(wire);
  advanceBlocks(500);
  const sinceMs = clock.now();
  expect(await fateOn(rpc)(wire, 'finalized', sinceMs)).toEqual({ fate: 'landed', transaction });
});

test('a payment is watched until its fate is known', async () => {
  const wire = await signed();
  const { messageHash } = decodeTransaction(wire);
  const fates = createMerchantFates({ rpc, network: SOLANA_MAINNET, clock });
  const look = () => fates.fateOf(payloadOf(wire), { landedAt: 'finalized' });
  expect(fates.isWatched(messageHash)).toBe(false);
  await look();
  expect(fates.isWatched(messageHash)).toBe(true);
  await land(wire);
  advanceBlocks(33);
  await look();
  expect(fates.isWatched(messageHash)).toBe(false);
});

test.each([
  ['in which the payment’s signature is', true, OPEN],
  ['of anything else', false, EXPIRED],
])('unreadable bytes %s', async (_what, isOurs, result) => {
  const wire = await signed();
  const bytes = isOurs ? wire.slice(1 + 64, 1 + 128) : Uint8Array.of(1, 2, 3);
  const garbled: SolanaRpc = {
    ...rpc,
    transaction: async (id) => {
      const found = await rpc.transaction(id);
      return found && { ...found, wire: bytes };
    },
  };
  const fate = fateOn(garbled);
  expect(await fate(wire)).toEqual(OPEN);
  await land(await signed([...GOOD.slice(0, 2), transfer({ amount: 1n })]));
  advanceBlocks(250);
  expect(await fate(wire)).toEqual(result);
});

test.each([
  new TypeError('ours'),
  new ScripError('INTERNAL', t`ours`),
  Object.assign(new Error('a code alone'), { code: 'CHAIN_UNREACHABLE' }),
])('what is no fault of the chain is thrown: %s', async (error) => {
  const faulty: SolanaRpc = { ...rpc, height: () => Promise.reject(error) };
  await expect(fateOn(faulty)(await signed())).rejects.toBe(error);
});

test('a payment with one signature, whose payer would pay the fee, is looked for as well', async () => {
  const wire = await payerSigned(GOOD, { feePayer: PAYER.address });
  const fate = fateOn(rpc);
  expect(await fate(wire)).toEqual(OPEN);
  advanceBlocks(250);
  expect(await fate(wire)).toEqual(EXPIRED);
});
