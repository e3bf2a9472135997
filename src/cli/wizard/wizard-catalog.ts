/** The partner API's catalog for the wizard; each request is made once per run. */

import { readCountries } from '../../api/in-country.ts';
import { countryName } from '../../api/nearest-country.ts';
import { callPartner } from '../../api/partner/partner.ts';
import { partnerHost } from '../../api/partner/place.ts';
import {
  getProductPrice,
  listBrands,
  listProductsForCountry,
  type WireBrandList,
  type WirePartnerBrand,
  type WirePartnerProduct,
} from '../../contract/partner-catalog.ts';
import { getPaymentVias } from '../../contract/partner-market.ts';
import { attempt } from '../../domain/attempt.ts';
import { type Atomic, FACE_DECIMALS, parseDecimal } from '../../domain/money/money.ts';
import { priceText } from '../../domain/money/shown-amount.ts';
import {
  DEFAULT_COIN,
  isOwnNetwork,
  OWN_NETWORK,
  ownWalletCoins,
} from '../../domain/payment/payment-means.ts';
import { checkBeneficiary } from '../../domain/product/beneficiary.ts';
import { chosenProduct, readAmount } from '../../domain/wizard/wizard-amount.ts';
import {
  type Answers,
  answerOf,
  isWrong,
  type ProductType,
  productTypeOf,
  type WizardBrand,
  type WizardCoin,
  type WizardHost,
  type WizardProduct,
} from '../../domain/wizard/wizard-step.ts';
import { createMemo } from '../browsing/product-choice.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';

/** A product and value in the merchant's catalog. */
export interface ProductSelection {
  readonly productId: string;
  /** Face value to order, for a range product; undefined for a fixed one. */
  readonly value: string | undefined;
  /** In 10^-6 of the currency. */
  readonly faceValue: Atomic;
  /** ISO 4217. */
  readonly currency: string;
}

export interface WizardCatalog extends WizardHost {
  /**
   * Returns the product for the chosen amount.
   * @throws {ScripError} PRODUCT_UNKNOWN when it is no longer sold
   */
  goods(answers: Answers): Promise<ProductSelection>;
  /**
   * Returns the USDC price of an amount, before coin and network are known. For a range product it makes a
   * request.
   */
  indicativePrice(answers: Answers, amount: string): Promise<string | undefined>;
  /** The same for fixed products only; makes no request. */
  listPrice(answers: Answers, amount: string): Promise<string | undefined>;
}

/** A product in the wizard's form and the API's. */
interface Listed extends WizardProduct {
  readonly wire: WirePartnerProduct;
}

const CHECKOUT_COIN: WizardCoin = {
  name: DEFAULT_COIN,
  isSuspended: false,
  networks: [{ name: OWN_NETWORK, isSuspended: false }],
};

/**
 * Creates the catalog.
 * @param price previews the order for complete answers
 * @param isWalletless whether to leave out the coins of the local wallet
 */
export function createWizardCatalog(
  context: ScripContext,
  price: WizardHost['price'],
  isWalletless = false,
): WizardCatalog {
  const once = createMemo({ isRetried: true });
  const { lang } = context.settings;
  const host = (country?: string) => partnerHost(scripDeps(context), country?.toLowerCase());
  const listed = (country: string, brand: string, type: ProductType) =>
    once(`products ${country} ${type} ${brand}`, async () => {
      const query = { country_code: country.toUpperCase(), brand_name: brand, coin: DEFAULT_COIN };
      const found = await callPartner(host(country), listProductsForCountry, query);
      const money = (await sold()).find(({ code }) => code === country.toLowerCase())?.currency;
      return found
        .filter((one) => one.brand === brand && isOfType(one.kind, type))
        .flatMap(({ products }) => products.flatMap((product) => readProduct(product, money)));
    });
  const sold = () =>
    once('countries', async () =>
      (await readCountries(scripDeps(context))).countries.filter(
        ({ is_sold }) => is_sold !== false,
      ),
    );
  const listedFor = (answers: Answers) =>
    listed(answerOf(answers, 'country'), answerOf(answers, 'brand'), productTypeOf(answers));
  const vias = () => once('vias', () => callPartner(host(), getPaymentVias, {}));
  return {
    price,
    countries: async () =>
      (await sold())
        .map(({ code, name }) => ({ code, name: countryName({ code, name }, lang), other: name }))
        .toSorted((one, other) => one.name.localeCompare(other.name, lang)),
    brands: (country, type) =>
      once(`brands ${country.toUpperCase()} ${type}`, async () => {
        const query = { country_code: country.toUpperCase() };
        return readBrands(await callPartner(host(country), listBrands, query), type);
      }),
    products: listed,
    coins: async () => {
      const all = ownWalletCoins(await vias());
      const needsNone = ({ networks }: (typeof all)[number]): boolean =>
        !networks.some(({ name }) => isOwnNetwork(name));
      const listed = isWalletless ? all.filter(needsNone) : all;
      // If the partner API lists no coin that the wallet has, offer the checkout host's.
      if (listed.length === 0) return [CHECKOUT_COIN];
      return listed.map(({ name, is_suspended, networks }) => ({
        name,
        isSuspended: is_suspended,
        // The interface does not say here that a network is suspended; a validation does.
        networks: networks.map((network) => ({ name: network.name, isSuspended: false })),
      }));
    },
    checkBeneficiary: (type, account, country) =>
      checkBeneficiary(type, account, context.parts.parsePhone, country),
    goods: async (answers) => pickGoods(await listedFor(answers), answerOf(answers, 'amount')),
    async listPrice(answers, amount) {
      const product = await productOf(await listedFor(answers), amount);
      return product?.wire.is_dynamic === false ? usdc(product.wire) : undefined;
    },
    async indicativePrice(answers, amount) {
      const product = await productOf(await listedFor(answers), amount);
      if (product === undefined || !product.wire.is_dynamic) return product && usdc(product.wire);
      const country = answerOf(answers, 'country');
      const query = {
        brand_name: answerOf(answers, 'brand'),
        country_code: country.toUpperCase(),
        face_value: amount.split(' ')[0] ?? amount,
        coin: DEFAULT_COIN,
      };
      return once(`price:${JSON.stringify(query)}`, async () =>
        usdc(await callPartner(host(country), getProductPrice, query)),
      );
    },
  };
}

