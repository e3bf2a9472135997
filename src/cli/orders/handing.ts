/**
 * Shows codes on a terminal right after the purchase: each code alone on its line, at the bottom of the
 * screen.
 */

import type { WireDelivery } from '../../contract/checkout.ts';
import type { WirePartnerDelivery } from '../../contract/partner-orders.ts';
import { commandText } from '../../domain/command-text.ts';
import { type Message, type Said, t } from '../../domain/message.ts';
import { qrPicture } from '../output/record-text.ts';
import type { Line, RecordView } from '../output/view.ts';
import { describeGoods, otherLines } from './deliveries.ts';
import { SHORT_ID } from './order-id.ts';
import { goodsName } from './partner-order.ts';

/** One delivered item, from either merchant. */
interface DeliveredCode {
  /** Such as `Amazon.com 25 USD`. */
  readonly name: Said;
  /** Empty if there is nothing to type. */
  readonly code: string;
  readonly url: string;
  readonly account: string;
  /** Face value with its currency, if known. */
  readonly value: string;
  readonly serial: string;
  readonly securityCode: string;
  readonly instructions: string;
  /** Fields under the merchant's own names. */
  readonly others: readonly Line[];
}

export function goodsOf(delivery: WireDelivery): DeliveredCode {
  const { voucher_code = '', url = '', beneficiary_account = '' } = delivery;
  const { face_value = '', currency = '' } = delivery;
  const { pin_serial = '', security_code = '', redeem_instructions = '' } = delivery;
  return {
    name: describeGoods(delivery),
    code: voucher_code,
    url,
    account: beneficiary_account,
    value: `${face_value} ${currency}`.trim(),
    serial: pin_serial,
    securityCode: security_code,
    instructions: redeem_instructions,
    others: otherLines(delivery),
  };
}

export function partnerGoodsOf({ deliverable }: WirePartnerDelivery): DeliveredCode {
  const { pin_code = '', beneficiary_account, product_value, currency_code } = deliverable;
  // Interface: a code that starts with http is a URL to open.
  const isUrl = /^https?:/i.test(pin_code);
  return {
    name: goodsName(deliverable),
    code: isUrl ? '' : pin_code,
    url: isUrl ? pin_code : '',
    account: beneficiary_account,
    value: product_value ? `${product_value} ${currency_code ?? ''}`.trim() : '',
    serial: deliverable.pin_serial ?? '',
    securityCode: deliverable.security_code ?? '',
    instructions: deliverable.redeem_instructions ?? '',
    others: otherLines(deliverable),
  };
}

interface Handed {
  readonly goods: readonly DeliveredCode[];
  readonly orderId: string | null;
  /** Whether the journal has the codes; without it the merchant shows them. */
  readonly isKept?: boolean;
  /** What was paid, from which wallet, the user's note. */
  readonly facts: readonly Line[];
}

/** Undefined if an item has neither a code nor a top-up, such as goods sent by post. */
export async function handedScreen({
  goods,
  orderId,
  isKept = true,
  facts,
}: Handed): Promise<Pick<RecordView, 'screen' | 'picture'> | undefined> {
  if (goods.length === 0 || goods.some((one) => aloneText(one) === undefined)) return undefined;
  const [only, ...others] = goods;
  const next = orderId === null ? [] : [orderLine(orderId, isKept)];
  if (only !== undefined && others.length === 0 && isSimCode(only.code)) {
    return simScreen(only, { facts, next, orderId });
  }
  return {
    screen: [
      facts,
      ...goods.flatMap((one, index) => groupsOf(one, others.length > 0 ? index + 1 : undefined)),
      next,
    ],
  };
}

/**
 * The QR code, its text, and what matters of the purchase come last, so that they stay on a screen of 24 lines.
 */
async function simScreen(
  goods: DeliveredCode,
  { facts, next, orderId }: Pick<Handed, 'facts' | 'orderId'> & { readonly next: readonly Line[] },
): Promise<Pick<RecordView, 'screen' | 'picture'>> {
  const { code, instructions, account } = goods;
  const name = orderId?.slice(0, SHORT_ID) ?? '<order_id>';
  const bought = [...facts.slice(0, 1), ...given(t`For`, account)];
  const details = [
    ...facts.slice(1),
    ...detailsOf({ ...goods, account: '' }),
    ...given(t`How to redeem`, instructions),
  ];
  // The title stands above the first group.
  const [above, below] = details.length === 0 ? [bought, []] : [details, bought];
  return {
    screen: [
      above,
      [[NO_LABEL, code]],
      [[t`Item`, goods.name], ...below, [t`On the phone`, SIM_STEPS], ...next],
    ],
    picture: {
      drawing: await qrPicture(code),
      groupsBelow: 2,
      elsewhere: commandText`The QR code does not fit this window. In a larger one: scrip orders reveal ${name}`,
    },
  };
}

function detailsOf(goods: DeliveredCode): readonly Line[] {
  return [...given(t`For`, goods.account), ...besideCode(goods)];
}

/** Numbers that redeem nothing alone. */
function besideCode({ serial, securityCode, others }: DeliveredCode): readonly Line[] {
  return [...given(t`Serial`, serial), ...given(t`Security code`, securityCode), ...others];
}

const NO_LABEL = t``;

function groupsOf(goods: DeliveredCode, number: number | undefined): readonly (readonly Line[])[] {
  const { url, code, instructions } = goods;
  const alone = aloneText(goods);
  return [
    [
      ...(number === undefined ? [] : [[t`Item ${number}`, goods.name] as const]),
      ...given(t`For`, goods.account),
    ],
    alone === undefined ? [] : [[NO_LABEL, alone]],
    [
      // Below the code, so that none of them is taken for it.
      ...besideCode(goods),
      ...(code === '' ? [] : given(t`Redeem at`, url)),
      ...(isSimCode(code) ? [[t`On the phone`, SIM_STEPS] as const] : []),
      ...given(t`How to redeem`, instructions),
    ],
  ];
}

const SIM_STEPS = t`Mobile data settings: add an eSIM, then scan or type the code.`;

/** The code or URL that redeems it, or that a phone is topped up. */
function aloneText({ code, url, account, value }: DeliveredCode): Said | undefined {
  if (code !== '') return code;
  if (url !== '') return url;
  if (!/^\+?\d{6,}$/.test(account)) return undefined;
  return value === '' ? t`${account} is topped up` : t`${account} is topped up with ${value}`;
}

/** GSMA SGP.22: the content of an eSIM's QR code. */
function isSimCode(code: string): boolean {
  return code.startsWith('LPA:1$');
}

function orderLine(orderId: string, isKept: boolean): Line {
  const name = orderId.slice(0, SHORT_ID);
  return isKept
    ? [t`Order`, commandText`${name} · scrip orders show ${name}`]
    : [t`Order`, commandText`${name} · scrip track ${name}`];
}

function given(label: Message, value: string): readonly Line[] {
  return value === '' ? [] : [[label, value]];
}
