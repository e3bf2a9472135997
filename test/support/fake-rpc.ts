/** A Solana node as plain values: the test says what it answers, and reads what it was asked. */

import { USDC_MINT } from '../../src/contract/x402.ts';
import { ScripError } from '../../src/domain/message/errors.ts';
import { t } from '../../src/domain/message/message.ts';
import { decodeBase58, TOKEN_PROGRAM } from '../../src/rails/solana/address.ts';
import type { SolanaRpc } from '../../src/rails/solana/rpc.ts';
import {
  type AccountInfo,
  type LandedTransaction,
  readTokenAccount,
  type SignatureEntry,
  type SignatureStatus,
} from '../../src/rails/solana/rpc-answers.ts';
import { littleEndian } from './hand-assembly.ts';

export interface NodeState {
  blockhash: string;
  lastValidBlockHeight: number;
  /** Finalized. */
  slot: number;
  blockHeight: number;
  isBlockhashValid: boolean;
  firstAvailableSlot: number | null;
  genesisHash: string;
  readonly accounts: Map<string, AccountInfo>;
  /** Newest first, whatever the address. */
  history: readonly SignatureEntry[];
  readonly transactions: Map<string, LandedTransaction>;
  /** Lamports of accounts before a transaction, by its id. */
  readonly balancesBefore: Map<string, Readonly<Record<string, number>>>;
  readonly statuses: Map<string, SignatureStatus>;
  /** Unix seconds by slot. */
  readonly blockTimes: Map<number, number>;
  simulationError: unknown;
  /** Methods that fail. */
  readonly down: Set<keyof SolanaRpc>;
  /** Called with every broadcast. */
  onSend: (wire: Uint8Array) => void;
}

export interface FakeNode {
  readonly state: NodeState;
  readonly rpc: SolanaRpc;
  /** Names of the calls, in order. */
  readonly calls: (keyof SolanaRpc)[];
  readonly sent: Uint8Array[];
}

export function fakeNode(initial: Partial<NodeState> = {}): FakeNode {
  const state: NodeState = {
    blockhash: '1'.repeat(32),
    lastValidBlockHeight: 1_150,
    slot: 5_000,
    blockHeight: 1_000,
    isBlockhashValid: true,
    firstAvailableSlot: 0,
    genesisHash: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
    accounts: new Map(),
    history: [],
    transactions: new Map(),
    balancesBefore: new Map(),
    statuses: new Map(),
    blockTimes: new Map(),
    simulationError: null,
    down: new Set(),
    onSend: () => {},
    ...initial,
  };
  const calls: (keyof SolanaRpc)[] = [];
  const sent: Uint8Array[] = [];
  return { state, calls, sent, rpc: watched(answers(state, sent), state, calls) };
}

/** Notes each call, and fails those that are down. */
function watched(rpc: SolanaRpc, state: NodeState, calls: (keyof SolanaRpc)[]): SolanaRpc {
  return new Proxy(rpc, {
    get: (target, name: keyof SolanaRpc) => {
      const answer = target[name] as (...args: unknown[]) => Promise<unknown>;
      return async (...args: unknown[]) => {
        calls.push(name);
        if (state.down.has(name)) throw new ScripError('CHAIN_UNREACHABLE', t`${name} is down`);
        return answer(...args);
      };
    },
  });
}

function answers(state: NodeState, sent: Uint8Array[]): SolanaRpc {
  const tokenAccount: SolanaRpc['tokenAccount'] = async (address) => {
    const account = state.accounts.get(address);
    return account ? readTokenAccount(account) : null;
  };
  return {
    request: async (method, [slot]) =>
      method === 'getBlockTime' ? (state.blockTimes.get(Number(slot)) ?? null) : null,
    requestAll: async (_method, list) =>
      list.map(([id]) => {
        const before = state.balancesBefore.get(String(id));
        return before === undefined
          ? null
          : {
              transaction: { message: { accountKeys: Object.keys(before) } },
              meta: { preBalances: Object.values(before) },
            };
      }),
    latestBlockhash: async () => ({
      blockhash: state.blockhash,
      lastValidBlockHeight: state.lastValidBlockHeight,
    }),
    blockHeight: async () => state.blockHeight,
    height: async () => ({ slot: state.slot, blockHeight: state.blockHeight }),
    accountInfo: async (address) => state.accounts.get(address) ?? null,
    accounts: async (addresses) => addresses.map((address) => state.accounts.get(address) ?? null),
    balance: async (address) => state.accounts.get(address)?.lamports ?? 0n,
    tokenAccount,
    tokenAccounts: (addresses) => Promise.all(addresses.map((address) => tokenAccount(address))),
    tokenAccountBalance: async (address) => (await tokenAccount(address))?.amount ?? null,
    signaturesForAddress: async (_address, { limit, before, until, commitment }) => {
      const seen = state.history.filter(({ isFinal }) => isFinal || commitment === 'confirmed');
      return page(seen, { limit, before, until });
    },
    transaction: async (signature) => state.transactions.get(signature) ?? null,
    transactions: async (signatures) =>
      signatures.map((signature) => state.transactions.get(signature) ?? null),
    simulate: async () => ({ error: state.simulationError, logs: [] }),
    send: async (wire) => {
      sent.push(wire);
      state.onSend(wire);
      return 'sent';
    },
    signatureStatuses: async (signatures) =>
      signatures.map((signature) => state.statuses.get(signature) ?? null),
    isBlockhashValid: async () => state.isBlockhashValid,
    genesisHash: async () => state.genesisHash,
    firstAvailableSlot: async () => state.firstAvailableSlot,
  };
}

function page(
  history: readonly SignatureEntry[],
  asked: { limit: number; before?: string | undefined; until?: string | undefined },
): readonly SignatureEntry[] {
  const indexOf = (signature: string | undefined): number =>
    history.findIndex((entry) => entry.signature === signature);
  const end = indexOf(asked.until);
  const start = indexOf(asked.before) + 1;
  return history.slice(start, end < 0 ? undefined : end).slice(0, asked.limit);
}

/** A token account of USDC, or of another mint, in the bytes of the chain. */
export function tokenAccount(
  owner: string,
  amount: bigint,
  more: { mint?: string; isFrozen?: boolean } = {},
): AccountInfo {
  const data = new Uint8Array(165);
  data.set(decodeBase58(more.mint ?? USDC_MINT), 0);
  data.set(decodeBase58(owner), 32);
  data.set(littleEndian(amount, 8), 64);
  data[108] = more.isFrozen ? 2 : 1;
  return { lamports: 2_039_280n, owner: TOKEN_PROGRAM, data, isExecutable: false };
}
