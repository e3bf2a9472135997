/** Shows what an order would cost (`--dry-run`), and the result of `scrip validate`. */

import type { Merchant, Quote } from '../../api/merchant.ts';
import type { Agreement } from '../../api/order.ts';
import type { Rehearsed } from '../../api/order-checks.ts';
import { explainProblem, problemRecord, problemsError } from '../../api/partner/problems.ts';
import { strangersAmong } from '../../api/recipient.ts';
import { type Message, t } from '../../domain/message/message.ts';
import { formatDecimal } from '../../domain/money/money.ts';
import { heldText, padCents, priceText } from '../../domain/money/shown-amount.ts';
import { isOwnNetwork } from '../../domain/payment/payment-means.ts';
import { formatUsdc } from '../amount.ts';
import {
  headroomText,
  limitLines,
  lineText,
  merchantText,
  refundText,
} from '../ordering/summary.ts';
import { given, type Line, type RecordView } from '../output/view.ts';
import type { CheckedOrder, Rehearsal } from '../schemas/purchase.ts';

/** The view of an order that was not sent. */
export function rehearsalView(
  merchant: Pick<Merchant, 'host' | 'url' | 'takes'>,
  { offer, money }: Rehearsed,
): RecordView {
  const balanceLines = ({ held }: Amounts): readonly Line[] => {
    if (money === undefined) return [];
    const balance = formatDecimal(money.balanceAtomic, money.price.decimals, 2);
    return [
      [t`Wallet`, money.payer],
      [t`Balance`, `${held(balance, offer.coin)} ${offer.coin}`],
    ];
  };
  if (offer.validation !== undefined || money === undefined) {
    const view = checkedView(offer);
    const title = t`Nothing was sent; this is what would be ordered`;
    return {
      ...view,
      title,
      ...withLimits((told) => [...view.lines, ...balanceLines(told)], money),
    };
  }
  const { summary, lines, email } = offer;
  const recipient = lines[0]?.recipient;
  return {
    kind: 'record',
    record: {
      dry_run: true,
      product_id: summary.productId,
      brand_name: summary.brandName,
      face_value: summary.faceValue,
      currency: summary.currency,
      beneficiary: recipient?.account ?? '',
      beneficiary_country: recipient?.phoneCountry ?? null,
      email: email ?? '',
      price_usdc: formatUsdc(money.price.atomic),
      max_amount_usdc: formatUsdc(money.price.capAtomic),
      quote_expires_at: offer.expiresAt ?? '',
      network: money.network,
      payer: money.payer,
      balance_usdc: formatUsdc(money.balanceAtomic),
      policy_left_usdc: formatUsdc(money.room.leftAtomic),
    } satisfies Rehearsal,
    title: t`Nothing was sent; this is what would be bought`,
    ...withLimits((told) => {
      const summed = { offer, price: money.price, merchant, isPaid: true };
      return [...summaryLines(summed, told), ...balanceLines(told)];
    }, money),
  };
}

/** How amounts are written: in full for scripts, in cents on a terminal. */
interface Amounts {
  readonly price: (amount: string, coin: string) => string;
  readonly held: (amount: string, coin: string) => string;
}
const IN_FULL: Amounts = { price: padCents, held: padCents };
const IN_CENTS: Amounts = { price: priceText, held: heldText };

/** Scripts always get the remaining limit; a terminal shows it as the confirmation does. */
function withLimits(
  lines: (told: Amounts) => readonly Line[],
  money: Rehearsed['money'],
): Pick<RecordView, 'lines' | 'screen' | 'error'> {
  if (money === undefined) return { lines: lines(IN_FULL) };
  const { shortage: error } = money;
  return {
    ...(error === undefined ? {} : { error }),
    lines: [...lines(IN_FULL), [t`Left`, headroomText(money.room)]],
    screen: [[...lines(IN_CENTS), ...limitLines(money)]],
  };
}

type Summed = Pick<Agreement, 'offer' | 'merchant' | 'isPaid'> & Partial<Pick<Agreement, 'price'>>;

/** Products, recipients, merchant, and the maximum to pay. */
function summaryLines({ offer, price, merchant, isPaid }: Summed, told: Amounts): readonly Line[] {
  const { email, coin, network, refundsTo } = offer;
  return [
    ...goodsLines(offer),
    ...given(t`E-mail`, email),
    [t`Merchant`, merchantText(merchant.url)],
    ...given(t`Price`, price && `${told.price(price.text, coin)} ${coin}`),
    ...given(
      t`At most`,
      price && isPaid
        ? t`${formatDecimal(price.capAtomic, price.decimals, 2)} ${coin} on ${network}`
        : '',
    ),
    ...given(t`Refunds to`, refundText(merchant, refundsTo)),
  ];
}

function goodsLines({ lines }: Summed['offer']): readonly Line[] {
  const [only, ...others] = lines;
  if (only === undefined || others.length > 0 || only.quantity > 1) {
    return lines.map((line) => [t`Product`, lineText(line)] as const);
  }
  const { name, faceValue, recipient } = only;
  return [
    [t`Product`, name],
    [t`Face value`, faceValue],
    [t`For`, recipient.text],
  ];
}

/** The result of the merchant's own check. */
export function checkedView(
  offer: Pick<Quote, 'lines' | 'coin' | 'network' | 'problems' | 'validation'>,
): RecordView {
  const { lines, coin, network, problems, validation } = offer;
  const explained = problems.map(explainProblem);
  const error = problemsError(problems);
  return {
    kind: 'record',
    record: {
      valid: problems.length === 0,
      coin,
      network,
      coin_amount: validation?.coin_amount ?? null,
      problems: explained.map(problemRecord),
      validation: validation ?? null,
    } satisfies CheckedOrder,
    title: problems.length === 0 ? t`The order is valid` : t`The order has problems`,
    lines: [
      ...lines.map((line) => [t`Product`, lineText(line)] as const),
      // A merchant prices a value that it does not sell at 0.
      ...(isZero(validation?.coin_amount) ? [] : [[t`Price`, checkedPrice(offer)] as const]),
      ...explained.flatMap((one) => [
        [t`Problem`, one.problem] as const,
        [t`Meaning`, one.meaning] as const,
        [t`What to do`, one.remedy] as const,
        ...(one.moreDetails === undefined
          ? []
          : [[t`Details`, JSON.stringify(one.moreDetails)] as const]),
      ]),
    ],
    ...(error === undefined ? otherCountryNote(lines) : { error }),
  };
}

const isZero = (amount: string | null | undefined): boolean => /^0(\.0*)?$/.test(amount ?? '');

function checkedPrice({
  coin,
  network,
  validation,
}: Pick<Quote, 'coin' | 'network' | 'validation'>): Message {
  const amount = t`${validation === undefined ? t`unknown` : padCents(validation.coin_amount)} ${coin}`;
  const isTest = validation?.deliveries.some(({ sandbox_mode }) => sandbox_mode) === true;
  return isTest && !isOwnNetwork(network)
    ? t`${t`${amount} of test money`}; the sandbox simulates the payment`
    : t`${amount} on ${network}`;
}

/** A valid number that may be a mistake: ordering it asks for confirmation. */
function otherCountryNote(lines: Quote['lines']): Pick<RecordView, 'note'> {
  const [stranger] = strangersAmong(lines.map(({ recipient }) => recipient));
  if (stranger === undefined) return {};
  const { phone, product } = stranger.elsewhere;
  return {
    note: t`The phone number’s country is ${phone}, the product’s is ${product}. To order it anyway, add --allow-other-country.`,
  };
}
