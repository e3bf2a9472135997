/**
 * Payment URIs, which wallets open and QR codes carry: Solana Pay transfer requests, BIP21 and its variants,
 * EIP-681, Lightning; and, since there is no standard for it, `tron:` in the form of BIP21.
 */

import { solanaAddressOf } from '../address/chain-address.ts';
import { type Coin, type CoinNetwork, toBaseUnits } from '../money/coin.ts';
import { type Atomic, formatDecimal } from '../money/money.ts';

/** One payment of an order. */
interface PaymentTarget {
  readonly coin: Coin;
  readonly network: CoinNetwork;
  /** Address, or the invoice on Lightning. */
  readonly address: string;
  /** In units of 10^-decimals of the coin. */
  readonly amount: Atomic;
  /** 32 bytes by which the payment can be found on the chain, on networks that support it (Solana Pay). */
  readonly reference?: Uint8Array;
}

/** Returns the URI with which a wallet makes the payment. */
export function paymentUri({ coin, network, address, amount, reference }: PaymentTarget): string {
  const { scheme, chainId } = network;
  const contract = network.contract?.address;
  const decimal = formatDecimal(amount, coin.decimals);
  switch (scheme) {
    case 'solana':
      return solanaPayUri(address, {
        amount: decimal,
        'spl-token': contract,
        reference: reference && solanaAddressOf(reference),
      });
    case 'ethereum': {
      // In full: EIP-681 recommends exponents, but more wallets read plain digits.
      const units = toBaseUnits(amount, coin, network).toString();
      const chain = chainId === null ? '' : `@${chainId}`;
      return contract === undefined
        ? withQuery(`ethereum:${address}${chain}`, { value: units })
        : withQuery(`ethereum:${contract}${chain}/transfer`, { address, uint256: units });
    }
    case 'lightning':
      return `lightning:${address}`;
    case 'tron':
      return withQuery(`tron:${address}`, { amount: decimal, token: contract });
    default:
      return withQuery(`${scheme}:${address}`, { amount: decimal });
  }
}

/** A URI that names an address on its network, and no amount. */
export function addressUri({ scheme, chainId }: CoinNetwork, address: string): string {
  return `${scheme}:${address}${chainId === null ? '' : `@${chainId}`}`;
}

/** @param recipient owner of the receiving account, never a token account */
function solanaPayUri(
  recipient: string,
  fields: Readonly<Partial<Record<'amount' | 'spl-token' | 'reference', string | undefined>>>,
): string {
  return withQuery(`solana:${recipient}`, fields);
}

function withQuery(base: string, fields: Readonly<Record<string, string | undefined>>): string {
  const query = Object.entries(fields)
    .flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${encodeURIComponent(value)}`]))
    .join('&');
  return query === '' ? base : `${base}?${query}`;
}

/** A scheme of ours, an address or an invoice, and a query. */
const PAYMENT_URI =
  /^(?:solana|ethereum|bitcoin|litecoin|dogecoin|dash|lightning|tron):[0-9A-Za-z]{12,}(?:@\d+)?(?:\/transfer)?(?:\?[^\s#]*)?$/i;

/** Whether a wallet would take the text for a payment. */
export function isPaymentUri(text: string): boolean {
  return PAYMENT_URI.test(text);
}
