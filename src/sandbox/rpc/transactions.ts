/** RPC methods that send, simulate and look up transactions. */

import { USDC_MINT } from '../../contract/x402.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { parseAtomic } from '../../domain/money/money.ts';
import {
  associatedTokenAddress,
  decodeBase58,
  encodeBase58,
  MEMO_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from '../../rails/solana/address.ts';
import {
  type DecodedTransaction,
  decodeTransaction,
  isWritable,
} from '../../rails/solana/message.ts';
import type { Chain, Simulation } from '../chain/chain.ts';
import type { TokenBalance } from '../chain/ledger.ts';
import { type ChainTransaction, MAX_SIGNATURES, type SignatureStatus } from '../chain/reads.ts';
import { accountWriter, tokenAmount } from './accounts.ts';
import {
  address,
  addressAt,
  atBank,
  badParams,
  bankOf,
  type Config,
  configAt,
  countAt,
  fault,
  inContext,
  listAt,
  type Method,
  type Params,
  record,
  settledCommitmentOf,
  signature,
  textAt,
} from './protocol.ts';

/** A Solana node's maximum per call. */
const MAX_STATUSES = 256;
/** Length of the longest transaction in base58. */
const MAX_BASE58_LENGTH = 1683;

/** Decodes the transaction at index 0: base58, or base64 if the options say so. */
function wireOf(params: Params, config: Config): Uint8Array {
  const text = textAt(params, 0);
  const encoding = config.encoding ?? 'base58';
  if (encoding === 'base58') return decodeBase58(text, MAX_BASE58_LENGTH);
  if (encoding !== 'base64') throw badParams(`Invalid param: unsupported encoding: ${encoding}`);
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw badParams('invalid base64 encoding');
  return Uint8Array.from(Buffer.from(text, 'base64'));
}

const sendTransaction: Method = async (chain, params) => {
  const config = configAt(params, 1);
  await bankOf(chain, { minContextSlot: config.minContextSlot, commitment: 'processed' });
  const wire = wireOf(params, config);
  try {
    return await chain.send(wire, { skipPreflight: config.skipPreflight === true });
  } catch (error) {
    throw asPreflightFault(error);
  }
};

function asPreflightFault(error: unknown): unknown {
  if (!(error instanceof ScripError) || error.code !== 'TRANSACTION_REFUSED') return error;
  const { error: err, logs, computeUnits } = error.details;
  if (err === 'SignatureFailure') return signatureFault();
  return fault('preflight', `Transaction simulation failed: ${JSON.stringify(err)}`, {
    err,
    logs,
    accounts: null,
    unitsConsumed: computeUnits,
    returnData: null,
  });
}

function signatureFault(): ScripError {
  return fault('signature', 'Transaction signature verification failure');
}

const simulateTransaction = atBank(1, async (chain, { params, config }) => {
  const sigVerify = config.sigVerify === true;
  const replaceRecentBlockhash = config.replaceRecentBlockhash === true;
  if (sigVerify && replaceRecentBlockhash) {
    throw badParams('sigVerify may not be used with replaceRecentBlockhash');
  }
  const wire = wireOf(params, config);
  const simulated = await chain.simulate(wire, { sigVerify, replaceRecentBlockhash });
  const { error, logs, computeUnits, returnData } = simulated;
  if (error === 'SignatureFailure') throw signatureFault();
  const { slot: _newest, ...replacement } = await chain.latestBlockhash('processed');
  return {
    err: error,
    logs,
    unitsConsumed: computeUnits,
    returnData: returnData && {
      programId: returnData.programId,
      data: [Buffer.from(returnData.data).toString('base64'), 'base64'],
    },
    accounts: await writeAccounts(chain, config, simulated),
    ...(replaceRecentBlockhash && { replacementBlockhash: replacement }),
  };
});

/** Returns the requested accounts as the transaction would leave them. */
async function writeAccounts(
  chain: Chain,
  config: Config,
  simulated: Simulation,
): Promise<unknown> {
  const asked = record(config.accounts);
  if (!asked) return null;
  if (!Array.isArray(asked.addresses)) throw badParams('Invalid param: accounts need addresses');
  const write = accountWriter(chain, { encoding: asked.encoding ?? 'base64' });
  return Promise.all(
    asked.addresses.map(async (item: unknown) => {
      const wanted = address(item, 'an address');
      const after = simulated.accounts.get(wanted);
      const row = after === undefined ? await chain.account(wanted) : after;
      return row ? write(row) : null;
    }),
  );
}

const getSignatureStatuses: Method = async (chain, params) => {
  const asked = listAt(params, 0, MAX_STATUSES).map(signature);
  const slot = await chain.slot('processed');
  const statuses = await chain.statuses(asked);
  return inContext(
    slot,
    statuses.map((status) => status && writeStatus(status)),
  );
};

function writeStatus({ slot, confirmations, error, commitment }: SignatureStatus): unknown {
  return {
    slot,
    confirmations,
    err: error,
    status: error === null ? { Ok: null } : { Err: error },
    confirmationStatus: commitment,
  };
}

const getSignaturesForAddress: Method = async (chain, params) => {
  const config = configAt(params, 1);
  const commitment = settledCommitmentOf(config);
  await bankOf(chain, config);
  const limit = limitOf(config.limit);
  const before = config.before == null ? undefined : signature(config.before);
  const until = config.until == null ? undefined : signature(config.until);
  const page = { limit, before, until, commitment };
  const found = await chain.signaturesForAddress(addressAt(params, 0), page);
  return found.map((row) => ({
    signature: row.signature,
    slot: row.slot,
    err: row.error,
    memo: memoOf(row.wire),
    blockTime: Math.floor(row.blockTimeMs / 1000),
    confirmationStatus: row.commitment,
  }));
};

function limitOf(asked: unknown): number {
  const limit = asked ?? MAX_SIGNATURES;
  if (!Number.isInteger(limit) || Number(limit) < 1 || Number(limit) > MAX_SIGNATURES) {
    throw badParams(`Invalid limit; max ${MAX_SIGNATURES}`);
  }
  return Number(limit);
}

const getTransaction: Method = async (chain, params) => {
  // Older clients pass only the encoding.
  const config = typeof params[1] === 'string' ? { encoding: params[1] } : configAt(params, 1);
  const commitment = settledCommitmentOf(config);
  const found = await chain.transaction(signature(params[0]), commitment);
  if (!found) return null;
  return {
    slot: found.slot,
    blockTime: Math.floor(found.blockTimeMs / 1000),
    ...writeFull(found, config),
  };
};

function writeFull(found: ChainTransaction, config: Config): object {
  const encoding = config.encoding ?? 'json';
  return {
    transaction: writeTransaction(found, encoding),
    meta: writeMeta(found, encoding),
    ...versionOf(found.wire, config.maxSupportedTransactionVersion),
  };
}

const getBlock: Method = async (chain, params) => {
  const slot = countAt(params, 0);
  const config = typeof params[1] === 'string' ? { encoding: params[1] } : configAt(params, 1);
  const write = DETAILS.get(config.transactionDetails ?? 'full');
  if (!write) throw badParams('Invalid param: transactionDetails must be full, signatures or none');
  const block = await chain.block(slot, settledCommitmentOf(config));
  if (!block) throw fault('noBlock', `Block not available for slot ${slot}`);
  return {
    blockhash: block.blockhash,
    previousBlockhash: block.previousBlockhash,
    parentSlot: slot - 1,
    blockHeight: block.height,
    blockTime: Math.floor(block.atMs / 1000),
    ...write(block.transactions, config),
    ...(config.rewards === false ? {} : { rewards: [] }),
  };
};

type DetailsWriter = (transactions: readonly ChainTransaction[], config: Config) => object;

/** What a block says of its transactions, by `transactionDetails`. */
const DETAILS: ReadonlyMap<unknown, DetailsWriter> = new Map<unknown, DetailsWriter>([
  ['full', (found, config) => ({ transactions: found.map((one) => writeFull(one, config)) })],
  ['signatures', (found) => ({ signatures: found.map(({ signature: id }) => id) })],
  ['none', () => ({})],
]);

/** Returns the version to clients that support versions; others receive only legacy transactions. */
function versionOf(wire: Uint8Array, supported: unknown): { readonly version?: 0 | 'legacy' } {
  const { version } = decodeTransaction(wire);
  if (typeof supported === 'number') return { version };
  if (version === 'legacy') return {};
  throw fault(
    'version',
    `Transaction version (${version}) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
  );
}

export const transactionMethods = {
  sendTransaction,
  simulateTransaction,
  getSignatureStatuses,
  getSignaturesForAddress,
  getTransaction,
  getBlock,
} as const satisfies Record<string, Method>;

// Encodes executed transactions for JSON-RPC.

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

function writeTransaction(transaction: ChainTransaction, encoding: unknown): unknown {
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

/** Uses addresses in place of indexes, and explains what nodes explain of a payment. */
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
    instructions: instructions.map(({ programIndex, accounts, data }) => {
      const programId = accountKeys[programIndex];
      const named = accounts.map((index) => accountKeys[index]);
      return { programId, ...explained(programId, named, Buffer.from(data)), stackHeight: null };
    }),
  };
}

/** Transfers of tokens and memos, as nodes write them; other instructions stay encoded bytes. */
function explained(program: string | undefined, accounts: readonly unknown[], data: Buffer) {
  if (program === MEMO_PROGRAM) return { program: 'spl-memo', parsed: data.toString('utf8') };
  const [source, mint, destination, authority] = accounts;
  const isTransfer = program === TOKEN_PROGRAM && data[0] === TRANSFER_CHECKED;
  if (!isTransfer || data.length !== 10) return { accounts, data: encodeBase58(data) };
  const amount = tokenAmount(data.readBigUInt64LE(1), data.readUInt8(9));
  const info = { source, mint, destination, authority, tokenAmount: amount };
  return { program: 'spl-token', parsed: { type: 'transferChecked', info } };
}

const TRANSFER_CHECKED = 12;

/** Writes lamports as JSON numbers, as nodes do. */
function writeMeta({ meta, error }: ChainTransaction, encoding: unknown): unknown {
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
function memoOf(wire: Uint8Array): string | null {
  const { instructions, accountKeys } = decodeTransaction(wire);
  const memos = instructions
    .filter(({ programIndex }) => accountKeys[programIndex] === MEMO_PROGRAM)
    .map(({ data }) => `[${data.length}] ${Buffer.from(data).toString('utf8')}`);
  return memos.length === 0 ? null : memos.join('; ');
}

// RPC methods that hand out test money: Solana's own, and one for USDC.

const requestAirdrop: Method = async (chain, params) => {
  const to = addressAt(params, 0);
  try {
    return await chain.requestAirdrop(to, BigInt(countAt(params, 1)));
  } catch (cause) {
    throw badParams(`Invalid param: ${cause instanceof Error ? cause.message : 'no airdrop'}`);
  }
};

/** `[address, { usdc?: "<atomic units>", lamports?: "<digits>" }]`; returns the token account. */
const sandboxFaucet: Method = async (chain, params) => {
  const owner = addressAt(params, 0);
  const { usdc = '0', lamports = '0' } = configAt(params, 1);
  if (typeof usdc !== 'string' || typeof lamports !== 'string') {
    throw badParams('Invalid param: usdc and lamports are digits in quotes');
  }
  const account = await chain.account(owner);
  if (account !== undefined && account.owner !== SYSTEM_PROGRAM) {
    // Funding overwrites an account as a wallet, which would destroy a program or a mint.
    throw badParams('Invalid param: test money is for wallets, not for programs or token accounts');
  }
  const amounts = { usdc: parseAtomic(usdc), lamports: parseAtomic(lamports) };
  if (amounts.usdc > 0n || amounts.lamports > 0n) await chain.noteFunding(owner);
  if (amounts.usdc > 0n) await chain.fundUsdc(owner, amounts.usdc);
  if (amounts.lamports > 0n) await chain.airdrop(owner, amounts.lamports);
  return { tokenAccount: associatedTokenAddress(owner, USDC_MINT) };
};

export const faucetMethods = { requestAirdrop, sandboxFaucet } as const satisfies Record<
  string,
  Method
>;
