/** The payer's side of the Solana rail: checks, signs, and asks the chain for a payment's fate. */

import { USDC_DECIMALS } from '../../contract/x402.ts';
import type { SignedPayment } from '../../domain/journal/journal.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { type Atomic, atomic, SOL_DECIMALS } from '../../domain/money/money.ts';
import { isOwnNetwork } from '../../domain/payment/payment-means.ts';
import type { Asset, Horizon, PayerRail, RecoveredPayment, RequiredPayment } from '../rail.ts';
import {
  associatedTokenAddress,
  decodeBase58,
  encodeBase58,
  isAddress,
  isOnCurve,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from './address.ts';
import { receivedIn } from './credits.ts';
import { verifySignature } from './ed25519.ts';
import { confirmedTransaction, EXPIRY_MARGIN_BLOCKS, witnessedFate } from './fate.ts';
import { chainTime, type HealthOptions, readHealth } from './health.ts';
import { joinHistories, joinOutflows } from './history.ts';
import { decodePayment } from './message.ts';
import { readOutflows } from './outflows.ts';
import { LAMPORTS, readOwnPayments, transferIn } from './own-history.ts';
import { openingCost, signTransfer, solText } from './own-transfer.ts';
import type { SolanaRpc } from './rpc.ts';
import { readBaseline, readBlockhash, recorded, type SolanaPayment, sealPayment } from './seal.ts';
import { extraChecks, formatUsdc, readTerms, refuseTerms, type Terms } from './terms.ts';
import { buildTransfer, nonceOfTag, PAYER_SIGNATURE } from './transfer.ts';

const TOKEN_PROGRAMS = new Set([TOKEN_PROGRAM, TOKEN_2022_PROGRAM]);
/** About the time of a block. */
const BLOCK_MS = 400;

/** The nodes and USDC's mint there; with a second node, a dead payment also needs its proof. */
export type PayerOptions = HealthOptions;

/** The rail, whose payments tests read in full. */
export interface SolanaPayer extends PayerRail {
  sign(order: Parameters<PayerRail['sign']>[0]): Promise<SolanaPayment>;
}

export function createSolanaPayer(options: PayerOptions): SolanaPayer {
  const { rpc, witness, network, mint } = options;
  const nodes = witness === undefined ? [rpc] : [rpc, witness];
  const at = (node: SolanaRpc) => ({ rpc: node, network, read: new Map<string, string>() });
  const sources = { own: at(rpc), witness: witness && at(witness) };
  const confirmed = new Map<string, string>();
  const histories = nodes.map((node) => ({ rpc: node, mint, read: new Map() }));
  const losses = nodes.map((node) => ({ rpc: node, mint, read: new Map() }));
  const usdc = { asset: mint, decimals: USDC_DECIMALS };
  const assets: Readonly<Record<string, Asset>> = {
    USDC: usdc,
    SOL: { asset: LAMPORTS, decimals: SOL_DECIMALS },
  };
  return {
    network,
    usdc,
    coin: 'SOL',
    isKeyAddress: (address) => isAddress(address) && isOnCurve(address),
    recipientAccount: (payTo, asset = mint) => {
      if (!isAddress(payTo)) return undefined;
      return asset === LAMPORTS ? payTo : associatedTokenAddress(payTo, asset);
    },
    asset: ({ coin, network: name }) => {
      const ticker = coin.toUpperCase();
      return isOwnNetwork(name) && Object.hasOwn(assets, ticker) ? assets[ticker] : undefined;
    },
    balances: async (owner) => {
      const [lamports, tokens] = await Promise.all([
        rpc.balance(owner),
        rpc.tokenAccountBalance(associatedTokenAddress(owner, mint)),
      ]);
      const usdcAtomic = tokens === null ? null : atomic(tokens);
      return { address: owner, coinAtomic: atomic(lamports), usdcAtomic };
    },
    requirementChecks: ({ extra }, payer) => extraChecks(extra, payer),
    checkRequirement: async (requirement, payer) => {
      const terms = readTerms(requirement, { network, mint, payer });
      await checkRecipient(options, terms);
    },
    openingCost: async (payTo, { asset }) => {
      const cost = await openingCost(rpc, payTo, asset === LAMPORTS ? null : asset);
      return cost === 0n ? null : solText(cost);
    },
    sign: (order) => (order.way === 'x402' ? sign(options, order) : signTransfer(rpc, order)),
    payload: (payment) => ({ transaction: recorded(payment).transaction }),
    send: async (payment) => {
      await rpc.send(Buffer.from(recorded(payment).transaction, 'base64'));
    },
    isLive: async (payment) =>
      (await rpc.blockHeight('confirmed')) <= recorded(payment).lastValidBlockHeight,
    fate: (payment) => witnessedFate(sources, recorded(payment)),
    transactionOf: (payment) => confirmedTransaction({ rpc, read: confirmed }, recorded(payment)),
    horizon: async (withinMs = 0) => {
      const { lastValidBlockHeight } = await readBlockhash(rpc);
      const height = lastValidBlockHeight + EXPIRY_MARGIN_BLOCKS + withinMs / BLOCK_MS;
      return horizonAt(height, options);
    },
    ownPayments: async (owner, query) =>
      joinHistories(
        await Promise.all(histories.map((node) => readOwnPayments(node, owner, query))),
      ),
    outflows: async (owner, span) =>
      joinOutflows(await Promise.all(losses.map((node) => readOutflows(node, owner, span)))),
    received: async (transactionId, owner) => {
      const account = { account: associatedTokenAddress(owner, mint), mint };
      const seen = await Promise.all(nodes.map((node) => receivedIn(node, transactionId, account)));
      const [first] = seen;
      return seen.every((one) => one?.amountAtomic === first?.amountAtomic)
        ? first && { ...first, isFinal: seen.every((one) => one?.isFinal === true) }
        : undefined;
    },
    timeMs: async () => {
      const times = await Promise.all(nodes.map(chainTime));
      const told = times.filter((time) => time !== null);
      return told.length === 0 ? null : Math.min(...told);
    },
    health: () => readHealth(options),
  };
}

function horizonAt(height: number, { rpc, mint }: PayerOptions): Horizon {
  return {
    covers: (payment) => recorded(payment).lastValidBlockHeight <= height,
    isPast: async () => (await rpc.height('finalized')).blockHeight > height,
    recover: (payment) => recoverPayment(payment, { mint, height }),
  };
}

/** When it may have landed is unknown, so it is searched for in the whole history. */
function recoverPayment(
  payment: SignedPayment,
  { mint, height }: { readonly mint: string; readonly height: number },
): RecoveredPayment | undefined {
  try {
    const { transaction, messageHash, payer, signature } = recorded(payment);
    const decoded = decodePayment(transaction);
    const own = decoded.signatures[decoded.accountKeys.indexOf(payer)];
    const isGenuine =
      decoded.messageHash === messageHash &&
      own !== undefined &&
      encodeBase58(own) === signature &&
      verifySignature(payer, decoded.message, decodeBase58(signature));
    const transfer = isGenuine ? transferIn(decoded, { owner: payer, mint }) : undefined;
    if (transfer === undefined) return undefined;
    const { source: sourceAccount, blockhash, ...shown } = transfer;
    const baseline = { sourceAccount, signature: null, slot: 0 };
    const life = { blockhash, lastValidBlockHeight: height, baseline };
    const signed: SolanaPayment = { transaction, messageHash, signature, ...life, payer };
    return { ...shown, signed };
  } catch {
    return undefined;
  }
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

async function sign(options: PayerOptions, input: RequiredPayment): Promise<SolanaPayment> {
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
    nonce: nonceOfTag(input.tag),
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
