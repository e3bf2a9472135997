/** Quotes a partner API order: finds the typed products, validates, and reports all problems. */

import type {
  WireCreateOrder,
  WireValidation,
  WireValidationRequest,
} from '../../contract/partner-orders.ts';
import { checkEmail } from '../../domain/address/email.ts';
import { expected } from '../../domain/attempt.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { capFor } from '../../domain/money/cap.ts';
import type { Atomic } from '../../domain/money/money.ts';
import { isDollarCoin } from '../../domain/money/shown-amount.ts';
import { isOwnNetwork } from '../../domain/payment/payment-means.ts';
import { checkBeneficiary } from '../../domain/product/beneficiary.ts';
import { countryError, readCountry } from '../in-country.ts';
import type { OrderInput, OrderItem, Price, Quote, QuoteLine } from '../merchant.ts';
import { recipientOf } from '../recipient.ts';
import { type ScripDeps, walletIfThere } from '../scrip.ts';
import { type CartLine, deliveriesOf, findProducts, kindOf } from './cart.ts';
import { askedInCoin, type ChosenMeans, chooseMeans } from './means.ts';
import { OTHER_DECIMALS, type PartnerHost, readPrice } from './partner.ts';
import { partnerHost, WALLET_NETWORK } from './place.ts';
import { type Validated, validate } from './validate.ts';

export type PartnerOrderBody = Omit<WireCreateOrder, 'acquisition'>;

/** A validated order that is not created yet. */
export interface Checked extends Validated {
  readonly items: readonly CartLine[];
  readonly lines: readonly QuoteLine[];
  readonly means: ChosenMeans;
  readonly request: WireValidationRequest;
}

/**
 * Finds the products and validates the order, locally first and then by the service.
 * @throws {ScripError} COUNTRY_UNKNOWN, PRODUCT_UNKNOWN, EMAIL_INVALID and the codes of a call; problems are
 * a value
 */
export async function checkOrder(deps: ScripDeps, orderInput: OrderInput): Promise<Checked> {
  const items = await Promise.all(
    orderInput.items.map(async (item) => ({
      ...item,
      country: await readCountry(deps, item.country),
    })),
  );
  await checkCountries(deps, items);
  const host = partnerHost(deps, items[0]?.country);
  const means = await chooseMeans(host, orderInput);
  return askedInCoin(host, means.coin, checkInCoin(deps, orderInput, { host, means, items }));
}

/** Checks that this program or the merchant knows the countries. @throws {ScripError} COUNTRY_UNKNOWN */
async function checkCountries(deps: ScripDeps, items: readonly OrderItem[]): Promise<void> {
  const known = new Set((await deps.countries()).map(({ code }) => code));
  for (const code of new Set(items.map(({ country }) => country))) {
    if (known.has(code)) continue;
    const error = await countryError(deps, code);
    if (error.code === 'COUNTRY_UNKNOWN') throw error;
  }
}

async function checkInCoin(
  deps: ScripDeps,
  { email, coupon, refundAddress }: OrderInput,
  asked: {
    readonly host: PartnerHost;
    readonly means: ChosenMeans;
    readonly items: readonly OrderItem[];
  },
): Promise<Checked> {
  const { host, means } = asked;
  const found = await findProducts(host, asked.items, means.coin);
  const items = await Promise.all(found.map((item) => withCanonicalAccount(deps, item)));
  const request: WireValidationRequest = {
    user: email === undefined ? undefined : { email },
    payment: means.payment,
    deliveries: deliveriesOf(items),
    coupon_code: coupon,
    refund_wallet_address: refundAddress,
  };
  const validated = await validate(host, items, request, deps.parsePhone);
  const lines = await Promise.all(items.map((item) => quoteLineOf(deps, item)));
  return { ...validated, items, lines, means, request };
}

/** Normalizes the recipient's account for the order; keeps an invalid one as typed. */
function withCanonicalAccount({ parsePhone }: ScripDeps, item: CartLine): Promise<CartLine> {
  return checkBeneficiary(kindOf(item), item.to, parsePhone, item.country).then(
    (to) => ({ ...item, to }),
    expected(() => item),
  );
}

