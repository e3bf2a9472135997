/**
 * Checks a payment's bytes before its fee is paid: the reference facilitator's checks, in its order
 * and with its reasons, plus our own that protect the fee payer.
 */
import {
  type PaymentPayload,
  type PaymentRequirement,
  USDC_DECIMALS,
} from '../../contract/x402.ts';
import { attempt } from '../../domain/attempt.ts';
import { requiredAmount } from '../../domain/payment/payment.ts';
import {
  associatedTokenAddress,
  COMPUTE_BUDGET_PROGRAM,
  MEMO_PROGRAM,
  TOKEN_PROGRAM,
} from './address.ts';
import { verifySignature } from './ed25519.ts';
import {
  type DecodedTransaction,
  decodePayment,
  readComputeUnitLimit,
  readComputeUnitPrice,
  readMemo,
  readTransferChecked,
} from './message.ts';

/** The chain's own limit, as of the reference; what they may cost is bounded below. */
export const MAX_COMPUTE_UNITS = 1_400_000;
/** Micro-lamports per unit; the reference facilitator's limit. */
export const MAX_COMPUTE_UNIT_PRICE = 5_000_000n;
/** With two signatures of 5,000 lamports, a payment costs at most 20,000 lamports. */
export const MAX_PRIORITY_FEE_LAMPORTS = 10_000n;
const MICRO_LAMPORTS = 1_000_000n;
const SIGNATURE_LAMPORTS = 5_000n;
/**
 * For a memo that the requirement did not ask for; the reference client always adds one of 32
 * random bytes.
 */
export const MAX_FREE_MEMO_BYTES = 64;
/** Instructions of the reference's longest payment. */
export const MAX_INSTRUCTIONS = 7;
export const REFERENCE_PREFIX = 'invalid_exact_svm_';
/** Wallets append assertions of this program to what they sign: Phantom up to three, Solflare two. */
const LIGHTHOUSE_PROGRAM = 'L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95';
export const MAX_ASSERTIONS = 3;
const ORDINALS = ['second', 'third', 'fourth', 'fifth', 'sixth', 'seventh'] as const;

/** The network, token and fee payer that the facilitator serves. */
export interface FacilitatorTerms {
  readonly network: string;
  readonly mint: string;
  readonly feePayer: string;
}

export type Verdict =
  | {
      readonly isValid: true;
      readonly payer: string;
      readonly messageHash: string;
      /** The token account that pays. */
      readonly source: string;
      readonly transaction: DecodedTransaction;
    }
  | { readonly isValid: false; readonly reason: string; readonly payer: string | undefined };

/** Checks a payment by its bytes alone; the same bytes and requirement always get the same verdict. */
export function checkPayment(
  payload: PaymentPayload,
  requirement: PaymentRequirement,
  terms: FacilitatorTerms,
): Verdict {
  const refusal = firstRefusal(ENVELOPE_CHECKS, { payload, requirement, terms });
  if (refusal !== undefined) return refuse(refusal);
  const transaction = orUndefined(() => decodePayment(payload.payload.transaction ?? ''));
  if (transaction === undefined) return refuse('payload_transaction_could_not_be_decoded');
  const payment = readPayment(transaction, requirement, terms);
  const reason = firstRefusal(PAYMENT_CHECKS, payment) ?? refuseTail(payment);
  const { authority: payer, source } = payment.transfer ?? {};
  const { messageHash } = transaction;
  return reason === undefined && payer !== undefined && source !== undefined
    ? { isValid: true, payer, messageHash, source, transaction }
    : refuse(reason ?? 'payload_no_transfer_instruction', payer);
}

function refuse(reason: string, payer?: string): Verdict {
  return { isValid: false, reason: REFERENCE_PREFIX + reason, payer };
}

/** A reason for refusal, and the condition that avoids it. */
type Check<T> = readonly [reason: string, holds: (subject: T) => boolean];

function firstRefusal<T>(checks: readonly Check<T>[], subject: T): string | undefined {
  return checks.find(([, holds]) => !holds(subject))?.[0];
}

interface Envelope {
  readonly payload: PaymentPayload;
  readonly requirement: PaymentRequirement;
  readonly terms: FacilitatorTerms;
}

