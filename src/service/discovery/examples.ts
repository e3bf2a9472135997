/** Requests that this host can answer at once, made of what it sells. */
import { getOrder, type WireOrderReceipt } from '../../contract/checkout.ts';
import { faceValueBounds, formatFaceValue } from '../../domain/product/product.ts';
import { DEFAULT_COIN, type Market } from '../catalog/market.ts';
import { createPopularity, mostPopular } from '../catalog/popularity.ts';
import type { ServiceOptions } from '../options.ts';

export interface Examples {
  /** Of path and query, by name. */
  readonly fields: Readonly<Record<string, string>>;
  /** Of bodies, by name of the endpoint. */
  readonly bodies: Readonly<Record<string, object>>;
}

type Shelf = Pick<ServiceOptions, 'catalog' | 'partner'>;

const BUYER = 'buyer@example.com';
const RECIPIENT = 'friend@example.com';
/** How many brands are looked at for a product that anyone may buy. */
const MOST_BRANDS = 50;

/** Without a product, only what depends on none. */
export function examplesOf(shelf: Shelf): Examples {
  const order_id = '00000000-0000-4000-8000-000000000000';
  const found = cheapest(shelf);
  if (found === undefined) return { fields: { order_id }, bodies: {} };
  const { product, faceValue } = found;
  const { name: brand_name, countryCode: country_code } = product.brand;
  const value = formatFaceValue(faceValue);
  const { isRange } = product.denomination;
  const item = { product_id: product.productId, ...(isRange && { product_value: value }) };
  const payment = paymentIn(shelf.partner?.market);
  const delivery = {
    ...{ brand_name, country_code, beneficiary_account: RECIPIENT },
    ...(isRange
      ? { denomination: 'range', product_value: value }
      : { denomination: product.label }),
  };
  const order = { user: { email: BUYER }, payment, deliveries: [delivery] };
  return {
    fields: {
      ...{ order_id, country_code, brand_name, ...item, face_value: value },
      ...{ q: brand_name, coin: payment?.coin ?? DEFAULT_COIN },
    },
    bodies: {
      postOrder: orderOf(item),
      ...(payment && { validateOrder: order, createOrder: order }),
      takePaymentLease: { holder: 'machine-1-of-this-shop' },
      nameRefundAddress: { order_key: 'the-key-of-the-order', address: 'your address' },
      purchaseElicitation: {},
    },
  };
}

/** An order of an item, by nobody in particular. */
export function orderOf(item: { readonly product_id: string; readonly product_value?: unknown }) {
  const { product_id, product_value } = item;
  const chosen = product_value === undefined ? {} : { product_value };
  return { email: BUYER, items: [{ product_id, beneficiary_account: RECIPIENT, ...chosen }] };
}

export function receiptAt(baseUrl: string): WireOrderReceipt {
  const order_id = 'cr_0123456789abcdefghjkmnpqrs';
  const poll_url = baseUrl + getOrder.path.replace('{order_id}', order_id);
  return { order_id, status: 'processing', poll_url };
}

/** The cheapest gift card that is sold to everybody: tools that try a host out pay little. */
function cheapest({ catalog, partner }: Shelf) {
  const sold = catalog.countries.filter(({ isSold }) => isSold).map(({ code }) => code);
  const country = sold.includes('us') ? 'us' : (sold[0] ?? '');
  const brands = mostPopular(catalog.brands(country), createPopularity(catalog), MOST_BRANDS);
  return brands
    .filter(({ kind }) => kind === 'giftcard')
    .flatMap(({ name }) => catalog.products(country, { brandName: name }))
    .map((product) => ({
      product,
      faceValue: faceValueBounds([product.denomination]).minFaceValue,
    }))
    .filter(({ product, faceValue }) => !partner?.policy.flagsOf(product, faceValue).length)
    .toSorted((one, other) => (one.faceValue < other.faceValue ? -1 : 1))[0];
}

/** The buyer's own wallet, with the coin that is recommended. */
function paymentIn(market: Market | undefined) {
  const via = market?.vias.find(({ isExternal }) => !isExternal);
  const coin = via?.coins.find(({ name }) => name === DEFAULT_COIN) ?? via?.coins[0];
  const network = coin?.networks.find(({ name }) => !market?.isSuspendedNetwork(name));
  if (!via || !coin || !network) return undefined;
  return { type: 'via', payment_via: via.name, coin: coin.name, network: network.name };
}
