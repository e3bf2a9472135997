/** A node of ours and, if there is one, that of another operator: what both show, taken together. */

import { expected } from '../domain/attempt.ts';
import { ScripError } from '../domain/message/errors.ts';
import { type Message, t } from '../domain/message/message.ts';
import { atomic } from '../domain/money/money.ts';
import type { Outflow } from '../domain/policy/spend-log.ts';
import type { BalanceChange, FoundTransfer, ShopRail } from './merchant-rail.ts';
import type {
  HistoryQuery,
  NodeHealth,
  OwnHistory,
  OwnPayment,
  PaymentFate,
  RailHealth,
  Received,
} from './rail.ts';

/** Our own node comes first. */
export type Nodes<Node> = readonly [own: Node, ...others: Node[]];

export function nodesOf<Node>({
  rpc,
  witness,
}: {
  readonly rpc: Node;
  readonly witness?: Node | undefined;
}): Nodes<Node> {
  return witness === undefined ? [rpc] : [rpc, witness];
}

export function eachOf<Node, T>([own, ...others]: Nodes<Node>, of: (node: Node) => T): Nodes<T> {
  return [of(own), ...others.map((node) => of(node))];
}

export function askAll<Node, T>(nodes: Nodes<Node>, ask: (node: Node) => Promise<T>) {
  return Promise.all(eachOf(nodes, ask));
}

/** Our own node's answer; undefined where another node's differs. @param named what has to be the same */
export async function agreed<Node, T>(
  nodes: Nodes<Node>,
  ask: (node: Node) => Promise<T>,
  named: (answer: T) => unknown,
): Promise<T | undefined> {
  const [own, ...others] = await askAll(nodes, ask);
  return others.every((one) => named(one) === named(own)) ? own : undefined;
}

/**
 * Asks our own node, and for a dead payment the other. Dead needs proof from both; landed on either node is
 * landed. A node that lies, lags or is down can only keep the fate open.
 */
export async function witnessedFate<Node>(
  [own, witness]: Nodes<Node>,
  ask: (node: Node) => Promise<PaymentFate>,
): Promise<PaymentFate> {
  const first = await ask(own);
  if (first.fate !== 'dead' || witness === undefined) return first;
  const second = await ask(witness);
  if (second.fate === 'dead') {
    return { fate: 'dead', proof: t`${first.proof}; by a second RPC: ${second.proof}` };
  }
  if (second.fate === 'landed') return second;
  const what =
    second.fate === 'unknown' ? second.reason : t`it does not show the payment as confirmed yet`;
  return { fate: 'unknown', reason: t`The second RPC does not confirm it: ${what}` };
}

/** What all nodes show of a credit. */
export async function receivedBy<Node>(
  nodes: Nodes<Node>,
  ask: (node: Node) => Promise<Received | undefined>,
): Promise<Received | undefined> {
  const [own, ...others] = await askAll(nodes, ask);
  if (others.some((one) => one?.amountAtomic !== own?.amountAtomic)) return undefined;
  return own && { ...own, isFinal: own.isFinal && others.every((one) => one?.isFinal) };
}

/** See `PayerRail.timeMs`. */
export async function oldestTime<Node>(
  nodes: Nodes<Node>,
  timeOf: (node: Node) => Promise<number | null>,
): Promise<number | null> {
  const told = (await askAll(nodes, timeOf)).filter((time) => time !== null);
  return told.length === 0 ? null : Math.min(...told);
}

const NAMES: Nodes<Message> = [t`the RPC`, t`the second RPC`];

/** See `PayerRail.health`. @param timeOf the chain's time, by our own node */
export async function healthOf<Node>(
  nodes: Nodes<Node>,
  look: (node: Node) => Promise<Pick<NodeHealth, 'isNetwork' | 'hasAsset' | 'block'>>,
  timeOf: (node: Node) => Promise<number | null>,
): Promise<RailHealth> {
  const nothing = { isNetwork: false, hasAsset: false, block: 0 };
  const seen = await askAll(nodes, (node) =>
    look(node).then(
      (found) => ({ ...found, problem: null }),
      expected(({ sentence }) => ({ ...nothing, problem: sentence })),
    ),
  );
  return {
    nodes: seen.map((one, at) => ({ ...one, name: NAMES[at] ?? NAMES[0] })),
    timeMs: seen[0].problem === null ? await timeOf(nodes[0]) : null,
  };
}

