/** Builds the payment: a v0 transaction with a compute limit, a compute price and one TransferChecked. */

import { USDC_DECIMALS } from '../../contract/x402.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t, verbatim } from '../../domain/message/message.ts';
import { type Atomic, atomic } from '../../domain/money/money.ts';
import {
  associatedTokenAddress,
  COMPUTE_BUDGET_PROGRAM,
  MEMO_PROGRAM,
  TOKEN_PROGRAM,
} from './address.ts';
import {
  type DecodedTransaction,
  decodeTransaction,
  readComputeUnitLimit,
  readComputeUnitPrice,
  readMemo,
  readTransferChecked,
} from './message.ts';

export interface TransferPlan {
  readonly payer: string;
  readonly feePayer: string;
  /** Owner of the credited account. */
  readonly payTo: string;
  readonly mint: string;
  readonly amountAtomic: Atomic;
  readonly blockhash: string;
  /** From 0 to 2,999,999,999: equal plans with different nonces have different bytes. */
  readonly nonce: number;
  /** Only if the requirement asks for one. */
  readonly memo?: string | undefined;
  /** Key by which the transfer is found (Solana Pay, `reference`). */
  readonly reference?: string | undefined;
  /** Wallets of Solana Pay read a legacy message for certain; x402 needs version 0. */
  readonly version?: 'legacy';
}

/** Position of the payer's signature; the fee payer's comes first. */
export const PAYER_SIGNATURE = 1;

/**
 * The least units that a payment asks for. Facilitators refuse high limits, some from 60,000 on. A transfer takes
 * about 6,200, a memo of 256 bytes some 20,000 more; a wallet that pays its own fee may also open an account.
 */
const LEAST_UNITS = { transfer: 20_001, memo: 30_000, own: 60_000 } as const;
type Kind = keyof typeof LEAST_UNITS;
const BASE_PRICE = 1_000;
const PRICE_STEPS = 100_000;
const NONCES = 30_000 * PRICE_STEPS;

interface ComputeBudget {
  readonly units: number;
  /** Micro-lamports per unit. */
  readonly price: number;
}

/**
 * Converts a nonce to a distinct compute budget: the low digits raise the price, the high ones the units. A
 * payment's tag raises the units by less than 16,384, so a merchant's payments stay below 50,000.
 * @throws {ScripError} INPUT_INVALID
 */
export function computeBudgetFor(nonce: number, kind: Kind): ComputeBudget {
  if (!Number.isSafeInteger(nonce) || nonce < 0 || nonce >= NONCES) {
    throw new ScripError('INPUT_INVALID', t`${nonce} is not a nonce between 0 and ${NONCES - 1}`);
  }
  return {
    units: LEAST_UNITS[kind] + Math.floor(nonce / PRICE_STEPS),
    price: BASE_PRICE + (nonce % PRICE_STEPS),
  };
}

/**
 * Returns the nonce of a payment's tag, of 27 bits: two tags collide once in 134 million. Its low digits raise
 * the price per unit, the high ones the units: both stay small.
 */
export function nonceOfTag([first = 0, second = 0, third = 0, fourth = 0]: Uint8Array): number {
  const low = ((first << 8) | second) & 0x1fff;
  const high = ((third << 8) | fourth) & 0x3fff;
  return high * PRICE_STEPS + low;
}

/** Returns the nonce of a payment's compute budget; undefined if no nonce gives it. */
export function nonceOf(
  { units, price }: ComputeBudget,
  { hasMemo }: { readonly hasMemo: boolean },
): number | undefined {
  // Payments of every kind began at 60,000 once, and are still found.
  const kind = units >= LEAST_UNITS.own ? 'own' : hasMemo ? 'memo' : 'transfer';
  const [high, low] = [units - LEAST_UNITS[kind], price - BASE_PRICE];
  const nonce = high * PRICE_STEPS + low;
  return high >= 0 && low >= 0 && low < PRICE_STEPS && nonce < NONCES ? nonce : undefined;
}

/**
 * Builds the unsigned wire bytes, then decodes them and compares each part with the plan.
 * @throws {ScripError} AMOUNT_INVALID, INPUT_INVALID; INTERNAL when the bytes differ from the plan
 */
export async function buildTransfer(plan: TransferPlan): Promise<DecodedTransaction> {
  // The libraries encode -5 as 5 and 2^64 + 7 as 7, so pass them only a u64 above zero.
  if (atomic(plan.amountAtomic) === 0n) {
    throw new ScripError('AMOUNT_INVALID', t`The payment amount must be more than 0`);
  }
  const wire = await assemble(plan);
  const transaction = decodeTransaction(wire);
  assertMatches(plan, transaction);
  return transaction;
}

