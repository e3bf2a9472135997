/** Shows an order's summary and asks the user to confirm it, or applies --yes. */

import type { ProductDetails } from '../../api/catalog-reader.ts';
import type { Agreement, Consent } from '../../api/order.ts';
import type { Stranger } from '../../api/recipient.ts';
import type { ScripError } from '../../domain/errors.ts';
import { adapted, type Message, t } from '../../domain/message.ts';
import { formatDecimal } from '../../domain/money.ts';
import { escapeText } from '../../domain/visible-text.ts';
import type { With } from '../context.ts';
import { clockTime, type TimeReader, utcTime } from '../output/instant.ts';
import { confirmAmount, isSummaryTold } from './asking.ts';
import { drawLines, drawSummary, moreLines, summaryOf } from './summary.ts';

export interface Asked {
  /** Whether `--yes` was given. */
  readonly isAgreed: boolean;
  /** Whether the summary was shown already; it is not shown again. */
  readonly isShown: boolean;
  /** The user has just confirmed it, so questions about unusual points may be asked. */
  readonly isAnswered: boolean;
  /** The merchant's product details; left out when they are not shown. */
  readonly details?: Promise<ProductDetails> | undefined;
}

/** Whether questions may be asked: interactive, and not answered by `--yes` alone. */
export function mayAsk({ settings }: With<'settings'>, asked: Omit<Asked, 'isShown'>) {
  return settings.mayPrompt && (!asked.isAgreed || asked.isAnswered);
}

export function consentOf(context: With<'settings' | 'io' | 'parts'>, asked: Asked): Consent {
  const isAsked = mayAsk(context, asked);
  return {
    otherCountry: isAsked ? (stranger) => allowsStranger(context, stranger) : undefined,
    isAsking: isAsked,
    isBalanceTold: context.settings.mayPrompt,
    purchase: (agreement) => agrees(context, agreement, asked),
  };
}

/** Asks whether a phone number of another country is meant. @throws {ScripError} INTERRUPTED */
export function allowsStranger(
  { io }: With<'io'>,
  { account, elsewhere: { phone, product } }: Stranger,
): Promise<boolean> {
  return io.prompter.confirm(
    t`The country of ${account} is ${phone}, the product’s is ${product}. Buy it anyway?`,
  );
}

/** Such as `Amazon.com 25 USD for you@example.com was already ordered at 2:32 PM. Order it again?` */
function againQuestion(
  { settings, parts }: With<'settings' | 'parts'>,
  { sentence, details }: ScripError,
): Message {
  // Only the first part of the sentence, without "nothing was sent".
  const [what = ''] = sentence.values;
  const { ordered_at: orderedAt } = details;
  const atMs = Date.parse(String(orderedAt));
  const reader = readerOf({ settings, parts });
  const told = (text: string): string => {
    const safe = escapeText(text);
    if (typeof orderedAt !== 'string') return safe;
    return safe.replace(utcTime(atMs), () => clockTime(atMs, reader));
  };
  return adapted(t`${what}. Order it again?`, told);
}

const readerOf = ({ settings: { lang }, parts }: With<'settings' | 'parts'>): TimeReader => ({
  nowMs: parts.clock.now(),
  lang,
});

async function agrees(
  context: With<'settings' | 'io' | 'parts'>,
  agreement: Agreement,
  { isAgreed, isShown, isAnswered, details: asked }: Asked,
): Promise<boolean> {
  const { io, settings } = context;
  const { offer, price, room, isPaid, isPaidAlready, repeated } = agreement;
  // It was shown and agreed to before it was paid.
  if (isPaidAlready && isAgreed) return true;
  const { lang } = settings;
  const details = await asked;
  const isLarge = room?.isLarge ?? false;
  const amountText = formatDecimal(price.capAtomic, price.decimals, 2);
  const isCapTyped = isLarge && price.capAtomic !== price.atomic;
  const bought = isCapTyped ? t`Buy it for at most ${amountText} ${offer.coin}?` : t`Buy it?`;
  const usual = isPaid ? bought : t`Place this order?`;
  const question = repeated === undefined ? usual : againQuestion(context, repeated);
  if (isSummaryTold({ settings }, isAgreed) && !isShown) {
    const summary = summaryOf(agreement, lang, details);
    io.stderr.write(await drawSummary(summary, io, question));
  }
  if (isAgreed && repeated === undefined && !(isAnswered && isLarge)) return true;
  const more = async (): Promise<void> => {
    io.stderr.write(await drawLines(moreLines(agreement, readerOf(context), details), io));
  };
  return confirmAmount({ io }, { question, amountText, isLarge, more });
}
