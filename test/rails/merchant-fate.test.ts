/** The merchant's own look at the chain, through JSON-RPC on the embedded one. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SOLANA_MAINNET } from '../../src/contract/x402.ts';
import { createMerchantFate } from '../../src/rails/solana/merchant-fate.ts';
import { decodeTransaction, withSignature } from '../../src/rails/solana/message.ts';
import { createSolanaRpc, type SolanaRpc } from '../../src/rails/solana/rpc.ts';
import { type Chain, openChain } from '../../src/sandbox/chain/chain.ts';
import { createRpcEndpoint } from '../../src/sandbox/rpc/endpoint.ts';
import type { ChainStore } from '../../src/storage/chain-records.ts';
import { openSqliteChain } from '../../src/storage/sqlite.ts';
import { type ManualClock, skippingClock } from '../support/manual-clock.ts';
import {
  FEE_PAYER,
  GOOD,
  MERCHANT,
  PAYER,
  payerSigned,
  payloadOf,
  transfer,
} from '../support/solana-payment.ts';

const SLOT_MS = 400;

let clock: ManualClock;
let store: ChainStore;
let chain: Chain;
let rpc: SolanaRpc;

beforeEach(async () => {
  clock = skippingClock();
  store = await openSqliteChain(':memory:');
  chain = await openChain({ store, clock, slotMs: SLOT_MS });
  const answer = createRpcEndpoint(chain);
  const url = 'http://chain.invalid/rpc';
  rpc = createSolanaRpc({ url, fetch: (to, init) => answer(new Request(to, init)), clock });
  await chain.airdrop(FEE_PAYER.address, 1_000_000_000n);
  await chain.fundUsdc(PAYER.address, 100_000_000n);
  await chain.provisionTokenAccount(MERCHANT.address);
  advanceBlocks(40);
});

afterEach(() => store.close());

function advanceBlocks(blocks: number): void {
  clock.advance(blocks * SLOT_MS);
}

const fateOn = (node: SolanaRpc) => createMerchantFate({ rpc: node, network: SOLANA_MAINNET });

async function signed(instructions = GOOD): Promise<Uint8Array> {
  const { blockhash } = await rpc.latestBlockhash('finalized');
  return payerSigned(instructions, { blockhash });
}

/** As a facilitator that tells nobody. */
async function land(wire: Uint8Array): Promise<string> {
  const signature = await FEE_PAYER.sign(decodeTransaction(wire).message);
  return rpc.send(withSignature(wire, 0, signature));
}

test('a payment that landed is found once it is final, also by a new process', async () => {
  const wire = await signed();
  const fate = fateOn(rpc);
  const transaction = await land(wire);
  expect(await fate(payloadOf(wire))).toEqual({ fate: 'pending' });
  advanceBlocks(33);
  expect(await fate(payloadOf(wire))).toMatchObject({ fate: 'landed', transaction });
  advanceBlocks(100_000);
  const later = await fateOn(rpc)(payloadOf(wire));
  expect(later).toMatchObject({ fate: 'landed', transaction });
});

test('a payment that executed and failed is dead', async () => {
  const wire = await signed([...GOOD.slice(0, 2), transfer({ amount: 900_000_000n })]);
  await land(wire);
  advanceBlocks(33);
  expect(await fateOn(rpc)(payloadOf(wire))).toMatchObject({ fate: 'dead' });
});

test('a payment that nobody sent is dead when its blockhash must be over, and not before', async () => {
  const wire = await signed();
  const fate = fateOn(rpc);
  expect(await fate(payloadOf(wire))).toEqual({ fate: 'pending' });
  // 150 blocks of life, 32 until they are final, 32 of margin.
  advanceBlocks(150 + 32 + 32);
  expect(await fate(payloadOf(wire))).toEqual({ fate: 'pending' });
  expect(await fateOn(rpc)(payloadOf(wire))).toEqual({ fate: 'pending' });
  advanceBlocks(1);
  expect(await fate(payloadOf(wire))).toMatchObject({ fate: 'dead' });
});

test('bytes that are no payment cannot land as one', async () => {
  const fate = fateOn(rpc);
  expect(await fate(payloadOf(Uint8Array.of(1, 2, 3)))).toMatchObject({ fate: 'dead' });
  const idle = await signed(GOOD.slice(0, 2));
  expect(await fate(payloadOf(idle))).toMatchObject({ fate: 'dead' });
});

test('a chain that cannot be asked leaves it unknown', async () => {
  const fetch = () => Promise.reject(new TypeError('down'));
  const down = createSolanaRpc({ url: 'http://chain.invalid/rpc', fetch, clock });
  const wire = await signed();
  expect(await fateOn(down)(payloadOf(wire))).toMatchObject({ fate: 'unknown' });
});
