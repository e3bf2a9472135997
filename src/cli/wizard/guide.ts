/** The guided purchase: asks all questions, confirms, buys, and shows the command that repeats it. */

import { otherCountryError, strangersAmong } from '../../api/recipient.ts';
import { timeoutsOf } from '../../api/timeouts.ts';
import { commandText, ownText, shellWord, wordList } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { type Message, t, verbatim } from '../../domain/message.ts';
import {
  type AnswerKey,
  type Answers,
  answerOf,
  type WrongAnswer,
} from '../../domain/wizard-step.ts';
import type { With } from '../context.ts';
import { unasked } from '../ordering/asking.ts';
import { allowsStranger, mayAsk } from '../ordering/consent.ts';
import { type PlaceOrderInput, placeOrder } from '../ordering/ordering.ts';
import { isMoneyAdded, readyWallet } from '../ordering/wallet-money.ts';
import type { View } from '../output/view.ts';
import { keepAnswer } from '../settings/kept-answer.ts';
import type { Progress } from '../terminal/ports.ts';
import { plainProgress, silent } from '../terminal/terminal.ts';
import { draftText, parseDraft } from './draft.ts';
import { type Interview, type Interviewer, interview } from './interview.ts';
import { lineAgain } from './line-again.ts';
import { type OrderPreview, type PreviewTerms, previewOrder } from './order-preview.ts';
import { createPlain } from './plain.ts';
import { createScreen } from './screen.ts';
import { createWizardCatalog } from './wizard-catalog.ts';

export interface GuideOptions {
  /** Answers given by options. */
  readonly ahead: Answers;
  readonly isResumed: boolean;
  readonly isPlain: boolean;
  readonly isAgreed: boolean;
  /** As typed, in the coin of the order. */
  readonly maxAmount: string | undefined;
  /** Whether codes may be printed to a pipe. */
  readonly isRevealed: boolean;
  /** Whether to allow the same purchase twice in a short time. */
  readonly isRepeatable: boolean;
  /** Whether to accept a phone number of another country than the product's. */
  readonly allowsOtherCountry: boolean;
  /** Idempotency key of this purchase. */
  readonly key: string | undefined;
  readonly isWaiting: boolean;
  readonly timeoutMs: number;
  /** The timeout as typed. */
  readonly timeout: string;
}

type GuideContext = With<'version' | 'settings' | 'io' | 'parts' | 'keys' | 'files'>;

/** The default of `scrip order`. */
const DEFAULT_TIMEOUT = '10m';

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

/**
 * Runs the guided purchase.
 * @throws {ScripError} TERMINAL_REQUIRED, WALLET_MISSING, DRAFT_MISSING, DRAFT_INVALID, ANSWERS_MISSING,
 * INPUT_INVALID for a wrong option, INTERRUPTED, and the errors of an order
 */
export async function guide(around: GuideContext, options: GuideOptions): Promise<View> {
  checkAsked(around, options);
  const context = options.isPlain
    ? { ...around, io: { ...around.io, progress: eachOnce(linesAlone(around)) } }
    : around;
  const interviewer = createInterviewer(context, options);
  await readyWallet(context);
  const ahead = await answersAhead(context, options, interviewer);
  const settled: { preview?: OrderPreview } = {};
  const wizardCatalog = createWizardCatalog(context, async (answers) => {
    const price = async (): Promise<OrderPreview> => {
      context.io.progress.step(t`Asking for the price`);
      const preview = await previewOrder(context, wizardCatalog, answers, {
        maxAmount: options.maxAmount,
        terms: termsOf(options),
        isSilent: options.isAgreed,
      });
      context.io.progress.done();
      return preview;
    };
    const preview = await price();
    settled.preview = (await isAffordableNow(context, preview, options)) ? await price() : preview;
    return settled.preview.price;
  });
  const talk: Interview = {
    wizardCatalog,
    interviewer,
    ahead,
    proposals: { country: context.settings.proposedCountry },
    isAgreed: options.isAgreed,
    preview: () => settled.preview,
    refuse: (key, wrong) => refuse(context, options, interviewer, { key, wrong }),
    keep: (answers) => keep(context, answers),
  };
  return untilBought(context, options, talk);
}

/** Whether the user has added the missing money, so that the price must be requested again. */
async function isAffordableNow(
  context: GuideContext,
  { problem }: OrderPreview,
  { isAgreed }: GuideOptions,
): Promise<boolean> {
  if (problem?.code !== 'FUNDS_TOO_LOW') return false;
  return mayAsk(context, { isAgreed, isAnswered: false }) && isMoneyAdded(context, problem);
}

