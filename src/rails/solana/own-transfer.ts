/** Pays an address in USDC or SOL from the buyer's own wallet; the buyer also pays the network fee. */

import { SOLANA_MAINNET } from '../../contract/usdc.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Message, t } from '../../domain/message/message.ts';
import { type Atomic, atomic, formatSol } from '../../domain/money/money.ts';
import type { DirectPayment } from '../rail.ts';
import { formatUsdc, tooLow } from '../terms.ts';
import { associatedTokenAddress, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './address.ts';
import { SYSTEM_ACCOUNT_RENT, TOKEN_ACCOUNT_RENT } from './open-account.ts';
import { LAMPORTS } from './own-history.ts';
import type { SolanaRpc } from './rpc.ts';
import { type SolanaPayment, signPlan } from './seal.ts';

/** One signature, and the highest compute fee of any nonce. */
const MOST_FEE = 5_000n + 9_090n;

/**
 * Refuses a recipient whose money would be lost or reach someone else.
 * @param mint null for SOL itself
 * @returns whether the recipient has an account for it
 */
export async function checkRecipient(
  rpc: SolanaRpc,
  payTo: string,
  mint: string | null,
): Promise<boolean> {
  const [recipient, account] = await Promise.all([
    rpc.accountInfo(payTo),
    mint === null ? null : rpc.tokenAccount(associatedTokenAddress(payTo, mint)),
  ]);
  if (recipient !== null && [TOKEN_PROGRAM, TOKEN_2022_PROGRAM].includes(recipient.owner)) {
    refuse(t`${payTo} is a token account, not a wallet`);
  }
  if (recipient?.isExecutable) refuse(t`${payTo} is a program`);
  if (account === null) return mint === null;
  if (account.mint !== mint || account.owner !== payTo) {
    refuse(t`the USDC account of ${payTo} now belongs to another owner`);
  }
  if (account.isFrozen) refuse(t`the USDC account of ${payTo} is frozen`);
  return true;
}

/** In base units of the chain's own coin; 0n if the account exists. @param mint null for SOL itself */
export async function openingCost(
  rpc: SolanaRpc,
  payTo: string,
  mint: string | null,
): Promise<bigint> {
  return (await checkRecipient(rpc, payTo, mint)) ? 0n : TOKEN_ACCOUNT_RENT;
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
  if (mint === null) {
    await checkLamports(rpc, input);
  } else {
    await checkTokens(rpc, associatedTokenAddress(payer, mint), amountAtomic);
    const lamports = await rpc.balance(payer);
    const needed = MOST_FEE + opening + SYSTEM_ACCOUNT_RENT;
    if (lamports < needed)
      tooLow(SOLANA_MAINNET, 'SOL', solText(lamports), t`${solText(needed)} for the network fee`);
  }
  const sourceAccount = mint === null ? payer : associatedTokenAddress(payer, mint);
  const plan = { payer, feePayer: null, payTo, mint, amountAtomic, opensAccount: opening > 0n };
  return signPlan(rpc, input, { ...plan, sourceAccount });
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
  if (available < needed) tooLow(SOLANA_MAINNET, 'SOL', solText(available), solText(needed));
  if (recipient === null && amountAtomic < SYSTEM_ACCOUNT_RENT) {
    refuse(
      t`${payTo} is a new account, and the chain requires at least ${solText(SYSTEM_ACCOUNT_RENT)}`,
    );
  }
}

/** @throws {ScripError} FUNDS_TOO_LOW */
export async function checkTokens(rpc: SolanaRpc, source: string, amount: Atomic): Promise<void> {
  const available = atomic((await rpc.tokenAccountBalance(source)) ?? 0n);
  if (available < amount) tooLow(SOLANA_MAINNET, 'USDC', formatUsdc(available), formatUsdc(amount));
}

export function solText(lamports: bigint): string {
  return `${formatSol(lamports)} SOL`;
}

export function refuse(reason: Message): never {
  throw new ScripError('REQUIREMENT_UNACCEPTABLE', t`The order cannot be paid: ${reason}`);
}