async function quoteLineOf(deps: ScripDeps, item: CartLine): Promise<QuoteLine> {
  const { brand, quantity, to, country } = item;
  const faceValue = chosenValue(item);
  return {
    name: [brand.brand, faceValue].filter(Boolean).join(' '),
    faceValue,
    quantity,
    recipient: await recipientOf(deps, to, country),
  };
}

function chosenValue({ product: { denomination, range }, value }: CartLine): string {
  if (value === undefined) return denomination ?? '';
  return `${value} ${range?.currency ?? ''}`.trim();
}

/**
 * Quotes an order without creating it.
 * @throws {ScripError} as `checkOrder`; AMOUNT_OVER_CAP when the price exceeds the user's maximum
 */
export async function quotePartner(
  deps: ScripDeps,
  orderInput: OrderInput,
): Promise<Quote<PartnerOrderBody>> {
  const email = checkEmail(orderInput.email ?? '');
  // Report an unusable wallet before any request.
  const signer = await walletIfThere(deps);
  deps.progress.step(t`Checking the order`);
  const checked = await checkOrder(deps, { ...orderInput, email });
  deps.progress.done();
  const { means, request, items, lines, problems, validation } = checked;
  // Refunds go to the paying wallet; payments on other chains need an address of their own.
  const own = isOwnNetwork(means.network) ? signer?.address : undefined;
  const refundsTo = orderInput.refundAddress ?? own;
  const { callbackUrl } = orderInput;
  const asset = (await deps.rail(WALLET_NETWORK)).asset(means);
  return {
    body: {
      ...request,
      user: { email },
      refund_wallet_address: refundsTo,
      state_transition_notification_url: callbackUrl,
    },
    summary: summaryOf(items[0]),
    kinds: items.map(kindOf),
    lines,
    email,
    coin: means.coin,
    network: means.network,
    price:
      problems.length > 0
        ? undefined
        : priceOf(validation, means.coin, {
            decimals: asset?.decimals ?? OTHER_DECIMALS,
            maxAmount: orderInput.maxAmount,
          }),
    expiresAt: undefined,
    isSendable: asset !== undefined,
    refundsTo,
    problems,
    validation,
  };
}

function summaryOf(item: CartLine | undefined): Quote['summary'] {
  const { brand, product, value, country, to, productId } = item ?? {};
  const faceValue = value ?? product?.denomination ?? '';
  return {
    productId: productId ?? '',
    productName: `${brand?.brand ?? ''} ${faceValue}`.trim(),
    brandName: brand?.brand ?? '',
    countryCode: country ?? '',
    faceValue,
    currency: product?.face_value?.currency_code ?? product?.range?.currency ?? '',
    beneficiary: to ?? '',
  };
}

function priceOf(
  validation: WireValidation | undefined,
  coin: string,
  { decimals, maxAmount }: { readonly decimals: number; readonly maxAmount: string | undefined },
): Price {
  const text = validation?.coin_amount ?? '';
  const atomic = readPrice(text, decimals);
  return {
    text,
    atomic,
    decimals,
    capAtomic: orderCap({ text, atomic, decimals }, coin, maxAmount),
  };
}

/**
 * Returns the maximum to pay for an order of the partner API.
 * @throws {ScripError} AMOUNT_INVALID, also when the maximum was hardly meant in this coin;
 * AMOUNT_OVER_CAP when the price exceeds the user's maximum
 */
function orderCap(
  { text, atomic: priceAtomic, decimals }: Omit<Price, 'capAtomic'>,
  coin: string,
  maxAmount: string | undefined,
): Atomic {
  const capAtomic = capFor({ priceAtomic, decimals }, maxAmount, (_, most) => ({
    message: t`The price is ${text} ${coin}, more than the ${most} allowed`,
  }));
  if (!isDollarCoin(coin) && capAtomic > priceAtomic * MOST_TIMES) {
    throw new ScripError(
      'AMOUNT_INVALID',
      t`The maximum of ${maxAmount ?? ''} ${coin} is more than ten times the price, ${text} ${coin}`,
      { hint: t`Name the maximum in ${coin}, the coin of the order.` },
    );
  }
  return capAtomic;
}

/** A maximum above that was probably meant in dollars. */
const MOST_TIMES = 10n;
