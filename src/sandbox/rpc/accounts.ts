/** RPC methods that read accounts. */

import { decodeBase58, encodeBase58, TOKEN_PROGRAM } from '../../rails/solana/address.ts';
import type { ChainAccountRow } from '../../store/tables/chain.ts';
import {
  decodeMint,
  decodeTokenAccount,
  type Mint,
  minimumBalance,
  type TokenAccount,
} from '../chain/accounts.ts';
import type { Chain } from '../chain/chain.ts';
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
} from './protocol.ts';

/** A Solana node's maximum per call. */
const MAX_ACCOUNTS = 100;

const getAccountInfo = atBank(1, async (chain, { params, config }) => {
  const write = accountWriter(chain, config);
  const row = await chain.account(addressAt(params, 0));
  return row ? write(row) : null;
});

const getMultipleAccounts = atBank(1, async (chain, { params, config }) => {
  const addresses = listAt(params, 0, MAX_ACCOUNTS).map((item) => address(item, 'an address'));
  const write = accountWriter(chain, config);
  const rows = await chain.accounts(addresses);
  return Promise.all(rows.map((row) => (row ? write(row) : null)));
});

const getBalance = atBank(1, async (chain, { params }) => {
  const row = await chain.account(addressAt(params, 0));
  return Number(row?.lamports ?? 0);
});

const getMinimumBalanceForRentExemption: Method = async (_chain, params) =>
  Number(minimumBalance(countAt(params, 0)));

const getProgramAccounts: Method = async (chain, params) => {
  const config = configAt(params, 1);
  const write = accountWriter(chain, config);
  const matches = filterOf(config.filters);
  const { slot } = await bankOf(chain, config);
  const rows = (await chain.programAccounts(addressAt(params, 0))).filter(matches);
  const found = await Promise.all(
    rows.map(async (row) => ({ pubkey: row.address, account: await write(row) })),
  );
  return config.withContext === true ? inContext(slot, found) : found;
};

type Filter = (row: ChainAccountRow) => boolean;

export function filterOf(asked: unknown): Filter {
  if (asked === undefined || asked === null) return () => true;
  if (!Array.isArray(asked)) throw badParams('Invalid param: filters must be a list');
  const filters = asked.map(readFilter);
  return (row) => filters.every((filter) => filter(row));
}

function readFilter(asked: unknown): Filter {
  const filter = record(asked) ?? {};
  const { dataSize } = filter;
  if (typeof dataSize === 'number') return (row) => row.data.length === dataSize;
  const { offset, bytes, encoding } = record(filter.memcmp) ?? {};
  if (typeof offset !== 'number' || typeof bytes !== 'string') {
    throw badParams('Invalid param: a filter is a dataSize or a memcmp');
  }
  const wanted = encoding === 'base64' ? Buffer.from(bytes, 'base64') : decodeBase58(bytes);
  return (row) => Buffer.compare(row.data.subarray(offset, offset + wanted.length), wanted) === 0;
}

const getTokenAccountBalance = atBank(1, async (chain, { params }) => {
  const row = await chain.account(addressAt(params, 0));
  if (!row) throw badParams('Invalid param: could not find account');
  const token = decodeTokenAccount(row);
  if (!token) throw badParams('Invalid param: not a Token account');
  return tokenAmount(token.amount, await decimalsOf(chain, token.mint));
});

const tokenAccountsBy = (role: 'owner' | 'delegate') =>
  atBank(2, async (chain, { params, config }) => {
    const holder = addressAt(params, 0);
    const write = accountWriter(chain, config);
    const { mint, programId } = configAt(params, 1);
    if (mint === undefined && programId === undefined) {
      throw badParams('Invalid param: name a mint or a programId');
    }
    if (mint === undefined && address(programId, 'programId') !== TOKEN_PROGRAM) return [];
    const asked = mint === undefined ? {} : { mint: address(mint, 'mint') };
    if (asked.mint !== undefined && !(await chain.account(asked.mint))) {
      throw badParams('Invalid param: could not find mint');
    }
    const rows = await chain.tokenAccounts({ [role]: holder, ...asked });
    const values = rows.map(async (row) => ({ pubkey: row.address, account: await write(row) }));
    return Promise.all(values);
  });

async function mintAt(chain: Chain, params: Params) {
  const row = await chain.account(addressAt(params, 0));
  const mint = row && decodeMint(row);
  if (!mint) throw badParams('Invalid param: not a Token mint');
  return mint;
}

const getTokenSupply = atBank(1, async (chain, { params }) => {
  const { supply, decimals } = await mintAt(chain, params);
  return tokenAmount(supply, decimals);
});

/** A Solana node's number of accounts. */
const LARGEST = 20;

const getTokenLargestAccounts = atBank(1, async (chain, { params }) => {
  const { decimals } = await mintAt(chain, params);
  const rows = await chain.tokenAccounts({ mint: addressAt(params, 0) });
  const held = rows.map((row) => ({ row, amount: decodeTokenAccount(row)?.amount ?? 0n }));
  return held
    .toSorted((one, other) => Number(other.amount - one.amount))
    .slice(0, LARGEST)
    .map(({ row, amount }) => ({ address: row.address, ...tokenAmount(amount, decimals) }));
});

