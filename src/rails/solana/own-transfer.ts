/** Builds a transfer whose sender also pays the network fee: USDC or SOL from the buyer's own wallet. */

import { USDC_DECIMALS } from '../../contract/x402.ts';
import { ScripError } from '../../domain/errors.ts';
import { t, verbatim } from '../../domain/message.ts';
import { type Atomic, atomic } from '../../domain/money.ts';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  associatedTokenAddress,
  COMPUTE_BUDGET_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from './address.ts';
import { type DecodedTransaction, decodeTransaction } from './message.ts';
import { computeBudgetFor } from './transfer.ts';

export interface OwnTransferPlan {
  readonly payer: string;
  /** Owner of the credited account. */
  readonly payTo: string;
  /** Mint of the token; null for SOL itself. */
  readonly mint: string | null;
  /** The token's smallest units, or lamports. */
  readonly amountAtomic: Atomic;
  readonly blockhash: string;
  /** As in `buildTransfer`. */
  readonly nonce: number;
  /** Whether to open the recipient's token account; the payer pays its rent. */
  readonly opensAccount: boolean;
}

/** Position of the only signature. */
export const OWN_SIGNATURE = 0;

/**
 * Builds the unsigned wire bytes, then decodes them and compares each part with the plan.
 * @throws {ScripError} AMOUNT_INVALID, INPUT_INVALID; INTERNAL when the bytes differ from the plan
 */
export async function buildOwnTransfer(plan: OwnTransferPlan): Promise<DecodedTransaction> {
  // The libraries encode -5 as 5 and 2^64 + 7 as 7, so pass them only a u64 above zero.
  if (atomic(plan.amountAtomic) === 0n) {
    throw new ScripError('AMOUNT_INVALID', t`The payment amount must be more than 0`);
  }
  const transaction = decodeTransaction(await assemble(plan));
  assertOwnTransfer(plan, transaction);
  return transaction;
}

async function assemble(plan: OwnTransferPlan): Promise<Uint8Array> {
  const [web3, token] = await Promise.all([import('@solana/web3.js'), import('@solana/spl-token')]);
  const { units, price } = computeBudgetFor(plan.nonce, 'own');
  const { mint } = plan;
  const key = (address: string) => new web3.PublicKey(address);
  const ataOf = (owner: string, of: string) => key(associatedTokenAddress(owner, of));
  const opening =
    mint !== null && plan.opensAccount
      ? [
          token.createAssociatedTokenAccountIdempotentInstruction(
            key(plan.payer),
            ataOf(plan.payTo, mint),
            key(plan.payTo),
            key(mint),
          ),
        ]
      : [];
  const transfer =
    mint === null
      ? web3.SystemProgram.transfer({
          fromPubkey: key(plan.payer),
          toPubkey: key(plan.payTo),
          lamports: plan.amountAtomic,
        })
      : token.createTransferCheckedInstruction(
          ataOf(plan.payer, mint),
          key(mint),
          ataOf(plan.payTo, mint),
          key(plan.payer),
          plan.amountAtomic,
          USDC_DECIMALS,
        );
  const message = new web3.TransactionMessage({
    payerKey: key(plan.payer),
    recentBlockhash: plan.blockhash,
    instructions: [
      web3.ComputeBudgetProgram.setComputeUnitLimit({ units }),
      web3.ComputeBudgetProgram.setComputeUnitPrice({ microLamports: price }),
      ...opening,
      transfer,
    ],
  }).compileToV0Message();
  return new web3.VersionedTransaction(message).serialize();
}

interface Step {
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Uint8Array;
}

/**
 * Checks that the bytes do what the plan says and nothing else.
 * @throws {ScripError} INTERNAL naming the part that differs
 */
export function assertOwnTransfer(plan: OwnTransferPlan, transaction: DecodedTransaction): void {
  const { accountKeys, header } = transaction;
  const steps = transaction.instructions.map(({ programIndex, accounts, data }) => ({
    program: accountKeys[programIndex] ?? '',
    accounts: accounts.map((index) => accountKeys[index] ?? ''),
    data,
  }));
  const parts: readonly (readonly [string, boolean])[] = [
    ['version', transaction.version === 0 && transaction.lookupTables === 0],
    ['fee payer', accountKeys[OWN_SIGNATURE] === plan.payer],
    ['number of signers', header.requiredSignatures === 1 && header.readonlySigned === 0],
    ['blockhash', transaction.recentBlockhash === plan.blockhash],
    ['list of instructions', spell(steps) === spell(expectedSteps(plan))],
  ];
  const broken = parts.find(([, holds]) => !holds);
  if (broken)
    throw new ScripError(
      'INTERNAL',
      verbatim(`The payment that was built has another ${broken[0]}`),
    );
}

function spell(steps: readonly Step[]): string {
  return steps
    .map(({ program, accounts, data }) =>
      [program, ...accounts, Buffer.from(data).toString('hex')].join(' '),
    )
    .join('\n');
}

/** The expected instructions, written by hand from the programs' layouts. */
function expectedSteps(plan: OwnTransferPlan): readonly Step[] {
  const { units, price } = computeBudgetFor(plan.nonce, 'own');
  return [
    { program: COMPUTE_BUDGET_PROGRAM, accounts: [], data: bytes([2], u32(units)) },
    { program: COMPUTE_BUDGET_PROGRAM, accounts: [], data: bytes([3], u64(BigInt(price))) },
    ...openingStep(plan),
    transferStep(plan),
  ];
}

function openingStep({ payer, payTo, mint, opensAccount }: OwnTransferPlan): readonly Step[] {
  if (mint === null || !opensAccount) return [];
  const opened = associatedTokenAddress(payTo, mint);
  const accounts = [payer, opened, payTo, mint, SYSTEM_PROGRAM, TOKEN_PROGRAM];
  return [{ program: ASSOCIATED_TOKEN_PROGRAM, accounts, data: bytes([1]) }];
}

function transferStep({ payer, payTo, mint, amountAtomic }: OwnTransferPlan): Step {
  if (mint === null) {
    const data = bytes(u32(2), u64(amountAtomic));
    return { program: SYSTEM_PROGRAM, accounts: [payer, payTo], data };
  }
  return {
    program: TOKEN_PROGRAM,
    accounts: [
      associatedTokenAddress(payer, mint),
      mint,
      associatedTokenAddress(payTo, mint),
      payer,
    ],
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
