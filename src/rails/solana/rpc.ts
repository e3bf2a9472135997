/** A small typed client of Solana's JSON-RPC: only what paying and settling need. */

import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import {
  asList,
  asText,
  field,
  openTransport,
  rpcCodeOf,
  type Transport,
  type TransportOptions,
} from '../rpc-transport.ts';
import { encodeWire } from './message.ts';
import {
  type AccountInfo,
  asCount,
  asLamports,
  type Commitment,
  type LandedTransaction,
  readAccount,
  readEntry,
  readSimulation,
  readStatus,
  readTokenAccount,
  readTransaction,
  type SignatureEntry,
  type SignatureStatus,
  type TokenAccount,
} from './rpc-answers.ts';

export interface LatestBlockhash {
  readonly blockhash: string;
  readonly lastValidBlockHeight: number;
}

/**
 * All calls throw only ScripError CHAIN_UNREACHABLE; `details.rpcCode` is set if the node answered
 * with an error.
 */
export type SolanaRpc = ReturnType<typeof solanaRpcOver>;

export function createSolanaRpc(options: TransportOptions): SolanaRpc {
  return solanaRpcOver(openTransport(options));
}

export function solanaRpcOver(transport: Transport) {
  return {
    ...transport,
    ...chainReads(transport),
    ...accountReads(transport),
    ...historyReads(transport),
    ...transactionCalls(transport),
  };
}

function chainReads({ request }: Transport) {
  return {
    latestBlockhash: async (commitment: Commitment): Promise<LatestBlockhash> => {
      const value = field(await request('getLatestBlockhash', [{ commitment }]), 'value');
      return {
        blockhash: asText(field(value, 'blockhash'), t`a blockhash`),
        lastValidBlockHeight: asCount(field(value, 'lastValidBlockHeight'), t`a block height`),
      };
    },
    blockHeight: async (commitment: Commitment) =>
      asCount(await request('getBlockHeight', [{ commitment }]), t`a block height`),
    /** Slot and height of the same bank. */
    height: async (commitment: Commitment) => {
      const info = await request('getEpochInfo', [{ commitment }]);
      return {
        slot: asCount(field(info, 'absoluteSlot'), t`a slot`),
        blockHeight: asCount(field(info, 'blockHeight'), t`a block height`),
      };
    },
    isBlockhashValid: async (blockhash: string, commitment: Commitment) =>
      field(await request('isBlockhashValid', [blockhash, { commitment }]), 'value') === true,
    /** Base58 hash of the first block; identifies the chain. */
    genesisHash: async () => asText(await request('getGenesisHash', []), t`a genesis hash`),
    /** Returns the oldest slot that the node keeps, or null if it does not say. */
    firstAvailableSlot: () => firstAvailableSlot(request),
  };
}

/** A node serves one of these methods, or neither. */
async function firstAvailableSlot(request: Transport['request']): Promise<number | null> {
  for (const method of ['getFirstAvailableBlock', 'minimumLedgerSlot']) {
    try {
      return asCount(await request(method, []), t`a slot`);
    } catch (error) {
      if (rpcCodeOf(error) === undefined) throw error;
    }
  }
  return null;
}

