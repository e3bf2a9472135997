/** RPC methods about slots, blockhashes, fees and the node itself. */
import { COMPUTE_BUDGET_PROGRAM, SYSTEM_PROGRAM } from '../../rails/solana/address.ts';
import {
  type DecodedTransaction,
  decodeTransaction,
  readComputeUnitLimit,
  readComputeUnitPrice,
} from '../../rails/solana/message.ts';
import { SLOTS_PER_EPOCH } from '../chain/vm.ts';
import {
  API_VERSION,
  atBank,
  badParams,
  bankOf,
  configAt,
  countAt,
  inContext,
  type Method,
  textAt,
} from './protocol.ts';

/** Mainnet's genesis hash: standard clients know this USDC mint on no other network. */
export const MAINNET_GENESIS = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const FEATURE_SET = 3_640_012_085;

const getSlot: Method = async (chain, params) => (await bankOf(chain, configAt(params, 0))).slot;

const getBlockHeight: Method = async (chain, params) => {
  const { commitment } = await bankOf(chain, configAt(params, 0));
  return chain.blockHeight(commitment);
};

const getLatestBlockhash: Method = async (chain, params) => {
  const { commitment } = await bankOf(chain, configAt(params, 0));
  const { blockhash, lastValidBlockHeight, slot } = await chain.latestBlockhash(commitment);
  return inContext(slot, { blockhash, lastValidBlockHeight });
};

const isBlockhashValid = atBank(1, (chain, { params, commitment }) =>
  chain.isBlockhashValid(textAt(params, 0), commitment),
);

const getEpochInfo: Method = async (chain, params) => {
  const { slot, commitment } = await bankOf(chain, configAt(params, 0));
  return {
    absoluteSlot: slot,
    blockHeight: await chain.blockHeight(commitment),
    epoch: Math.floor(slot / SLOTS_PER_EPOCH),
    slotIndex: slot % SLOTS_PER_EPOCH,
    slotsInEpoch: SLOTS_PER_EPOCH,
    transactionCount: await chain.transactionCount(),
  };
};

const getBlockTime: Method = async (chain, params) =>
  Math.floor((await chain.slotTimeMs(countAt(params, 0))) / 1000);

/** The sandbox prunes no history, so every slot back to 0 is available. */
const firstBlock: Method = async () => 0;

const getFeeForMessage = atBank(1, async (chain, { params, commitment }) => {
  const message = Buffer.from(textAt(params, 0), 'base64');
  const transaction = decodeTransaction(unsigned(message));
  const isKnown = await chain.isBlockhashValid(transaction.recentBlockhash, commitment);
  return isKnown ? Number(feeOf(transaction)) : null;
});

/** Wraps a message as an unsigned transaction. */
function unsigned(message: Uint8Array): Uint8Array {
  // In a versioned message, the version precedes the number of signatures.
  const count = message[((message[0] ?? 0) & 0x80) === 0 ? 0 : 1] ?? 0;
  if (count === 0 || count > 12) throw badParams('Invalid param: a message without signers');
  return Buffer.concat([Uint8Array.of(count), new Uint8Array(64 * count), message]);
}

const LAMPORTS_PER_SIGNATURE = 5000n;
const MICRO = 1_000_000n;
/** Compute units per instruction without a limit, and the maximum per transaction. */
const DEFAULT_UNITS = 200_000;
const BUILTIN_UNITS = 3_000;
const MAX_UNITS = 1_400_000;
const BUILTINS = new Set([SYSTEM_PROGRAM, COMPUTE_BUDGET_PROGRAM]);

/** A fixed price per signature, plus the offered price for compute units. */
function feeOf(transaction: DecodedTransaction): bigint {
  const calls = transaction.instructions.map(({ programIndex, data }) => ({
    program: transaction.accountKeys[programIndex] ?? '',
    data,
  }));
  const budget = calls.filter(({ program }) => program === COMPUTE_BUDGET_PROGRAM);
  const price = budget.map(({ data }) => readComputeUnitPrice(data)).find(isThere) ?? 0n;
  const limit = budget.map(({ data }) => readComputeUnitLimit(data)).find(isThere);
  const usual = calls.map(({ program }) => (BUILTINS.has(program) ? BUILTIN_UNITS : DEFAULT_UNITS));
  const units = Math.min(limit ?? usual.reduce((sum, unit) => sum + unit, 0), MAX_UNITS);
  const priority = (BigInt(units) * price + MICRO - 1n) / MICRO;
  return LAMPORTS_PER_SIGNATURE * BigInt(transaction.header.requiredSignatures) + priority;
}

function isThere<T>(value: T | undefined): value is T {
  return value !== undefined;
}

/** No validator runs here: a node's own key, which no one has. */
const IDENTITY = SYSTEM_PROGRAM;

export const blockMethods = {
  getSlot,
  getBlockHeight,
  getLatestBlockhash,
  isBlockhashValid,
  getEpochInfo,
  getBlockTime,
  getFeeForMessage,
  getFirstAvailableBlock: firstBlock,
  minimumLedgerSlot: firstBlock,
  getGenesisHash: async () => MAINNET_GENESIS,
  // Ours: all sandboxes have mainnet's genesis hash, so this one tells which chain it is.
  sandboxChain: (chain) => chain.id(),
  getHealth: async () => 'ok',
  getClusterNodes: async () => [],
  getEpochSchedule: async () => ({
    ...{ firstNormalEpoch: 0, firstNormalSlot: 0, warmup: false },
    ...{ leaderScheduleSlotOffset: SLOTS_PER_EPOCH, slotsPerEpoch: SLOTS_PER_EPOCH },
  }),
  getIdentity: async () => ({ identity: IDENTITY }),
  getSlotLeader: async () => IDENTITY,
  getVoteAccounts: async () => ({ current: [], delinquent: [] }),
  getVersion: async () => ({ 'feature-set': FEATURE_SET, 'solana-core': API_VERSION }),
  getTransactionCount: (chain) => chain.transactionCount(),
  // No one competes for block space here.
  getRecentPrioritizationFees: async (chain) => [
    { prioritizationFee: 0, slot: await chain.slot('confirmed') },
  ],
} as const satisfies Record<string, Method>;
