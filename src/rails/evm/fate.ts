/** Decides what became of an authorization (docs/inside/payments.md). */

import { expected } from '../../domain/attempt.ts';
import { isoOf } from '../../domain/clock.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Message, t } from '../../domain/message/message.ts';
import type { FoundTransfer } from '../merchant-rail.ts';
import type { PaymentFate } from '../rail.ts';
import { rpcCodeOf, unreadable } from '../rpc-transport.ts';
import type { Authorization } from './authorization.ts';
import { blockBefore, logsIn, newestLog } from './logs.ts';
import type { EvmNetwork } from './networks.ts';
import type { Block, EvmRpc, Log } from './rpc.ts';
import { stateCall, TOPICS, topicOfAddress } from './usdc.ts';

/** The node to ask, and the chain that it must serve. */
export interface ChainSource {
  readonly rpc: EvmRpc;
  readonly network: EvmNetwork;
}

/** What finalized blocks show of an authorization. */
type State =
  | { readonly state: 'landed'; readonly transaction: string; readonly block: number }
  | { readonly state: 'spoiled'; readonly transaction: string; readonly isCanceled: boolean }
  | { readonly state: 'dead'; readonly final: Block }
  | { readonly state: 'pending' }
  | { readonly state: 'unknown'; readonly reason: Message };

/**
 * Returns landed if finalized logs show the authorization's own transfer; dead if it is unused in a finalized block
 * that is past its time. That a transaction with it was executed and failed proves nothing: another may follow. A
 * node that is unreachable, serves another chain or lacks the logs leaves it unknown.
 */
export async function paymentFate(
  source: ChainSource,
  payment: Authorization,
): Promise<PaymentFate> {
  const unknown = ({ sentence }: ScripError) => ({ state: 'unknown', reason: sentence }) as const;
  const found = await stateOf(source, payment).catch(expected(unknown, 'CHAIN_UNREACHABLE'));
  if (found.state === 'pending') return { fate: 'pending' };
  if (found.state === 'unknown') return { fate: 'unknown', reason: found.reason };
  if (found.state === 'landed') {
    return { fate: 'landed', transaction: found.transaction, slot: found.block };
  }
  if (found.state === 'spoiled') {
    const { transaction, isCanceled } = found;
    const reason = t`${transaction} used its nonce for another transfer`;
    return { fate: 'unknown', reason, takenBy: isCanceled ? undefined : transaction };
  }
  const { number, time } = found.final;
  const until = isoOf(Number(payment.validBefore) * 1_000);
  const proof = t`unused in the finalized block ${number} of ${isoOf(time * 1_000)} (valid until ${until})`;
  return { fate: 'dead', proof };
}

/** @throws {ScripError} CHAIN_UNREACHABLE */
export async function stateOf(source: ChainSource, payment: Authorization): Promise<State> {
  const { rpc, network } = source;
  // The time first and the state of that very block after it: a state read first could change before the time.
  const final = await rpc.head('finalized');
  const used = await stateAt(source, payment, final);
  if (used !== 'unused') {
    const use = await findUse(source, payment, final);
    if (use !== undefined) return { ...use, state: use.isOurs ? 'landed' : 'spoiled' };
    if (used === 'later') return { state: 'pending' };
    return { state: 'unknown', reason: t`The RPC does not show what used the payment’s nonce` };
  }
  if (BigInt(final.time) < BigInt(payment.validBefore)) return { state: 'pending' };
  if ((await rpc.chainId()) !== network.chainId) {
    return { state: 'unknown', reason: t`The RPC serves another chain than ${network.network}` };
  }
  return { state: 'dead', final };
}

/**
 * Whether the nonce is used in the finalized block. Nodes that keep few states answer for the newest block: what is
 * unused there, was unused before.
 */
async function stateAt(
  { rpc, network }: ChainSource,
  payment: Authorization,
  final: Block,
): Promise<'used' | 'later' | 'unused'> {
  const ask = async ({ hash }: Block) =>
    asFlag(
      await rpc.call(network.asset, stateCall(payment), {
        blockHash: hash,
        requireCanonical: true,
      }),
    );
  try {
    return (await ask(final)) ? 'used' : 'unused';
  } catch (error) {
    if (rpcCodeOf(error) === undefined) throw error;
  }
  const latest = await rpc.head('latest');
  // A node behind the one that told of the finalized block knows nothing of what came up to it.
  if ((await rpc.block(final.number))?.hash !== final.hash || latest.number < final.number) {
    throw new ScripError('CHAIN_UNREACHABLE', t`The RPC’s nodes show different blocks`);
  }
  return (await ask(latest)) ? 'later' : 'unused';
}

