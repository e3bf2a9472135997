import { describe, expect, it } from 'vitest';
import { USDC_MINT } from '../../src/contract/x402.ts';
import { atomic } from '../../src/domain/money/money.ts';
import { associatedTokenAddress } from '../../src/rails/solana/address.ts';
import { signerFromSeed } from '../../src/rails/solana/ed25519.ts';
import { type DecodedTransaction, decodeTransaction } from '../../src/rails/solana/message.ts';
import {
  assertOwnTransfer,
  buildOwnTransfer,
  type OwnTransferPlan,
} from '../../src/rails/solana/own-transfer.ts';
import { BLOCKHASH, MERCHANT, PAYER } from '../support/solana-payment.ts';

const PLAN: OwnTransferPlan = {
  payer: PAYER.address,
  payTo: MERCHANT.address,
  mint: USDC_MINT,
  amountAtomic: atomic(25_500_000n),
  blockhash: BLOCKHASH,
  nonce: 7,
  opensAccount: false,
};

const KINDS: readonly (readonly [string, OwnTransferPlan, number])[] = [
  ['USDC', PLAN, 3],
  ['USDC to an account that it opens', { ...PLAN, opensAccount: true }, 4],
  ['SOL', { ...PLAN, mint: null }, 3],
];

describe.each(KINDS)('a transfer of %s', (_name, plan, instructions) => {
  it('has one signer, who pays the fee', async () => {
    const built = await buildOwnTransfer(plan);
    expect(built.header.requiredSignatures).toBe(1);
    expect(built.accountKeys[0]).toBe(plan.payer);
    expect(built.instructions).toHaveLength(instructions);
  });

  it('is other bytes with another nonce', async () => {
    const one = await buildOwnTransfer(plan);
    const other = await buildOwnTransfer({ ...plan, nonce: plan.nonce + 1 });
    expect(other.messageHash).not.toBe(one.messageHash);
  });

  it.each<readonly [string, Partial<OwnTransferPlan>]>([
    ['amount', { amountAtomic: atomic(25_500_001n) }],
    ['recipient', { payTo: signerFromSeed(new Uint8Array(32).fill(77)).address }],
    ['blockhash', { blockhash: PAYER.address }],
    ['nonce', { nonce: 8 }],
    ['payer', { payer: MERCHANT.address }],
  ])('is found out when its %s is not what was asked', async (_part, other) => {
    const built = await buildOwnTransfer({ ...plan, ...other });
    expect(() => assertOwnTransfer(plan, decodeTransaction(built.wire))).toThrow(/has another/);
  });
});

it.each<[string, (built: DecodedTransaction) => Partial<DecodedTransaction>]>([
  ['version', () => ({ version: 'legacy' })],
  ['version', () => ({ lookupTables: 1 })],
  ['number of signers', ({ header }) => ({ header: { ...header, requiredSignatures: 2 } })],
  ['number of signers', ({ header }) => ({ header: { ...header, readonlySigned: 1 } })],
  ['list of instructions', ({ accountKeys }) => ({ accountKeys: accountKeys.slice(0, 2) })],
])('bytes with another %s are found out (%#)', async (what, change) => {
  const built = await buildOwnTransfer(PLAN);
  expect(() => assertOwnTransfer(PLAN, built)).not.toThrow();
  const other = { ...built, ...change(built) };
  expect(() => assertOwnTransfer(PLAN, other)).toThrow(`another ${what}`);
});

it('SOL opens no account', async () => {
  const plan = { ...PLAN, mint: null, opensAccount: true };
  expect((await buildOwnTransfer(plan)).instructions).toHaveLength(3);
});

it('a transfer of nothing is not built', async () => {
  await expect(buildOwnTransfer({ ...PLAN, amountAtomic: atomic(0n) })).rejects.toMatchObject({
    code: 'AMOUNT_INVALID',
  });
});

it('the account that is opened is the one of the recipient', async () => {
  const built = await buildOwnTransfer({ ...PLAN, opensAccount: true });
  expect(built.accountKeys).toContain(associatedTokenAddress(MERCHANT.address, USDC_MINT));
});
