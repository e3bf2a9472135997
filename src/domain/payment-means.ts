/** Which payment via, coin and network of the merchant's list an order is paid by. */

/** As `GET /v3/payment_vias` lists them; the fields that a choice needs. */
export interface ListedVia {
  readonly name: string;
  readonly currencies: readonly ListedCoin[];
}

export interface ListedCoin {
  readonly name: string;
  readonly networks: readonly { readonly name: string }[];
}

/** What the buyer named; a network may be named by the beginning of its name. */
export interface WantedMeans {
  readonly via?: string | undefined;
  readonly coin: string;
  readonly network?: string | undefined;
}

/** In the merchant's spelling; what the merchant does not list is as the buyer typed it. */
export interface PaymentMeans {
  /** Undefined where nothing is listed that takes the coin, and none was named. */
  readonly via: string | undefined;
  readonly coin: string;
  readonly network: string | undefined;
}

/**
 * Finds means of payment in the merchant's list, without regard to case.
 *
 * Without a via the buyer's own wallet is meant: the via of that kind, in any spelling of its
 * name (the interface shows none), or else the first that lists the coin with a network.
 * Without a network the one that the local wallet pays on is preferred.
 */
export function choosePaymentMeans(vias: readonly ListedVia[], wanted: WantedMeans): PaymentMeans {
  const found = vias.flatMap((via) =>
    via.currencies
      .filter(({ name }) => isSameName(name, wanted.coin))
      .map((coin) => ({ via, coin, network: findNetwork(coin, wanted.network) })),
  );
  const { via: named } = wanted;
  const listed = named && vias.find(({ name }) => isSameName(name, named));
  const ofVia = listed ? found.find(({ via }) => via === listed) : undefined;
  const able = found.filter(({ network }) => network !== undefined);
  const own = able.find(({ via }) => isOwnWallet(via.name)) ?? able[0];
  const chosen = named === undefined ? own : ofVia;
  const coin = chosen?.coin.name ?? found[0]?.coin.name ?? wanted.coin;
  return {
    via: named === undefined ? chosen?.via.name : listed ? listed.name : named,
    coin,
    network: chosen?.network ?? wanted.network,
  };
}

/** The coins that can be paid from the buyer's own wallet, each with the networks listed for it. */
export function ownWalletCoins<Coin extends ListedCoin>(
  vias: readonly { readonly name: string; readonly currencies: readonly Coin[] }[],
): readonly Coin[] {
  const withNetwork = (coins: readonly Coin[]) =>
    coins.filter(({ networks }) => networks.length > 0);
  const own = vias.find(({ name }) => isOwnWallet(name));
  const coins = withNetwork(own?.currencies ?? []);
  if (coins.length > 0) return coins;
  const byName = new Map<string, Coin>();
  for (const coin of withNetwork(vias.flatMap(({ currencies }) => currencies))) {
    const name = coin.name.toUpperCase();
    if (!byName.has(name)) byName.set(name, coin);
  }
  return [...byName.values()];
}

/** The network that the local wallet pays on, as the partner API names it (interface: PaymentNetwork). */
export const OWN_NETWORK = 'Solana';
export const DEFAULT_COIN = 'USDC';

export function isOwnNetwork(name: string | null | undefined): boolean {
  return typeof name === 'string' && isSameName(name, OWN_NETWORK);
}

/** Whether two names of a via, coin or network mean the same one. */
export function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** `user_wallet`, `USER_WALLET`, `UserWallet`: the interface names the kind, not the word. */
function isOwnWallet(name: string): boolean {
  return name.toLowerCase().replace(/[^a-z]/g, '') === 'userwallet';
}

/** By name, or by the beginning of it where that is enough: `polygon`. */
function findNetwork({ networks }: ListedCoin, typed: string | undefined): string | undefined {
  const names = networks.map(({ name }) => name);
  if (typed === undefined) return names.find(isOwnNetwork) ?? names[0];
  const begun = names.filter((name) => name.toLowerCase().startsWith(typed.toLowerCase()));
  return (
    names.find((name) => isSameName(name, typed)) ?? (begun.length === 1 ? begun[0] : undefined)
  );
}
