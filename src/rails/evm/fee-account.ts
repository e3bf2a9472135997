/**
 * The account that pays the gas of what a shop settles. Each of its transactions is on record under the account's
 * next nonce before it is sent, so that several processes use each nonce once, and a lost one is sent again.
 */

import { expected } from '../../domain/attempt.ts';
import type { Clock } from '../../domain/clock.ts';
import type { ScripError } from '../../domain/message/errors.ts';
import { atomic, ETH_DECIMALS, formatDecimal } from '../../domain/money/money.ts';
import type { FeeTransaction } from '../../domain/payment/claim.ts';
import { requireFees } from '../facilitator.ts';
import type { Signer } from '../rail.ts';
import { rpcCodeOf } from '../rpc-transport.ts';
import type { Signed } from './authorization.ts';
import type { EvmNetwork } from './networks.ts';
import type { EvmRpc } from './rpc.ts';
import { signedCall, unsignedCall } from './transaction.ts';
import { settleCall } from './usdc.ts';

/** Stores transactions of fee accounts. */
export interface FeeTransactionStore {
  byMessage(messageHash: string): Promise<FeeTransaction | undefined>;
  /** Those of an account from a nonce on, by nonce. */
  from(account: string, nonce: number): Promise<readonly FeeTransaction[]>;
  /** False if the message, or the nonce of the account, has one already. */
  add(row: FeeTransaction): Promise<boolean>;
  /** Puts it in the place of the message's other one; false if that is gone, or the nonce is taken. */
  replace(row: FeeTransaction, formerNonce: number): Promise<boolean>;
}

export interface FeeAccountParts {
  readonly rpc: EvmRpc;
  readonly network: EvmNetwork;
  readonly clock: Clock;
  /** Pays the gas; owns no tokens, and nothing else uses its key. */
  readonly feeAccount: Signer;
  readonly transactions: FeeTransactionStore;
  /** Below this balance nothing is settled, in wei; by default 0.002 ETH. */
  readonly floorWei?: bigint | undefined;
  /** Receives why payments are refused; callers learn only that they are. */
  report?(error: ScripError): void;
}

/** Most gas of a settlement: a smart wallet's code runs in it, at our cost. */
export const MOST_GAS = 400_000n;
/** Most that one transaction may cost, 0.001 ETH. A usual one costs a thousandth of it. */
const MOST_FEE_WEI = 10n ** 15n;
const DEFAULT_FLOOR_WEI = 2n * MOST_FEE_WEI;
/** A transaction with so high a limit is mined although the base fee rises; it pays only what that is. */
const BASE_FEES = 20n;
/** Processes that take nonces at the same time. */
const MOST_TRIES = 50;

/** Refuses while the account has too little. @throws {ScripError} FACILITATOR_UNAVAILABLE, CHAIN_UNREACHABLE */
export async function checkFloor({
  rpc,
  feeAccount: { address },
  floorWei: least = DEFAULT_FLOOR_WEI,
  report,
}: FeeAccountParts): Promise<void> {
  requireFees({ address, held: await rpc.balance(address), least, inWords: ether, report });
}

function ether(wei: bigint): string {
  return `${formatDecimal(atomic(wei / 10n ** 9n), ETH_DECIMALS - 9)} ETH`;
}

/** Gas of a settlement, by running it; undefined if it would fail. @throws {ScripError} CHAIN_UNREACHABLE */
export async function gasOf(
  { rpc, network, feeAccount }: FeeAccountParts,
  { authorization, signature }: Signed,
): Promise<bigint | undefined> {
  const data = settleCall(authorization, signature);
  try {
    const call = { from: feeAccount.address, to: network.asset, data };
    // Twice, to tell what is too dear from what would fail.
    return await rpc.estimateGas({ ...call, gas: 2n * MOST_GAS });
  } catch (error) {
    if (rpcCodeOf(error) === undefined) throw error;
    return undefined;
  }
}

/**
 * Sends the transaction of a claim, and before it those that the chain still lacks: it takes none whose nonce is
 * not the next. Nothing is sent for a settlement that would fail.
 * @throws {ScripError} CHAIN_UNREACHABLE
 */
export async function broadcast(
  parts: FeeAccountParts,
  messageHash: string,
  signed: Signed,
): Promise<void> {
  const { rpc, transactions, feeAccount } = parts;
  const count = await rpc.count(feeAccount.address);
  const own = await transactionFor(parts, messageHash, { signed, count });
  if (own === undefined) return;
  // An error after sending is no failure: this node may have the transaction, or gets it the next time.
  const unreachable = expected(() => undefined, 'CHAIN_UNREACHABLE');
  for (const { nonce, wire } of await transactions.from(feeAccount.address, count)) {
    if (nonce <= own.nonce) await rpc.send(Buffer.from(wire, 'base64')).catch(unreachable);
  }
}

/** The transaction on record; a new one if there is none, or if another transaction of the account took its nonce. */
async function transactionFor(
  parts: FeeAccountParts,
  messageHash: string,
  { signed, count }: { readonly signed: Signed; readonly count: number },
): Promise<FeeTransaction | undefined> {
  const { rpc, transactions, feeAccount } = parts;
  const { address: account } = feeAccount;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const known = await transactions.byMessage(messageHash);
    if (known !== undefined && known.nonce >= count) return known;
    // Mined, whether it failed or not: it is not paid for twice.
    if (known !== undefined && (await rpc.receipt(known.transaction)) !== null) return undefined;
    const newest = (await transactions.from(account, count)).at(-1);
    const nonce = newest === undefined ? count : newest.nonce + 1;
    const made = await sign(parts, signed, nonce);
    if (made === undefined) return undefined;
    const row = { account, nonce, messageHash, ...made, createdAtMs: parts.clock.now() };
    const isStored =
      known === undefined
        ? await transactions.add(row)
        : await transactions.replace(row, known.nonce);
    if (isStored) return row;
  }
  return undefined;
}

async function sign(parts: FeeAccountParts, signed: Signed, nonce: number) {
  const { rpc, network, feeAccount } = parts;
  const gas = await gasOf(parts, signed);
  if (gas === undefined || gas > MOST_GAS) return undefined;
  const gasLimit = (gas * 5n) / 4n;
  const [{ baseFee }, tip] = await Promise.all([rpc.head('latest'), rpc.priorityFee()]);
  const most = MOST_FEE_WEI / gasLimit;
  const wanted = BASE_FEES * baseFee + tip;
  const maxFeePerGas = wanted < most ? wanted : most;
  // Gas is too dear now: the payment stays open, and is tried again.
  if (maxFeePerGas < baseFee) return undefined;
  const call = {
    ...{ chainId: network.chainId, nonce, gasLimit, maxFeePerGas },
    maxPriorityFeePerGas: tip < maxFeePerGas ? tip : maxFeePerGas,
    ...{ to: network.asset, data: settleCall(signed.authorization, signed.signature) },
  };
  const { wire, transaction } = signedCall(call, await feeAccount.sign(unsignedCall(call)));
  return { wire: Buffer.from(wire).toString('base64'), transaction };
}
