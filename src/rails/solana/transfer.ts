/** Builds every transfer: a compute limit, a compute price, one transfer; and reads it back. */

import { USDC_DECIMALS } from '../../contract/x402.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { type Atomic, atomic } from '../../domain/money/money.ts';
import { assertParts } from '../terms.ts';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  associatedTokenAddress,
  COMPUTE_BUDGET_PROGRAM,
  MEMO_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from './address.ts';
import { type DecodedTransaction, decodeTransaction } from './message.ts';

export interface TransferPlan {
  readonly payer: string;
  /** Null where the payer also pays the network fee: its signature alone then makes the transfer valid. */
  readonly feePayer: string | null;
  /** Owner of the credited account. */
  readonly payTo: string;
  /** Mint of the token; null for SOL itself. */
  readonly mint: string | null;
  /** The token's smallest units, or lamports. */
  readonly amountAtomic: Atomic;
  readonly blockhash: string;
  /** From 0 to 2,999,999,999: equal plans with different nonces have different bytes. */
  readonly nonce: number;
  /** Only if the requirement asks for one. */
  readonly memo?: string | undefined;
  /** Key by which the transfer is found (Solana Pay, `reference`). */
  readonly reference?: string | undefined;
  /** Whether to open the recipient's token account; the payer pays its rent. */
  readonly opensAccount?: boolean;
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
  const transaction = decodeTransaction(await assemble(plan));
  assertMatches(plan, transaction);
  return transaction;
}

async function assemble(plan: TransferPlan): Promise<Uint8Array> {
  const [web3, token] = await Promise.all([import('@solana/web3.js'), import('@solana/spl-token')]);
  const { units, price } = computeBudgetFor(plan.nonce, kindOf(plan));
  const { payTo, mint, amountAtomic, memo, reference } = plan;
  const key = (address: string) => new web3.PublicKey(address);
  const [payer, feePayer] = [key(plan.payer), key(plan.feePayer ?? plan.payer)];
  const accountOf = (owner: string, of: string) => key(associatedTokenAddress(owner, of));
  const instructions = [
    web3.ComputeBudgetProgram.setComputeUnitLimit({ units }),
    web3.ComputeBudgetProgram.setComputeUnitPrice({ microLamports: price }),
  ];
  if (mint === null) {
    const transfer = { fromPubkey: payer, toPubkey: key(payTo), lamports: amountAtomic };
    instructions.push(web3.SystemProgram.transfer(transfer));
  } else {
    const [source, destination] = [accountOf(plan.payer, mint), accountOf(payTo, mint)];
    const open = token.createAssociatedTokenAccountIdempotentInstruction;
    if (plan.opensAccount) instructions.push(open(payer, destination, key(payTo), key(mint)));
    const pay = token.createTransferCheckedInstruction;
    const transfer = pay(source, key(mint), destination, payer, amountAtomic, USDC_DECIMALS);
    if (reference !== undefined) {
      transfer.keys.push({ pubkey: key(reference), isSigner: false, isWritable: false });
    }
    instructions.push(transfer);
  }
  if (memo !== undefined) {
    const said = { keys: [], programId: key(MEMO_PROGRAM), data: Buffer.from(memo, 'utf8') };
    instructions.push(new web3.TransactionInstruction(said));
  }
  const recentBlockhash = plan.blockhash;
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

function kindOf({ feePayer, memo }: TransferPlan): Kind {
  if (feePayer === null) return 'own';
  return memo === undefined ? 'transfer' : 'memo';
}

/**
 * Checks that the bytes do what the plan says and nothing else.
 * @throws {ScripError} INTERNAL naming the part that differs
 */
export function assertMatches(plan: TransferPlan, transaction: DecodedTransaction): void {
  const { accountKeys, header, version, lookupTables, recentBlockhash } = transaction;
  const steps = transaction.instructions.map(({ programIndex, accounts, data }) => ({
    program: accountKeys[programIndex] ?? '',
    accounts: accounts.map((index) => accountKeys[index] ?? ''),
    data,
  }));
  const expected = expectedSteps(plan);
  const signers = plan.feePayer === null ? [plan.payer] : [plan.feePayer, plan.payer];
  const keys = [...signers, ...expected.flatMap(({ program, accounts }) => [program, ...accounts])];
  assertParts(
    ['version', version === (plan.version ?? 0) && lookupTables === 0],
    ['fee payer', accountKeys[0] === signers[0]],
    ['payer', accountKeys[signers.length - 1] === plan.payer],
    ['number of signers', header.requiredSignatures === signers.length],
    ['number of writers', header.readonlySigned === signers.length - 1],
    ['set of accounts', isSameSet(accountKeys, keys)],
    ['blockhash', recentBlockhash === plan.blockhash],
    ['list of instructions', spell(steps) === spell(expected)],
  );
}

interface Step {
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Uint8Array;
}

function spell(steps: readonly Step[]): string {
  return steps
    .map(({ program, accounts, data }) =>
      [program, ...accounts, Buffer.from(data).toString('hex')].join(' '),
    )
    .join('\n');
}

/** The expected instructions, written by hand from the programs' layouts. */
function expectedSteps(plan: TransferPlan): readonly Step[] {
  const { units, price } = computeBudgetFor(plan.nonce, kindOf(plan));
  const memo = plan.memo === undefined ? [] : [Buffer.from(plan.memo, 'utf8')];
  return [
    { program: COMPUTE_BUDGET_PROGRAM, accounts: [], data: bytes([2], u32(units)) },
    { program: COMPUTE_BUDGET_PROGRAM, accounts: [], data: bytes([3], u64(BigInt(price))) },
    ...openingStep(plan),
    transferStep(plan),
    ...memo.map((data) => ({ program: MEMO_PROGRAM, accounts: [], data })),
  ];
}

function openingStep({ payer, payTo, mint, opensAccount }: TransferPlan): readonly Step[] {
  if (mint === null || opensAccount !== true) return [];
  const opened = associatedTokenAddress(payTo, mint);
  const accounts = [payer, opened, payTo, mint, SYSTEM_PROGRAM, TOKEN_PROGRAM];
  return [{ program: ASSOCIATED_TOKEN_PROGRAM, accounts, data: bytes([1]) }];
}

function transferStep({ payer, payTo, mint, amountAtomic, reference }: TransferPlan): Step {
  if (mint === null) {
    const data = bytes(u32(2), u64(amountAtomic));
    return { program: SYSTEM_PROGRAM, accounts: [payer, payTo], data };
  }
  const [source, destination] = [payer, payTo].map((owner) => associatedTokenAddress(owner, mint));
  return {
    program: TOKEN_PROGRAM,
    accounts: [source ?? '', mint, destination ?? '', payer, ...(reference ? [reference] : [])],
    data: bytes([12], u64(amountAtomic), [USDC_DECIMALS]),
  };
}

function bytes(...parts: readonly (ArrayLike<number> & Iterable<number>)[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

function u32(value: number): Uint8Array {
  const data = new Uint8Array(4);
  new DataView(data.buffer).setUint32(0, value, true);
  return data;
}

function u64(value: bigint): Uint8Array {
  const data = new Uint8Array(8);
  new DataView(data.buffer).setBigUint64(0, value, true);
  return data;
}

function isSameSet(left: readonly string[], right: readonly string[]): boolean {
  return left.toSorted().join() === [...new Set(right)].toSorted().join();
}
