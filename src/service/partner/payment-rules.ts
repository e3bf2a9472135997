/** Rules about how an order is paid, and the two suspensions that refuse a whole request. */
import type { SuspensionCode } from '../../contract/codes.ts';
import type { ChosenPayment, OrderContext, Rule } from './order-context.ts';

/** A top-level error (interface: Errors). */
export interface Suspension {
  readonly status: number;
  readonly detail: SuspensionCode;
  readonly moreDetails: Readonly<Record<string, string>>;
}

/** Ours: the interface shows no status. 403: the request is valid but refused. */
const SUSPENDED_STATUS = 403;

/** Ours: NFT cards are a means of payment too, and no market here accepts them. */
export const viaNotAllowed: Rule = ({ payment, nftCards }, { vias }) => {
  const allowed = vias.map(({ name }) => name);
  if (!allowed.includes(payment.via)) return allowed;
  if (nftCards === 0) return undefined;
  return { vias: allowed, nft_codes: Array.from({ length: nftCards }, (_, index) => ({ index })) };
};

/**
 * Lists the supported pairs of the chosen via, except suspended ones; `viaNotAllowed` handles a via
 * that is not allowed.
 */
export const pairNotSupported: Rule = ({ payment }, { vias, suspended }) => {
  const offer = vias.find(({ name }) => name === payment.via);
  if (offer === undefined) return undefined;
  const isSupported = offer.pairs.some(
    ({ coin, network }) =>
      coin === payment.coin &&
      (network === undefined || payment.network === undefined || network === payment.network),
  );
  if (isSupported) return undefined;
  return offer.pairs.filter(
    ({ coin, network }) =>
      !suspended.coins.includes(coin) && !suspended.networks.includes(network ?? ''),
  );
};

/** Returns the suspension that closes this way to pay; the coin's first if both are suspended. */
export function suspension(
  { coin, network }: ChosenPayment,
  { suspended }: Pick<OrderContext, 'suspended'>,
): Suspension | undefined {
  if (suspended.coins.includes(coin)) {
    return { status: SUSPENDED_STATUS, detail: 'SUSPENDED_COIN', moreDetails: { coin } };
  }
  if (network !== undefined && suspended.networks.includes(network)) {
    return { status: SUSPENDED_STATUS, detail: 'SUSPENDED_NETWORK', moreDetails: { network } };
  }
  return undefined;
}
