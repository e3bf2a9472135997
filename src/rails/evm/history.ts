/** A wallet's USDC in the logs of an EVM chain: payments that it signed, and all that left it. */

import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { atomic } from '../../domain/money/money.ts';
import type { Outflow } from '../../domain/policy/spend-log.ts';
import type { BalanceChange } from '../merchant-rail.ts';
import type { HistoryQuery, OwnHistory, OwnPayment, PayerRail, Received } from '../rail.ts';
import { gapOf, missing, TOO_SHORT, untold } from '../witness.ts';
import { bytesOf, hexOf } from './address.ts';
import { type Authorization, digestOf } from './authorization.ts';
import { amountIn, asFlag, type ChainSource } from './fate.ts';
import { blockBefore, byPlace, logsIn, newestLog } from './logs.ts';
import { type EvmPayment, paymentOf } from './payment.ts';
import type { Block, EvmRpc, Log } from './rpc.ts';
import { signerOf } from './secp256k1.ts';
import { MOST_SECONDS } from './terms.ts';
import { addressOfTopic, settlementIn, stateCall, TOPICS, topicOfAddress } from './usdc.ts';

/** Transactions that are read one after another. */
const MOST_KEPT = 100_000;

export interface HistorySource extends ChainSource {
  /** Payments in final blocks, by id of the transaction and nonce. */
  readonly read: Map<string, OwnPayment>;
}

/** See `PayerRail.ownPayments`: authorizations that the owner signed and that were used. */
export async function readOwnPayments(
  source: HistorySource,
  owner: string,
  query: HistoryQuery,
): Promise<OwnHistory> {
  const { rpc } = source;
  const final = await rpc.head('finalized');
  const newest = query.isTip ? await rpc.head('latest') : final;
  if (query.tags !== undefined) {
    const found = await tagged(source, { owner, tags: query.tags, newest });
    if (found === undefined) return { payments: [], isWhole: false, gap: TOO_SHORT };
    return { payments: await readPayments(source, found, { owner, final }), isWhole: true };
  }
  const from = await startOf(rpc, query, newest);
  if (from === undefined) return { payments: [], isWhole: false, gap: TOO_SHORT };
  const topics = [TOPICS.used, topicOfAddress(owner)];
  const range = { from, to: newest.number };
  const used = await logsIn(rpc, { address: source.network.asset, topics }, range);
  // Who settles several payments in one transaction may have put one that is not known beside a known one.
  const isAlone = ({ transaction }: Log) =>
    used.filter((log) => log.transaction === transaction).length === 1;
  const unread = used
    .filter((log) => !query.known.has(log.transaction) || !isAlone(log))
    .toReversed();
  const payments = await readPayments(source, unread.slice(0, query.mostReads), { owner, final });
  const gap = gapOf(idsOf(used), unread.length, query);
  const last = used.findLast(({ block }) => block <= final.number)?.transaction;
  return {
    payments,
    isWhole: gap === undefined,
    gap,
    newest: last,
  };
}

/**
 * The uses of these tags. USDC keeps each nonce for ever, so nothing is searched where none is used; undefined if a
 * node does not show a use.
 */
async function tagged(
  { rpc, network: { asset } }: ChainSource,
  asked: { readonly owner: string; readonly tags: readonly Uint8Array[]; readonly newest: Block },
): Promise<readonly Log[] | undefined> {
  const { owner, newest } = asked;
  const nonces = asked.tags.map(hexOf);
  const states = await rpc.calls(
    asset,
    nonces.map((nonce) => stateCall({ from: owner, nonce })),
  );
  const found: Log[] = [];
  for (const nonce of nonces.filter((_nonce, at) => asFlag(states[at] ?? ''))) {
    const topics = [TOPICS.used, topicOfAddress(owner), nonce];
    const used = await newestLog(rpc, { address: asset, topics }, newest.number);
    if (used === undefined) return undefined;
    found.push(used);
  }
  return found;
}

/** The first block to search; undefined if the node does not show that it goes back so far. */
async function startOf(
  rpc: EvmRpc,
  { until, sinceMs }: HistoryQuery,
  newest: Block,
): Promise<number | undefined> {
  const known = until === undefined ? null : await rpc.receipt(until);
  if (known !== null) return known.block;
  return blockBefore(rpc, sinceMs === undefined ? 0 : Math.floor(sinceMs / 1_000), newest);
}

