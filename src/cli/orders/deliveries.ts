/**
 * Delivered items of either merchant: as labelled lines, and as a screen right after the purchase, with each code
 * alone on its line at the bottom.
 */

import type { WireDelivery } from '../../contract/checkout.ts';
import type { WirePartnerDelivery } from '../../contract/partner-orders.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { type Message, type Said, t } from '../../domain/message/message.ts';
import { goodsName } from '../../domain/product/product.ts';
import { qrPicture } from '../output/record-text.ts';
import { given, type Line, type RecordView } from '../output/view.ts';
import { SHORT_ID } from './ledger.ts';

/** One delivered item, from either merchant. Parts that it does not have are empty. */
export interface Goods {
  /** Such as `Amazon.com 25 USD`. */
  readonly name: Said;
  readonly state: string;
  readonly account: string;
  /** Empty if there is nothing to type. */
  readonly code: string;
  readonly url: string;
  /** Face value with its currency, if known. */
  readonly value: string;
  readonly serial: string;
  readonly securityCode: string;
  readonly instructions: string;
  readonly failure: string;
  /** Fields under the merchant's own names. */
  readonly others: readonly Line[];
}

export function goodsOf(delivery: WireDelivery): Goods {
  const { face_value = '', currency = '' } = delivery;
  return {
    ...detailsIn(delivery),
    name: describeGoods(delivery),
    state: delivery.delivery_state ?? '',
    code: delivery.voucher_code ?? '',
    url: delivery.url ?? '',
    value: `${face_value} ${currency}`.trim(),
    failure: delivery.failure_reason ?? '',
  };
}

export function partnerGoodsOf({ delivery_state, deliverable }: WirePartnerDelivery): Goods {
  const { pin_code, product_value, currency_code } = deliverable;
  const code = pin_code ?? '';
  // Interface: a code that starts with http is a URL to open.
  const isUrl = /^https?:/i.test(code);
  return {
    ...detailsIn(deliverable),
    name: partnerName(deliverable),
    state: delivery_state,
    code: isUrl ? '' : code,
    url: isUrl ? code : '',
    value: product_value ? `${product_value} ${currency_code ?? ''}`.trim() : '',
    failure: deliverable.failure_reason ?? deliverable.error_description ?? '',
  };
}

/** What both merchants call by the same names. */
function detailsIn(wire: WireDelivery | WirePartnerDelivery['deliverable']) {
  return {
    account: wire.beneficiary_account ?? '',
    serial: wire.pin_serial ?? '',
    securityCode: wire.security_code ?? '',
    instructions: wire.redeem_instructions ?? '',
    others: Object.entries(wire.other_fields ?? {}).map(
      ([name, value]): Line => [t`Field ${name}`, value],
    ),
  };
}

/** Delivered items as labelled lines, one value per line, a group for each. */
export function goodsGroups(all: readonly Goods[]): readonly (readonly Line[])[] {
  return all.map((goods, at) => [
    [all.length > 1 ? t`Item ${at + 1}` : ITEM, goods.name],
    ...given(DELIVERY, goods.state),
    ...given(t`For`, goods.account),
    ...given(t`Code`, goods.code),
    ...given(t`Serial`, goods.serial),
    ...given(t`Security code`, goods.securityCode),
    ...given(t`Redeem at`, goods.url),
    ...given(t`How to redeem`, goods.instructions),
    ...given(t`Failed because`, goods.failure),
    ...goods.others,
  ]);
}

const ITEM = t`Item`;
const DELIVERY = t`Delivery`;

interface AlreadySaid {
  /** Of a single item, what stands above it. */
  readonly title: Said | undefined;
  /** Whether the status tells the state of a single item. */
  readonly isStateTold: (state: string) => boolean;
  /** Labels of lines that say nothing new on a screen. */
  readonly more?: readonly string[];
}

/** The groups, for a terminal without what it says already; a pipe has all lines. */
export function inGroups(
  groups: readonly (readonly Line[])[],
  { title, isStateTold, more = [] }: AlreadySaid,
): Pick<RecordView, 'lines' | 'screen'> {
  const isSaid = ([label, value]: Line): boolean =>
    more.includes(String(label)) ||
    (label === ITEM && String(value) === String(title)) ||
    (label === DELIVERY && title !== undefined && isStateTold(String(value)));
  return {
    lines: groups.flat(),
    screen: groups
      .map((group) => group.filter((line) => !isSaid(line)))
      .filter((group) => group.length > 0),
  };
}

/** The name of a single item; undefined for none or several. */
export function onlyName([only, ...others]: readonly Goods[]): Said | undefined {
  return others.length > 0 ? undefined : only?.name;
}

/** The name of a mobile data plan says what it contains; its face value is just another price. */
const PLAN = /\d\s?[GM]B\b/i;

export function describeGoods(delivery: WireDelivery): Said {
  const { product_name, brand_name, face_value = '', currency = '' } = delivery;
  const called = product_name ?? brand_name;
  if (called === undefined) return unnamed(`${face_value} ${currency}`.trim());
  const name = goodsName({ name: called, faceValue: face_value, currency });
  if (name !== called) return name;
  // Names of fixed products mostly end in their face value.
  const value = `${face_value} ${currency}`.trim();
  return value === '' || name.endsWith(value) || PLAN.test(name) ? name : `${name} ${value}`;
}

function unnamed(value: string): Message {
  return value === '' ? t`unnamed product` : t`${t`unnamed product`}, ${value}`;
}

function partnerName(deliverable: WirePartnerDelivery['deliverable']): Said {
  const { brand_name, denomination, product_value, currency_code } = deliverable;
  if (brand_name === '') return t`unnamed product`;
  const chosen = [product_value, currency_code].filter(
    (part) => part !== undefined && part !== null,
  );
  return `${brand_name} ${denomination === 'range' ? chosen.join(' ') : denomination}`;
}

interface Handed {
  readonly goods: readonly Goods[];
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
  goods: Goods,
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
      [[ITEM, goods.name], ...below, [t`On the phone`, SIM_STEPS], ...next],
    ],
    picture: {
      drawing: await qrPicture(code),
      groupsBelow: 2,
      elsewhere: commandText`The QR code does not fit this window. In a larger one: scrip orders reveal ${name}`,
    },
  };
}

function detailsOf(goods: Goods): readonly Line[] {
  return [...given(t`For`, goods.account), ...besideCode(goods)];
}

/** Numbers that redeem nothing alone. */
function besideCode({ serial, securityCode, others }: Goods): readonly Line[] {
  return [...given(t`Serial`, serial), ...given(t`Security code`, securityCode), ...others];
}

const NO_LABEL = t``;

function groupsOf(goods: Goods, number: number | undefined): readonly (readonly Line[])[] {
  const { url, code, instructions } = goods;
  const alone = aloneText(goods);
  return [
    [
      ...(number === undefined ? [] : [[t`Item ${number}`, goods.name] as const]),
      ...given(t`For`, goods.account),
    ],
    given(NO_LABEL, alone),
    [
      // Below the code, so that none of them is taken for it.
      ...besideCode(goods),
      ...(code === '' ? [] : given(t`Redeem at`, url)),
      ...given(t`On the phone`, isSimCode(code) ? SIM_STEPS : ''),
      ...given(t`How to redeem`, instructions),
    ],
  ];
}

const SIM_STEPS = t`Mobile data settings: add an eSIM, then scan or type the code.`;

/** The code or URL that redeems it, or that a phone is topped up. */
function aloneText({ code, url, account, value }: Goods): Said | undefined {
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
