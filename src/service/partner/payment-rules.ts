/** Rules about how an order is paid, and the two suspensions that refuse a whole request. */
import type { SuspensionCode } from '../../contract/codes.ts';
import type { Coin } from '../../domain/coin.ts';
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
export const viaNotAllowed: Rule = ({ payment, nftCards }, { market }) => {
  const isAllowed = market.via(payment.via) !== undefined;
  if (isAllowed && nftCards === 0) return undefined;
  const allowed = market.vias.map(({ name }) => name);
  if (!isAllowed) return allowed;
  return { vias: allowed, nft_codes: Array.from({ length: nftCards }, (_, index) => ({ index })) };
};

/**
 * Lists the supported pairs of the chosen via, except suspended ones; `viaNotAllowed` handles a via
 * that is not allowed.
 */
export const pairNotSupported: Rule = ({ payment }, { market }) => {
  const via = market.via(payment.via);
  if (via === undefined) return undefined;
  const coin = via.coins.find(({ name }) => name === payment.coin);
  if (coin && isCarried(coin, payment.network)) return undefined;
  return via.coins
    .filter((other) => !market.isSuspended(other))
    .flatMap((other) => pairsOf(other, market));
};

/** A coin without networks is moved by the via itself. */
function isCarried({ networks }: Coin, network: string | undefined): boolean {
  if (networks.length === 0 || network === undefined) return true;
  return networks.some(({ name }) => name === network);
}

function pairsOf({ name: coin, networks }: Coin, market: OrderContext['market']) {
  if (networks.length === 0) return [{ coin }];
  return networks
    .filter(({ name }) => !market.isSuspendedNetwork(name))
    .map(({ name: network }) => ({ coin, network }));
}

/** Returns the suspension that closes this way to pay; the coin's first if both are suspended. */
export function suspension(
  { coin, network }: ChosenPayment,
  { market }: Pick<OrderContext, 'market'>,
): Suspension | undefined {
  const known = market.coin(coin);
  if (known?.name === coin && market.isSuspended(known)) {
    return { status: SUSPENDED_STATUS, detail: 'SUSPENDED_COIN', moreDetails: { coin } };
  }
  if (network !== undefined && market.isSuspendedNetwork(network)) {
    return { status: SUSPENDED_STATUS, detail: 'SUSPENDED_NETWORK', moreDetails: { network } };
  }
  return undefined;
}