/** Whether the nonce of an authorization is used or canceled by the newest block. */
export async function isUsed(
  { rpc, network }: ChainSource,
  payment: Pick<Authorization, 'from' | 'nonce'>,
) {
  return asFlag(await rpc.call(network.asset, stateCall(payment)));
}

/** Reads a boolean that a contract returned; an account without code returns nothing. */
export function asFlag(result: string): boolean {
  return /^0x0{63}[01]$/.test(result) ? result.endsWith('1') : unreadable(t`the state of a nonce`);
}

/** The use of an authorization's nonce. */
interface Use {
  readonly transaction: string;
  readonly block: number;
  /** Whether its own transfer is beside it; otherwise the payer canceled it, or signed another one with its nonce. */
  readonly isOurs: boolean;
  readonly isCanceled: boolean;
}

/** Looks for what used the nonce of an authorization, in the time in which that is valid, up to a block. */
export async function findUse(
  { rpc, network }: ChainSource,
  payment: Authorization,
  upTo: Block,
): Promise<Use | undefined> {
  const { asset } = network;
  const from = await blockBefore(rpc, Number(payment.validAfter), upTo);
  if (from === undefined) return undefined;
  const topics = [[TOPICS.used, TOPICS.canceled], topicOfAddress(payment.from), payment.nonce];
  const [used] = await logsIn(rpc, { address: asset, topics }, { from, to: upTo.number });
  if (used === undefined) return undefined;
  const receipt = await rpc.receipt(used.transaction);
  const isOurs = receipt?.isDone === true && isBeside(used, receipt.logs, payment);
  const isCanceled = used.topics[0] === TOPICS.canceled;
  return { transaction: used.transaction, block: used.block, isOurs, isCanceled };
}

/**
 * Whether the log right after the use is the transfer of the authorization. A batch of calls can hold any other
 * transfer that looks the same.
 */
function isBeside(used: Log, logs: readonly Log[], { from, to, value }: Authorization): boolean {
  const at = logs.findIndex(({ index, blockHash }) => {
    return index === used.index && blockHash === used.blockHash;
  });
  const [own, next] = [logs[at], logs[at + 1]];
  if (own === undefined || next === undefined) return false;
  const topics = [TOPICS.transfer, topicOfAddress(from), topicOfAddress(to)];
  return (
    own.topics[0] === TOPICS.used &&
    own.topics.join() === used.topics.join() &&
    own.address === used.address &&
    next.address === used.address &&
    next.index === used.index + 1 &&
    next.topics.join() === topics.join() &&
    amountIn(next) === BigInt(value)
  );
}

/** The amount of a Transfer; undefined for other data. */
export function amountIn({ data }: Log): bigint | undefined {
  return /^0x[0-9a-f]{64}$/.test(data) ? BigInt(data) : undefined;
}

/** Reads an amount that a contract returned. */
export function asAmount(result: string): bigint {
  return /^0x[0-9a-f]{64}$/.test(result) ? BigInt(result) : unreadable(t`a balance`);
}

/** The transfer that a nonce was used for, at any time; undefined if it was not used. */
export async function useOfNonce(
  source: ChainSource,
  named: Pick<Authorization, 'from' | 'nonce'>,
): Promise<FoundTransfer | undefined> {
  const { rpc, network } = source;
  if (!(await isUsed(source, named))) return undefined;
  const [final, latest] = [await rpc.head('finalized'), await rpc.head('latest')];
  const topics = [TOPICS.used, topicOfAddress(named.from), named.nonce];
  const used = await newestLog(rpc, { address: network.asset, topics }, latest.number);
  if (used === undefined) return undefined;
  return used.block <= final.number
    ? { kind: 'final', transaction: used.transaction }
    : { kind: 'open' };
}

/** The id of the transaction that carries an authorization, final or not. */
export async function landedIn(
  source: ChainSource,
  payment: Authorization,
): Promise<string | undefined> {
  if (!(await isUsed(source, payment))) return undefined;
  const use = await findUse(source, payment, await source.rpc.head('latest'));
  return use?.isOurs ? use.transaction : undefined;
}