/** Brands that the store itself lists first come first. */
function readBrands(list: WireBrandList, type: ProductType): readonly WizardBrand[] {
  const popular = list.categories.flatMap(({ popular_brands }) => popular_brands);
  const all = [...list.suggestions, ...popular, ...list.all_brands];
  const byName = new Map<string, WirePartnerBrand>();
  for (const one of all) if (!byName.has(one.brand)) byName.set(one.brand, one);
  return [...byName.values()]
    .filter(({ kind, product_type }) => isOfType(kind ?? product_type, type))
    .map(({ brand, is_out_of_stock }) => ({ name: brand, isOutOfStock: is_out_of_stock }));
}

const isOfType = (kind: string, type: ProductType): boolean =>
  (kind === 'mobile_topup') === (type === 'mobile_topup');

/**
 * Leaves out products whose value cannot be parsed.
 * @param money the country's currency, for a product that names none, such as `10`
 */
function readProduct(wire: WirePartnerProduct, money: string | undefined): readonly Listed[] {
  return attempt(
    () => (wire.is_dynamic ? readRange(wire) : readFixed(wire, money)),
    () => [],
  );
}

function readRange(wire: WirePartnerProduct): readonly Listed[] {
  const { range } = wire;
  if (range === undefined) return [];
  const [min, max, step] = [range.min, range.max, range.step_size].map((edge) =>
    parseDecimal(String(edge), FACE_DECIMALS),
  );
  if (min === undefined || max === undefined || step === undefined || step === 0n) return [];
  const label = `${range.min}-${range.max} ${range.currency}`;
  const { currency } = range;
  return [{ wire, label, currency, denomination: { isRange: true, min, max, step } }];
}

function readFixed(wire: WirePartnerProduct, money: string | undefined): readonly Listed[] {
  const { denomination: label, face_value } = wire;
  const [, named = '', unit = ''] = /^(\d+(?:\.\d+)?)(?: ([A-Z]{3}))?$/.exec(label ?? '') ?? [];
  const told = face_value && 'price' in face_value.amount ? face_value.amount.price : undefined;
  const currency = face_value?.currency_code ?? (unit || money);
  const value = told ?? named;
  if (!label || value === '' || !currency) return [];
  const faceValue = parseDecimal(value, FACE_DECIMALS);
  return [{ wire, label, currency, denomination: { isRange: false, faceValue } }];
}

function productOf(products: readonly Listed[], amount: string): Listed | undefined {
  return isWrong(readAmount(products, amount))
    ? undefined
    : chosenProduct(products, amount).product;
}

function pickGoods(products: readonly Listed[], amount: string): ProductSelection {
  const { product, value } = chosenProduct(products, amount);
  const { wire, denomination, currency } = product;
  const faceValue = denomination.isRange
    ? parseDecimal(value ?? '', FACE_DECIMALS)
    : denomination.faceValue;
  return { productId: wire.product_id, value: value ?? undefined, faceValue, currency };
}

function usdc({ coin_amount, coin }: WirePartnerProduct): string | undefined {
  return coin_amount ? `${priceText(coin_amount, coin)} ${coin}` : undefined;
}
