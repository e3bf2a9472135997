/**
 * Payment URIs, which wallets open and QR codes carry: Solana Pay transfer requests, BIP21 and its variants,
 * EIP-681, Lightning; and, since there is no standard for it, `tron:` in the form of BIP21.
 */

import { ScripError } from '../message/errors.ts';
import { type Message, t } from '../message/message.ts';
import { type Coin, type CoinNetwork, toBaseUnits } from '../money/coin.ts';
import { type Atomic, formatDecimal } from '../money/money.ts';

/** Chains that use BIP21's form, each with its own scheme. */
export type CoinScheme = 'bitcoin' | 'litecoin' | 'dogecoin' | 'dash';

/** Amounts are plain decimals of the coin, except in EIP-681, which uses base units. */
export type PaymentUri =
  | {
      readonly standard: 'solana-pay';
      /** Owner of the receiving account, never a token account. */
      readonly recipient: string;
      readonly amount?: string;
      /** Mint of the token; SOL itself if absent. */
      readonly splToken?: string;
      readonly references?: readonly string[];
      readonly label?: string;
      readonly message?: string;
      readonly memo?: string;
    }
  | {
      readonly standard: 'bip21';
      readonly scheme: CoinScheme;
      readonly address: string;
      readonly amount?: string;
      readonly label?: string;
      readonly message?: string;
    }
  | {
      readonly standard: 'eip-681';
      readonly recipient: string;
      readonly chainId?: number;
      /** Contract of an ERC-20 token; the chain's own coin if absent. */
      readonly token?: string;
      /** Wei, or the token's smallest units. */
      readonly baseUnits?: bigint;
    }
  | { readonly standard: 'lightning'; readonly invoice: string }
  | {
      readonly standard: 'tron';
      readonly address: string;
      readonly amount?: string;
      readonly token?: string;
    };

type Of<S extends PaymentUri['standard']> = Extract<PaymentUri, { standard: S }>;
type Parameter = readonly [key: string, value: string | undefined];

const WRITERS: { readonly [S in PaymentUri['standard']]: (uri: Of<S>) => string } = {
  'solana-pay': (uri) =>
    withQuery(`solana:${uri.recipient}`, [
      ['amount', uri.amount],
      ['spl-token', uri.splToken],
      ...(uri.references ?? []).map((reference) => ['reference', reference] as const),
      ['label', uri.label],
      ['message', uri.message],
      ['memo', uri.memo],
    ]),
  bip21: (uri) =>
    withQuery(`${uri.scheme}:${uri.address}`, [
      ['amount', uri.amount],
      ['label', uri.label],
      ['message', uri.message],
    ]),
  'eip-681': writeEthereum,
  lightning: (uri) => `lightning:${uri.invoice}`,
  tron: (uri) =>
    withQuery(`tron:${uri.address}`, [
      ['amount', uri.amount],
      ['token', uri.token],
    ]),
};

export function formatPaymentUri(uri: PaymentUri): string {
  // `uri.standard` selects the writer of its own type, which the compiler cannot infer.
  const write = WRITERS[uri.standard] as (uri: PaymentUri) => string;
  return write(uri);
}

/** One payment of an order. */
interface PaymentTarget {
  readonly coin: Coin;
  readonly network: CoinNetwork;
  /** Address, or the invoice on Lightning. */
  readonly address: string;
  /** In units of 10^-decimals of the coin. */
  readonly amount: Atomic;
  /** Name of the payee, for wallets that show it. */
  readonly label?: string;
  /** Public key by which the payment can be found on the chain, on networks that support it (Solana Pay). */
  readonly reference?: string;
}

/** Returns the URI with which a wallet makes the payment. */
export function paymentUri(target: PaymentTarget): string {
  return formatPaymentUri(describePayment(target));
}

function describePayment(target: PaymentTarget): PaymentUri {
  const { coin, network, address, amount, label, reference } = target;
  const contract = network.contract?.address;
  const decimal = formatDecimal(amount, coin.decimals);
  const named = label === undefined ? {} : { label };
  switch (network.scheme) {
    case 'solana':
      return {
        standard: 'solana-pay',
        recipient: address,
        amount: decimal,
        ...(contract !== undefined && { splToken: contract }),
        ...(reference !== undefined && { references: [reference] }),
        ...named,
      };
    case 'ethereum':
      return {
        standard: 'eip-681',
        recipient: address,
        baseUnits: toBaseUnits(amount, coin, network),
        ...(network.chainId !== null && { chainId: network.chainId }),
        ...(contract !== undefined && { token: contract }),
      };
    case 'lightning':
      return { standard: 'lightning', invoice: address };
    case 'tron': {
      const token = contract === undefined ? {} : { token: contract };
      return { standard: 'tron', address, amount: decimal, ...token };
    }
    default:
      return { standard: 'bip21', scheme: network.scheme, address, amount: decimal, ...named };
  }
}

/** Writes amounts in full: EIP-681 recommends exponents, but more wallets read plain digits. */
function writeEthereum({ recipient, chainId, token, baseUnits }: Of<'eip-681'>): string {
  const chain = chainId === undefined ? '' : `@${chainId}`;
  const amount = baseUnits?.toString();
  if (token === undefined) return withQuery(`ethereum:${recipient}${chain}`, [['value', amount]]);
  return withQuery(`ethereum:${token}${chain}/transfer`, [
    ['address', recipient],
    ['uint256', amount],
  ]);
}

function withQuery(base: string, parameters: readonly Parameter[]): string {
  const query = parameters
    .flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${encodeURIComponent(value)}`]))
    .join('&');
  return query === '' ? base : `${base}?${query}`;
}

/** Returns the error for a bad payment URI: INPUT_INVALID. */
export function malformedUri(reason: Message): ScripError {
  return new ScripError('INPUT_INVALID', t`This is not a payment URI: ${reason}`);
}
