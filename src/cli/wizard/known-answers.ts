/** What a guided purchase knows before its first question: options, settings, and the saved answers of an unfinished one. */

import { parseJson } from '../../domain/attempt.ts';
import { commandText, ownText, shellWord, wordList } from '../../domain/message/command-text.ts';
import { remade, ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import {
  ANSWER_KEYS,
  type AnswerKey,
  type Answers,
  type WrongAnswer,
} from '../../domain/wizard/wizard-step.ts';
import type { With } from '../context.ts';
import { checkConsent } from '../ordering/consent.ts';
import { type Interviewer, toldSuggestions } from './interview.ts';
import type { GuideOptions } from './order-preview.ts';

const FLAGS: Readonly<Record<AnswerKey, string>> = {
  product_type: '--type',
  country: '--country',
  brand: '--brand',
  amount: '--value',
  beneficiary_account: '--to',
  coin: '--coin',
  network: '--network',
  user_email: '--email',
};

/** Returns the answers from options, or the saved draft. @throws {ScripError} DRAFT_MISSING, DRAFT_INVALID */
export async function answersAhead(
  context: With<'settings' | 'files'>,
  { ahead, isResumed }: GuideOptions,
  { say }: Interviewer,
): Promise<Answers> {
  const settled = settledAnswers(context);
  if (!isResumed) {
    if ((await context.files.draft.read()) !== undefined) {
      say(t`Your saved answers are still there; to continue with them, add --resume`);
    }
    return { ...settled, ...ahead };
  }
  const kept = await keptAnswers(context);
  if (kept === undefined) throw new ScripError('DRAFT_MISSING', t`There is no unfinished purchase`);
  return { ...settled, ...kept };
}

/** Answers from the settings, in interactive use only: a script answers every question. */
function settledAnswers(context: With<'settings'>): Answers {
  const { mayPrompt, email, to, countryCode: country } = context.settings;
  if (!mayPrompt) return {};
  return {
    ...(country === undefined ? {} : { country }),
    ...(to === undefined ? {} : { beneficiary_account: to }),
    ...(email === undefined ? {} : { user_email: email }),
  };
}

/** Answers to suggest: the country of this machine, and the user's own e-mail address as the recipient. */
export function proposalsFrom({ proposedCountry, email }: With<'settings'>['settings']): Answers {
  return {
    country: proposedCountry,
    ...(email === undefined ? {} : { beneficiary_account: email }),
  };
}

export async function keptAnswers({
  files: { draft },
}: With<'files'>): Promise<Answers | undefined> {
  const text = await draft.read();
  return text === undefined ? undefined : parseDraft(text);
}

export type KeptDraft = ReturnType<typeof draftOf>;

/** The draft as one run changes it. */
export function draftOf({ files: { draft } }: With<'files'>, { isResumed, ahead }: GuideOptions) {
  // The settings answer in a later run too.
  const isNamed = Object.keys(ahead).length > 0;
  const state = { isOwn: isResumed };
  return {
    /** Whether its answers are those of this run; otherwise of an earlier one, or none. */
    isOwn: (): boolean => state.isOwn,
    /**
     * Saves the answers of this run.
     * @param isAnswered whether a question was answered; options and settings alone replace no earlier answers
     */
    async keep(answers: Answers, isAnswered: boolean): Promise<void> {
      if (Object.keys(answers).length === 0) return;
      const isNew = state.isOwn || isAnswered;
      if (!isNew && (!isNamed || (await draft.read()) !== undefined)) return;
      await draft.write(draftText(answers));
      state.isOwn = true;
    },
  };
}

/** Asks again for saved answers that are no longer valid; for flags only in interactive use. */
export function refuse(
  { settings }: With<'settings'>,
  { ahead, isResumed }: GuideOptions,
  { say }: Interviewer,
): (key: AnswerKey, wrong: WrongAnswer) => void {
  return (key, wrong) => {
    const { error, fix, suggestions } = wrong;
    const named = toldSuggestions(wrong);
    const like = named.length === 0 ? '' : commandText` Such as: ${wordList(named)}`;
    if (isResumed || settings.mayPrompt) {
      const given = ahead[key] === undefined ? t`The setting` : FLAGS[key];
      const what = isResumed ? t`The saved answer is no longer valid` : t`${given} is not accepted`;
      say(t`${what}: ${error}. ${fix}${like}`);
      return;
    }
    throw new ScripError('USAGE', t`${FLAGS[key]} ${shellWord(ahead[key] ?? '')}: ${error}`, {
      hint: commandText`${ownText(fix)}${ownText(like)}`,
      details: { flag: FLAGS[key], suggestions },
    });
  };
}

/** Before the confirmation nothing is bought, so there is no purchase to resume. */
export function leaving(error: unknown): never {
  if (!(error instanceof ScripError) || error.code !== 'INTERRUPTED') throw error;
  throw new ScripError('INTERRUPTED', t`Stopped; nothing was bought`, {
    cause: error,
    fundsAtRisk: 'none',
    hint: t`Start over with: scrip wizard`,
  });
}

/** Until money moves the answers stay saved; the error says how to continue with them. */
export async function explain(
  { files: { draft }, settings: { mayPrompt } }: With<'files' | 'settings'>,
  options: GuideOptions,
  isOwn: boolean,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof ScripError) || NOT_KEPT.has(error.code)) return error;
  if ((await draft.read()) === undefined) return error;
  // What was agreed to for this run is not agreed to for an earlier one.
  const { isPlain, isAgreed, maxAmount } = isOwn
    ? options
    : { ...options, isAgreed: false, maxAmount: undefined };
  const flags = [
    ...(isPlain ? ['--plain'] : []),
    ...(isAgreed && !mayPrompt ? ['--yes'] : []),
    ...(maxAmount === undefined ? [] : ['--max-amount', maxAmount]),
  ];
  const resume = commandText`scrip ${wordList(['wizard', '--resume', ...flags], ' ')}`;
  if (error.code === 'INTERRUPTED' || error.code === 'ANSWERS_MISSING') {
    // They may be of this run, of its options, or of an earlier run.
    const kept = commandText`The answers so far are kept. Continue with: ${ownText(resume)}`;
    return remade(error, { hint: kept, fundsAtRisk: 'none' });
  }
  if (!isOwn || error.fundsAtRisk !== 'none') return error;
  const { hint } = error;
  return remade(error, { hint: commandText`${ownText(hint)}\nThen: ${ownText(resume)}` });
}

