/** Previews the order for complete answers: its merchant, price and command. */

import type { ProductDetails } from '../../api/catalog-reader.ts';
import type { Merchant, OrderInput, Quote } from '../../api/merchant.ts';
import { type MerchantName, openMerchant } from '../../api/merchants.ts';
import { weigh } from '../../api/order-checks.ts';
import { problemsError } from '../../api/partner/problems.ts';
import { BESIDE_PRICE_MS, readDetails } from '../../api/product-details.ts';
import { type ScripDeps, walletIfThere } from '../../api/scrip.ts';
import type { Timeouts } from '../../api/timeouts.ts';
import { expected, unlessInterrupted } from '../../domain/attempt.ts';
import { type Code, ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { FACE_DECIMALS, formatDecimal, parseDecimal } from '../../domain/money/money.ts';
import { type Answers, answerOf } from '../../domain/wizard/wizard-step.ts';
import type { PlaceOrderInput } from '../ordering/ordering.ts';
import { moreLines, type Summary, summaryOf } from '../ordering/summary.ts';
import { given, type Line } from '../output/view.ts';
import { merchantMeant } from '../parsing/order-options.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';
import type { ProductSelection, WizardCatalog } from './wizard-catalog.ts';

export interface OrderPreview {
  /** With the coin, such as `25.25 USDC`; undefined when the order has problems. */
  readonly price: string | undefined;
  readonly input: PlaceOrderInput;
  /** The summary to confirm. */
  readonly summary: Summary;
  /** The details shown for the answer `?`. */
  readonly more: readonly Line[];
  /** Why it cannot be bought. */
  readonly problem: ScripError | undefined;
}

export interface GuideOptions {
  /** Answers given by options. */
  readonly ahead: Answers;
  readonly isResumed: boolean;
  readonly isPlain: boolean;
  readonly isAgreed: boolean;
  /** As typed, in the coin of the order. */
  readonly maxAmount: string | undefined;
  /** Whether codes may be printed to a pipe. */
  readonly isRevealed: boolean;
  /** Whether to allow the same purchase twice in a short time. */
  readonly allowsDuplicate: boolean;
  /** Whether to accept a phone number of another country than the product's. */
  readonly allowsOtherCountry: boolean;
  /** Idempotency key of this purchase. */
  readonly key: string | undefined;
  readonly isWaiting: boolean;
  readonly timeouts: Timeouts;
  /** The timeout as typed; undefined for the default of `scrip order`. */
  readonly timeout: string | undefined;
}

/** Returns a refusal as `problem`. @throws {ScripError} PRODUCT_UNKNOWN and the codes of a call */
export async function previewOrder(
  context: ScripContext,
  wizardCatalog: WizardCatalog,
  answers: Answers,
  options: GuideOptions,
): Promise<OrderPreview> {
  const deps = scripDeps(context);
  const goods = await wizardCatalog.goods(answers);
  const signer = await walletIfThere(deps);
  const orderInput = orderInputOf(goods, answers);
  const { productId } = goods;
  const named = {
    productId,
    country: answerOf(answers, 'country'),
    brand: answerOf(answers, 'brand'),
  };
  const details = options.isAgreed ? undefined : readDetails(deps, named, BESIDE_PRICE_MS);
  const payer = signer?.address;
  const preview = (name: MerchantName) =>
    previewFrom(deps, name, { goods, orderInput, payer, options, details });
  // Only this machine's wallet can pay a checkout host.
  const isPayable = merchantMeant(orderInput) === 'checkout' && signer !== undefined;
  const found = (isPayable && (await preview('checkout'))) || (await preview('partner'));
  if (found !== undefined) return found;
  throw new ScripError('PRODUCT_UNKNOWN', t`The merchant does not sell "${productId}" now`);
}

interface PreviewRequest {
  readonly goods: ProductSelection;
  readonly orderInput: OrderInput;
  /** Address of this machine's wallet. */
  readonly payer: string | undefined;
  readonly options: GuideOptions;
  /** The merchant's product details; left out when they are not shown. */
  readonly details: Promise<ProductDetails> | undefined;
}

/**
 * Undefined if a merchant that is paid first does not sell exactly this product: then use the partner API.
 */
async function previewFrom(
  deps: ScripDeps,
  name: MerchantName,
  { goods, orderInput, payer, options, ...wanted }: PreviewRequest,
): Promise<OrderPreview | undefined> {
  const merchant = await openMerchant(deps, name);
  try {
    const { offer, refusal } = await quote(merchant, orderInput, options.maxAmount);
    if (!merchant.ordersFirst && !isSame(offer, goods)) return undefined;
    const { price } = offer;
    const problem = problemsError(offer.problems) ?? refusal;
    const isPaid = payer !== undefined && offer.isSendable && price !== undefined;
    const usual = price && formatDecimal(price.capAtomic, price.decimals, 2);
    const cap = refusal === undefined ? usual : options.maxAmount;
    const { money, problem: poor } =
      isPaid && problem === undefined
        ? await weigh(deps, merchant, offer).then(
            (held) => ({ money: held.shortage ? undefined : held, problem: held.shortage }),
            unlessInterrupted((error) => ({ money: undefined, problem: error })),
          )
        : {};
    const isPlayMoney = money?.isPlayMoney ?? deps.place.isEmbedded;
    const details = await wanted.details;
    const means = { room: money?.room, heldAtomic: money?.balanceAtomic, isPlayMoney };
    const agreed = { offer, merchant, isPaid, price, ...means };
    const { isAgreed, isWaiting, isRevealed, key, timeouts } = options;
    const { allowsDuplicate, allowsOtherCountry } = options;
    return {
      price: price && `${price.text} ${offer.coin}`,
      input: {
        ...{ isAgreed, isWaiting, isRevealed, allowsDuplicate, allowsOtherCountry, key, timeouts },
        ...{ isShown: true, isDryRun: false, opensAccount: false },
        merchant: name,
        orderInput: { ...orderInput, maxAmount: isPaid ? cap : undefined },
        isPaid,
      },
      summary: summaryOf(agreed, deps.toldIn, details),
      more: moreLines(agreed, { nowMs: deps.clock.now(), lang: deps.toldIn }, details),
      problem: problem ?? poor,
    };
  } catch (error) {
    if (!(error instanceof ScripError) || merchant.ordersFirst || THROUGH.has(error.code)) {
      throw error;
    }
    return undefined;
  }
}

/** Returns a price above the user's maximum too, with the refusal. */
function quote(
  merchant: Merchant,
  orderInput: OrderInput,
  maxAmount: string | undefined,
): Promise<{ readonly offer: Quote; readonly refusal?: ScripError }> {
  return merchant.quote({ ...orderInput, maxAmount }).then(
    (offer) => ({ offer }),
    expected(
      async (refusal) => ({ offer: await merchant.quote(orderInput), refusal }),
      'AMOUNT_OVER_CAP',
    ),
  );
}

/** Codes that don't mean that the checkout host lacks the product. */
const THROUGH: ReadonlySet<Code> = new Set(['INTERRUPTED', 'INTERNAL', 'AMOUNT_INVALID']);

/**
 * The ids must match; also compares value and currency, since the two merchants' data are parsed separately.
 */
function isSame({ summary }: Quote, goods: ProductSelection): boolean {
  if (summary.productId !== goods.productId || summary.currency !== goods.currency) return false;
  if (summary.faceValue === '') return true;
  return parseDecimal(summary.faceValue, FACE_DECIMALS) === goods.faceValue;
}

function orderInputOf(goods: ProductSelection, answers: Answers) {
  const item = {
    productId: goods.productId,
    country: answerOf(answers, 'country').toLowerCase(),
    brand: answerOf(answers, 'brand'),
    value: goods.value,
    to: answerOf(answers, 'beneficiary_account'),
    quantity: 1,
  };
  const [coin, network] = [answerOf(answers, 'coin'), answerOf(answers, 'network')];
  const email = answerOf(answers, 'user_email');
  return { items: [item], email, coin, network } satisfies OrderInput;
}

/** The order's summary, plus the problem, if any. */
export function recapOf({ summary, problem }: OrderPreview): Summary {
  const [why, what] = [given(t`Problem`, problem?.sentence), given(t`What to do`, problem?.hint)];
  return { ...summary, lines: [...summary.lines, ...why, ...what] };
}
