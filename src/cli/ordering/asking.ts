/** Decides whether an order can be confirmed by a question, and asks it. */

import { commandText, wordList } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { joined, type Message, t } from '../../domain/message.ts';
import type { With } from '../context.ts';

/** The error that names the options which replace a question, and why none can be asked. */
export function unasked(
  { io: { isInputTerminal, stderr } }: With<'io'>,
  missing: readonly string[],
): ScripError {
  const flags = joined(missing, t` and `);
  // Questions are written to stderr.
  const where =
    isInputTerminal && stderr.isTerminal ? t`with --no-input` : t`in non-interactive use`;
  return new ScripError('TERMINAL_REQUIRED', t`An order ${where} needs ${flags}`, {
    hint: ['--yes', '--max-amount'].every((flag) => missing.includes(flag))
      ? commandText`Add ${wordList(missing, t` and `)}: it is then bought without a question, for at most that amount.`
      : commandText`Add ${wordList(missing, t` and `)}.`,
    details: { missing },
  });
}

/** Whether to show the summary: before every question, also in JSON mode; with --yes not in JSON mode. */
export function isSummaryTold({ settings }: With<'settings'>, isAgreed: boolean): boolean {
  return settings.mayPrompt && !(settings.isJson && isAgreed);
}

interface Consent {
  /** Whether `--yes` was given. */
  readonly isAgreed: boolean;
  /** The option for the maximum to pay, if it is needed and missing. */
  readonly limitFlag?: '--max-amount' | '--max-total' | undefined;
}

/** Returns the missing options that non-interactive use needs. */
export function missingFlags({ isAgreed, limitFlag }: Consent): readonly string[] {
  return [...(isAgreed ? [] : ['--yes']), ...(limitFlag === undefined ? [] : [limitFlag])];
}

/**
 * Checks the consent flags.
 * @throws {ScripError} TERMINAL_REQUIRED naming the missing options, before any request or question
 */
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
  /** What the user types to confirm a large amount. */
  readonly amountText: string;
  readonly isLarge: boolean;
  /** Shows details when the user types `?`. */
  readonly more?: (() => Promise<void>) | undefined;
  /** The error if the answer is No. */
  readonly declined: { readonly message: Message; readonly hint?: Message };
}

/**
 * Asks for confirmation unless --yes was given. Large amounts need a typed confirmation, even after the
 * wizard.
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
 * Asks for a yes; for a large part of the daily limit, asks to type the amount.
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
