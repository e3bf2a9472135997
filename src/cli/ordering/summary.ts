/** What is about to be agreed on, in labelled lines above the question. */

import type { Agreement } from '../../api/order.ts';
import type { Headroom } from '../../api/payment/spending.ts';
import { isEmbeddedUrl } from '../../domain/loopback.ts';
import { type Message, type Said, t } from '../../domain/message.ts';
import { formatDecimal } from '../../domain/money.ts';
import { usdcText } from '../../domain/policy.ts';
import { padCents } from '../amount.ts';
import type { Localize } from '../i18n/localize.ts';
import { escapeText } from '../output/escape.ts';
import { localLines } from '../output/local-view.ts';
import type { Line } from '../output/view.ts';
import { textWidth } from '../output/width.ts';

/** As wide as the labels of most summaries. */
const LABEL_WIDTH = 11;

export function linesText(lines: readonly Line[], localize: Localize): string {
  const said = localLines(lines, localize);
  const width = Math.max(LABEL_WIDTH, ...said.map(([label]) => textWidth(label)));
  return said.map(([label, value]) => `${label.padEnd(width)} ${escapeText(value)}\n`).join('');
}

type Summed = Pick<Agreement, 'offer' | 'merchant' | 'isPaid'> & Partial<Pick<Agreement, 'price'>>;

/** What, for whom, from whom, at most how much. */
export function summaryLines({ offer, price, merchant, isPaid }: Summed): readonly Line[] {
  const { email, coin, network, refundsTo } = offer;
  return [
    ...goodsLines(offer),
    ...(email === undefined ? [] : [[t`E-mail`, email] as const]),
    [t`Merchant`, merchantText(merchant.url)],
    ...(price === undefined ? [] : [[t`Price`, `${padCents(price.text)} ${coin}`] as const]),
    ...(price === undefined || !isPaid
      ? []
      : [
          [
            t`At most`,
            t`${formatDecimal(price.capAtomic, price.decimals, 2)} ${coin} on ${network}`,
          ] as const,
        ]),
    ...(merchant.takes.has('refundAddress')
      ? [[t`Refunds to`, refundsTo ?? t`nowhere: name a wallet with --refund-wallet`] as const]
      : []),
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

/** A merchant as people are told of it, by its base address. */
export function merchantText(url: string): Said {
  return isEmbeddedUrl(url) ? t`the embedded sandbox` : new URL(url).origin;
}

/** Such as `2 x Amazon.com, 25 USD → friend@example.com`. */
export function lineText({ quantity, name, recipient }: Summed['offer']['lines'][number]): string {
  return `${quantity} x ${name} → ${recipient.text}`;
}

/** The line of a summary that says what the policy leaves. */
export function headroomText({ leftAtomic, perDayAtomic }: Headroom): Message {
  return t`${usdcText(leftAtomic)} of ${usdcText(perDayAtomic)} USDC in 24 hours`;
}
