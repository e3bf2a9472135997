/** A small typed client of Solana's JSON-RPC: only what paying and settling need. */

import type { Fetch } from '../../contract/fetch.ts';
import type { Clock } from '../../domain/clock.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { asBytes, asCount, asLamports, asList, asText, field } from './json.ts';
import { encodeWire } from './message.ts';
import { openTransport, rpcCodeOf, type Transport } from './rpc-transport.ts';
import { readTokenAccount, type TokenAccount } from './token-account.ts';

export type Commitment = 'processed' | 'confirmed' | 'finalized';

export interface LatestBlockhash {
  readonly blockhash: string;
  readonly lastValidBlockHeight: number;
}

/** Slot and height of one and the same bank. */
interface ChainHeight {
  readonly slot: number;
  readonly blockHeight: number;
}

export interface AccountInfo {
  readonly lamports: bigint;
  /** The program that owns it. */
  readonly owner: string;
  readonly data: Uint8Array;
  readonly isExecutable: boolean;
}

export interface SignatureEntry {
  readonly signature: string;
  readonly slot: number;
  /** Time of its block, where the node tells it. */
  readonly timeMs?: number;
  /** The transaction's error as the chain gives it, or null. */
  readonly error: unknown;
  /** It can be undone no more. */
  readonly isFinal: boolean;
}

export interface LandedTransaction {
  readonly slot: number;
  /** Time of its block, where the node tells it. */
  readonly timeMs?: number;
  readonly error: unknown;
  readonly wire: Uint8Array;
}

interface Simulation {
  /** Null when it would succeed. */
  readonly error: unknown;
  readonly logs: readonly string[];
}

export interface SignatureStatus {
  readonly slot: number;
  readonly error: unknown;
  readonly commitment: Commitment;
}

/**
 * Every call throws ScripError CHAIN_UNREACHABLE alone; `details.rpcCode` is there when the node
 * answered with an error of its own.
 */
export interface SolanaRpc {
  /** The result of any method, unread. */
  request(method: string, params: readonly unknown[]): Promise<unknown>;
  /** The results of one method with each of these parameters, in batches where the node takes them. */
  readonly requestAll: Transport['requestAll'];
  latestBlockhash(commitment: Commitment): Promise<LatestBlockhash>;
  blockHeight(commitment: Commitment): Promise<number>;
  height(commitment: Commitment): Promise<ChainHeight>;
  accountInfo(address: string, commitment?: Commitment): Promise<AccountInfo | null>;
  /** Lamports. */
  balance(address: string): Promise<bigint>;
  /** Null when there is no such account or the classic Token program does not own it. */
  tokenAccount(address: string): Promise<TokenAccount | null>;
  /** The same of many, in the order asked: in batches, where the node takes them. */
  tokenAccounts(addresses: readonly string[]): Promise<readonly (TokenAccount | null)[]>;
  /** Atomic units, or null as for `tokenAccount`. */
  tokenAccountBalance(address: string): Promise<bigint | null>;
  /** One page of history, finalized unless it says otherwise, newest first; `before` and `until` are exclusive. */
  signaturesForAddress(
    address: string,
    page: {
      readonly commitment?: 'confirmed' | 'finalized';
      readonly limit: number;
      readonly before?: string | undefined;
      readonly until?: string | undefined;
      readonly minContextSlot?: number;
    },
  ): Promise<readonly SignatureEntry[]>;
  /** A finalized transaction with its bytes, or null. */
  transaction(signature: string): Promise<LandedTransaction | null>;
  /** Confirmed transactions, in the order asked: in batches, where the node takes them. */
  transactions(signatures: readonly string[]): Promise<readonly (LandedTransaction | null)[]>;
  /** Runs without signatures and without effect. */
  simulate(wire: Uint8Array): Promise<Simulation>;
  /** Broadcasts without preflight; gives the signature. */
  send(wire: Uint8Array): Promise<string>;
  signatureStatuses(signatures: readonly string[]): Promise<readonly (SignatureStatus | null)[]>;
  isBlockhashValid(blockhash: string, commitment: Commitment): Promise<boolean>;
  /** Base58 hash of the first block: which chain this is. */
  genesisHash(): Promise<string>;
  /** The oldest slot that the node can tell of, or null when it does not say. */
  firstAvailableSlot(): Promise<number | null>;
}

