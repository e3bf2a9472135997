/** A small typed client of Solana's JSON-RPC: only what paying and settling need. */

import type { Fetch } from '../../contract/fetch.ts';
import type { Clock } from '../../domain/clock.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { encodeWire } from './message.ts';
import {
  type AccountInfo,
  asCount,
  asLamports,
  asList,
  asText,
  type Commitment,
  field,
  type LandedTransaction,
  readAccount,
  readEntry,
  readSimulation,
  readStatus,
  readTokenAccount,
  readTransaction,
  type SignatureEntry,
  type SignatureStatus,
  type Simulation,
  type TokenAccount,
} from './rpc-answers.ts';
import { openTransport, rpcCodeOf, type Transport } from './rpc-transport.ts';

export interface LatestBlockhash {
  readonly blockhash: string;
  readonly lastValidBlockHeight: number;
}

/** Slot and height of the same bank. */
interface ChainHeight {
  readonly slot: number;
  readonly blockHeight: number;
}

/**
 * All calls throw only ScripError CHAIN_UNREACHABLE; `details.rpcCode` is set if the node answered
 * with an error.
 */
export interface SolanaRpc {
  /** Returns the unvalidated result of any method. */
  request(method: string, params: readonly unknown[]): Promise<unknown>;
  /** Calls one method with each of these parameters, in batches if the node supports them. */
  readonly requestAll: Transport['requestAll'];
  latestBlockhash(commitment: Commitment): Promise<LatestBlockhash>;
  blockHeight(commitment: Commitment): Promise<number>;
  height(commitment: Commitment): Promise<ChainHeight>;
  accountInfo(address: string, commitment?: Commitment): Promise<AccountInfo | null>;
  /** The same for many accounts, in the given order: one call per hundred. */
  accounts(
    addresses: readonly string[],
    commitment?: Commitment,
  ): Promise<readonly (AccountInfo | null)[]>;
  /** Returns lamports. */
  balance(address: string): Promise<bigint>;
  /** Returns null if there is no such account or the classic Token program does not own it. */
  tokenAccount(address: string): Promise<TokenAccount | null>;
  /** The same for many accounts, in the given order: one call per hundred. */
  tokenAccounts(addresses: readonly string[]): Promise<readonly (TokenAccount | null)[]>;
  /** Returns atomic units, or null as `tokenAccount` does. */
  tokenAccountBalance(address: string): Promise<bigint | null>;
  /** Returns one page of history, by default finalized, newest first; `before` and `until` are exclusive. */
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
  /** Returns a finalized transaction with its bytes, or null. */
  transaction(signature: string): Promise<LandedTransaction | null>;
  /** Returns confirmed transactions in the given order; uses batches if the node supports them. */
  transactions(signatures: readonly string[]): Promise<readonly (LandedTransaction | null)[]>;
  /** Simulates without verifying signatures; changes nothing. */
  simulate(wire: Uint8Array): Promise<Simulation>;
  /** Broadcasts without preflight; returns the signature. */
  send(wire: Uint8Array): Promise<string>;
  signatureStatuses(signatures: readonly string[]): Promise<readonly (SignatureStatus | null)[]>;
  isBlockhashValid(blockhash: string, commitment: Commitment): Promise<boolean>;
  /** Base58 hash of the first block; identifies the chain. */
  genesisHash(): Promise<string>;
  /** Returns the oldest slot that the node keeps, or null if it does not say. */
  firstAvailableSlot(): Promise<number | null>;
}

export interface RpcOptions {
  readonly url: string;
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** Per HTTP request. */
  readonly timeoutMs?: number;
}

export function createSolanaRpc(options: RpcOptions): SolanaRpc {
  return solanaRpcOver(openTransport(options));
}

export function solanaRpcOver({ request, requestAll }: Transport): SolanaRpc {
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

/** A node serves one of these methods, or neither. */
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
  'accountInfo' | 'accounts' | 'balance' | 'tokenAccount' | 'tokenAccounts' | 'tokenAccountBalance'
> {
  const paramsOf = (address: string, commitment: Commitment = 'confirmed') => [
    address,
    { encoding: 'base64', commitment },
  ];
  const read = (value: unknown): AccountInfo | null => (value === null ? null : readAccount(value));
  const accountInfo: SolanaRpc['accountInfo'] = async (address, commitment) =>
    read(field(await request('getAccountInfo', paramsOf(address, commitment)), 'value'));
  const accounts: SolanaRpc['accounts'] = async (addresses, commitment = 'confirmed') => {
    const calls = Array.from(
      { length: Math.ceil(addresses.length / ACCOUNTS_PER_CALL) },
      (_, call) => {
        const from = call * ACCOUNTS_PER_CALL;
        return addresses.slice(from, from + ACCOUNTS_PER_CALL);
      },
    );
    const asked = calls.map((part) => [part, { encoding: 'base64', commitment }]);
    const results = await requestAll('getMultipleAccounts', asked);
    return results.flatMap((result, call) => {
      const values = asList(field(result, 'value'), t`accounts`);
      if (values.length === calls[call]?.length) return values.map(read);
      throw new ScripError('CHAIN_UNREACHABLE', t`The RPC returned another number of accounts`);
    });
  };
  // Read the account's bytes: getTokenAccountBalance reports an absent account as an error like any
  // other, but here absence is a normal answer.
  const tokenAccount: SolanaRpc['tokenAccount'] = async (address) => {
    const account = await accountInfo(address);
    return account === null ? null : readTokenAccount(account);
  };
  return {
    accountInfo,
    tokenAccount,
    accounts,
    tokenAccounts: async (addresses) =>
      (await accounts(addresses)).map((account) => account && readTokenAccount(account)),
    tokenAccountBalance: async (address) => (await tokenAccount(address))?.amount ?? null,
    balance: async (address) => {
      const result = await request('getBalance', [address, { commitment: 'confirmed' }]);
      return asLamports(field(result, 'value'), t`a balance`);
    },
  };
}

/** The limit of `getMultipleAccounts`. */
const ACCOUNTS_PER_CALL = 100;

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

function definedOnly(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
