/** The Solana rail's read-only queries: addresses, signed payments, the wallet's history. */
import { USDC_DECIMALS } from '../../contract/x402.ts';
import type { RailInsight, SignedPayment, SignedTransfer } from '../rail.ts';
import { associatedTokenAddress, isAddress, isOnCurve } from './address.ts';
import { decodeBase58, encodeBase58 } from './base58.ts';
import { receivedIn } from './credits.ts';
import { verifySignature } from './ed25519.ts';
import { confirmedTransaction, EXPIRY_MARGIN_BLOCKS } from './fate.ts';
import { chainTime, type HealthOptions, readHealth } from './health.ts';
import { decodePayment } from './message.ts';
import { readOutflows } from './outflows.ts';
import { readOwnPayments, transferIn } from './own-history.ts';
import { readBlockhash } from './seal.ts';
import { joinHistories, joinOutflows } from './two-nodes.ts';

export function createInsight(options: HealthOptions): RailInsight {
  const { mint, rpc, witness } = options;
  const read = new Map<string, string>();
  const nodes = [rpc, ...(witness === undefined ? [] : [witness])];
  const histories = nodes.map((node) => ({ rpc: node, mint, read: new Map() }));
  const outflows = nodes.map((node) => ({ rpc: node, mint, read: new Map() }));
  return {
    decimals: USDC_DECIMALS,
    isOnCurve: (address) => isAddress(address) && isOnCurve(address),
    recipientAccount: (payTo) =>
      isAddress(payTo) ? associatedTokenAddress(payTo, mint) : undefined,
    readSigned: (payment) => readSigned(payment, mint),
    transactionOf: (payment) => confirmedTransaction({ rpc, read }, payment),
    ownPayments: async (owner, query) =>
      joinHistories(
        await Promise.all(histories.map((node) => readOwnPayments(node, owner, query))),
      ),
    outflows: async (owner, span) =>
      joinOutflows(await Promise.all(outflows.map((node) => readOutflows(node, owner, span)))),
    received: async (transactionId, owner) => {
      const account = { account: associatedTokenAddress(owner, mint), mint };
      const seen = await Promise.all(nodes.map((node) => receivedIn(node, transactionId, account)));
      const [first] = seen;
      return seen.every((one) => one?.amountAtomic === first?.amountAtomic)
        ? first && { ...first, isFinal: seen.every((one) => one?.isFinal === true) }
        : undefined;
    },
    horizon: async () => (await readBlockhash(rpc)).lastValidBlockHeight + EXPIRY_MARGIN_BLOCKS,
    isPast: async (height) => (await rpc.height('finalized')).blockHeight > height,
    timeMs: async () => {
      const times = await Promise.all(nodes.map(chainTime));
      const told = times.filter((time) => time !== null);
      return told.length === 0 ? null : Math.min(...told);
    },
    health: () => readHealth(options),
  };
}

function readSigned(
  { transaction, messageHash, payer, signature }: SignedPayment,
  mint: string,
): SignedTransfer | undefined {
  try {
    const decoded = decodePayment(transaction);
    const own = decoded.signatures[decoded.accountKeys.indexOf(payer)];
    const isGenuine =
      decoded.messageHash === messageHash &&
      own !== undefined &&
      encodeBase58(own) === signature &&
      verifySignature(payer, decoded.message, decodeBase58(signature));
    return isGenuine ? transferIn(decoded, { owner: payer, mint }) : undefined;
  } catch {
    return undefined;
  }
}
