/**
 * The state of the EVM at a block, read from rows, with the changes of one execution on top. A row holds
 * a value from its block on, so the state of every earlier block can still be read.
 */

import type { StateManagerInterface } from '@ethereumjs/common';
import {
  Account,
  type Address,
  bytesToHex,
  createAccountFromRLP,
  setLengthLeft,
} from '@ethereumjs/util';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { ScripError } from '../../domain/message/errors.ts';
import { verbatim } from '../../domain/message/message.ts';
import type { ChainTables } from '../../store/tables/chain.ts';

const NOTHING = new Uint8Array();
const WORD = 32;

/** Code never changes under its hash, and is read by every call. */
const CODES = new Map<string, Uint8Array>();
const MOST_CODES = 100;

const accountKey = (address: Address): string => `account ${address}`;
const storageKey = (address: Address, key: Uint8Array): string =>
  `storage ${address} ${bytesToHex(setLengthLeft(key, WORD))}`;
const codeKey = (hash: string): string => `code ${hash}`;

/** Opens the state at a block. Nothing is written before `save`. */
export function openState({ evm }: Pick<ChainTables, 'evm'>, block: number) {
  const changes = new Map<string, Uint8Array>();
  /** What `changes` had before each change since the outermost checkpoint. */
  const undone: { readonly key: string; readonly before: Uint8Array | undefined }[] = [];
  const checkpoints: number[] = [];

  const saved = async (key: string): Promise<Uint8Array> =>
    (await evm.value(key, block)) ?? NOTHING;
  const read = async (key: string): Promise<Uint8Array> => changes.get(key) ?? (await saved(key));
  const change = (key: string, value: Uint8Array): void => {
    undone.push({ key, before: changes.get(key) });
    changes.set(key, value);
  };
  const getAccount = async (address: Address): Promise<Account | undefined> => {
    const bytes = await read(accountKey(address));
    return bytes.length === 0 ? undefined : createAccountFromRLP(bytes);
  };
  const putAccount = async (address: Address, account?: Account): Promise<void> =>
    change(accountKey(address), account?.serialize() ?? NOTHING);
  const modifyAccountFields: StateManagerInterface['modifyAccountFields'] = async (
    address,
    fields,
  ) => putAccount(address, Object.assign((await getAccount(address)) ?? new Account(), fields));
  const getCode = async (address: Address): Promise<Uint8Array> => {
    const account = await getAccount(address);
    if (account === undefined || !account.isContract()) return NOTHING;
    const hash = bytesToHex(account.codeHash);
    const code = CODES.get(hash) ?? (await read(codeKey(hash)));
    if (CODES.size >= MOST_CODES) CODES.clear();
    CODES.set(hash, code);
    return code;
  };
  const getStorage = (address: Address, key: Uint8Array): Promise<Uint8Array> =>
    read(storageKey(address, key));

  const manager: StateManagerInterface = {
    getAccount,
    putAccount,
    modifyAccountFields,
    getCode,
    getStorage,
    deleteAccount: (address) => putAccount(address),
    putCode: async (address, code) => {
      const codeHash = keccak_256(code);
      change(codeKey(bytesToHex(codeHash)), code);
      await modifyAccountFields(address, { codeHash });
    },
    getCodeSize: async (address) => (await getCode(address)).length,
    putStorage: async (address, key, value) => change(storageKey(address, key), value),
    // Only accounts made by this execution are cleared (EIP-6780), and their slots are among its changes.
    clearStorage: async (address) => {
      for (const key of changes.keys()) {
        if (key.startsWith(`storage ${address} `)) change(key, NOTHING);
      }
    },
    checkpoint: async () => {
      checkpoints.push(undone.length);
    },
    commit: async () => {
      checkpoints.pop();
    },
    revert: async () => {
      for (const { key, before } of undone.splice(checkpoints.pop() ?? 0).toReversed()) {
        if (before === undefined) changes.delete(key);
        else changes.set(key, before);
      }
    },
    // A slot's value before the transaction is the one on record.
    originalStorageCache: {
      get: (address, key) => saved(storageKey(address, key)),
      clear: () => undefined,
    },
    clearCaches: () => undefined,
    getStateRoot: unsupported,
    setStateRoot: unsupported,
    hasStateRoot: unsupported,
    shallowCopy: unsupported,
  };
  return {
    manager,
    /** Writes the changes as those of a block. */
    save: (at: number) =>
      evm.addValues([...changes].map(([key, value]) => ({ key, block: at, value }))),
  };
}

export type State = ReturnType<typeof openState>;

/** There are no state roots. */
function unsupported(): never {
  throw new ScripError('INTERNAL', verbatim('the state has no root'));
}