/** If the price rises above the confirmed maximum, asks again in interactive use. */
async function untilBought(
  context: GuideContext,
  options: GuideOptions,
  talk: Interview,
): Promise<View> {
  try {
    const answers = await interview(talk).catch(leaving);
    return await buy(context, { talk, options }, answers);
  } catch (error) {
    const isMoved = error instanceof ScripError && error.code === 'AMOUNT_OVER_CAP';
    if (!isMoved || options.isAgreed || options.maxAmount !== undefined) {
      throw await explain(context, options, error);
    }
    talk.interviewer.say(t`${error.sentence}. Here is the new price.`);
    const ahead = await keptAnswers(context);
    return untilBought(context, options, { ...talk, ahead: ahead ?? {} });
  }
}

/**
 * Deletes the draft before money can move, and restores it if none did: resuming a draft must never buy
 * something that an earlier run has bought.
 */
async function buy(
  context: GuideContext,
  { talk: { preview }, options }: { readonly talk: Interview; readonly options: GuideOptions },
  answers: Answers,
): Promise<View> {
  const settled = preview();
  if (settled === undefined) throw new ScripError('INTERNAL', verbatim('the recap has no order'));
  const { problem } = settled;
  if (problem !== undefined) {
    await keep(context, answers);
    throw problem;
  }
  const input = await agreedInput(context, settled, options);
  // The recap has shown everything; with --yes the user did not answer it.
  const caller = { isShown: true, isAnswered: !options.isAgreed };
  await context.files.draft.remove();
  const email = await keptEmail(context, options, answers);
  const again = lineAgain(context, input, {
    amount: answerOf(answers, 'amount'),
    timeout: isUsual(options) ? undefined : options.timeout,
    isAgreed: options.isAgreed,
    email,
  });
  try {
    const view = await placeOrder(context, input, caller);
    return view.kind === 'record' ? { ...view, again: await again } : view;
  } catch (error) {
    if (error instanceof ScripError && error.fundsAtRisk === 'none') await keep(context, answers);
    throw error;
  }
}

/** Saves the e-mail address as `scrip order` does. @returns the address now in the settings */
async function keptEmail(
  context: GuideContext,
  { ahead, isAgreed }: GuideOptions,
  answers: Answers,
): Promise<string | undefined> {
  const { mayPrompt, email } = context.settings;
  const isAnswered = mayPrompt && !isAgreed && ahead.user_email === undefined;
  if (!isAnswered || email !== undefined) return email;
  const value = answerOf(answers, 'user_email');
  await keepAnswer(context, { setting: 'email', value });
  return value;
}

/**
 * Completes the order with the user's consent to a phone number of another country.
 * @throws {ScripError} PHONE_OTHER_COUNTRY, DECLINED
 */
async function agreedInput(
  context: With<'settings' | 'io'>,
  { input, recipient }: OrderPreview,
  { isAgreed }: GuideOptions,
): Promise<PlaceOrderInput> {
  const [stranger] = strangersAmong([recipient]);
  if (stranger === undefined || input.allowsOtherCountry) return input;
  if (!mayAsk(context, { isAgreed, isAnswered: false })) {
    throw otherCountryError(stranger.elsewhere);
  }
  if (await allowsStranger(context, stranger)) return { ...input, allowsOtherCountry: true };
  throw new ScripError('DECLINED', t`You declined; nothing was charged`);
}

/** @throws {ScripError} TERMINAL_REQUIRED, USAGE, before any input is read or request sent */
function checkAsked(context: With<'settings' | 'io'>, options: GuideOptions): void {
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
  const missing = [
    ...(isAgreed ? [] : ['--yes']),
    ...(maxAmount === undefined ? ['--max-amount'] : []),
  ];
  if (missing.length > 0) throw unasked(context, missing);
}

/** A screen reader would read a spinner's line again at each redraw. */
function linesAlone({ settings, io: { stderr, localize } }: With<'settings' | 'io'>): Progress {
  return settings.isJson ? silent : plainProgress(stderr, localize);
}

/** The price is requested at the recap, the check and the order: print that step once. */
function eachOnce({ step, done }: Progress): Progress {
  const told = new Set<string>();
  return {
    step: (text, waiting) => {
      if (!told.has(String(text))) step(text, waiting);
      told.add(String(text));
    },
    done,
  };
}

function createInterviewer(
  context: With<'settings' | 'io'>,
  { isPlain }: GuideOptions,
): Interviewer {
  const { mayPrompt, isJson } = context.settings;
  return isPlain ? createPlain(context, mayPrompt || !isJson) : createScreen(context);
}

