/** RPC methods that read accounts. */
import { decodeBase58, TOKEN_PROGRAM } from '../../rails/solana/address.ts';
import type { ChainAccountRow } from '../../store/tables/chain.ts';
import type { Chain } from '../chain/chain.ts';
import { minimumBalance } from '../chain/genesis.ts';
import { decodeMint, decodeTokenAccount, type Mint } from '../chain/token.ts';
import { accountWriter, decimalsOf, tokenAmount } from './account-encoding.ts';
import {
  address,
  addressAt,
  bankOf,
  configAt,
  countAt,
  inContext,
  listAt,
  type Method,
  type Params,
  record,
} from './params.ts';
import { badParams } from './refusal.ts';

/** A Solana node's maximum per call. */
const MAX_ACCOUNTS = 100;

const getAccountInfo: Method = async (chain, params) => {
  const config = configAt(params, 1);
  const write = accountWriter(chain, config);
  const { slot } = await bankOf(chain, config);
  const row = await chain.account(addressAt(params, 0));
  return inContext(slot, row ? await write(row) : null);
};

const getMultipleAccounts: Method = async (chain, params) => {
  const addresses = listAt(params, 0, MAX_ACCOUNTS).map((item) => address(item, 'an address'));
  const config = configAt(params, 1);
  const write = accountWriter(chain, config);
  const { slot } = await bankOf(chain, config);
  const rows = await chain.accounts(addresses);
  return inContext(slot, await Promise.all(rows.map((row) => (row ? write(row) : null))));
};

const getBalance: Method = async (chain, params) => {
  const { slot } = await bankOf(chain, configAt(params, 1));
  const row = await chain.account(addressAt(params, 0));
  return inContext(slot, Number(row?.lamports ?? 0));
};

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

export type Filter = (row: ChainAccountRow) => boolean;

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

const getTokenAccountBalance: Method = async (chain, params) => {
  const { slot } = await bankOf(chain, configAt(params, 1));
  const row = await chain.account(addressAt(params, 0));
  if (!row) throw badParams('Invalid param: could not find account');
  const token = decodeTokenAccount(row);
  if (!token) throw badParams('Invalid param: not a Token account');
  return inContext(slot, tokenAmount(token.amount, await decimalsOf(chain, token.mint)));
};

/** By owner or by delegate. */
const tokenAccountsBy =
  (role: 'owner' | 'delegate'): Method =>
  async (chain, params) => {
    const holder = addressAt(params, 0);
    const config = configAt(params, 2);
    const write = accountWriter(chain, config);
    const { mint, programId } = configAt(params, 1);
    if (mint === undefined && programId === undefined) {
      throw badParams('Invalid param: name a mint or a programId');
    }
    const { slot } = await bankOf(chain, config);
    if (mint === undefined && address(programId, 'programId') !== TOKEN_PROGRAM) {
      return inContext(slot, []);
    }
    const asked = mint === undefined ? undefined : address(mint, 'mint');
    if (asked !== undefined && !(await chain.account(asked))) {
      throw badParams('Invalid param: could not find mint');
    }
    const found = await chain.tokenAccounts({
      [role]: holder,
      ...(asked === undefined ? {} : { mint: asked }),
    });
    const values = found.map(async ({ row }) => ({
      pubkey: row.address,
      account: await write(row),
    }));
    return inContext(slot, await Promise.all(values));
  };

async function mintAt(chain: Chain, params: Params): Promise<Mint> {
  const row = await chain.account(addressAt(params, 0));
  const mint = row && decodeMint(row);
  if (!mint) throw badParams('Invalid param: not a Token mint');
  return mint;
}

const getTokenSupply: Method = async (chain, params) => {
  const { slot } = await bankOf(chain, configAt(params, 1));
  const { supply, decimals } = await mintAt(chain, params);
  return inContext(slot, tokenAmount(supply, decimals));
};

/** A Solana node's number of accounts. */
const LARGEST = 20;

const getTokenLargestAccounts: Method = async (chain, params) => {
  const { slot } = await bankOf(chain, configAt(params, 1));
  const { decimals } = await mintAt(chain, params);
  const found = await chain.tokenAccounts({ mint: addressAt(params, 0) });
  const largest = found.toSorted((one, other) => Number(other.token.amount - one.token.amount));
  return inContext(
    slot,
    largest.slice(0, LARGEST).map(({ row, token }) => ({
      address: row.address,
      ...tokenAmount(token.amount, decimals),
    })),
  );
};

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
