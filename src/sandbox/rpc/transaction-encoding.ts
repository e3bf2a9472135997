/** Encodes executed transactions for JSON-RPC. */
import { encodeBase58, MEMO_PROGRAM } from '../../rails/solana/address.ts';
import {
  type DecodedTransaction,
  decodeTransaction,
  isWritable,
} from '../../rails/solana/message.ts';
import type { TokenBalance } from '../chain/ledger.ts';
import type { ChainTransaction } from '../chain/reads.ts';
import { tokenAmount } from './account-encoding.ts';
import { badParams } from './refusal.ts';

type Writer = (transaction: ChainTransaction, decoded: DecodedTransaction) => unknown;

/** Writers of an answer's `transaction`, by encoding. */
const WRITERS: ReadonlyMap<unknown, Writer> = new Map<unknown, Writer>([
  ['base64', ({ wire }) => [Buffer.from(wire).toString('base64'), 'base64']],
  ['base58', ({ wire }) => [encodeBase58(wire), 'base58']],
  ['binary', ({ wire }) => encodeBase58(wire)],
  ['json', (_transaction, decoded) => ({ ...signaturesOf(decoded), message: plain(decoded) })],
  [
    'jsonParsed',
    (_transaction, decoded) => ({ ...signaturesOf(decoded), message: named(decoded) }),
  ],
]);

export function writeTransaction(transaction: ChainTransaction, encoding: unknown): unknown {
  const write = WRITERS.get(encoding);
  if (!write) throw badParams(`Invalid param: unknown encoding ${JSON.stringify(encoding)}`);
  return write(transaction, decodeTransaction(transaction.wire));
}

function signaturesOf(decoded: DecodedTransaction): { readonly signatures: readonly string[] } {
  return { signatures: decoded.signatures.map(encodeBase58) };
}

function plain(decoded: DecodedTransaction): unknown {
  const { header, accountKeys, recentBlockhash, instructions, version } = decoded;
  return {
    header: {
      numRequiredSignatures: header.requiredSignatures,
      numReadonlySignedAccounts: header.readonlySigned,
      numReadonlyUnsignedAccounts: header.readonlyUnsigned,
    },
    accountKeys,
    recentBlockhash,
    instructions: instructions.map(({ programIndex, accounts, data }) => ({
      programIdIndex: programIndex,
      accounts,
      data: encodeBase58(data),
      stackHeight: null,
    })),
    ...(version === 0 ? { addressTableLookups: [] } : {}),
  };
}

/** Uses addresses in place of indexes; instructions stay encoded bytes. */
function named(decoded: DecodedTransaction): unknown {
  const { header, accountKeys, recentBlockhash, instructions } = decoded;
  return {
    accountKeys: accountKeys.map((pubkey, index) => ({
      pubkey,
      signer: index < header.requiredSignatures,
      writable: isWritable(decoded, index),
      source: 'transaction',
    })),
    recentBlockhash,
    instructions: instructions.map(({ programIndex, accounts, data }) => ({
      programId: accountKeys[programIndex],
      accounts: accounts.map((index) => accountKeys[index]),
      data: encodeBase58(data),
      stackHeight: null,
    })),
  };
}

/** Writes lamports as JSON numbers, as nodes do. */
export function writeMeta({ meta, error }: ChainTransaction, encoding: unknown): unknown {
  const inner = meta.innerInstructions.map(({ index, instructions }) => ({
    index,
    instructions:
      encoding === 'jsonParsed'
        ? instructions.map(({ programIdIndex, accounts, data, stackHeight }) => ({
            programId: meta.accounts[programIdIndex],
            accounts: accounts.map((account) => meta.accounts[account]),
            data,
            stackHeight,
          }))
        : instructions,
  }));
  return {
    err: error,
    status: error === null ? { Ok: null } : { Err: error },
    fee: Number(meta.fee),
    preBalances: meta.preBalances.map(Number),
    postBalances: meta.postBalances.map(Number),
    preTokenBalances: meta.preTokenBalances.map(writeTokenBalance),
    postTokenBalances: meta.postTokenBalances.map(writeTokenBalance),
    innerInstructions: inner,
    logMessages: meta.logs,
    loadedAddresses: { readonly: [], writable: [] },
    rewards: [],
    computeUnitsConsumed: meta.computeUnits,
  };
}

function writeTokenBalance({ amount, decimals, ...rest }: TokenBalance): unknown {
  return { ...rest, uiTokenAmount: tokenAmount(BigInt(amount), decimals) };
}

/** Returns a transaction's memos as histories show them, each with its length; null if it has none. */
export function memoOf(wire: Uint8Array): string | null {
  const { instructions, accountKeys } = decodeTransaction(wire);
  const memos = instructions
    .filter(({ programIndex }) => accountKeys[programIndex] === MEMO_PROGRAM)
    .map(({ data }) => `[${data.length}] ${Buffer.from(data).toString('utf8')}`);
  return memos.length === 0 ? null : memos.join('; ');
}
