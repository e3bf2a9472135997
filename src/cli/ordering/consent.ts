/** Shows what an order or its payment costs and asks the user to confirm it, or checks the options that replace the question. */

import type { ProductDetails } from '../../api/catalog-reader.ts';
import type { Agreement, Consent } from '../../api/order.ts';
import {
  checkLimit,
  checkOpening,
  openingText,
  type PayRequest,
} from '../../api/partner/pay-terms.ts';
import type { Paying } from '../../api/paying.ts';
import { checkHeld, heldOf } from '../../api/payment/funds.ts';
import { roomOf } from '../../api/payment/spending.ts';
import type { Stranger } from '../../api/recipient.ts';
import { commandText, wordList } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { adapted, escapeText, joined, type Message, t } from '../../domain/message/message.ts';
import { formatDecimal } from '../../domain/money/money.ts';
import type { With } from '../context.ts';
import { clockTime, type TimeReader, utcTime } from '../output/instant.ts';
import { drawLines, drawSummary, moreLines, paymentSummary, summaryOf } from './summary.ts';

/** What an order's confirmation depends on. */
interface Asked {
  /** Whether `--yes` was given. */
  readonly isAgreed: boolean;
  /** Whether the user has just seen the order, and agreed to it unless `--yes` was given. */
  readonly isShown: boolean;
  /** The merchant's product details; left out when they are not shown. */
  readonly details: Promise<ProductDetails> | undefined;
}