function accountReads({ request, requestAll }: Transport) {
  const read = (value: unknown): AccountInfo | null => (value === null ? null : readAccount(value));
  const accountInfo = async (address: string, commitment: Commitment = 'confirmed') => {
    const params = [address, { encoding: 'base64', commitment }];
    return read(field(await request('getAccountInfo', params), 'value'));
  };
  /** The same for many accounts, in the given order: one call per hundred. */
  const accounts = async (
    addresses: readonly string[],
    commitment: Commitment = 'confirmed',
  ): Promise<readonly (AccountInfo | null)[]> => {
    const calls = Array.from(
      { length: Math.ceil(addresses.length / ACCOUNTS_PER_CALL) },
      (_, call) => addresses.slice(call * ACCOUNTS_PER_CALL, (call + 1) * ACCOUNTS_PER_CALL),
    );
    const asked = calls.map((part) => [part, { encoding: 'base64', commitment }]);
    const results = await requestAll('getMultipleAccounts', asked);
    return results.flatMap((result, call) => {
      const values = asList(field(result, 'value'), t`accounts`);
      if (values.length === calls[call]?.length) return values.map(read);
      throw new ScripError('CHAIN_UNREACHABLE', t`The RPC returned another number of accounts`);
    });
  };
  /**
   * Returns null if there is no such account or the classic Token program does not own it. Reads the account's
   * bytes: getTokenAccountBalance reports an absent account as an error like any other.
   */
  const tokenAccount = async (address: string): Promise<TokenAccount | null> => {
    const account = await accountInfo(address);
    return account === null ? null : readTokenAccount(account);
  };
  return {
    accountInfo,
    tokenAccount,
    accounts,
    /** The same as `accounts` for `tokenAccount`. */
    tokenAccounts: async (
      addresses: readonly string[],
    ): Promise<readonly (TokenAccount | null)[]> =>
      (await accounts(addresses)).map((account) => account && readTokenAccount(account)),
    /** Returns atomic units, or null as `tokenAccount` does. */
    tokenAccountBalance: async (address: string) => (await tokenAccount(address))?.amount ?? null,
    /** Returns lamports. */
    balance: async (address: string) => {
      const result = await request('getBalance', [address, { commitment: 'confirmed' }]);
      return asLamports(field(result, 'value'), t`a balance`);
    },
  };
}

/** The limit of `getMultipleAccounts`. */
const ACCOUNTS_PER_CALL = 100;

interface Page {
  readonly commitment?: 'confirmed' | 'finalized';
  readonly limit: number;
  readonly before?: string | undefined;
  readonly until?: string | undefined;
  readonly minContextSlot?: number;
}

function historyReads({ request, requestAll }: Transport) {
  const paramsOf = (signature: string, commitment: Commitment) => [
    signature,
    { commitment, encoding: 'base64', maxSupportedTransactionVersion: 0 },
  ];
  const read = (result: unknown) => (result === null ? null : readTransaction(result));
  return {
    /** Returns one page of history, by default finalized, newest first; `before` and `until` are exclusive. */
    signaturesForAddress: async (
      address: string,
      page: Page,
    ): Promise<readonly SignatureEntry[]> => {
      const config = { commitment: 'finalized', ...definedOnly(page) };
      const entries = await request('getSignaturesForAddress', [address, config]);
      return asList(entries, t`a history`).map((entry) => readEntry(entry, config.commitment));
    },
    /** Returns a finalized transaction with its bytes, or null. */
    transaction: async (signature: string) =>
      read(await request('getTransaction', paramsOf(signature, 'finalized'))),
    /** Returns confirmed transactions in the given order; uses batches if the node supports them. */
    transactions: async (
      signatures: readonly string[],
    ): Promise<readonly (LandedTransaction | null)[]> => {
      const asked = signatures.map((signature) => paramsOf(signature, 'confirmed'));
      return (await requestAll('getTransaction', asked)).map(read);
    },
  };
}

function transactionCalls({ request }: Transport) {
  return {
    /** Simulates without verifying signatures; changes nothing. */
    simulate: async (wire: Uint8Array) => {
      const config = { encoding: 'base64', sigVerify: false, commitment: 'confirmed' };
      const result = await request('simulateTransaction', [encodeWire(wire), config]);
      return readSimulation(field(result, 'value'));
    },
    /** Broadcasts without preflight; returns the signature. */
    send: async (wire: Uint8Array) => {
      const config = { encoding: 'base64', skipPreflight: true, maxRetries: 0 };
      return asText(await request('sendTransaction', [encodeWire(wire), config]), t`a signature`);
    },
    signatureStatuses: async (
      signatures: readonly string[],
    ): Promise<readonly (SignatureStatus | null)[]> => {
      const config = { searchTransactionHistory: true };
      const result = await request('getSignatureStatuses', [signatures, config]);
      return asList(field(result, 'value'), t`statuses`).map(readStatus);
    },
  };
}

function definedOnly(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