/** Both dialects name scheme and network; if a payload has both, both must match. */
const ENVELOPE_CHECKS: readonly Check<Envelope>[] = [
  [
    'unsupported_scheme',
    ({ payload, requirement }) =>
      requirement.scheme === 'exact' && allNamed(payload, 'scheme', requirement.scheme),
  ],
  [
    'network_mismatch',
    ({ payload, requirement, terms }) =>
      requirement.network === terms.network && allNamed(payload, 'network', requirement.network),
  ],
  ['payload_missing_fee_payer', ({ requirement }) => requirement.extra?.feePayer !== undefined],
  [
    'fee_payer_not_managed_by_facilitator',
    ({ requirement, terms }) => requirement.extra?.feePayer === terms.feePayer,
  ],
  ['payload_mint_mismatch', ({ requirement, terms }) => requirement.asset === terms.mint],
  ['requirement_amount_invalid', ({ requirement }) => amountOf(requirement) !== undefined],
  ['requirement_recipient_invalid', ({ requirement }) => destinationOf(requirement) !== undefined],
];

function allNamed(payload: PaymentPayload, name: 'scheme' | 'network', expected: string): boolean {
  const named = [payload.accepted?.[name], payload[name]].filter((value) => value !== undefined);
  return named.length > 0 && named.every((value) => value === expected);
}

/** The payment with account indexes resolved to addresses. */
interface Payment {
  readonly transaction: DecodedTransaction;
  readonly requirement: PaymentRequirement;
  readonly terms: FacilitatorTerms;
  readonly instructions: readonly Instruction[];
  /** Whether it begins with a compute limit and a compute price, or at once with the transfer. */
  readonly hasBudget: boolean;
  readonly units: number | undefined;
  readonly price: bigint | undefined;
  readonly transfer: Transfer | undefined;
}

interface Instruction {
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Uint8Array;
}

interface Transfer {
  readonly source: string;
  readonly mint: string;
  readonly destination: string;
  readonly authority: string;
  readonly amount: bigint;
  readonly decimals: number;
}

const PAYMENT_CHECKS: readonly Check<Payment>[] = [
  ['payload_transaction_version', ({ transaction }) => transaction.version === 0],
  [
    'smart_wallet_alt_resolution_not_available',
    ({ transaction }) => transaction.lookupTables === 0,
  ],
  ['payload_excessive_signers', ({ transaction }) => transaction.header.requiredSignatures <= 2],
  ['fee_payer_mismatch', ({ transaction, terms }) => transaction.accountKeys[0] === terms.feePayer],
  [
    'payload_missing_payer_signature',
    ({ transaction }) => transaction.header.requiredSignatures === 2,
  ],
  ['payload_signature_invalid', ({ transaction }) => isSignedByPayer(transaction)],
  [
    'payload_transaction_instructions_length',
    ({ instructions }) => instructions.length >= 1 && instructions.length <= MAX_INSTRUCTIONS,
  ],
  [
    'payload_transaction_instructions_compute_limit_instruction',
    ({ units, hasBudget }) => units !== undefined || !hasBudget,
  ],
  [
    'payload_transaction_instructions_compute_limit_instruction_too_high',
    ({ units = 0 }) => units <= MAX_COMPUTE_UNITS,
  ],
  [
    'payload_transaction_instructions_compute_price_instruction',
    ({ price, hasBudget }) => price !== undefined || !hasBudget,
  ],
  [
    'payload_transaction_instructions_compute_price_instruction_too_high',
    ({ price = 0n, units = 0 }) => isPriceBearable(price, units),
  ],
  ['payload_no_transfer_instruction', ({ transfer }) => transfer !== undefined],
  [
    'payload_transaction_fee_payer_transferring_funds',
    ({ transfer, terms }) => transfer?.authority !== terms.feePayer,
  ],
  [
    'payload_fee_payer_not_isolated',
    ({ instructions, terms }) =>
      instructions.every(({ accounts }) => !accounts.includes(terms.feePayer)),
  ],
  ['payload_mint_mismatch', ({ transfer, terms }) => transfer?.mint === terms.mint],
  ['payload_decimals_mismatch', ({ transfer }) => transfer?.decimals === USDC_DECIMALS],
  [
    'payload_recipient_mismatch',
    ({ transfer, requirement }) => transfer?.destination === destinationOf(requirement),
  ],
  ['payload_source_is_destination', ({ transfer }) => transfer?.source !== transfer?.destination],
  [
    'payload_authority_not_signer',
    ({ transfer, transaction }) => transfer?.authority === transaction.accountKeys[1],
  ],
  [
    'payload_amount_mismatch',
    ({ transfer, requirement }) => transfer?.amount === amountOf(requirement),
  ],
];

