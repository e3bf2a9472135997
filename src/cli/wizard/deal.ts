/** How complete answers would be bought: by which side of the merchant, for how much, by which command. */

import { checkEmail } from '../../domain/beneficiary.ts';
import { type Code, ScripError } from '../../domain/errors.ts';
import { FACE_DECIMALS, formatDecimal, parseDecimal } from '../../domain/money.ts';
import { isOwnNetwork, isSameName } from '../../domain/payment-means.ts';
import { type Answers, answerOf } from '../../domain/wizard-step.ts';
import type { Signer } from '../../rails/rail.ts';
import { formatUsdc } from '../amount.ts';
import { type Preview, preview } from '../buying/quoting.ts';
import { type Recipient, recipientOf, refuseUnasked } from '../buying/recipient.ts';
import type { Context } from '../context.ts';
import { walletIfThere } from '../keys/wallet-if-there.ts';
import type { Line } from '../output/view.ts';
import { USUAL_COIN } from '../partner/api.ts';
import { checkOrder } from '../partner/checking.ts';
import { orderCap } from '../partner/offer.ts';
import { problemsError } from '../partner/problem.ts';
import type { Goods, Shop } from './shop.ts';

/** By the checkout host, by the partner API from this wallet, or from another one. */
export type Way = 'x402' | 'wallet' | 'elsewhere';

export interface Deal {
  readonly way: Way;
  /** The country by its name. */
  readonly country: string;
  readonly recipient: Recipient;
  /** With the coin, such as `25.25 USDC`; undefined when the order has problems. */
  readonly price: string | undefined;
  /** The most that this wallet pays, with the coin; undefined where it pays nothing. */
  readonly cap: string | undefined;
  /** Address of the wallet that pays; undefined where another one does. */
  readonly payer: string | undefined;
  /** The words after `scrip` of the order that this is. */
  readonly words: readonly string[];
  /** How wallet and spending policy stand, as labelled lines. */
  readonly standing: readonly Line[];
  /** Why it cannot be bought. */
  readonly problem: ScripError | undefined;
}

export interface DealOptions {
  /** As typed, in the coin of the order. */
  readonly maxAmount: string | undefined;
  /** Those of `scrip order` that say nothing of the goods. */
  readonly flags: readonly string[];
  /** Nobody is to be asked. */
  readonly isSilent: boolean;
}

/** @throws {ScripError} PRODUCT_UNKNOWN and the codes of a call; what the order is refused for is a value */
export async function makeDeal(
  context: Context,
  shop: Shop,
  answers: Answers,
  options: DealOptions,
): Promise<Deal> {
  const goods = await shop.goods(answers);
  const signer = await walletIfThere(context);
  const code = answerOf(answers, 'country');
  const country = await countryName(shop, code);
  const recipient = await recipientOf(context, answerOf(answers, 'beneficiary_account'), code);
  const about = { country, recipient };
  const wanted = { goods, answers, signer, options };
  const isUsual =
    isSameName(answerOf(answers, 'coin'), USUAL_COIN) && isOwnNetwork(answerOf(answers, 'network'));
  const byShop = isUsual && signer !== undefined ? await byCheckout(context, wanted) : undefined;
  const deal = byShop ?? (await byPartner(context, wanted));
  return { ...deal, ...about, problem: deal.problem ?? unasked(context, recipient, options) };
}

/** What the order will refuse where nobody can be asked. */
function unasked(
  context: Context,
  recipient: Recipient,
  { flags, isSilent }: DealOptions,
): ScripError | undefined {
  try {
    const allowsOtherCountry = flags.includes('--allow-other-country');
    refuseUnasked(context, [recipient], { allowsOtherCountry, isSilent });
    return undefined;
  } catch (error) {
    if (error instanceof ScripError) return error;
    throw error;
  }
}

async function countryName(shop: Shop, code: string): Promise<string> {
  const known = (await shop.countries()).find((one) => one.code.toUpperCase() === code);
  return known === undefined ? code : `${known.name} (${code})`;
}

type Offer = Omit<Deal, 'country' | 'recipient'>;

interface Wanted {
  readonly goods: Goods;
  readonly answers: Answers;
  readonly signer: Signer | undefined;
  readonly options: DealOptions;
}

/** Undefined where the checkout host does not sell exactly this. */
async function byCheckout(
  context: Context,
  { goods, answers, signer, options }: Wanted,
): Promise<Offer | undefined> {
  const { maxAmount } = options;
  const base = orderWords(goods, answers, options);
  const common = { way: 'x402', payer: signer?.address } as const;
  try {
    const offer = await preview(context, {
      productId: goods.productId,
      country: answerOf(answers, 'country'),
      brand: answerOf(answers, 'brand'),
      email: answerOf(answers, 'user_email'),
      value: goods.value,
      beneficiary: answerOf(answers, 'beneficiary_account'),
      maxAmount,
    });
    if (!isSame(offer, goods)) return undefined;
    const cap = formatUsdc(offer.capAtomic);
    const words = [...base, '--max-amount', cap, '--yes'];
    return {
      ...common,
      price: `${formatUsdc(offer.priceAtomic)} ${USUAL_COIN}`,
      cap: `${cap} ${USUAL_COIN}`,
      words,
      ...(await rehearse(context, words)),
    };
  } catch (error) {
    if (!(error instanceof ScripError)) throw error;
    if (error.code === 'AMOUNT_OVER_CAP') {
      return { ...common, ...NOTHING_KNOWN, words: base, problem: error };
    }
    if (THROUGH.has(error.code)) throw error;
    return undefined;
  }
}

