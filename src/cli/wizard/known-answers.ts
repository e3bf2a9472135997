/** Answers known before their question, from options, settings and the saved draft. */

import { commandText, ownText, shellWord, wordList } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { type Message, t } from '../../domain/message.ts';
import type { AnswerKey, Answers, WrongAnswer } from '../../domain/wizard-step.ts';
import { knownCountry } from '../browsing/country.ts';
import type { With } from '../context.ts';
import { draftText, parseDraft } from './draft.ts';
import type { GuideOptions } from './guide-options.ts';
import type { Interviewer } from './interview.ts';
import { toldSuggestions } from './words.ts';

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
  const { mayPrompt, email, to } = context.settings;
  if (!mayPrompt) return {};
  const country = knownCountry(context, undefined);
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

/** The draft as one run changes it. */
export interface KeptDraft {
  /** Whether its answers are those of this run; otherwise of an earlier one, or none. */
  isOwn(): boolean;
  /**
   * Saves the answers of this run.
   * @param isAnswered whether a question was answered; options and settings alone replace no earlier answers
   */
  keep(answers: Answers, isAnswered: boolean): Promise<void>;
}

export function draftOf(
  { files: { draft } }: With<'files'>,
  { isResumed }: GuideOptions,
): KeptDraft {
  const state = { isOwn: isResumed };
  return {
    isOwn: () => state.isOwn,
    async keep(answers, isAnswered) {
      if (Object.keys(answers).length === 0) return;
      if (!(state.isOwn || isAnswered) && (await draft.read()) !== undefined) return;
      await draft.write(draftText(answers));
      state.isOwn = true;
    },
  };
}

interface Refused {
  readonly key: AnswerKey;
  readonly wrong: WrongAnswer;
}

/** Asks again for saved answers that are no longer valid; for flags only in interactive use. */
export function refuse(
  { settings }: With<'settings'>,
  { ahead, isResumed }: GuideOptions,
  { say }: Interviewer,
  { key, wrong }: Refused,
): void {
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
  const { isPlain, isAgreed, maxAmount } = options;
  const resume = resumption({
    isPlain,
    ...(isOwn ? { isAgreed: isAgreed && !mayPrompt, maxAmount } : {}),
  });
  const { code, cause, details, hint, sentence } = error;
  if (code === 'INTERRUPTED' || code === 'ANSWERS_MISSING') {
    const how = isOwn
      ? commandText`Your answers are saved. Continue with: ${ownText(resume)}`
      : commandText`Earlier answers are kept. Continue with: ${ownText(resume)}`;
    return new ScripError(code, sentence, { cause, details, hint: how, fundsAtRisk: 'none' });
  }
  if (!isOwn || error.fundsAtRisk !== 'none') return error;
  return new ScripError(code, sentence, {
    cause,
    details,
    hint: commandText`${ownText(hint)} Then: ${ownText(resume)}`,
  });
}

type Agreed = Pick<GuideOptions, 'isPlain'> & Partial<Pick<GuideOptions, 'isAgreed' | 'maxAmount'>>;

function resumption({ isPlain, isAgreed, maxAmount }: Agreed): Message {
  const flags = [
    ...(isPlain ? ['--plain'] : []),
    ...(isAgreed ? ['--yes'] : []),
    ...(maxAmount === undefined ? [] : ['--max-amount', maxAmount]),
  ];
  return commandText`scrip ${wordList(['wizard', '--resume', ...flags], ' ')}`;
}

const NOT_KEPT: ReadonlySet<string> = new Set(['USAGE', 'DRAFT_MISSING', 'DRAFT_INVALID']);
