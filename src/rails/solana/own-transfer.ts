/** Pays an address in USDC or SOL from the buyer's own wallet; the buyer also pays the network fee. */

import { USDC_DECIMALS } from '../../contract/x402.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Message, type Said, t, verbatim } from '../../domain/message/message.ts';
import { type Atomic, atomic, formatSol } from '../../domain/money/money.ts';
import type { DirectPayment } from '../rail.ts';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  associatedTokenAddress,
  COMPUTE_BUDGET_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from './address.ts';
import { type DecodedTransaction, decodeTransaction } from './message.ts';
import { SYSTEM_ACCOUNT_RENT, TOKEN_ACCOUNT_RENT } from './open-account.ts';
import { LAMPORTS } from './own-history.ts';
import type { SolanaRpc } from './rpc.ts';
import { readBaseline, readBlockhash, type SolanaPayment, sealPayment } from './seal.ts';
import { formatUsdc } from './terms.ts';
import { computeBudgetFor, nonceOfTag } from './transfer.ts';

/** One signature, and the highest compute fee of any nonce. */
const MOST_FEE = 5_000n + 9_090n;

/** In base units of the chain's own coin; 0n if the account exists. @param mint null for SOL itself */
export async function openingCost(
  rpc: SolanaRpc,
  payTo: string,
  mint: string | null,
): Promise<bigint> {
  const recipient = await rpc.accountInfo(payTo);
  if (recipient !== null && [TOKEN_PROGRAM, TOKEN_2022_PROGRAM].includes(recipient.owner)) {
    refuse(t`${payTo} is a token account, not a wallet`);
  }
  if (recipient?.isExecutable) refuse(t`${payTo} is a program`);
  if (mint === null) return 0n;
  const account = await rpc.tokenAccount(associatedTokenAddress(payTo, mint));
  if (account === null) return TOKEN_ACCOUNT_RENT;
  if (account.mint !== mint || account.owner !== payTo) {
    refuse(t`the USDC account of ${payTo} now belongs to another owner`);
  }
  if (account.isFrozen) refuse(t`the USDC account of ${payTo} is frozen`);
  return 0n;
}

export async function signTransfer(rpc: SolanaRpc, input: DirectPayment): Promise<SolanaPayment> {
  const { signer, payTo, amountAtomic } = input;
  const { asset } = input.asset;
  const mint = asset === LAMPORTS ? null : asset;
  const payer = signer.address;
  const opening = await openingCost(rpc, payTo, mint);
  if (opening > 0n && !input.mayOpenAccount) {
    refuse(t`${payTo} has no USDC account, and opening one costs ${solText(opening)}`);
  }
  await (mint === null
    ? checkLamports(rpc, input)
    : checkTokens(rpc, { payer, mint, amountAtomic, opening }));
  const sourceAccount = mint === null ? payer : associatedTokenAddress(payer, mint);
  // Read before the blockhash, so every block that can include this payment is newer than the
  // baseline.
  const baseline = await readBaseline(rpc, sourceAccount);
  const { blockhash, lastValidBlockHeight } = await readBlockhash(rpc);
  const unsigned = await buildOwnTransfer({
    payer,
    payTo,
    mint,
    amountAtomic,
    blockhash,
    nonce: nonceOfTag(input.tag),
    opensAccount: opening > 0n,
  });
  const signature = await signer.sign(unsigned.message);
  const sealed = sealPayment(payer, { ...unsigned, position: OWN_SIGNATURE }, signature);
  return { ...sealed, blockhash, lastValidBlockHeight, baseline, payer };
}

/**
 * The remaining balance must keep the wallet's account alive, and a new recipient needs the minimum
 * balance too.
 */
async function checkLamports(rpc: SolanaRpc, { signer, payTo, amountAtomic }: DirectPayment) {
  const [available, recipient] = await Promise.all([
    rpc.balance(signer.address),
    rpc.accountInfo(payTo),
  ]);
  const needed = amountAtomic + MOST_FEE + SYSTEM_ACCOUNT_RENT;
  if (available < needed) tooLow('SOL', solText(available), solText(needed));
  if (recipient === null && amountAtomic < SYSTEM_ACCOUNT_RENT) {
    refuse(
      t`${payTo} is a new account, and the chain requires at least ${solText(SYSTEM_ACCOUNT_RENT)}`,
    );
  }
}

async function checkTokens(
  rpc: SolanaRpc,
  wanted: {
    readonly payer: string;
    readonly mint: string;
    readonly amountAtomic: Atomic;
    readonly opening: bigint;
  },
): Promise<void> {
  const { payer, mint, amountAtomic, opening } = wanted;
  const [tokens, lamports] = await Promise.all([
    rpc.tokenAccountBalance(associatedTokenAddress(payer, mint)),
    rpc.balance(payer),
  ]);
  const available = atomic(tokens ?? 0n);
  if (available < amountAtomic) tooLow('USDC', formatUsdc(available), formatUsdc(amountAtomic));
  const needed = MOST_FEE + opening + SYSTEM_ACCOUNT_RENT;
  if (lamports < needed)
    tooLow('SOL', solText(lamports), t`${solText(needed)} for the network fee`);
}

function tooLow(coin: string, available: string, needed: Said): never {
  throw new ScripError(
    'FUNDS_TOO_LOW',
    t`The wallet holds ${available} and the payment needs ${needed}`,
    {
      hint: commandText`Put ${coin} into the wallet; in the sandbox: scrip wallet fund`,
      details: { coin },
    },
  );
}

export function solText(lamports: bigint): string {
  return `${formatSol(lamports)} SOL`;
}

function refuse(reason: Message): never {
  throw new ScripError('REQUIREMENT_UNACCEPTABLE', t`The order cannot be paid: ${reason}`);
}

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
const OWN_SIGNATURE = 0;

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
