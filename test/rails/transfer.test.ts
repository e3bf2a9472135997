import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { paymentTag } from '../../src/api/payment/payment-tag.ts';
import { USDC_MINT } from '../../src/contract/x402.ts';
import { type Atomic, atomic } from '../../src/domain/money/money.ts';
import { decodeTransaction } from '../../src/rails/solana/message.ts';
import {
  assertMatches,
  buildTransfer,
  computeBudgetFor,
  nonceOf,
  nonceOfTag,
  type TransferPlan,
} from '../../src/rails/solana/transfer.ts';
import { createVault } from '../../src/wallet/vault.ts';
import { assembleMessage, type HandInstruction } from '../support/hand-assembly.ts';
import {
  AMOUNT,
  BLOCKHASH,
  DESTINATION,
  FEE_PAYER,
  MERCHANT,
  memo,
  messageOf,
  PAYER,
  payerSigned,
  SOURCE,
  STRANGER,
  setLimit,
  setPrice,
  transfer,
} from '../support/solana-payment.ts';

const PLAN: TransferPlan = {
  payer: PAYER.address,
  feePayer: FEE_PAYER.address,
  payTo: MERCHANT.address,
  mint: USDC_MINT,
  amountAtomic: atomic(AMOUNT),
  blockhash: BLOCKHASH,
  nonce: 0,
};

/** Everything of a message but the order of equals among its accounts, which is the builder's. */
function meaning(message: Uint8Array): unknown {
  const wire = Uint8Array.from([2, ...Array<number>(128).fill(0), ...message]);
  const { accountKeys, instructions, header, recentBlockhash, version } = decodeTransaction(wire);
  return {
    version,
    header,
    recentBlockhash,
    signers: accountKeys.slice(0, header.requiredSignatures),
    accounts: accountKeys.toSorted(),
    instructions: instructions.map(({ programIndex, accounts, data }) => ({
      program: accountKeys[programIndex],
      accounts: accounts.map((index) => accountKeys[index]),
      data: [...data],
    })),
  };
}

describe('the builder', () => {
  test('writes what a hand assembly writes', async () => {
    const built = await buildTransfer(PLAN);
    const byHand = assembleMessage(messageOf([setLimit(20_001), setPrice(1_000n), transfer()]));
    expect(meaning(built.message)).toEqual(meaning(byHand));
    expect(built.message).toHaveLength(byHand.length);
    expect(built.version).toBe(0);
    expect(built.signatures).toEqual([new Uint8Array(64), new Uint8Array(64)]);
  });

  test('adds a memo only when one is asked for', async () => {
    const built = await buildTransfer({ ...PLAN, memo: 'order é 7' });
    const byHand = assembleMessage(
      messageOf([setLimit(30_000), setPrice(1_000n), transfer(), memo('order é 7')]),
    );
    expect(meaning(built.message)).toEqual(meaning(byHand));
    expect((await buildTransfer(PLAN)).instructions).toHaveLength(3);
  });

  test('names the reference as a key that is only read, in a legacy message where one is asked for', async () => {
    const reference = STRANGER.address;
    const keyed = transfer({ extraAccounts: [{ address: reference }] });
    for (const version of [0, 'legacy'] as const) {
      const asked = version === 'legacy' ? { version } : {};
      const built = await buildTransfer({ ...PLAN, ...asked, reference });
      const byHand = messageOf([setLimit(20_001), setPrice(1_000n), keyed], { version });
      expect(meaning(built.message)).toEqual(meaning(assembleMessage(byHand)));
      expect(built.version).toBe(version);
    }
  });

  test('gives out no transaction whose payer would pay the fee as well', async () => {
    const plan = { ...PLAN, feePayer: PAYER.address };
    await expect(buildTransfer(plan)).rejects.toMatchObject({ code: 'INTERNAL' });
  });

  test('writes any u64 as it is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }), async (amount) => {
        const built = await buildTransfer({ ...PLAN, amountAtomic: atomic(amount) });
        const data = built.instructions[2]?.data ?? new Uint8Array();
        expect(Buffer.from(data).readBigUInt64LE(1)).toBe(amount);
      }),
      { numRuns: 25 },
    );
  });

  test.each([-5_050_000n, 0n, 2n ** 64n, 2n ** 64n + 7n])(
    'lets no %d through to the libraries',
    async (amount) => {
      // What the type forbids is forced here: the libraries would write another number.
      const plan = { ...PLAN, amountAtomic: amount as Atomic };
      await expect(buildTransfer(plan)).rejects.toMatchObject({ code: 'AMOUNT_INVALID' });
    },
  );
});