async function assemble(plan: TransferPlan): Promise<Uint8Array> {
  const [web3, token] = await Promise.all([import('@solana/web3.js'), import('@solana/spl-token')]);
  const { units, price } = computeBudgetFor(plan.nonce, kindOf(plan));
  const key = (address: string) => new web3.PublicKey(address);
  const transfer = token.createTransferCheckedInstruction(
    key(associatedTokenAddress(plan.payer, plan.mint)),
    key(plan.mint),
    key(associatedTokenAddress(plan.payTo, plan.mint)),
    key(plan.payer),
    plan.amountAtomic,
    USDC_DECIMALS,
  );
  for (const reference of referencesOf(plan)) {
    transfer.keys.push({ pubkey: key(reference), isSigner: false, isWritable: false });
  }
  const instructions = [
    web3.ComputeBudgetProgram.setComputeUnitLimit({ units }),
    web3.ComputeBudgetProgram.setComputeUnitPrice({ microLamports: price }),
    transfer,
    ...memosOf(plan).map(
      (memo) =>
        new web3.TransactionInstruction({
          keys: [],
          programId: key(MEMO_PROGRAM),
          data: Buffer.from(memo, 'utf8'),
        }),
    ),
  ];
  const [feePayer, recentBlockhash] = [key(plan.feePayer), plan.blockhash];
  // The order of keys that this class gives is the one that wallets give when they compile anew.
  const message =
    plan.version === 'legacy'
      ? new web3.Transaction({ feePayer, recentBlockhash }).add(...instructions).compileMessage()
      : new web3.TransactionMessage({
          payerKey: feePayer,
          recentBlockhash,
          instructions,
        }).compileToV0Message();
  return new web3.VersionedTransaction(message).serialize();
}

function kindOf({ memo }: TransferPlan): Kind {
  return memo === undefined ? 'transfer' : 'memo';
}

function referencesOf({ reference }: TransferPlan): readonly string[] {
  return reference === undefined ? [] : [reference];
}

function memosOf(plan: TransferPlan): readonly string[] {
  return plan.memo === undefined ? [] : [plan.memo];
}

/**
 * Checks that the bytes do what the plan says and nothing else.
 * @throws {ScripError} INTERNAL naming the part that differs
 */
export function assertMatches(plan: TransferPlan, transaction: DecodedTransaction): void {
  for (const [part, holds] of comparisons(plan, transaction)) {
    if (!holds) {
      throw new ScripError('INTERNAL', verbatim(`The payment that was built has another ${part}`));
    }
  }
}

function comparisons(
  plan: TransferPlan,
  transaction: DecodedTransaction,
): readonly (readonly [part: string, holds: boolean])[] {
  const { accountKeys, header, instructions } = transaction;
  const [limit, price, transfer, ...memos] = instructions.map((instruction) => ({
    program: accountKeys[instruction.programIndex],
    accounts: instruction.accounts.map((index) => accountKeys[index] ?? ''),
    data: instruction.data,
  }));
  const budget = computeBudgetFor(plan.nonce, kindOf(plan));
  const transferData = transfer && readTransferChecked(transfer.data);
  const accounts = transferAccounts(plan);
  const programs = [
    COMPUTE_BUDGET_PROGRAM,
    TOKEN_PROGRAM,
    ...memosOf(plan).map(() => MEMO_PROGRAM),
  ];
  return [
    ['version', transaction.version === (plan.version ?? 0) && transaction.lookupTables === 0],
    ['fee payer', accountKeys[0] === plan.feePayer],
    ['payer', accountKeys[PAYER_SIGNATURE] === plan.payer],
    ['number of signers', header.requiredSignatures === 2 && header.readonlySigned === 1],
    ['set of accounts', isSameSet(accountKeys, [plan.feePayer, ...accounts, ...programs])],
    ['blockhash', transaction.recentBlockhash === plan.blockhash],
    ['compute limit', limit !== undefined && readComputeUnitLimit(limit.data) === budget.units],
    [
      'compute price',
      price !== undefined && readComputeUnitPrice(price.data) === BigInt(budget.price),
    ],
    [
      'list of programs',
      [limit, price, transfer, ...memos].map((instruction) => instruction?.program).join() ===
        [COMPUTE_BUDGET_PROGRAM, COMPUTE_BUDGET_PROGRAM, ...programs.slice(1)].join(),
    ],
    ['transfer', transfer !== undefined && transfer.accounts.join() === accounts.join()],
    ['amount', transferData?.amount === plan.amountAtomic],
    ['number of decimals', transferData?.decimals === USDC_DECIMALS],
    ['memo', memos.map(({ data }) => readMemo(data)).join() === memosOf(plan).join()],
    ['account', [limit, price, ...memos].every((other) => other?.accounts.length === 0)],
  ];
}

/** The transfer's accounts in the Token program's order: source, mint, destination, authority, reference. */
function transferAccounts(plan: TransferPlan): readonly string[] {
  return [
    associatedTokenAddress(plan.payer, plan.mint),
    plan.mint,
    associatedTokenAddress(plan.payTo, plan.mint),
    plan.payer,
    ...referencesOf(plan),
  ];
}

function isSameSet(left: readonly string[], right: readonly string[]): boolean {
  return left.toSorted().join() === [...new Set(right)].toSorted().join();
}