async function readPayments(
  source: HistorySource,
  used: readonly Log[],
  { owner, final }: { readonly owner: string; readonly final: Block },
): Promise<readonly OwnPayment[]> {
  const times = await timesOf(source.rpc, used);
  const payments: OwnPayment[] = [];
  for (const log of used) {
    const key = log.transaction + log.topics[2];
    const isFinal = log.block <= final.number;
    const timeMs = times.get(log.block) ?? 0;
    const payment = source.read.get(key) ?? (await paymentIn(source, log, { owner, timeMs }));
    if (isFinal && source.read.size < MOST_KEPT) source.read.set(key, payment);
    payments.push({ ...payment, isFinal, timeMs });
  }
  return payments;
}

/** The payment whose authorization a log shows as used; its transfer is the log after it. */
async function paymentIn(
  { rpc, network }: ChainSource,
  used: Log,
  { owner, timeMs }: { readonly owner: string; readonly timeMs: number },
): Promise<OwnPayment> {
  const receipt = await rpc.receipt(used.transaction);
  const next = receipt?.logs.find(({ index }) => index === used.index + 1);
  const value = next && amountIn(next);
  if (next?.topics[0] !== TOPICS.transfer || value === undefined) {
    throw missing(used.transaction);
  }
  const [, , nonce = ''] = used.topics;
  const to = addressOfTopic(next.topics[2] ?? '');
  const seconds = timeMs / 1_000;
  const signed = await signedIn({ rpc, network }, used.transaction, {
    ...{ from: owner, to, value: value.toString(), nonce },
    // Of its validity only this is known: it is at most so long, and this block could include it.
    ...{ validAfter: `${seconds - MOST_SECONDS}`, validBefore: `${seconds + MOST_SECONDS}` },
  });
  return {
    transactionId: used.transaction,
    ...{ slot: used.block, isFinal: false, timeMs },
    ...{ asset: network.asset, amountAtomic: atomic(value), destination: to, payTo: to },
    ...{ isDirect: false, extra: { name: network.name, version: network.version } },
    carries: (tag) => hexOf(tag) === nonce,
    signed,
  };
}

/** What the payer signed, from the data of the transaction; without its signature where that is not plain there. */
async function signedIn(
  { rpc, network }: ChainSource,
  transaction: string,
  shown: Authorization,
): Promise<EvmPayment> {
  const settled = settlementIn((await rpc.input(transaction)) ?? '', shown);
  const isPlain =
    settled !== undefined &&
    signerOf(digestOf(network, settled.authorization), bytesOf(settled.signature)) === shown.from;
  return isPlain
    ? paymentOf(network, { authorization: settled.authorization, proof: settled.signature })
    : paymentOf(network, { authorization: shown, proof: '0x' });
}

async function timesOf(
  rpc: EvmRpc,
  logs: readonly Pick<Log, 'block'>[],
): Promise<ReadonlyMap<number, number>> {
  const numbers = [...new Set(logs.map(({ block }) => block))];
  const blocks = await rpc.blocks(numbers);
  return new Map(blocks.map(({ number, time }) => [number, time * 1_000]));
}

interface Move {
  readonly transaction: string;
  readonly atMs: number;
  /** Negative where USDC left the owner. */
  readonly change: bigint;
  /** Its transfers from the owner. */
  readonly out: readonly Log[];
}

/** What each transaction since an instant changed of an owner's USDC, oldest first; undefined as `blockBefore`. */
async function movesOf({ rpc, network }: ChainSource, owner: string, sinceMs: number) {
  const newest = await rpc.head('latest');
  const from = await blockBefore(rpc, Math.floor(sinceMs / 1_000), newest);
  if (from === undefined) return undefined;
  const range = { from, to: newest.number };
  const search = (...topics: (string | null)[]) =>
    logsIn(rpc, { address: network.asset, topics }, range);
  const own = topicOfAddress(owner);
  const [out, back] = [
    await search(TOPICS.transfer, own),
    await search(TOPICS.transfer, null, own),
  ];
  const logs = [...out, ...back].toSorted(byPlace);
  const times = await timesOf(rpc, logs);
  const ids = new Map(logs.map(({ transaction, block }) => [transaction, block]));
  const moves = [...ids].map(([transaction, block]): Move => {
    const of = (some: readonly Log[]) => some.filter((log) => log.transaction === transaction);
    const atMs = times.get(block) ?? newest.time * 1_000;
    return { transaction, atMs, change: sum(of(back)) - sum(of(out)), out: of(out) };
  });
  return { range, moves: moves.filter(({ atMs }) => atMs >= sinceMs) };
}

/**
 * See `PayerRail.outflows`: each use of an authorization by itself, since one transaction may hold several, of
 * which the journal knows one; and what else a transaction took from the owner's USDC, less what it brought.
 */
