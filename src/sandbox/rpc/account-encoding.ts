/** Encodes accounts and token amounts for JSON-RPC. */
import { encodeBase58 } from '../../rails/solana/address.ts';
import type { ChainAccountRow } from '../../store/tables/chain.ts';
import type { Chain } from '../chain/chain.ts';
import { decodeMint, decodeTokenAccount, type Mint, type TokenAccount } from '../chain/token.ts';
import { type Config, record } from './params.ts';
import { badParams, fault } from './refusal.ts';

/** Rent epoch of rent-exempt accounts: 2^64 - 1, as closely as a number can hold it. */
const RENT_EPOCH = 2 ** 64;
/** Base58 is slow to encode, so nodes refuse longer data in it. */
const MAX_BASE58_BYTES = 128;

export interface TokenAmount {
  readonly amount: string;
  readonly decimals: number;
  readonly uiAmount: number | null;
  readonly uiAmountString: string;
}

export function tokenAmount(amount: bigint, decimals: number): TokenAmount {
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
export async function decimalsOf(chain: Chain, mint: string): Promise<number> {
  const row = await chain.account(mint);
  return (row && decodeMint(row)?.decimals) ?? 0;
}
