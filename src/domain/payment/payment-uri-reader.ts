/** Parses payment URIs strictly by their standards. */

import { t } from '../message/message.ts';
import { type CoinScheme, malformedUri, type PaymentUri } from './payment-uri.ts';

/** A parsed URI, `scheme:path?key=value&…`; the query is percent-decoded. */
interface Parts {
  readonly path: string;
  readonly parameters: ReadonlyMap<string, readonly string[]>;
}

const BASE58_KEY = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const BASE58_ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{25,44}$/;
const EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/;
/** Base58 or bech32, depending on the chain. */
const COIN_ADDRESS = /^[0-9A-Za-z]{20,100}$/;
/** BOLT 11: bech32 without the length limit. */
const INVOICE = /^ln[0-9a-z]{10,1000}$/i;
/** Solana Pay: no exponent, and a digit before the point. */
const DECIMAL = /^(0|[1-9][0-9]{0,14})(\.[0-9]{1,18})?$/;
/** BIP21 allows an empty part on either side of the point. */
const LOOSE_DECIMAL = /^([0-9]{1,15}(\.[0-9]{0,18})?|\.[0-9]{1,18})$/;

const READERS: Readonly<Record<string, (parts: Parts) => PaymentUri>> = {
  solana: readSolana,
  bitcoin: (parts) => readCoin('bitcoin', parts),
  litecoin: (parts) => readCoin('litecoin', parts),
  dogecoin: (parts) => readCoin('dogecoin', parts),
  dash: (parts) => readCoin('dash', parts),
  ethereum: readEthereum,
  lightning: ({ path }) => ({ standard: 'lightning', invoice: matching(path, INVOICE, 'invoice') }),
  tron: readTron,
};

/** @throws {ScripError} INPUT_INVALID on an unknown scheme and on anything its standard forbids */
export function parsePaymentUri(text: string): PaymentUri {
  const colon = text.indexOf(':');
  const scheme = text.slice(0, Math.max(colon, 0)).toLowerCase();
  if (!Object.hasOwn(READERS, scheme)) throw malformedUri(t`the scheme is not known`);
  const read = READERS[scheme];
  if (!read) throw malformedUri(t`the scheme is not known`);
  return read(takeApart(text.slice(colon + 1)));
}

function readSolana(parts: Parts): PaymentUri {
  const amount = single(parts, 'amount', DECIMAL);
  const splToken = single(parts, 'spl-token', BASE58_KEY);
  const references = parts.parameters.get('reference')?.map((value) => key(value));
  return {
    standard: 'solana-pay',
    recipient: matching(parts.path, BASE58_KEY, 'recipient'),
    ...(amount !== undefined && { amount }),
    ...(splToken !== undefined && { splToken }),
    ...(references !== undefined && { references }),
    ...texts(parts, ['label', 'message', 'memo']),
  };
}

const key = (value: string): string => matching(value, BASE58_KEY, 'reference');

function readCoin(scheme: CoinScheme, parts: Parts): PaymentUri {
  // BIP21: an unknown required parameter makes the whole URI invalid.
  const required = [...parts.parameters.keys()].find((name) => name.startsWith('req-'));
  if (required !== undefined) throw malformedUri(t`it requires ${required.slice(0, 40)}`);
  const amount = single(parts, 'amount', LOOSE_DECIMAL);
  return {
    standard: 'bip21',
    scheme,
    address: matching(parts.path, COIN_ADDRESS, 'address'),
    ...(amount !== undefined && { amount }),
    ...texts(parts, ['label', 'message']),
  };
}

const ETHEREUM_PATH = /^(?:pay-)?(0x[0-9a-fA-F]{40})(?:@([0-9]{1,15}))?(?:\/(.*))?$/;

/** ENS names are rejected: what they resolve to can change between reading and paying. */
function readEthereum(parts: Parts): PaymentUri {
  const [, target, chain, call] = ETHEREUM_PATH.exec(parts.path) ?? [];
  if (target === undefined) throw malformedUri(t`the target is not an address`);
  const chainId = chain === undefined ? {} : { chainId: Number(chain) };
  if (call === undefined) {
    const value = single(parts, 'value', ETHEREUM_NUMBER);
    return {
      standard: 'eip-681',
      recipient: target,
      ...chainId,
      ...(value !== undefined && { baseUnits: readNumber(value) }),
    };
  }
  if (call !== 'transfer') throw malformedUri(t`it contains an instruction other than a transfer`);
  const recipient = single(parts, 'address', EVM_ADDRESS);
  if (recipient === undefined) throw malformedUri(t`the transfer has no address`);
  const units = single(parts, 'uint256', ETHEREUM_NUMBER);
  return {
    standard: 'eip-681',
    recipient,
    token: target,
    ...chainId,
    ...(units !== undefined && { baseUnits: readNumber(units) }),
  };
}

/** EIP-681 `number` without its sign; 2^256 has 78 digits. */
const ETHEREUM_NUMBER = /^([0-9]{1,78})(?:\.([0-9]{1,78}))?(?:[eE]([0-9]{1,2}))?$/;
const UINT256_MAX = 2n ** 256n - 1n;

function readNumber(text: string): bigint {
  const [, whole = '', fraction = '', exponent = '0'] = ETHEREUM_NUMBER.exec(text) ?? [];
  const zeros = Number(exponent) - fraction.length;
  if (zeros < 0) throw malformedUri(t`the amount is not a whole number of base units`);
  const value = BigInt(whole + fraction) * 10n ** BigInt(zeros);
  if (value > UINT256_MAX) throw malformedUri(t`the amount is over 256 bits`);
  return value;
}

function readTron(parts: Parts): PaymentUri {
  const amount = single(parts, 'amount', DECIMAL);
  const token = single(parts, 'token', BASE58_ADDRESS);
  return {
    standard: 'tron',
    address: matching(parts.path, BASE58_ADDRESS, 'address'),
    ...(amount !== undefined && { amount }),
    ...(token !== undefined && { token }),
  };
}

function takeApart(rest: string): Parts {
  const mark = rest.indexOf('?');
  const path = mark < 0 ? rest : rest.slice(0, mark);
  const query = mark < 0 ? '' : rest.slice(mark + 1);
  const parameters = new Map<string, readonly string[]>();
  for (const pair of query.split('&').filter((part) => part !== '')) {
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1));
    parameters.set(name, [...(parameters.get(name) ?? []), value]);
  }
  return { path, parameters };
}

/** Keeps `+` as it is: these are RFC 3986 URIs, not form data. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw malformedUri(t`it is not percent-encoded properly`);
  }
}

function single(parts: Parts, name: string, shape: RegExp): string | undefined {
  const values = parts.parameters.get(name);
  if (values === undefined) return undefined;
  const [value] = values;
  if (value === undefined || values.length > 1)
    throw malformedUri(t`${name} occurs more than once`);
  return matching(value, shape, name);
}

function matching(value: string, shape: RegExp, name: string): string {
  if (!shape.test(value)) throw malformedUri(t`${name} is not well-formed`);
  return value;
}

/** Returns free-text parameters; the first one counts if repeated. */
function texts<K extends string>(parts: Parts, names: readonly K[]): Partial<Record<K, string>> {
  const found = names.flatMap((name) => {
    const value = parts.parameters.get(name)?.[0];
    return value === undefined ? [] : [[name, value] as const];
  });
  // The keys come from `names`.
  return Object.fromEntries(found) as Partial<Record<K, string>>;
}