function isSignedByPayer({ accountKeys, message, signatures }: DecodedTransaction): boolean {
  const [, payer] = accountKeys;
  const [, signature] = signatures;
  return (
    payer !== undefined && signature !== undefined && verifySignature(payer, message, signature)
  );
}

function isPriceBearable(price: bigint, units: number): boolean {
  return (
    price <= MAX_COMPUTE_UNIT_PRICE &&
    price * BigInt(units) <= MAX_PRIORITY_FEE_LAMPORTS * MICRO_LAMPORTS
  );
}

/** What the chain takes for a transaction, in lamports. @param budget.price micro-lamports per unit */
export function networkFee(
  signatures: number,
  { units, price }: { readonly units: number; readonly price: bigint },
): bigint {
  const priority = (price * BigInt(units) + MICRO_LAMPORTS - 1n) / MICRO_LAMPORTS;
  return BigInt(signatures) * SIGNATURE_LAMPORTS + priority;
}

/** Checks what follows the transfer: assertions, and memos without accounts, including the requested one. */
function refuseTail({ instructions, hasBudget, requirement }: Payment): string | undefined {
  const first = hasBudget ? 3 : 1;
  const tail = instructions.slice(first);
  const isKnown = ({ program }: Instruction, at: number): boolean => {
    if (program !== LIGHTHOUSE_PROGRAM) return program === MEMO_PROGRAM;
    const before = tail.slice(0, at).filter((other) => other.program === program);
    return before.length < MAX_ASSERTIONS;
  };
  const stranger = tail.findIndex((instruction, at) => !isKnown(instruction, at));
  if (stranger >= 0) return `payload_unknown_${ORDINALS[first - 1 + stranger]}_instruction`;
  const memos = tail.filter(({ program }) => program === MEMO_PROGRAM);
  if (memos.some(({ accounts }) => accounts.length > 0)) return 'payload_memo_accounts';
  // The reference treats an empty memo as none.
  const expected = requirement.extra?.memo || undefined;
  if (expected !== undefined) {
    if (memos.length !== 1) return 'payload_memo_count';
    return memos.every(({ data }) => readMemo(data) === expected)
      ? undefined
      : 'payload_memo_mismatch';
  }
  return memos.some(({ data }) => data.length > MAX_FREE_MEMO_BYTES)
    ? 'payload_memo_too_long'
    : undefined;
}

function readPayment(
  transaction: DecodedTransaction,
  requirement: PaymentRequirement,
  terms: FacilitatorTerms,
): Payment {
  // Indexes into a lookup table have no key here; such a transaction is refused before they are
  // used.
  const key = (index: number): string => transaction.accountKeys[index] ?? '';
  const instructions = transaction.instructions.map(({ programIndex, accounts, data }) => ({
    program: key(programIndex),
    accounts: accounts.map(key),
    data,
  }));
  // Without a budget the chain gives an instruction 200,000 units, at no price.
  const hasBudget = instructions[0]?.program !== TOKEN_PROGRAM;
  const [limit, price] = hasBudget ? instructions : [];
  const transfer = instructions[hasBudget ? 2 : 0];
  return {
    transaction,
    requirement,
    terms,
    instructions,
    hasBudget,
    units: isBudget(limit) ? readComputeUnitLimit(limit.data) : undefined,
    price: isBudget(price) ? readComputeUnitPrice(price.data) : undefined,
    transfer: transfer && readTransfer(transfer),
  };
}

function isBudget(instruction: Instruction | undefined): instruction is Instruction {
  return instruction?.program === COMPUTE_BUDGET_PROGRAM && instruction.accounts.length === 0;
}

function readTransfer({ program, accounts, data }: Instruction): Transfer | undefined {
  const [source, mint, destination, authority] = accounts;
  const amounts = readTransferChecked(data);
  if (program !== TOKEN_PROGRAM || accounts.length !== 4 || amounts === undefined) return undefined;
  if (source === undefined || mint === undefined) return undefined;
  if (destination === undefined || authority === undefined) return undefined;
  return { source, mint, destination, authority, ...amounts };
}

function amountOf(requirement: PaymentRequirement): bigint | undefined {
  return orUndefined(() => requiredAmount(requirement));
}

function destinationOf({ payTo, asset }: PaymentRequirement): string | undefined {
  return orUndefined(() => associatedTokenAddress(payTo, asset));
}

/** Returns undefined if our own reader refuses the value. */
function orUndefined<T>(read: () => T): T | undefined {
  return attempt(read, () => undefined);
}
