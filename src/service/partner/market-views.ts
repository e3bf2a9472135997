/** Coins, networks and payment vias on the wire. */
import type {
  WireCurrency,
  WireCurrencyWithNetwork,
  WirePaymentNetwork,
  WirePaymentVia,
} from '../../contract/partner-market.ts';
import type { Coin, CoinNetwork } from '../../domain/coin.ts';
import type { PaymentVia } from '../market.ts';
import { logoUrl } from './logos.ts';
import type { Shop } from './shop.ts';

type MarketShop = Pick<Shop, 'market' | 'baseUrl'>;

export function currencyView({ market, baseUrl }: MarketShop, coin: Coin): WireCurrency {
  return {
    name: coin.name,
    logo_url: logoUrl(baseUrl, 'coins', coin.name),
    is_suspended: market.isSuspended(coin) || hasNoNetwork(market, coin),
  };
}

/** The wire cannot mark a network as suspended, so a coin with only suspended networks is suspended. */
function hasNoNetwork(market: MarketShop['market'], { networks }: Coin): boolean {
  return networks.length > 0 && networks.every(({ name }) => market.isSuspendedNetwork(name));
}

export function paymentViaView(shop: MarketShop, via: PaymentVia): WirePaymentVia {
  return {
    name: via.name,
    logo_url: logoUrl(shop.baseUrl, 'vias', via.name),
    currencies: via.coins.map((coin) => coinView(shop, coin)),
  };
}

function coinView(shop: MarketShop, coin: Coin): WireCurrencyWithNetwork {
  return {
    ...currencyView(shop, coin),
    networks: coin.networks.map((network) => networkView(shop, network)),
    threshold: coin.threshold,
  };
}

function networkView({ baseUrl }: MarketShop, network: CoinNetwork): WirePaymentNetwork {
  return {
    name: network.name,
    chain_id: network.chainId,
    logo_url: logoUrl(baseUrl, 'networks', network.name),
    threshold: network.threshold,
    smart_contract_engine: network.engine,
    base_token: network.baseToken,
    smart_contract: network.contract,
    estimated_transfer_cost: network.transferCostUsd,
  };
}
