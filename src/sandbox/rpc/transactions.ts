/** RPC methods that send, simulate and look up transactions. */
import { ScripError } from '../../domain/errors.ts';
import { decodeBase58 } from '../../rails/solana/address.ts';
import { decodeTransaction } from '../../rails/solana/message.ts';
import type { Chain, Simulation } from '../chain/chain.ts';
import { type ChainTransaction, MAX_SIGNATURES, type SignatureStatus } from '../chain/reads.ts';
import { accountWriter } from './account-encoding.ts';
import {
  address,
  addressAt,
  bankOf,
  type Config,
  configAt,
  countAt,
  inContext,
  listAt,
  type Method,
  type Params,
  record,
  settledCommitmentOf,
  signature,
  textAt,
} from './params.ts';
import { badParams, fault } from './refusal.ts';
import { memoOf, writeMeta, writeTransaction } from './transaction-encoding.ts';

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

const simulateTransaction: Method = async (chain, params) => {
  const config = configAt(params, 1);
  const { slot } = await bankOf(chain, config);
  const sigVerify = config.sigVerify === true;
  const replaceRecentBlockhash = config.replaceRecentBlockhash === true;
  if (sigVerify && replaceRecentBlockhash) {
    throw badParams('sigVerify may not be used with replaceRecentBlockhash');
  }
  const wire = wireOf(params, config);
  const simulated = await chain.simulate(wire, { sigVerify, replaceRecentBlockhash });
  if (simulated.error === 'SignatureFailure') throw signatureFault();
  return inContext(slot, {
    ...writeSimulation(simulated),
    accounts: await writeAccounts(chain, config, simulated),
    ...(replaceRecentBlockhash ? { replacementBlockhash: await replacement(chain) } : {}),
  });
};

function writeSimulation({ error, logs, computeUnits, returnData }: Simulation): object {
  return {
    err: error,
    logs,
    unitsConsumed: computeUnits,
    returnData: returnData && {
      programId: returnData.programId,
      data: [Buffer.from(returnData.data).toString('base64'), 'base64'],
    },
  };
}

async function replacement(chain: Chain): Promise<unknown> {
  const { blockhash, lastValidBlockHeight } = await chain.latestBlockhash('processed');
  return { blockhash, lastValidBlockHeight };
}

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
