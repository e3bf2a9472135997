/** Pays an address in USDC or SOL from the buyer's own wallet; the buyer also pays the network fee. */

import { commandText } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { type Message, type Said, t } from '../../domain/message.ts';
import { type Atomic, atomic } from '../../domain/money.ts';
import { formatSol } from '../../domain/sol.ts';
import type { DirectPayment } from '../rail.ts';
import { associatedTokenAddress, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './address.ts';
import { SYSTEM_ACCOUNT_RENT, TOKEN_ACCOUNT_RENT } from './open-account.ts';
import { LAMPORTS } from './own-history.ts';
import { buildOwnTransfer, OWN_SIGNATURE } from './own-transfer.ts';
import type { SolanaRpc } from './rpc.ts';
import { readBaseline, readBlockhash, type SolanaPayment, sealPayment } from './seal.ts';
import { formatUsdc } from './terms.ts';
import { nonceOfTag } from './transfer.ts';

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
