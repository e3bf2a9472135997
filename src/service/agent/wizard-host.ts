/** The guided purchase over this service's catalog, market and rules. */
import { formatCoinAmount } from '../../domain/coin.ts';
import { ScripError } from '../../domain/errors.ts';
import { type OrderingHost, orderRequest } from '../../domain/wizard.ts';
import type { Answers, ProductType } from '../../domain/wizard-step.ts';
import type { Market, PaymentVia } from '../market.ts';
import { assessNow, examine } from '../partner/examination.ts';
import type { PartnerOrderDeps } from '../partner/order-deps.ts';
import { createPopularity } from '../popularity.ts';

const USER_WALLET = 'user_wallet';

/** Lists well-known brands first, since only some brands are offered as options. */
export function createWizardHost(deps: PartnerOrderDeps): OrderingHost {
  const { catalog, market } = deps;
  const popularity = createPopularity(catalog);
  const via = ownWallet(market);
  const host: OrderingHost = {
    paymentVia: via?.name ?? USER_WALLET,
    countries: async () => catalog.countries.filter(({ isSold }) => isSold),
    brands: async (country, type) =>
      catalog
        .brands(country.toLowerCase())
        .filter(({ kind }) => isOfType(kind, type))
        .map((brand) => ({ brand, rank: popularity(brand) }))
        .toSorted((one, other) => other.rank - one.rank)
        .map(({ brand }) => brand),
    products: async (country, brandName, type) =>
      catalog
        .products(country.toLowerCase(), { brandName })
        .filter(({ brand }) => isOfType(brand.kind, type))
        .map(({ label, denomination, brand: { currency } }) => ({ label, denomination, currency })),
    coins: async () => (via?.coins ?? []).map((coin) => coinOf(market, coin)),
    checkBeneficiary: (type, account, nationalIn) =>
      deps.checkBeneficiary(type, account, nationalIn === undefined ? undefined : { nationalIn }),
    price: (answers) => priceOf(deps, host, answers),
  };
  return host;
}

/** The payment via that needs neither a processor nor a browser. */
function ownWallet({ vias }: Market): PaymentVia | undefined {
  return vias.find(({ name }) => name === USER_WALLET) ?? vias.find((via) => !via.isExternal);
}

function coinOf(market: Market, coin: PaymentVia['coins'][number]) {
  return {
    name: coin.name,
    isSuspended: market.isSuspended(coin),
    networks: coin.networks.map(({ name }) => ({
      name,
      isSuspended: market.isSuspendedNetwork(name),
    })),
  };
}

const isOfType = (kind: string, type: ProductType): boolean =>
  (kind === 'mobile_topup') === (type === 'mobile_topup');

/** Prices the order as a validation does, fees included; undefined if the product left the catalog. */
async function priceOf(
  deps: PartnerOrderDeps,
  host: OrderingHost,
  answers: Answers,
): Promise<string | undefined> {
  const request = await orderRequest(host, answers).catch(noRequest);
  if (!request) return undefined;
  const examined = await examine(deps, request, '');
  const { coin, amounts } = await assessNow(deps, deps.store.tables, examined);
  if (!coin || !amounts) return undefined;
  return `${formatCoinAmount(amounts.coinAtomic, coin)} ${coin.name}`;
}

function noRequest(error: unknown): undefined {
  if (error instanceof ScripError && error.code === 'PRODUCT_UNKNOWN') return undefined;
  throw error;
}
