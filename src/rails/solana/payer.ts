/** The payer's side of the Solana rail: checks, signs, and asks the chain for a payment's fate. */

import { networkTitle } from '../../contract/usdc.ts';
import { USDC_DECIMALS } from '../../contract/x402.ts';
import type { SignedPayment } from '../../domain/journal/journal.ts';
import { t } from '../../domain/message/message.ts';
import { atomic, SOL_DECIMALS } from '../../domain/money/money.ts';
import { isOwnNetwork } from '../../domain/payment/payment-means.ts';
import type { Asset, Horizon, PayerRail, RecoveredPayment, RequiredPayment } from '../rail.ts';
import { checkAgreed } from '../terms.ts';
import {
  askAll,
  eachOf,
  joinHistories,
  joinOutflows,
  nodesOf,
  oldestTime,
  receivedBy,
  witnessedFate,
} from '../witness.ts';
import {
  associatedTokenAddress,
  decodeBase58,
  encodeBase58,
  isAddress,
  isOnCurve,
} from './address.ts';
import { receivedIn } from './credits.ts';
import { solanaSignIn, verifySignature } from './ed25519.ts';
import { confirmedTransaction, EXPIRY_MARGIN_BLOCKS, paymentFate } from './fate.ts';
import { chainTime, type HealthOptions, readHealth } from './health.ts';
import { decodePayment } from './message.ts';
import { readOutflows } from './outflows.ts';
import { LAMPORTS, readOwnPayments, transferIn } from './own-history.ts';
import {
  checkRecipient,
  checkTokens,
  openingCost,
  refuse,
  signTransfer,
  solText,
} from './own-transfer.ts';
import { readBlockhash, recorded, type SolanaPayment, signPlan } from './seal.ts';
import { extraChecks, readTerms } from './terms.ts';

/** About the time of a block. */
const BLOCK_MS = 400;

/** The rail, whose payments tests read in full. */
export interface SolanaPayer extends PayerRail {
  sign(order: Parameters<PayerRail['sign']>[0]): Promise<SolanaPayment>;
}

export function createSolanaPayer(options: HealthOptions): SolanaPayer {
  const { rpc, network, mint } = options;
  const nodes = nodesOf(options);
  const sources = eachOf(nodes, (node) => ({ rpc: node, network, read: new Map() }));
  const confirmed = new Map<string, string>();
  const histories = eachOf(nodes, (node) => ({ rpc: node, mint, read: new Map() }));
  const losses = eachOf(nodes, (node) => ({ rpc: node, mint, read: new Map() }));
  const usdc = { asset: mint, decimals: USDC_DECIMALS };
  const assets: Readonly<Record<string, Asset>> = {
    USDC: usdc,
    SOL: { asset: LAMPORTS, decimals: SOL_DECIMALS },
  };
  return {
    network,
    name: networkTitle(network),
    // A transaction names a recent block of its chain.
    isReplayable: false,
    signIn: solanaSignIn,
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
      const { payTo } = readTerms(requirement, { network, mint, payer });
      if (!(await checkRecipient(rpc, payTo, mint))) refuse(t`${payTo} has no USDC account`);
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
    fate: async (payment) => {
      const own = recorded(payment);
      return witnessedFate(sources, (node) => paymentFate(node, own));
    },
    transactionOf: (payment) => confirmedTransaction({ rpc, read: confirmed }, recorded(payment)),
    horizon: async (withinMs = 0) => {
      const { lastValidBlockHeight } = await readBlockhash(rpc);
      const height = lastValidBlockHeight + EXPIRY_MARGIN_BLOCKS + withinMs / BLOCK_MS;
      return horizonAt(height, options);
    },
    ownPayments: async (owner, query) =>
      joinHistories(await askAll(histories, (node) => readOwnPayments(node, owner, query))),
    outflows: async (owner, span) =>
      joinOutflows(await askAll(losses, (node) => readOutflows(node, owner, span))),
    received: (transactionId, owner) => {
      const place = { account: associatedTokenAddress(owner, mint), mint };
      return receivedBy(nodes, (node) => receivedIn(node, transactionId, place));
    },
    timeMs: () => oldestTime(nodes, chainTime),
    health: () => readHealth(options),
  };
}

function horizonAt(height: number, { rpc, mint }: HealthOptions): Horizon {
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

async function sign(options: HealthOptions, input: RequiredPayment): Promise<SolanaPayment> {
  const { rpc, network, mint } = options;
  const payer = input.signer.address;
  const terms = readTerms(input.requirement, { network, mint, payer });
  checkAgreed(terms.amountAtomic, input.amountAtomic);
  const sourceAccount = associatedTokenAddress(payer, mint);
  await checkTokens(rpc, sourceAccount, input.amountAtomic);
  return signPlan(rpc, input, { ...terms, payer, mint, sourceAccount });
}