/** Whether questions may be asked: interactive, and not answered by `--yes`. */
export function mayAsk({ settings }: With<'settings'>, { isAgreed }: Pick<Asked, 'isAgreed'>) {
  return settings.mayPrompt && !isAgreed;
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
function allowsStranger(
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
  { isAgreed, isShown, details: asked }: Asked,
): Promise<boolean> {
  const { io, settings } = context;
  const { offer, price, room, isPaid, isPaidAlready, repeated } = agreement;
  const isKnown = isAgreed || isShown;
  // It was shown and agreed to before it was paid.
  if (isPaidAlready && isKnown) return true;
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
  // Large amounts need a typed confirmation, even after the wizard.
  if (isKnown && repeated === undefined && (isAgreed || !isLarge)) return true;
  const more = async (): Promise<void> => {
    io.stderr.write(await drawLines(moreLines(agreement, readerOf(context), details), io));
  };
  return confirmAmount({ io }, { question, amountText, isLarge, more });
}

/**
 * Asks about the payment of an order, or checks the maximum.
 * @param agreed maxAmount as typed, in the order's coin
 * @returns what throws AMOUNT_OVER_CAP, DECLINED, FUNDS_TOO_LOW, REQUIREMENT_UNACCEPTABLE
 */
export function paymentConsent(
  { io, settings, parts }: With<'settings' | 'io' | 'parts'>,
  { host, paying }: { readonly host: string; readonly paying: Paying },
  agreed: {
    readonly isAgreed: boolean;
    readonly maxAmount: string | undefined;
    readonly opensAccount: boolean;
  },
): PayRequest['agree'] {
  return async (quote) => {
    const { isAgreed, maxAmount, opensAccount } = agreed;
    checkLimit(quote, maxAmount);
    io.progress.done();
    const isTold = isSummaryTold({ settings }, isAgreed);
    if (isAgreed && !isTold) return checkOpening(quote, opensAccount);
    const { coin, decimals, amountAtomic } = quote;
    const amountText = formatDecimal(amountAtomic, decimals);
    // Of a coin without limits there is none: the policy counts only USDC.
    const room = await roomOf(
      { ...paying, clock: parts.clock },
      { merchant: host, usdcAtomic: coin === 'USDC' ? amountAtomic : undefined },
    );
    const heldAtomic = await heldOf(paying, coin);
    // Check the balance before asking.
    if (!isAgreed) {
      const due = { coin, decimals, text: amountText, atomic: amountAtomic };
      checkHeld(paying, heldAtomic, due);
    }
    if (isTold) {
      const { isPlayMoney } = paying.spending;
      const means = { room, heldAtomic, isPlayMoney, url: settings.apiUrl };
      io.stderr.write(await drawSummary(paymentSummary(quote, means), io));
    }
    if (isAgreed) return checkOpening(quote, opensAccount);
    const question = t`Pay ${`${amountText} ${coin}`}${openingText(quote)}?`;
    await agreeOn(
      { io },
      { question, amountText, isLarge: room?.isLarge ?? false },
      {
        message: t`You declined; nothing was paid`,
        hint: commandText`The order is unchanged. To pay it: scrip pay ${quote.order.order_id}`,
      },
    );
  };
}

/** Whether to show the summary: before every question, also in JSON mode; with --yes not in JSON mode. */
export function isSummaryTold({ settings }: With<'settings'>, isAgreed: boolean): boolean {
  return settings.mayPrompt && !(settings.isJson && isAgreed);
}

interface ConsentFlags {
  /** Whether `--yes` was given. */
  readonly isAgreed: boolean;
  /** Whether the maximum to pay is needed and missing. */
  readonly isUnlimited: boolean;
  readonly limitFlag?: '--max-amount' | '--max-total';
  /** Whether the order exists, so that it can be paid by hand too. */
  readonly isPlaced?: boolean;
}

/** Returns the missing options that non-interactive use needs. */
export function missingFlags({
  isAgreed,
  isUnlimited,
  limitFlag = '--max-amount',
}: ConsentFlags): readonly string[] {
  return [...(isAgreed ? [] : ['--yes']), ...(isUnlimited ? [limitFlag] : [])];
}

/**
 * Checks the options that replace a question, if none can be asked.
 * @throws {ScripError} TERMINAL_REQUIRED naming the missing options, before any request or question
 */
export function checkConsent(
  { settings, io: { isInputTerminal, stderr } }: With<'settings' | 'io'>,
  consent: ConsentFlags,
): void {
  const missing = settings.mayPrompt ? [] : missingFlags(consent);
  if (missing.length === 0) return;
  const { isPlaced = false } = consent;
  const [flags, added] = [joined(missing, t` and `), wordList(missing, t` and `)];
  // Questions are written to stderr.
  const where =
    isInputTerminal && stderr.isTerminal ? t`with --no-input` : t`in non-interactive use`;
  const message = isPlaced
    ? t`A payment ${where} needs ${flags}`
    : t`An order ${where} needs ${flags}`;
  throw new ScripError('TERMINAL_REQUIRED', message, {
    hint: isPlaced
      ? commandText`Add ${added}, or --show to pay by hand.`
      : missing.length > 1
        ? commandText`Add ${added}: it is then bought without a question, for at most that amount.`
        : commandText`Add ${added}.`,
    details: { missing },
  });
}

interface Question {
  readonly question: Message;
  /** What the user types to confirm a large amount. */
  readonly amountText: string;
  readonly isLarge: boolean;
  /** Shows details when the user types `?`. */
  readonly more?: (() => Promise<void>) | undefined;
}

/** Asks for confirmation. @throws {ScripError} DECLINED, INTERRUPTED, TERMINAL_REQUIRED */
export async function agreeOn(
  context: With<'io'>,
  question: Question,
  declined: { readonly message: Message; readonly hint?: Message },
): Promise<void> {
  if (await confirmAmount(context, question)) return;
  const { message, ...more } = declined;
  throw new ScripError('DECLINED', message, more);
}

/**
 * Asks for a yes; for a large part of the daily limit, asks to type the amount.
 * @throws {ScripError} INTERRUPTED, TERMINAL_REQUIRED
 */
async function confirmAmount(
  { io: { prompter } }: With<'io'>,
  { question, amountText, isLarge, more }: Question,
): Promise<boolean> {
  if (!isLarge) return prompter.confirm(question, { more });
  const typed = await prompter.text(t`${question} Type ${amountText} to agree:`);
  return typed.trim() === amountText;
}
