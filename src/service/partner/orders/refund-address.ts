/** Checks that an address can receive a refund. */
import { isAddressOn } from '../../../domain/address/network-address.ts';
import type { Market } from '../../catalog/market.ts';
import { sha256 } from '../../digest.ts';

const SHOWN = 100;

/**
 * Returns why an address is refused; undefined if it is valid or absent, if coin and network do not
 * match, or if a processor takes the payment: then its form is unknown.
 */
export function refundAddressProblem(
  market: Market,
  payment: { readonly coin: string; readonly network: string | null | undefined },
  address: string | null | undefined,
): string | undefined {
  const coin = market.coin(payment.coin);
  const network = coin && market.network(coin, payment.network ?? '');
  if (address === null || address === undefined || network === undefined) return undefined;
  if (isAddressOn(network.scheme, address, sha256)) return undefined;
  return `"${address.slice(0, SHOWN)}" is not an address of ${payment.coin} on ${network.name}`;
}
