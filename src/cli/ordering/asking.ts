/** Whether an order can be confirmed by a question, and what is shown before it. */

import { commandText, wordList } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { joined, type Message, t } from '../../domain/message.ts';
import type { With } from '../context.ts';

/** Names the flags that stand for an answer, and why there can be no question. */
export function unasked(
  { io: { isInputTerminal, stderr } }: With<'io'>,
  missing: readonly string[],
): ScripError {
  const flags = joined(missing, t` and `);
  // A question is written to standard error.
  const where =
    isInputTerminal && stderr.isTerminal ? t`with --no-input` : t`in non-interactive use`;
  return new ScripError('TERMINAL_REQUIRED', t`An order ${where} needs ${flags}`, {
    hint: commandText`Add ${wordList(missing, t` and `)}.`,
    details: { missing },
  });
}

/** A question is always preceded by its summary, in JSON mode too; with --yes JSON mode prints none. */
export function isSummaryTold({ settings }: With<'settings'>, isAgreed: boolean): boolean {
  return settings.mayPrompt && !(settings.isJson && isAgreed);
}

interface Consent {
  /** `--yes`. */
  readonly isAgreed: boolean;
  /** The flag that names the most to pay, where one is needed and missing. */
  readonly limitFlag?: '--max-amount' | '--max-total' | undefined;
}

/** The flags that non-interactive use needs and that were not given. */
export function missingFlags({ isAgreed, limitFlag }: Consent): readonly string[] {
  return [...(isAgreed ? [] : ['--yes']), ...(limitFlag === undefined ? [] : [limitFlag])];
}

/** @throws {ScripError} TERMINAL_REQUIRED naming the missing flags, before any request or question */
export function checkConsent(context: With<'settings' | 'io'>, consent: Consent): void {
  if (context.settings.mayPrompt) return;
  const missing = missingFlags(consent);
  if (missing.length > 0) throw unasked(context, missing);
}

interface Question {
  readonly isAgreed: boolean;
  /** The user has just answered a question, so this one may be asked too. */
  readonly isAnswered?: boolean | undefined;
  readonly question: Message;
  /** What is typed where the amount is large. */
  readonly amountText: string;
  readonly isLarge: boolean;
  /** Tells more where `?` is typed. */
  readonly more?: (() => Promise<void>) | undefined;
  /** How it is told that the answer was no. */
  readonly declined: { readonly message: Message; readonly hint?: Message };
}

/**
 * Asks for a yes, unless it was given. Large amounts are typed, also after the wizard.
 * @throws {ScripError} DECLINED, INTERRUPTED, TERMINAL_REQUIRED
 */
export async function agreeOn(context: With<'io'>, asked: Question): Promise<void> {
  const { isAgreed, isAnswered = false, isLarge, declined } = asked;
  if (isAgreed && !(isAnswered && isLarge)) return;
  if (await confirmAmount(context, asked)) return;
  const { message, ...more } = declined;
  throw new ScripError('DECLINED', message, more);
}

/**
 * Asks for a yes; where much of a day is spent at once, for the amount itself.
 * @throws {ScripError} INTERRUPTED, TERMINAL_REQUIRED
 */
export async function confirmAmount(
  { io: { prompter } }: With<'io'>,
  {
    question,
    amountText,
    isLarge: mustType,
    more,
  }: Pick<Question, 'question' | 'amountText' | 'isLarge' | 'more'>,
): Promise<boolean> {
  if (!mustType) return prompter.confirm(question, { more });
  const typed = await prompter.text(t`${question} Type ${amountText} to agree:`);
  return typed.trim() === amountText;
}