describe('the nonce', () => {
  test.each([
    [0, 'transfer', { units: 20_001, price: 1_000 }],
    [1, 'transfer', { units: 20_001, price: 1_001 }],
    [99_999, 'transfer', { units: 20_001, price: 100_999 }],
    [100_000, 'transfer', { units: 20_002, price: 1_000 }],
    [2_999_999_999, 'transfer', { units: 50_000, price: 100_999 }],
    [100_000, 'memo', { units: 30_001, price: 1_000 }],
    [100_000, 'own', { units: 60_001, price: 1_000 }],
  ] as const)('%d of a %s is a budget of its own', (nonce, kind, budget) => {
    expect(computeBudgetFor(nonce, kind)).toEqual(budget);
  });

  const kinds = fc.constantFrom('transfer', 'memo', 'own');

  test('never costs more than 10,000 lamports, and is read back from the budget', () => {
    fc.assert(
      fc.property(fc.nat(2_999_999_999), kinds, (nonce, kind) => {
        const budget = computeBudgetFor(nonce, kind);
        expect(budget.units * budget.price).toBeLessThanOrEqual(10_000 * 1_000_000);
        expect(nonceOf(budget, { hasMemo: kind === 'memo' })).toBe(nonce);
      }),
    );
  });

  test('of a payment’s tag asks for at most 50,000 units of a merchant’s facilitator', async () => {
    const key = fc.string();
    const vault = await createVault(PAYER);
    fc.assert(
      fc.property(key, fc.integer({ min: 1, max: 9 }), (of, attempt) => {
        const nonce = nonceOfTag(paymentTag(vault, { key: of }, attempt));
        for (const kind of ['transfer', 'memo'] as const) {
          const { units } = computeBudgetFor(nonce, kind);
          expect(units).toBeGreaterThan(20_000);
          expect(units).toBeLessThanOrEqual(50_000);
        }
      }),
    );
  });

  test('of a payment of earlier versions is read as before', () => {
    expect(nonceOf({ units: 60_001, price: 1_007 }, { hasMemo: false })).toBe(100_007);
    expect(nonceOf({ units: 60_001, price: 1_007 }, { hasMemo: true })).toBe(100_007);
  });

  test.each([-1, 1.5, Number.NaN, 3_000_000_000])('%d is refused', (nonce) => {
    expect(() => computeBudgetFor(nonce, 'transfer')).toThrow(
      expect.objectContaining({
        code: 'INPUT_INVALID',
        message: `${nonce} is not a nonce between 0 and 2999999999`,
      }),
    );
  });

  test.each([
    [20_000, 1_000],
    [20_000, 101_000],
    [20_002, 999],
    [20_001, 101_000],
    [50_001, 1_000],
  ])('is read from no budget of %d units at %d', (units, price) => {
    expect(nonceOf({ units, price }, { hasMemo: false })).toBeUndefined();
  });
});

/** Transfers between the same accounts, used in another way. */
const EXCHANGED = transfer({ source: DESTINATION, destination: SOURCE });
const WRITING: HandInstruction = {
  ...transfer(),
  accounts: transfer().accounts.map((use) => ({ ...use, isWritable: use.address !== USDC_MINT })),
};
const withMintSigner = (of: HandInstruction): HandInstruction => ({
  ...of,
  accounts: of.accounts.map((use) =>
    use.address === USDC_MINT ? { ...use, isSigner: true } : use,
  ),
});

describe('the comparison of the bytes with the plan finds', () => {
  const built = [setLimit(20_001), setPrice(1_000n), transfer()];
  const compare = async (...wire: Parameters<typeof payerSigned>): Promise<void> =>
    assertMatches(PLAN, decodeTransaction(await payerSigned(...wire)));

  test('nothing in the plan’s own bytes', async () => {
    await expect(compare(built)).resolves.toBeUndefined();
  });

  test.each<[string, Parameters<typeof payerSigned>]>([
    ['another amount', [built.with(2, transfer({ amount: AMOUNT + 1n }))]],
    ['another number of decimals', [built.with(2, transfer({ decimals: 9 }))]],
    ['another recipient', [built.with(2, transfer({ destination: STRANGER.address }))]],
    ['another source', [built.with(2, transfer({ source: STRANGER.address }))]],
    ['another authority', [built.with(2, transfer({ authority: STRANGER.address }))]],
    ['another mint', [built.with(2, transfer({ mint: STRANGER.address }))]],
    ['another program', [built.with(2, transfer({ program: STRANGER.address }))]],
    ['another fee payer', [built, { feePayer: STRANGER.address }]],
    ['another blockhash', [built, { blockhash: STRANGER.address }]],
    ['another version', [built, { version: 'legacy' }]],
    ['a lookup table', [built, { lookups: [[STRANGER.address, [0], []]] }]],
    ['another limit', [built.with(0, setLimit(20_002))]],
    ['another price', [built.with(1, setPrice(1_001n))]],
    ['a memo', [[...built, memo('hello')]]],
    ['a second transfer', [[...built, transfer()]]],
    ['an instruction less', [built.slice(0, 2)]],
    ['no instructions', [[]]],
    ['source and recipient exchanged', [built.with(2, EXCHANGED)]],
    ['a payer whose account may be written', [built.with(2, WRITING)]],
    ['a third signer', [built.with(2, withMintSigner(WRITING))]],
    [
      'a further account',
      [built.with(0, { ...setLimit(20_001), accounts: [{ address: STRANGER.address }] })],
    ],
    [
      'a further account that is known',
      [built.with(0, { ...setLimit(20_001), accounts: [{ address: PAYER.address }] })],
    ],
  ])('%s', async (_name, wire) => {
    await expect(compare(...wire)).rejects.toMatchObject({ code: 'INTERNAL' });
  });
});