const NOTHING_KNOWN = { price: undefined, cap: undefined, standing: [] } as const;
const TOLD: readonly string[] = ['Balance', 'Left'];

/** What the very order would say: what the wallet holds, what the policy leaves, or what forbids it. */
async function rehearse(
  context: Context,
  words: readonly string[],
): Promise<Pick<Deal, 'standing' | 'problem'>> {
  const { readOrder } = await import('../commands/order.ts');
  try {
    const work = readOrder([...words.slice(1), '--dry-run'], { isShown: true, isAnswered: true });
    const view = await work(context);
    const lines = view.kind === 'record' ? view.lines : [];
    return {
      standing: lines.filter(([label]) => TOLD.includes(String(label))),
      problem: undefined,
    };
  } catch (error) {
    if (!(error instanceof ScripError) || error.code === 'INTERRUPTED') throw error;
    return { standing: [], problem: error };
  }
}

/** Not a word of the checkout host about what it sells. */
const THROUGH: ReadonlySet<Code> = new Set(['INTERRUPTED', 'INTERNAL', 'AMOUNT_INVALID']);

/** The id names the product; value and currency are compared, since both sides are read separately. */
function isSame({ quote }: Preview, goods: Goods): boolean {
  if (quote.product_id !== goods.productId || quote.currency !== goods.currency) return false;
  if (quote.face_value === undefined) return true;
  return parseDecimal(String(quote.face_value), FACE_DECIMALS) === goods.faceValue;
}

async function byPartner(
  context: Context,
  { goods, answers, signer, options }: Wanted,
): Promise<Offer> {
  const [coin, network] = [answerOf(answers, 'coin'), answerOf(answers, 'network')];
  const { validation, problems } = await checkOrder(context, {
    items: [
      {
        productId: goods.productId,
        to: answerOf(answers, 'beneficiary_account'),
        value: goods.value,
        quantity: 1,
        countryCode: answerOf(answers, 'country').toLowerCase(),
        brandName: answerOf(answers, 'brand'),
      },
    ],
    email: checkEmail(answerOf(answers, 'user_email')),
    coin,
    network,
  });
  const asset = (await context.parts.rail()).direct?.asset({ coin, network });
  const payer = asset === undefined ? undefined : signer?.address;
  const means = ['--via', 'partner', '--coin', coin, '--network', network];
  const words = [...orderWords(goods, answers, options), ...means];
  const price = validation?.coin_amount ?? undefined;
  const priceText = price === undefined ? undefined : `${price} ${coin}`;
  const common = { payer, price: priceText, standing: [] };
  const problem = problemsError(problems);
  if (payer === undefined || asset === undefined || price === undefined) {
    const way = payer === undefined ? 'elsewhere' : 'wallet';
    return { ...common, way, cap: undefined, words: [...words, '--yes'], problem };
  }
  const { decimals } = asset;
  const priced = { price, priceAtomic: parseDecimal(price, decimals), decimals, coin };
  const cap = capOrRefusal(priced, options.maxAmount);
  return {
    ...common,
    way: 'wallet',
    cap: `${cap.text} ${coin}`,
    words: [...words, '--pay', '--max-amount', cap.text, '--yes'],
    problem: problem ?? cap.refusal,
  };
}

/** The most to pay, as it is typed, and whether the price is above it. */
function capOrRefusal(
  priced: Parameters<typeof orderCap>[0],
  maxAmount: string | undefined,
): { readonly text: string; readonly refusal: ScripError | undefined } {
  try {
    const capAtomic = orderCap(priced, maxAmount);
    return { text: maxAmount ?? formatDecimal(capAtomic, priced.decimals), refusal: undefined };
  } catch (error) {
    if (!(error instanceof ScripError) || error.code !== 'AMOUNT_OVER_CAP') throw error;
    return { text: maxAmount ?? '', refusal: error };
  }
}

function orderWords(goods: Goods, answers: Answers, { flags }: DealOptions): readonly string[] {
  return [
    'order',
    goods.productId,
    '--country',
    answerOf(answers, 'country').toLowerCase(),
    '--brand',
    answerOf(answers, 'brand'),
    ...(goods.value === undefined ? [] : ['--value', goods.value]),
    '--to',
    answerOf(answers, 'beneficiary_account'),
    '--email',
    answerOf(answers, 'user_email'),
    ...flags,
  ];
}
