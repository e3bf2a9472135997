/** Rules about how an order is paid, and the two that refuse a request as a whole. */
import type { SuspensionCode } from '../../contract/codes.ts';
import type { ChosenPayment, OrderContext, Rule } from './order-context.ts';

/** A top-level error (interface: Errors). */
export interface Suspension {
  readonly status: number;
  readonly detail: SuspensionCode;
  readonly moreDetails: Readonly<Record<string, string>>;
}

/** Ours: the interface shows no status. Understood and refused, with any body. */
const SUSPENDED_STATUS = 403;

/** NFT cards are a means of payment too, and one that is taken by no market here. Ours. */
export const viaNotAllowed: Rule = ({ payment, nftCards }, { vias }) => {
  const allowed = vias.map(({ name }) => name);
  if (!allowed.includes(payment.via)) return allowed;
  if (nftCards === 0) return undefined;
  return { vias: allowed, nft_codes: Array.from({ length: nftCards }, (_, index) => ({ index })) };
};

/**
 * Lists the pairs of the via that was chosen, but for those that would be refused next; the other
 * rule speaks when the via itself is not allowed.
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

/** Why this way to pay is closed now; the coin is named first when both are suspended. */
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