/** Returns the answers from options, or the saved draft. @throws {ScripError} DRAFT_MISSING, DRAFT_INVALID */
async function answersAhead(
  context: With<'settings' | 'files'>,
  { ahead, isResumed }: GuideOptions,
  { say }: Interviewer,
): Promise<Answers> {
  const settled = settledAnswers(context);
  if (!isResumed) {
    if ((await context.files.draft.read()) !== undefined) {
      say(t`Your saved answers are still there; continue with: scrip wizard --resume`);
    }
    return { ...settled, ...ahead };
  }
  const kept = await keptAnswers(context);
  if (kept === undefined) throw new ScripError('DRAFT_MISSING', t`There is no unfinished purchase`);
  return { ...settled, ...kept };
}

/** Answers from the settings, in interactive use only: a script answers every question. */
function settledAnswers({ settings }: With<'settings'>): Answers {
  const { mayPrompt, sources, countryCode, email, to } = settings;
  if (!mayPrompt) return {};
  return {
    ...(sources.country === undefined ? {} : { country: countryCode }),
    ...(to === undefined ? {} : { beneficiary_account: to }),
    ...(email === undefined ? {} : { user_email: email }),
  };
}

async function keptAnswers({ files: { draft } }: With<'files'>): Promise<Answers | undefined> {
  const text = await draft.read();
  return text === undefined ? undefined : parseDraft(text);
}

async function keep({ files: { draft } }: With<'files'>, answers: Answers): Promise<void> {
  if (Object.keys(answers).length > 0) await draft.write(draftText(answers));
}

interface Refused {
  readonly key: AnswerKey;
  readonly wrong: WrongAnswer;
}

/** Asks again for saved answers that are no longer valid; for flags only in interactive use. */
function refuse(
  { settings }: With<'settings'>,
  { ahead, isResumed }: GuideOptions,
  { say }: Interviewer,
  { key, wrong: { error, fix, suggestions } }: Refused,
): void {
  const like = suggestions.length === 0 ? '' : commandText` Such as: ${wordList(suggestions)}`;
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

/** The order's terms, other than products and people. */
function termsOf(options: GuideOptions): PreviewTerms {
  const { isWaiting, isRevealed, isRepeatable, allowsOtherCountry, key, timeoutMs } = options;
  return {
    key,
    isAgreed: true,
    isDryRun: false,
    isRevealed,
    isWaiting,
    timeouts: timeoutsOf(isUsual(options) ? undefined : timeoutMs, isWaiting),
    allowsDuplicate: isRepeatable,
    allowsOtherCountry,
    opensAccount: false,
  };
}

function isUsual({ timeout }: GuideOptions): boolean {
  return timeout === DEFAULT_TIMEOUT;
}

/** Before the confirmation nothing is bought, so there is no purchase to resume. */
function leaving(error: unknown): never {
  if (!(error instanceof ScripError) || error.code !== 'INTERRUPTED') throw error;
  throw new ScripError('INTERRUPTED', t`Stopped; nothing was bought`, {
    cause: error,
    fundsAtRisk: 'none',
    hint: t`Start over with: scrip wizard`,
  });
}

/** Until money moves the answers stay saved; the error says how to continue with them. */
async function explain(
  { files: { draft } }: With<'files'>,
  options: GuideOptions,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof ScripError) || NOT_KEPT.has(error.code)) return error;
  if ((await draft.read()) === undefined) return error;
  const resume = resumption(options);
  const { code, cause, details, hint, sentence } = error;
  if (code === 'INTERRUPTED' || code === 'ANSWERS_MISSING') {
    const how = commandText`Your answers are saved. Continue with: ${ownText(resume)}`;
    return new ScripError(code, sentence, { cause, details, hint: how, fundsAtRisk: 'none' });
  }
  if (error.fundsAtRisk !== 'none') return error;
  return new ScripError(code, sentence, {
    cause,
    details,
    hint: commandText`${ownText(hint)} Then: ${ownText(resume)}`,
  });
}

function resumption({ isPlain, isAgreed, maxAmount }: GuideOptions): Message {
  const flags = [
    ...(isPlain ? ['--plain'] : []),
    ...(isAgreed ? ['--yes'] : []),
    ...(maxAmount === undefined ? [] : ['--max-amount', maxAmount]),
  ];
  return commandText`scrip ${wordList(['wizard', '--resume', ...flags], ' ')}`;
}

const NOT_KEPT: ReadonlySet<string> = new Set(['USAGE', 'DRAFT_MISSING', 'DRAFT_INVALID']);
