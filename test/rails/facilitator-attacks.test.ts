/** Payments that must not be countersigned, each with the reason that it is refused for. */
import { describe, expect, it, test } from 'vitest';
import {
  type PaymentPayload,
  type PaymentRequirement,
  SOLANA_MAINNET,
  USDC_MINT,
} from '../../src/contract/x402.ts';
import { RECENT_BLOCKHASHES_SYSVAR } from '../../src/rails/solana/acceptance.ts';
import {
  associatedTokenAddress,
  COMPUTE_BUDGET_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '../../src/rails/solana/address.ts';
import { createFacilitator } from '../../src/rails/solana/facilitator.ts';
import { memoryClaims } from '../support/claims.ts';
import { fakeNode, type NodeState } from '../support/fake-rpc.ts';
import { type HandInstruction, littleEndian } from '../support/hand-assembly.ts';
import { skippingClock } from '../support/manual-clock.ts';
import {
  AMOUNT,
  DESTINATION,
  FEE_PAYER,
  GOOD,
  MERCHANT,
  memo,
  PAYER,
  payerSigned,
  payloadOf,
  REQUIREMENT,
  SOURCE,
  STRANGER,
  setLimit,
  setPrice,
  transfer,
} from '../support/solana-payment.ts';

/** Some wallets append instructions of this program (assertions) to what they sign. */
const LIGHTHOUSE_PROGRAM = 'L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95';

const OTHER_MINT = 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB';
const FEE_PAYER_ACCOUNT = associatedTokenAddress(FEE_PAYER.address, USDC_MINT);

/** What the fee payer has to pay fees with. */
const FUNDED = {
  lamports: 1_000_000_000n,
  owner: SYSTEM_PROGRAM,
  data: new Uint8Array(),
  isExecutable: false,
};

/** A facilitator that notes every countersignature and every broadcast. */
function facilitator(state: Partial<NodeState> = {}) {
  const accounts = new Map([...(state.accounts ?? []), [FEE_PAYER.address, FUNDED]]);
  const node = fakeNode({ ...state, accounts });
  const countersigned: Uint8Array[] = [];
  const claims = memoryClaims();
  const port = createFacilitator({
    rpc: node.rpc,
    claims,
    clock: skippingClock(),
    confirmTimeoutMs: 10_000,
    network: SOLANA_MAINNET,
    mint: USDC_MINT,
    feePayer: {
      address: FEE_PAYER.address,
      sign: (message) => {
        countersigned.push(message);
        return FEE_PAYER.sign(message);
      },
    },
  });
  return { ...port, node, countersigned, claims };
}

/** Of the refusals that have a limit, the number or word in which the message names it. */
const LIMITS: readonly (readonly [reason: RegExp, named: string])[] = [
  [/limit_instruction_too_high$/, '1,400,000 units'],
  [/price_instruction_too_high$/, '5,000,000 micro-lamports a unit and 10,000 lamports'],
  [/limit_instruction$/, 'comes first'],
  [/price_instruction$/, 'comes second'],
  [/instructions_length$/, '1 to 7 instructions'],
  [/excessive_signers$/, 'two signatures'],
  [/unknown_\w+_instruction$/, 'at most 3 Lighthouse assertions'],
  [/no_transfer_instruction$/, 'TransferChecked'],
  [/memo_too_long$/, '64 bytes'],
  [/memo_accounts$/, 'no accounts'],
  [/memo_count$/, 'one memo'],
  [/blockhash_too_old$/, '60 blocks'],
];

async function expectRefused(
  payload: PaymentPayload,
  reason: string,
  requirement: PaymentRequirement = REQUIREMENT,
  state: Partial<NodeState> = {},
): Promise<void> {
  const { verify, settle, node, countersigned } = facilitator(state);
  const limit = LIMITS.find(([pattern]) => pattern.test(reason))?.[1] ?? '';
  expect(await verify(payload, requirement)).toMatchObject({
    isValid: false,
    invalidReason: `invalid_exact_svm_${reason}`,
    invalidMessage: expect.stringContaining(limit),
  });
  expect(await settle(payload, requirement)).toMatchObject({
    success: false,
    transaction: '',
    errorReason: `invalid_exact_svm_${reason}`,
    errorMessage: expect.stringContaining(limit),
  });
  expect(countersigned).toEqual([]);
  expect(node.sent).toEqual([]);
}

const withTransfer = (parts: Parameters<typeof transfer>[0]) => GOOD.with(2, transfer(parts));
const systemTransfer = (from: string): HandInstruction => ({
  program: SYSTEM_PROGRAM,
  accounts: [
    { address: from, isSigner: true, isWritable: true },
    { address: STRANGER.address, isWritable: true },
  ],
  data: Uint8Array.from([2, 0, 0, 0, ...littleEndian(1_000_000n, 8)]),
});
const budget = (data: readonly number[]): HandInstruction => ({
  program: COMPUTE_BUDGET_PROGRAM,
  accounts: [],
  data: Uint8Array.from(data),
});
const lighthouse: HandInstruction = {
  program: LIGHTHOUSE_PROGRAM,
  accounts: [{ address: PAYER.address }],
  data: Uint8Array.of(9),
};
/** A memo that these sign. */
const witnessed = (...by: readonly { readonly address: string }[]) =>
  memo(
    '',
    by.map(({ address }) => ({ address, isSigner: true })),
  );
const strange = { address: STRANGER.address, isWritable: true };

type Wire = Parameters<typeof payerSigned>;

const price = 'payload_transaction_instructions_compute_price_instruction';
const limit = 'payload_transaction_instructions_compute_limit_instruction';

/** What is refused, by the reason. */
const REFUSED: Readonly<Record<string, Readonly<Record<string, Wire>>>> = {
  payload_transaction_version: { 'is of the legacy form': [GOOD, { version: 'legacy' }] },
  smart_wallet_alt_resolution_not_available: {
    'names a lookup table': [GOOD, { lookups: [[STRANGER.address, [0], []]] }],
  },
  fee_payer_mismatch: {
    'has another fee payer': [GOOD, { feePayer: STRANGER.address }],
    'has the payer pay its fee': [GOOD, { feePayer: PAYER.address }],
  },
  payload_excessive_signers: {
    'asks for a third signature': [[...GOOD, witnessed(STRANGER)]],
    'asks for four signatures': [[...GOOD, witnessed(MERCHANT, STRANGER)]],
  },
  payload_missing_payer_signature: {
    'no one but the fee payer signs': [withTransfer({ authority: FEE_PAYER.address })],
  },
  payload_signature_invalid: {
    'is not signed by the payer': [withTransfer({ authority: MERCHANT.address })],
  },
  payload_transaction_instructions_length: {
    'has eight instructions': [[...GOOD, ...Array.from({ length: 5 }, () => memo('x'))]],
  },
  [limit]: {
    'has a memo alone': [[witnessed(PAYER)]],
    'starts with a nonce advance': [
      GOOD.with(0, {
        program: SYSTEM_PROGRAM,
        accounts: [strange],
        data: Uint8Array.of(4, 0, 0, 0),
      }),
    ],
    'sets its price first': [[setPrice(1_000n), setLimit(200_000), transfer()]],
    'sets its limit with a byte too many': [GOOD.with(0, budget([2, 64, 13, 3, 0, 0]))],
    'names an account beside its limit': [
      GOOD.with(0, { ...setLimit(1_000), accounts: [strange] }),
    ],
    'asks for a heap instead of a limit': [GOOD.with(0, budget([1, 0, 0, 4, 0]))],
  },
  [`${limit}_too_high`]: { 'asks for 1,400,001 units': [GOOD.with(0, setLimit(1_400_001))] },
  [price]: {
    'sets a limit alone': [[setLimit(200_000), transfer()]],
    'sets no price': [[setLimit(200_000), memo('x'), transfer()]],
    'sets its price with a byte too few': [GOOD.with(1, budget([3, 1, 0, 0, 0, 0, 0, 0]))],
  },
  [`${price}_too_high`]: {
    'asks for 5,000,001 micro-lamports a unit': [[setLimit(1), setPrice(5_000_001n), transfer()]],
    'asks for the highest price there is': [GOOD.with(1, setPrice(2n ** 64n - 1n))],
    'costs more than 10,000 lamports of priority': [
      [setLimit(200_000), setPrice(50_001n), transfer()],
    ],
  },
  payload_no_transfer_instruction: {
    'transfers lamports of the payer': [GOOD.with(2, systemTransfer(PAYER.address))],
    'transfers by Token-2022': [withTransfer({ program: TOKEN_2022_PROGRAM })],
    'transfers unchecked': [
      GOOD.with(2, { ...transfer(), data: Uint8Array.from([3, ...littleEndian(AMOUNT, 8)]) }),
    ],
    'approves instead of transferring': [withTransfer({ tag: 13 })],
    'has a byte after its transfer': [withTransfer({ extraData: [0] })],
    'names a fifth account in its transfer': [
      withTransfer({ extraAccounts: [{ address: STRANGER.address }] }),
    ],
    'names the fee payer as fifth account': [
      withTransfer({ extraAccounts: [{ address: FEE_PAYER.address }] }),
    ],
  },
  payload_transaction_fee_payer_transferring_funds: {
    'moves the fee payer’s tokens, with the payer as witness': [
      [
        ...withTransfer({ source: FEE_PAYER_ACCOUNT, authority: FEE_PAYER.address }),
        witnessed(PAYER),
      ],
    ],
  },
  payload_fee_payer_not_isolated: {
    'has a memo that the fee payer signs': [[...GOOD, witnessed(FEE_PAYER)]],
    'has the fee payer as source': [withTransfer({ source: FEE_PAYER.address })],
    'transfers the fee payer’s lamports behind a payment': [
      [...GOOD, systemTransfer(FEE_PAYER.address)],
    ],
    'has an assertion name the fee payer': [
      [...GOOD, { ...lighthouse, accounts: [{ address: FEE_PAYER.address, isWritable: true }] }],
    ],
  },
  payload_mint_mismatch: { 'pays with another token': [withTransfer({ mint: OTHER_MINT })] },
  payload_decimals_mismatch: { 'counts other decimals': [withTransfer({ decimals: 9 })] },
  payload_recipient_mismatch: {
    'pays a stranger': [
      withTransfer({ destination: associatedTokenAddress(STRANGER.address, USDC_MINT) }),
    ],
    'pays the owner and not its account': [withTransfer({ destination: MERCHANT.address })],
  },
  payload_source_is_destination: { 'pays itself': [withTransfer({ source: DESTINATION })] },
  payload_authority_not_signer: {
    'moves tokens by an authority that did not sign': [
      [
        ...GOOD.with(2, {
          ...transfer(),
          accounts: transfer().accounts.with(3, { address: STRANGER.address }),
        }),
        witnessed(PAYER),
      ],
    ],
  },
  payload_amount_mismatch: {
    'pays one unit less': [withTransfer({ amount: AMOUNT - 1n })],
    'pays one unit more': [withTransfer({ amount: AMOUNT + 1n })],
    'pays nothing': [withTransfer({ amount: 0n })],
    'pays the most there is': [withTransfer({ amount: 2n ** 64n - 1n })],
  },
  payload_unknown_second_instruction: {
    'has no budget and two transfers': [[transfer(), transfer()]],
  },
  payload_unknown_fourth_instruction: {
    'transfers twice': [[...GOOD, transfer()]],
    'closes the source account': [
      [
        ...GOOD,
        {
          program: TOKEN_PROGRAM,
          accounts: [
            { address: SOURCE, isWritable: true },
            strange,
            { address: PAYER.address, isSigner: true },
          ],
          data: Uint8Array.of(9),
        },
      ],
    ],
    'sets its limit again': [[...GOOD, setLimit(1_400_000)]],
  },
  payload_unknown_seventh_instruction: {
    'adds four assertions of its wallet': [[...GOOD, ...Array(4).fill(lighthouse)]],
  },
  payload_memo_accounts: { 'has a memo that the payer signs': [[...GOOD, witnessed(PAYER)]] },
  payload_memo_too_long: {
    'has a memo of 65 bytes': [[...GOOD, memo('x'.repeat(65))]],
    'has a memo of 500 bytes': [[...GOOD, memo('x'.repeat(500))]],
  },
};

/** Of each reason: changes of the payload, and of the requirement. */
const standard = { scheme: undefined, network: undefined, accepted: REQUIREMENT };
const elsewhere = { network: 'solana:devnet' };
const both = (amount: string | undefined) => ({ amount, maxAmountRequired: amount });
const ENVELOPES: Readonly<Record<string, Readonly<Record<string, readonly [object, object?]>>>> = {
  unsupported_scheme: {
    'names another scheme': [{ scheme: 'upto' }],
    'names no scheme': [{ scheme: undefined }],
    'accepted another scheme': [{ accepted: { ...REQUIREMENT, scheme: 'upto' } }],
  },
  network_mismatch: {
    'names another network': [elsewhere],
    'accepted another network': [{ accepted: { ...REQUIREMENT, network: 'eip155:1' } }],
    'says two things': [{ ...standard, ...elsewhere, scheme: 'exact' }],
    'is for a requirement on another network': [elsewhere, elsewhere],
  },
  payload_missing_fee_payer: { 'is for a requirement without fee payer': [{}, { extra: {} }] },
  fee_payer_not_managed_by_facilitator: {
    'is for another’s fee payer': [{}, { extra: { feePayer: STRANGER.address } }],
  },
  payload_mint_mismatch: { 'is for a requirement of another token': [{}, { asset: OTHER_MINT }] },
  requirement_amount_invalid: {
    'is for a requirement of two amounts': [{}, { amount: '1' }],
    'is for a requirement of no amount': [{}, both(undefined)],
    'is for a negative amount': [{}, both(`-${AMOUNT}`)],
  },
  requirement_recipient_invalid: {
    'is for a recipient that is no address': [{}, { payTo: '1111' }],
  },
};

/** The rows of a table by reasons. */
const rowsOf = <Row>(table: Readonly<Record<string, Readonly<Record<string, Row>>>>) =>
  Object.entries(table).flatMap(([reason, rows]) =>
    Object.entries(rows).map(([what, row]) => [what, row, reason] as const),
  );

it('what it supports names the most that a payment may offer as priority fee', async () => {
  const [kind] = (await facilitator().supported()).kinds;
  expect(kind?.extra).toEqual({ feePayer: FEE_PAYER.address, maxPriorityFeeLamports: '10000' });
});

describe('a transaction is taken that', () => {
  const assertions = [lighthouse, lighthouse, lighthouse];
  test.each<[string, HandInstruction[]]>([
    ['has three assertions of its wallet and a memo', [...GOOD, ...assertions, memo('x')]],
    ['has a memo before them', [...GOOD, memo('x'), ...assertions]],
    ['asks for the most units there are', GOOD.with(0, setLimit(1_400_000)).with(1, setPrice(1n))],
    ['has no compute budget', [transfer()]],
    ['has none, and a memo and an assertion', [transfer(), memo('x'), lighthouse]],
  ])('%s', async (_what, instructions) => {
    const payload = payloadOf(await payerSigned(instructions));
    expect(await facilitator().verify(payload, REQUIREMENT)).toMatchObject({ isValid: true });
  });
});

describe('a transaction is refused that', () => {
  test.each(rowsOf(REFUSED))('%s', async (_what, wire, reason) => {
    await expectRefused(payloadOf(await payerSigned(...wire)), reason);
  });

  test.each<[string, (wire: Uint8Array) => Uint8Array]>([
    ['was changed after signing', (wire) => wire.with(wire.length - 20, 0x55)],
    [
      'carries a signature of zeros',
      (wire) =>
        Uint8Array.from([...wire.subarray(0, 65), ...new Uint8Array(64), ...wire.subarray(129)]),
    ],
    [
      'has the payer’s signature in the fee payer’s place',
      (wire) =>
        Uint8Array.from([
          wire[0] ?? 0,
          ...wire.subarray(65, 129),
          ...wire.subarray(1, 65),
          ...wire.subarray(129),
        ]),
    ],
  ])('%s', async (_name, change) => {
    await expectRefused(payloadOf(change(await payerSigned())), 'payload_signature_invalid');
  });

  test.each<[string, (base64: string) => string]>([
    ['is no base64', () => 'not base64!'],
    [
      'is the wrong base64',
      (text) => text.replaceAll('+', '-').replaceAll('/', '_').replace(/=*$/, '-_'),
    ],
    [
      'has trailing bytes',
      (text) => Buffer.concat([Buffer.from(text, 'base64'), Buffer.of(0)]).toString('base64'),
    ],
    ['is cut short', (text) => Buffer.from(text, 'base64').subarray(0, 300).toString('base64')],
    ['is too long', () => Buffer.alloc(1233).toString('base64')],
  ])('%s', async (_name, change) => {
    const payload = payloadOf(await payerSigned());
    const transaction = change(payload.payload.transaction ?? '');
    await expectRefused(
      { ...payload, payload: { transaction } },
      'payload_transaction_could_not_be_decoded',
    );
  });
});

describe('an envelope is refused that', () => {
  test.each(rowsOf(ENVELOPES))('%s', async (_what, [payloadChange, requirementChange], reason) => {
    const payload = { ...payloadOf(await payerSigned()), ...payloadChange } as PaymentPayload;
    const requirement = { ...REQUIREMENT, ...requirementChange } as PaymentRequirement;
    await expectRefused(payload, reason, requirement);
  });
});

describe('a memo that was asked for', () => {
  const requirement = { ...REQUIREMENT, extra: { feePayer: FEE_PAYER.address, memo: 'order 7' } };
  test.each<[string, readonly HandInstruction[], string]>([
    ['must be there', [], 'payload_memo_count'],
    ['must be there once', [memo('order 7'), memo('order 7')], 'payload_memo_count'],
    ['must be the one', [memo('order 8')], 'payload_memo_mismatch'],
    ['must be all of it', [memo('order 7 ')], 'payload_memo_mismatch'],
    ['must be text', [{ ...memo(''), data: Uint8Array.of(0xff, 0xfe) }], 'payload_memo_mismatch'],
  ])('%s', async (_name, tail, reason) => {
    await expectRefused(payloadOf(await payerSigned([...GOOD, ...tail])), reason, requirement);
  });

  test('may be longer than one that was not', async () => {
    const text = 'x'.repeat(200);
    const asked = { ...REQUIREMENT, extra: { feePayer: FEE_PAYER.address, memo: text } };
    const payload = payloadOf(await payerSigned([...GOOD, memo(text)]));
    expect(await facilitator().verify(payload, asked)).toMatchObject({ isValid: true });
  });
});

describe('the chain refuses a payment', () => {
  test.each<[string, Partial<NodeState>, string]>([
    [
      'over a blockhash that it does not know',
      { isBlockhashValid: false },
      'payload_blockhash_expired',
    ],
    [
      'that would fail',
      { simulationError: { InstructionError: [2, { Custom: 1 }] } },
      'transaction_simulation_failed',
    ],
    [
      'over a blockhash with 59 blocks left',
      { accounts: recentBlockhashes(91) },
      'payload_blockhash_too_old',
    ],
    [
      'over a blockhash that is not among the recent',
      { accounts: recentBlockhashes(150) },
      'payload_blockhash_too_old',
    ],
  ])('%s', async (_name, state, reason) => {
    await expectRefused(payloadOf(await payerSigned()), reason, REQUIREMENT, state);
  });

  test('and takes one with 60 blocks left', async () => {
    const { verify } = facilitator({ accounts: recentBlockhashes(90) });
    expect(await verify(payloadOf(await payerSigned()), REQUIREMENT)).toMatchObject({
      isValid: true,
    });
  });
});

describe('a good payment is', () => {
  test.each<[string, Parameters<typeof payerSigned>]>([
    ['three instructions', [GOOD]],
    ['at the limit of units and price', [[setLimit(200_000), setPrice(50_000n), transfer()]]],
    [
      'at the reference client’s budget, with its random memo',
      [[setLimit(20_000), setPrice(1n), transfer(), memo('0123456789abcdef0123456789abcdef')]],
    ],
    ['one with a memo of 64 bytes', [[...GOOD, memo('x'.repeat(64))]]],
    ['one with four memos', [[...GOOD, ...['a', 'b', 'c', 'd'].map((text) => memo(text))]]],
    [
      'one from an account that is not the payer’s first',
      [withTransfer({ source: STRANGER.address })],
    ],
  ])('%s', async (_name, wire) => {
    const { verify, countersigned } = facilitator();
    expect(await verify(payloadOf(await payerSigned(...wire)), REQUIREMENT)).toEqual({
      isValid: true,
      payer: PAYER.address,
    });
    expect(countersigned).toEqual([]);
  });

  test('in either dialect', async () => {
    const { verify } = facilitator();
    const flat = payloadOf(await payerSigned());
    const standard = { x402Version: 2 as const, accepted: REQUIREMENT, payload: flat.payload };
    expect(await verify(standard, REQUIREMENT)).toMatchObject({ isValid: true });
    expect(await verify({ ...flat, ...standard }, REQUIREMENT)).toMatchObject({ isValid: true });
  });

  test('whatever stands in the fee payer’s place', async () => {
    const wire = await payerSigned();
    const filled = Uint8Array.from([2, ...new Uint8Array(64).fill(7), ...wire.subarray(65)]);
    expect(await facilitator().verify(payloadOf(filled), REQUIREMENT)).toMatchObject({
      isValid: true,
    });
  });
});

test('a payment that was valid is refused where more is asked for', async () => {
  const { verify, settle, countersigned } = facilitator();
  const payload = payloadOf(await payerSigned());
  expect(await verify(payload, REQUIREMENT)).toMatchObject({ isValid: true });
  const amount = (AMOUNT + 1n).toString();
  const more = { ...REQUIREMENT, amount, maxAmountRequired: amount };
  const accepted = { ...payload, accepted: more };
  for (const asked of [payload, accepted]) {
    expect(await verify(asked, more)).toMatchObject({ isValid: false });
    expect(await settle(asked, more)).toMatchObject({ success: false, transaction: '' });
  }
  expect(countersigned).toEqual([]);
});

/** The chain's list of recent blockhashes, with ours so many blocks old. */
function recentBlockhashes(age: number): NodeState['accounts'] {
  const entries = Array.from({ length: 150 }, (_, index) =>
    index === age ? new Uint8Array(32).fill(9) : new Uint8Array(32).fill(100),
  );
  const data = Uint8Array.from([
    ...littleEndian(150n, 8),
    ...entries.flatMap((hash) => [...hash, ...littleEndian(5_000n, 8)]),
  ]);
  const owner = 'Sysvar1111111111111111111111111111111111111';
  const sysvar = { lamports: 1n, owner, data, isExecutable: false };
  return new Map([[RECENT_BLOCKHASHES_SYSVAR, sysvar]]);
}