const NOT_KEPT: ReadonlySet<string> = new Set(['USAGE', 'DRAFT_MISSING', 'DRAFT_INVALID']);

const VERSION = 1;
/** No answer is longer: an e-mail address has at most 254 characters. */
const MAX_ANSWER = 300;

export function draftText(answers: Answers): string {
  return `${JSON.stringify({ version: VERSION, answers })}\n`;
}

/**
 * Parses the answers; the wizard validates each again.
 * @throws {ScripError} DRAFT_INVALID for anything that this program does not write
 */
export function parseDraft(text: string): Answers {
  const { version, answers, ...others }: Record<string, unknown> = Object(parseJson(text));
  const given = Object.entries(Object(answers)).filter(
    (pair): pair is [AnswerKey, string] =>
      ANSWER_KEYS.some((key) => key === pair[0]) &&
      typeof pair[1] === 'string' &&
      pair[1].length <= MAX_ANSWER,
  );
  const count = Object.keys(Object(answers)).length + Object.keys(others).length;
  if (version === VERSION && typeof answers === 'object' && given.length === count) {
    return Object.fromEntries(given);
  }
  throw new ScripError('DRAFT_INVALID', t`The saved answers cannot be read`);
}

/**
 * Checks the options.
 * @throws {ScripError} TERMINAL_REQUIRED, USAGE, before any input is read or request sent
 */
export function checkAsked(context: With<'settings' | 'io'>, options: GuideOptions): void {
  const { isPlain, isAgreed, isResumed, maxAmount, ahead } = options;
  const [flag] = Object.keys(ahead);
  if (isResumed && flag !== undefined) {
    throw new ScripError('USAGE', t`--resume uses the saved answers and takes no others`, {
      hint: t`Remove the other answers, or remove --resume to start over.`,
    });
  }
  if (context.settings.mayPrompt) return;
  if (!isPlain) {
    throw new ScripError('TERMINAL_REQUIRED', t`The wizard needs a terminal`, {
      hint: t`Add --plain: it reads the answers from standard input, one on a line.`,
    });
  }
  checkConsent(context, { isAgreed, isUnlimited: maxAmount === undefined });
}
