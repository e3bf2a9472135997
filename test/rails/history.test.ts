/** Readers of histories that strangers filled with transactions of their own. */
import { describe, expect, it } from 'vitest';
import { SOLANA_MAINNET, USDC_MINT } from '../../src/contract/x402.ts';
import { encodeBase58 } from '../../src/rails/solana/address.ts';
import { confirmedTransaction, paymentFate } from '../../src/rails/solana/fate.ts';
import { historyPages, oldestFirst } from '../../src/rails/solana/history.ts';
import { decodeTransaction } from '../../src/rails/solana/message.ts';
import { readOwnPayments } from '../../src/rails/solana/own-history.ts';
import type { SolanaRpc } from '../../src/rails/solana/rpc.ts';
import { landedTransfer } from '../../src/rails/solana/shop-transfer.ts';
import { fakeNode } from '../support/fake-rpc.ts';
import { PAYER, payerSigned, SOURCE } from '../support/solana-payment.ts';

const wire = await payerSigned();
const { messageHash, signatures } = decodeTransaction(wire);
const payment = {
  messageHash,
  signature: encodeBase58(signatures[1] ?? new Uint8Array()),
  lastValidBlockHeight: 1_150,
  baseline: { sourceAccount: SOURCE, signature: 'before', slot: 5_000 },
};
const entry = (signature: string) => ({ signature, slot: 5_040, error: null, isFinal: true });
const STRANGERS = 51_000;

/** The payment is older than all that strangers added. */
function flooded() {
  const strange = Array.from({ length: STRANGERS }, (_, at) => entry(`strange ${at}`));
  const node = fakeNode({ history: [...strange, entry('ours'), entry('before')] });
  const landed = { slot: 5_040, error: null, wire: Uint8Array.of(1) };
  for (const { signature } of [...strange, entry('before')])
    node.state.transactions.set(signature, landed);
  node.state.transactions.set('ours', { ...landed, wire });
  return node.rpc;
}

describe('below more transactions of strangers than were ever read', () => {
  const readers: readonly (readonly [string, (rpc: SolanaRpc) => Promise<unknown>, unknown])[] = [
    [
      'the fate of a payment',
      (rpc) => paymentFate({ rpc, network: SOLANA_MAINNET }, payment),
      { fate: 'landed', transaction: 'ours' },
    ],
    [
      'a confirmed payment',
      async (rpc) => [await confirmedTransaction({ rpc }, payment)],
      ['ours'],
    ],
    [
      'a transfer of the shop by its reference',
      (rpc) => landedTransfer(rpc, { owner: PAYER.address, reference: new Uint8Array(32) }),
      { kind: 'final', transaction: 'ours' },
    ],
    [
      'the payments of a wallet',
      (rpc) =>
        readOwnPayments({ rpc, mint: USDC_MINT, read: new Map() }, PAYER.address, {
          known: new Set(),
          until: 'before',
          mostReads: STRANGERS + 1,
        }),
      { isWhole: true, payments: [{ transactionId: 'ours' }] },
    ],
  ];
  it.each(readers)('%s is found', async (_what, read, expected) => {
    expect(await read(flooded())).toMatchObject(expected as object);
  });
});

it('a node that repeats a page is not asked for ever', async () => {
  const { rpc } = fakeNode();
  const stuck = { ...rpc, signaturesForAddress: async () => [entry('one'), entry('two')] };
  await expect(oldestFirst(historyPages(stuck, SOURCE, {}))).rejects.toMatchObject({
    code: 'CHAIN_UNREACHABLE',
  });
});