export async function readOutflows(
  source: ChainSource,
  owner: string,
  { sinceMs, expected }: Parameters<PayerRail['outflows']>[1],
): Promise<readonly Outflow[]> {
  const found = await movesOf(source, owner, sinceMs);
  if (found === undefined) throw untold(TOO_SHORT);
  const { moves, range } = found;
  const gap = gapOf(idsOf(moves), 0, { expected });
  if (gap !== undefined) throw untold(gap);
  const topics = [TOPICS.used, topicOfAddress(owner)];
  const used = await logsIn(source.rpc, { address: source.network.asset, topics }, range);
  return moves.flatMap(({ transaction, atMs, change, out }): readonly Outflow[] => {
    const common = { transactionId: transaction, atMs };
    const uses = used
      .filter((log) => log.transaction === transaction)
      .map(({ index, topics: [, , nonce = ''] }) => {
        const amount = sum(out.filter((log) => log.index === index + 1));
        return { ...common, signatures: [nonce], amountAtomic: atomic(amount) };
      });
    const rest = uses.reduce((left, { amountAtomic }) => left - amountAtomic, -change);
    return rest > 0n ? [...uses, { ...common, signatures: [], amountAtomic: atomic(rest) }] : uses;
  });
}

function sum(logs: readonly Log[]): bigint {
  return logs.reduce((total, log) => total + (amountIn(log) ?? 0n), 0n);
}

function idsOf(rows: readonly { readonly transaction: string }[]): ReadonlySet<string> {
  return new Set(rows.map(({ transaction }) => transaction));
}

/** See `PayerRail.received`, by one node. */
export async function receivedAt(
  source: ChainSource,
  transactionId: string,
  owner: string,
): Promise<Received | undefined> {
  const receipt = await source.rpc.receipt(transactionId);
  if (receipt === null || !receipt.isDone) return undefined;
  const credited = changeIn(source, receipt.logs, owner);
  const final = await source.rpc.head('finalized');
  return {
    amountAtomic: atomic(credited > 0n ? credited : 0n),
    isFinal: receipt.block <= final.number,
  };
}

/** What logs changed of an owner's USDC. */
function changeIn({ network }: ChainSource, logs: readonly Log[], owner: string): bigint {
  const own = topicOfAddress(owner);
  const moved = logs.filter(
    ({ address, topics }) => address === network.asset && topics[0] === TOPICS.transfer,
  );
  return (
    sum(moved.filter(({ topics }) => topics[2] === own)) -
    sum(moved.filter(({ topics }) => topics[1] === own))
  );
}

/** USDC that came to an owner from a block on, oldest first. @throws as `logsIn` */
export async function creditsTo({ rpc, network }: ChainSource, owner: string, from: number) {
  const { number } = await rpc.head('latest');
  const topics = [TOPICS.transfer, null, topicOfAddress(owner)];
  const logs = await logsIn(rpc, { address: network.asset, topics }, { from, to: number });
  return logs
    .map((log) => ({ transaction: log.transaction, block: log.block, amount: amountIn(log) ?? 0n }))
    .filter(({ amount }) => amount > 0n);
}

/** See `ShopRail.changesIn`, by one node. */
export async function changesIn(
  source: ChainSource,
  transaction: string,
  owners: readonly string[],
): Promise<readonly BalanceChange[] | undefined> {
  const { rpc } = source;
  const [receipt, final] = [await rpc.receipt(transaction), await rpc.head('finalized')];
  if (receipt === null || !receipt.isDone || receipt.block > final.number) return undefined;
  const times = await timesOf(rpc, [receipt]);
  const common = { transaction, atMs: times.get(receipt.block) ?? 0, feePayer: receipt.from };
  return owners.map((owner) => ({ ...common, change: changeIn(source, receipt.logs, owner) }));
}

/** See `ShopRail.histories`, by one node. */
export async function changesOf(
  source: ChainSource,
  owner: string,
  sinceMs: number,
): Promise<readonly BalanceChange[]> {
  const found = await movesOf(source, owner, sinceMs);
  if (found === undefined) {
    throw new ScripError('CHAIN_UNREACHABLE', t`The RPC no longer has the history of ${owner}`, {
      hint: t`Use a node that keeps the history of the shop.`,
    });
  }
  const moves = found.moves.filter(({ change }) => change !== 0n);
  const receipts = await source.rpc.receipts(moves.map(({ transaction }) => transaction));
  return moves.map((move, at) => ({ ...move, feePayer: receipts[at]?.from ?? '' }));
}