/** What of a shop's rail is asked of each node alike. */
interface ShopReads<Node> {
  landed(node: Node, sought: Parameters<ShopRail['landed']>[0]): Promise<FoundTransfer | undefined>;
  received(node: Node, transaction: string, owner: string): Promise<Received | undefined>;
  changesIn(
    node: Node,
    transaction: string,
    owners: readonly string[],
  ): Promise<readonly BalanceChange[] | undefined>;
  changesOf(node: Node, owner: string, sinceMs: number): Promise<readonly BalanceChange[]>;
  /** Number of the newest final block. */
  head(node: Node): Promise<number>;
}

export function readsOfShop<Node>(
  nodes: Nodes<Node>,
  { landed, received, changesIn, changesOf, head }: ShopReads<NoInfer<Node>>,
): Pick<ShopRail, 'landed' | 'received' | 'changesIn' | 'histories' | 'heads'> {
  return {
    async landed(sought) {
      for (const node of nodes) {
        const found = await landed(node, sought);
        if (found !== undefined) return found;
      }
      return undefined;
    },
    received: (transaction, owner) =>
      receivedBy(nodes, (node) => received(node, transaction, owner)),
    changesIn: (transaction, owners) =>
      agreed(
        nodes,
        (node) => changesIn(node, transaction, owners),
        (changes) => changes?.map(({ change }) => change).join(),
      ),
    histories: (owner, sinceMs) => askAll(nodes, (node) => changesOf(node, owner, sinceMs)),
    heads: () => askAll(nodes, (node) => head(node).catch(expected(() => undefined))),
  };
}

/** Merges outflows: each once, with the larger amount and the later time. */
export function joinOutflows(told: readonly (readonly Outflow[])[]): readonly Outflow[] {
  const joined = new Map<string, Outflow>();
  for (const outflow of told.flat()) {
    const name = [outflow.transactionId, ...outflow.signatures].join();
    const other = joined.get(name);
    joined.set(name, other === undefined ? outflow : stricter(outflow, other));
  }
  return [...joined.values()];
}

function stricter(one: Outflow, other: Outflow): Outflow {
  const amounts = [one, other].flatMap(({ amountAtomic }) => amountAtomic ?? []);
  return {
    ...one,
    amountAtomic:
      amounts.length === 0
        ? undefined
        : atomic(amounts.reduce((most, amount) => (amount > most ? amount : most), 0n)),
    atMs: Math.max(one.atMs, other.atMs),
  };
}

/** Why a history is not whole; undefined if it is. @param unread transactions that are not known yet */
export function gapOf(
  listed: ReadonlySet<string>,
  unread: number,
  { expected: seen = new Set(), mostReads }: Partial<Pick<HistoryQuery, 'expected' | 'mostReads'>>,
): Message | undefined {
  const missing = [...seen].find((id) => !listed.has(id));
  if (missing !== undefined) {
    return t`the RPC does not list ${missing}, which this machine saw confirmed`;
  }
  return mostReads !== undefined && unread > mostReads
    ? t`it has ${unread} transactions unknown to this machine; only ${mostReads} are read`
    : undefined;
}

/** As the end of a sentence. */
export const TOO_SHORT = t`the RPC’s history does not reach far enough back`;

export function untold(why: Message, hint?: Message): ScripError {
  return new ScripError(
    'SPENDING_UNKNOWN',
    t`The wallet’s payments of the last 24 hours are unknown, so the daily limits cannot be checked: ${why}; nothing was signed`,
    { hint },
  );
}

/** What was listed without being shown. */
export function missing(transaction: string): ScripError {
  return new ScripError(
    'CHAIN_UNREACHABLE',
    t`The RPC lists ${transaction} but does not return it`,
  );
}

/** Merges histories; the result is whole only if each node's is. */
export function joinHistories(told: readonly OwnHistory[]): OwnHistory {
  // By its signature as well: on some chains one transaction may hold several payments.
  const nameOf = ({ transactionId, signed }: OwnPayment) =>
    [transactionId, signed.signature].join();
  const payments = new Map(
    told.flatMap(({ payments: seen }) => seen).map((payment) => [nameOf(payment), payment]),
  );
  const gap = told.find(({ isWhole }) => !isWhole)?.gap;
  const [newest, ...others] = told.map((history) => history.newest);
  // If the nodes disagree, leave `newest` out: the next query starts over.
  const isSame = others.every((other) => other === newest);
  return {
    payments: [...payments.values()].toSorted((one, other) => other.slot - one.slot),
    isWhole: told.every(({ isWhole }) => isWhole),
    gap,
    newest: isSame ? newest : undefined,
  };
}