export interface RpcOptions {
  readonly url: string;
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** For one HTTP request. */
  readonly timeoutMs?: number;
}

export function createSolanaRpc(options: RpcOptions): SolanaRpc {
  const { request, requestAll } = openTransport(options);
  return {
    request,
    requestAll,
    ...chainReads(request),
    ...accountReads(request, requestAll),
    ...historyReads(request, requestAll),
    ...transactionCalls(request),
  };
}

type Request = SolanaRpc['request'];

function chainReads(
  request: Request,
): Pick<
  SolanaRpc,
  | 'latestBlockhash'
  | 'blockHeight'
  | 'height'
  | 'isBlockhashValid'
  | 'genesisHash'
  | 'firstAvailableSlot'
> {
  return {
    latestBlockhash: async (commitment) => {
      const value = field(await request('getLatestBlockhash', [{ commitment }]), 'value');
      return {
        blockhash: asText(field(value, 'blockhash'), t`a blockhash`),
        lastValidBlockHeight: asCount(field(value, 'lastValidBlockHeight'), t`a block height`),
      };
    },
    blockHeight: async (commitment) =>
      asCount(await request('getBlockHeight', [{ commitment }]), t`a block height`),
    height: async (commitment) => {
      const info = await request('getEpochInfo', [{ commitment }]);
      return {
        slot: asCount(field(info, 'absoluteSlot'), t`a slot`),
        blockHeight: asCount(field(info, 'blockHeight'), t`a block height`),
      };
    },
    isBlockhashValid: async (blockhash, commitment) =>
      field(await request('isBlockhashValid', [blockhash, { commitment }]), 'value') === true,
    genesisHash: async () => asText(await request('getGenesisHash', []), t`a genesis hash`),
    firstAvailableSlot: () => firstAvailableSlot(request),
  };
}

/** Nodes serve one or the other of these, or neither. */
async function firstAvailableSlot(request: Request): Promise<number | null> {
  for (const method of ['getFirstAvailableBlock', 'minimumLedgerSlot']) {
    try {
      return asCount(await request(method, []), t`a slot`);
    } catch (error) {
      if (rpcCodeOf(error) === undefined) throw error;
    }
  }
  return null;
}

function accountReads(
  request: Request,
  requestAll: Transport['requestAll'],
): Pick<
  SolanaRpc,
  'accountInfo' | 'balance' | 'tokenAccount' | 'tokenAccounts' | 'tokenAccountBalance'
> {
  const paramsOf = (address: string, commitment: Commitment = 'confirmed') => [
    address,
    { encoding: 'base64', commitment },
  ];
  const read = (result: unknown): AccountInfo | null => {
    const value = field(result, 'value');
    return value === null ? null : readAccount(value);
  };
  const accountInfo: SolanaRpc['accountInfo'] = async (address, commitment) =>
    read(await request('getAccountInfo', paramsOf(address, commitment)));
  // Read from the account's bytes: to getTokenAccountBalance an absent account is an error like
  // any other, and here it is an answer.
  const tokenAccount: SolanaRpc['tokenAccount'] = async (address) => {
    const account = await accountInfo(address);
    return account === null ? null : readTokenAccount(account);
  };
  return {
    accountInfo,
    tokenAccount,
    tokenAccounts: async (addresses) => {
      const asked = addresses.map((address) => paramsOf(address));
      const accounts = (await requestAll('getAccountInfo', asked)).map(read);
      return accounts.map((account) => account && readTokenAccount(account));
    },
    tokenAccountBalance: async (address) => (await tokenAccount(address))?.amount ?? null,
    balance: async (address) => {
      const result = await request('getBalance', [address, { commitment: 'confirmed' }]);
      return asLamports(field(result, 'value'), t`a balance`);
    },
  };
}

