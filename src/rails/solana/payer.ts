/** The payer's side of the Solana rail: checks, signs, and asks the chain for a payment's fate. */

import type { PaymentRequirement } from '../../contract/x402.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { type Atomic, atomic } from '../../domain/money.ts';
import type { PayerRail, SignedPayment, Signer } from '../rail.ts';
import { associatedTokenAddress, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './address.ts';
import { createDirectRail } from './direct.ts';
import { witnessedFate } from './fate.ts';
import { createInsight } from './insight.ts';
import type { SolanaRpc } from './rpc.ts';
import { readBaseline, readBlockhash, sealPayment } from './seal.ts';
import { formatUsdc, readTerms, refuseTerms, type Terms } from './terms.ts';
import { buildTransfer, PAYER_SIGNATURE } from './transfer.ts';

const TOKEN_PROGRAMS = new Set([TOKEN_PROGRAM, TOKEN_2022_PROGRAM]);

export interface PayerOptions {
  readonly rpc: SolanaRpc;
  /** A node of another operator; if given, a dead payment also needs its proof. */
  readonly witness?: SolanaRpc | undefined;
  readonly network: string;
  /** USDC's mint on that network. */
  readonly mint: string;
}

export function createSolanaPayer(options: PayerOptions): PayerRail {
  const { rpc, witness, network, mint } = options;
  const at = (node: SolanaRpc) => ({ rpc: node, network, read: new Map<string, string>() });
  const nodes = { own: at(rpc), witness: witness && at(witness) };
  return {
    network,
    checkRequirement: async (requirement, payer) => {
      const terms = readTerms(requirement, { network, mint, payer });
      await checkRecipient(options, terms);
    },
    sign: (input) => sign(options, input),
    fate: (payment) => witnessedFate(nodes, payment),
    isLive: async (payment) => (await rpc.blockHeight('confirmed')) <= payment.lastValidBlockHeight,
    balances: async (owner) => {
      const [lamports, usdc] = await Promise.all([
        rpc.balance(owner),
        rpc.tokenAccountBalance(associatedTokenAddress(owner, mint)),
      ]);
      return { address: owner, lamports, usdcAtomic: usdc === null ? null : atomic(usdc) };
    },
    direct: createDirectRail(options),
    insight: createInsight(options),
  };
}

/** Refuses a recipient whose money would be lost or reach someone else. */
async function checkRecipient({ rpc, mint }: PayerOptions, { payTo }: Terms): Promise<void> {
  const [recipient, destination] = await Promise.all([
    rpc.accountInfo(payTo),
    rpc.tokenAccount(associatedTokenAddress(payTo, mint)),
  ]);
  if (recipient !== null && TOKEN_PROGRAMS.has(recipient.owner)) {
    refuseTerms(t`pays ${payTo}, which is a token account, not a wallet`);
  }
  if (recipient?.isExecutable) refuseTerms(t`pays ${payTo}, which is a program`);
  if (destination === null) refuseTerms(t`pays ${payTo}, which has no USDC account`);
  if (destination.mint !== mint || destination.owner !== payTo) {
    refuseTerms(t`pays ${payTo}, whose USDC account now belongs to another owner`);
  }
  if (destination.isFrozen) refuseTerms(t`pays ${payTo}, whose USDC account is frozen`);
}

interface SignInput {
  readonly requirement: PaymentRequirement;
  readonly amountAtomic: Atomic;
  readonly signer: Signer;
  readonly nonce: number;
}

async function sign(options: PayerOptions, input: SignInput): Promise<SignedPayment> {
  const { rpc, network, mint } = options;
  const payer = input.signer.address;
  const terms = readTerms(input.requirement, { network, mint, payer });
  if (terms.amountAtomic !== input.amountAtomic) {
    refuseTerms(
      t`asks for ${formatUsdc(terms.amountAtomic)}, not ${formatUsdc(input.amountAtomic)}`,
    );
  }
  const sourceAccount = associatedTokenAddress(payer, mint);
  await checkFunds(rpc, sourceAccount, input.amountAtomic);
  // Read before the blockhash, so every block that can include this payment is newer than the
  // baseline.
  const baseline = await readBaseline(rpc, sourceAccount);
  const { blockhash, lastValidBlockHeight } = await readBlockhash(rpc);
  const unsigned = await buildTransfer({
    ...terms,
    payer,
    mint,
    blockhash,
    nonce: input.nonce,
  });
  const signature = await input.signer.sign(unsigned.message);
  return {
    ...sealPayment(payer, { ...unsigned, position: PAYER_SIGNATURE }, signature),
    blockhash,
    lastValidBlockHeight,
    baseline,
    payer,
  };
}

async function checkFunds(rpc: SolanaRpc, source: string, amount: Atomic): Promise<void> {
  const available = atomic((await rpc.tokenAccountBalance(source)) ?? 0n);
  if (available >= amount) return;
  throw new ScripError(
    'FUNDS_TOO_LOW',
    t`The wallet holds ${formatUsdc(available)} and the payment needs ${formatUsdc(amount)}`,
    { details: { availableAtomic: available.toString(), neededAtomic: amount.toString() } },
  );
}
