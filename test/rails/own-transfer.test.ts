import { describe, expect, it } from 'vitest';
import { USDC_MINT } from '../../src/contract/x402.ts';
import { atomic } from '../../src/domain/money/money.ts';
import { associatedTokenAddress } from '../../src/rails/solana/address.ts';
import { signerFromSeed } from '../../src/rails/solana/ed25519.ts';
import { type DecodedTransaction, decodeTransaction } from '../../src/rails/solana/message.ts';
import {
  assertMatches,
  buildTransfer,
  type TransferPlan,
} from '../../src/rails/solana/transfer.ts';
import { BLOCKHASH, MERCHANT, PAYER } from '../support/solana-payment.ts';

const PLAN: TransferPlan = {
  payer: PAYER.address,
  feePayer: null,
  payTo: MERCHANT.address,
  mint: USDC_MINT,
  amountAtomic: atomic(25_500_000n),
  blockhash: BLOCKHASH,
  nonce: 7,
};

const KINDS: readonly (readonly [string, TransferPlan, number])[] = [
  ['USDC', PLAN, 3],
  ['USDC to an account that it opens', { ...PLAN, opensAccount: true }, 4],
  ['SOL', { ...PLAN, mint: null }, 3],
];

describe.each(KINDS)('a transfer of %s', (_name, plan, instructions) => {
  it('has one signer, who pays the fee', async () => {
    const built = await buildTransfer(plan);
    expect(built.header.requiredSignatures).toBe(1);
    expect(built.accountKeys[0]).toBe(plan.payer);
    expect(built.instructions).toHaveLength(instructions);
  });

  it('is other bytes with another nonce', async () => {
    const one = await buildTransfer(plan);
    const other = await buildTransfer({ ...plan, nonce: plan.nonce + 1 });
    expect(other.messageHash).not.toBe(one.messageHash);
  });

  it.each<readonly [string, Partial<TransferPlan>]>([
    ['amount', { amountAtomic: atomic(25_500_001n) }],
    ['recipient', { payTo: signerFromSeed(new Uint8Array(32).fill(77)).address }],
    ['blockhash', { blockhash: PAYER.address }],
    ['nonce', { nonce: 8 }],
    ['payer', { payer: MERCHANT.address }],
  ])('is found out when its %s is not what was asked', async (_part, other) => {
    const built = await buildTransfer({ ...plan, ...other });
    expect(() => assertMatches(plan, decodeTransaction(built.wire))).toThrow(/has another/);
  });
});

it.each<[string, (built: DecodedTransaction) => Partial<DecodedTransaction>]>([
  ['version', () => ({ version: 'legacy' })],
  ['version', () => ({ lookupTables: 1 })],
  ['number of signers', ({ header }) => ({ header: { ...header, requiredSignatures: 2 } })],
  ['number of writers', ({ header }) => ({ header: { ...header, readonlySigned: 1 } })],
  ['set of accounts', ({ accountKeys }) => ({ accountKeys: accountKeys.slice(0, 2) })],
  ['list of instructions', ({ instructions }) => ({ instructions: instructions.slice(0, 2) })],
])('bytes with another %s are found out (%#)', async (what, change) => {
  const built = await buildTransfer(PLAN);
  expect(() => assertMatches(PLAN, built)).not.toThrow();
  const other = { ...built, ...change(built) };
  expect(() => assertMatches(PLAN, other)).toThrow(`another ${what}`);
});

it('SOL opens no account', async () => {
  const plan = { ...PLAN, mint: null, opensAccount: true };
  expect((await buildTransfer(plan)).instructions).toHaveLength(3);
});

it('the account that is opened is the one of the recipient', async () => {
  const built = await buildTransfer({ ...PLAN, opensAccount: true });
  expect(built.accountKeys).toContain(associatedTokenAddress(MERCHANT.address, USDC_MINT));
});