function readAccount(value: unknown): AccountInfo {
  return {
    lamports: asLamports(field(value, 'lamports'), t`a balance`),
    owner: asText(field(value, 'owner'), t`an owner`),
    data: asBytes(field(value, 'data'), t`account data`),
    isExecutable: field(value, 'executable') === true,
  };
}

function historyReads(
  request: Request,
  requestAll: Transport['requestAll'],
): Pick<SolanaRpc, 'signaturesForAddress' | 'transaction' | 'transactions'> {
  const paramsOf = (signature: string, commitment: Commitment) => [
    signature,
    { commitment, encoding: 'base64', maxSupportedTransactionVersion: 0 },
  ];
  const read = (result: unknown) => (result === null ? null : readTransaction(result));
  return {
    signaturesForAddress: async (address, page) => {
      const config = { commitment: 'finalized', ...definedOnly(page) };
      const entries = await request('getSignaturesForAddress', [address, config]);
      return asList(entries, t`a history`).map((entry) => readEntry(entry, config.commitment));
    },
    transaction: async (signature) =>
      read(await request('getTransaction', paramsOf(signature, 'finalized'))),
    transactions: async (signatures) => {
      const asked = signatures.map((signature) => paramsOf(signature, 'confirmed'));
      return (await requestAll('getTransaction', asked)).map(read);
    },
  };
}

function transactionCalls(
  request: Request,
): Pick<SolanaRpc, 'simulate' | 'send' | 'signatureStatuses'> {
  return {
    simulate: async (wire) => {
      const config = { encoding: 'base64', sigVerify: false, commitment: 'confirmed' };
      const result = await request('simulateTransaction', [encodeWire(wire), config]);
      return readSimulation(field(result, 'value'));
    },
    send: async (wire) => {
      const config = { encoding: 'base64', skipPreflight: true, maxRetries: 0 };
      return asText(await request('sendTransaction', [encodeWire(wire), config]), t`a signature`);
    },
    signatureStatuses: async (signatures) => {
      const config = { searchTransactionHistory: true };
      const result = await request('getSignatureStatuses', [signatures, config]);
      return asList(field(result, 'value'), t`statuses`).map(readStatus);
    },
  };
}

function readEntry(entry: unknown, asked: string): SignatureEntry {
  const blockTime = field(entry, 'blockTime');
  return {
    signature: asText(field(entry, 'signature'), t`a signature`),
    slot: asCount(field(entry, 'slot'), t`a slot`),
    ...(typeof blockTime === 'number' ? { timeMs: blockTime * 1_000 } : {}),
    error: field(entry, 'err') ?? null,
    isFinal: asked === 'finalized' || field(entry, 'confirmationStatus') === 'finalized',
  };
}

function readTransaction(result: unknown): LandedTransaction {
  const meta = field(result, 'meta');
  if (typeof meta !== 'object' || meta === null) {
    // Without it, it is unknown whether the transaction failed.
    throw new ScripError('CHAIN_UNREACHABLE', t`The RPC returned a transaction without an outcome`);
  }
  const blockTime = field(result, 'blockTime');
  return {
    slot: asCount(field(result, 'slot'), t`a slot`),
    ...(typeof blockTime === 'number' ? { timeMs: blockTime * 1_000 } : {}),
    error: field(meta, 'err') ?? null,
    wire: asBytes(field(result, 'transaction'), t`a transaction`),
  };
}

function readSimulation(value: unknown): Simulation {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'err')) {
    throw new ScripError('CHAIN_UNREACHABLE', t`The RPC returned a simulation without an outcome`);
  }
  const logs = field(value, 'logs');
  return {
    error: field(value, 'err'),
    logs: Array.isArray(logs) ? logs.filter((line) => typeof line === 'string') : [],
  };
}

function readStatus(status: unknown): SignatureStatus | null {
  if (status === null) return null;
  return {
    slot: asCount(field(status, 'slot'), t`a slot`),
    error: field(status, 'err') ?? null,
    commitment: readCommitment(field(status, 'confirmationStatus')),
  };
}

/** What a node does not name is taken for the least that it can mean. */
function readCommitment(value: unknown): Commitment {
  return value === 'finalized' || value === 'confirmed' ? value : 'processed';
}

function definedOnly(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