export const accountMethods = {
  getAccountInfo,
  getMultipleAccounts,
  getBalance,
  getMinimumBalanceForRentExemption,
  getProgramAccounts,
  getTokenAccountBalance,
  getTokenAccountsByOwner: tokenAccountsBy('owner'),
  getTokenAccountsByDelegate: tokenAccountsBy('delegate'),
  getTokenLargestAccounts,
  getTokenSupply,
} as const satisfies Record<string, Method>;

// Encodes accounts and token amounts for JSON-RPC.

/** Rent epoch of rent-exempt accounts: 2^64 - 1, as closely as a number can hold it. */
const RENT_EPOCH = 2 ** 64;
/** Base58 is slow to encode, so nodes refuse longer data in it. */
const MAX_BASE58_BYTES = 128;

export function tokenAmount(amount: bigint, decimals: number) {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  const text = fraction === '' ? whole : `${whole}.${fraction}`;
  return { amount: amount.toString(), decimals, uiAmount: Number(text), uiAmountString: text };
}

/** Reads `encoding` and `dataSlice` once; returns a function that encodes accounts accordingly. */
export function accountWriter(
  chain: Chain,
  config: Config,
): (row: ChainAccountRow) => Promise<unknown> {
  const encoding = config.encoding ?? 'binary';
  const slice = sliceOf(config);
  const write = WRITERS.get(encoding);
  if (!write) throw badParams(`Invalid param: unknown encoding ${JSON.stringify(encoding)}`);
  return async (row) => ({
    data: await write(chain, row, slice),
    executable: row.executable,
    lamports: Number(row.lamports),
    owner: row.owner,
    rentEpoch: RENT_EPOCH,
    space: row.data.length,
  });
}

type Slice = (data: Uint8Array) => Uint8Array;
type DataWriter = (chain: Chain, row: ChainAccountRow, slice: Slice) => Promise<unknown>;

const writeBase64: DataWriter = async (_chain, row, slice) => [
  Buffer.from(slice(row.data)).toString('base64'),
  'base64',
];

const WRITERS: ReadonlyMap<unknown, DataWriter> = new Map<unknown, DataWriter>([
  ['binary', async (_chain, row, slice) => base58(slice(row.data))],
  ['base58', async (_chain, row, slice) => [base58(slice(row.data)), 'base58']],
  ['base64', writeBase64],
  // Falls back to base64 for data that cannot be parsed.
  [
    'jsonParsed',
    async (chain, row, slice) => (await parsed(chain, row)) ?? writeBase64(chain, row, slice),
  ],
]);

function sliceOf(config: Config): Slice {
  const asked = record(config.dataSlice);
  if (!asked) return (data) => data;
  const { offset, length } = asked;
  if (typeof offset !== 'number' || typeof length !== 'number') {
    throw badParams('Invalid param: dataSlice needs offset and length');
  }
  return (data) => data.subarray(offset, offset + length);
}

function base58(data: Uint8Array): string {
  if (data.length > MAX_BASE58_BYTES) {
    throw fault(
      'request',
      'Encoded binary (base 58) data should be less than 128 bytes, please use Base64 encoding.',
    );
  }
  return encodeBase58(data);
}

async function parsed(chain: Chain, row: ChainAccountRow): Promise<unknown> {
  const mint = decodeMint(row);
  if (mint) return splToken(row, { type: 'mint', info: mintInfo(mint) });
  const token = decodeTokenAccount(row);
  if (!token) return undefined;
  return splToken(row, {
    type: 'account',
    info: tokenInfo(token, await decimalsOf(chain, token.mint)),
  });
}

function splToken(row: ChainAccountRow, parsed: unknown): unknown {
  return { program: 'spl-token', parsed, space: row.data.length };
}

function mintInfo(mint: Mint): unknown {
  const { decimals, freezeAuthority, mintAuthority } = mint;
  const supply = mint.supply.toString();
  return { decimals, freezeAuthority, isInitialized: true, mintAuthority, supply };
}

function tokenInfo(token: TokenAccount, decimals: number): unknown {
  const { mint, owner, state, delegate, closeAuthority, nativeReserve } = token;
  return {
    isNative: nativeReserve !== null,
    mint,
    owner,
    state,
    tokenAmount: tokenAmount(token.amount, decimals),
    ...(delegate === null
      ? {}
      : { delegate, delegatedAmount: tokenAmount(token.delegatedAmount, decimals) }),
    ...(closeAuthority === null ? {} : { closeAuthority }),
    ...(nativeReserve === null ? {} : { rentExemptReserve: tokenAmount(nativeReserve, decimals) }),
  };
}

/** Returns the decimals of a mint; 0 if there is no such mint. */
async function decimalsOf(chain: Chain, mint: string): Promise<number> {
  const row = await chain.account(mint);
  return (row && decodeMint(row)?.decimals) ?? 0;
}
