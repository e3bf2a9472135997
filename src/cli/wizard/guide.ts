/** The guided purchase: asks all questions, confirms, buys, and shows the command that repeats it. */

import { partnerHost } from '../../api/partner/place.ts';
import { expected } from '../../domain/attempt.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t, verbatim } from '../../domain/message/message.ts';
import { isSameName } from '../../domain/payment/payment-means.ts';
import { type Answers, answerOf } from '../../domain/wizard/wizard-step.ts';
import type { BuyerContext } from '../context.ts';
import { mayAsk } from '../ordering/consent.ts';
import { placeOrder } from '../ordering/ordering.ts';
import { isMoneyAdded, readyWallet } from '../ordering/wallet-money.ts';
import type { View } from '../output/view.ts';
import { scripDeps } from '../scrip-deps.ts';
import { keepAnswer } from '../settings/config-change.ts';
import type { Progress } from '../terminal/ports.ts';
import { plainProgress, silent } from '../terminal/terminal.ts';
import { type Interview, interview } from './interview.ts';
import {
  answersAhead,
  checkAsked,
  draftOf,
  explain,
  type KeptDraft,
  keptAnswers,
  leaving,
  proposalsFrom,
  refuse,
} from './known-answers.ts';
import { type KnownSettings, lineAgain } from './line-again.ts';
import { type GuideOptions, type OrderPreview, previewOrder } from './order-preview.ts';
import { createPlain } from './plain.ts';
import { createScreen } from './screen.ts';
import { createWizardCatalog } from './wizard-catalog.ts';

/**
 * Runs the guided purchase.
 * @throws {ScripError} TERMINAL_REQUIRED, WALLET_MISSING, DRAFT_MISSING, DRAFT_INVALID, ANSWERS_MISSING,
 * INPUT_INVALID for a wrong option, INTERRUPTED, and the errors of an order
 */
export async function guide(around: BuyerContext, options: GuideOptions): Promise<View> {
  checkAsked(around, options);
  const { isPlain } = options;
  const { mayPrompt, isJson } = around.settings;
  // A screen reader would read a spinner's line again at each redraw.
  const lines = isJson ? silent : plainProgress(around.io.stderr, around.io.localize);
  const context = isPlain ? { ...around, io: { ...around.io, progress: eachOnce(lines) } } : around;
  const interviewer = isPlain ? createPlain(context, mayPrompt || !isJson) : createScreen(context);
  await checkMeans(context, options);
  const isWalletless = !isPaidElsewhere(options.ahead) && !(await isWalletReady(context, options));
  if (isWalletless) interviewer.say(t`Then pay in a coin that needs no wallet here.`);
  const ahead = await answersAhead(context, options, interviewer);
  const settled: { preview?: OrderPreview } = {};
  const wizardCatalog = createWizardCatalog(
    context,
    async (answers) => {
      const price = async (): Promise<OrderPreview> => {
        context.io.progress.step(t`Asking for the price`);
        const preview = await previewOrder(context, wizardCatalog, answers, options);
        context.io.progress.done();
        return preview;
      };
      const preview = await price();
      const { problem } = preview;
      const isPoor = problem?.code === 'FUNDS_TOO_LOW' && mayAsk(context, options);
      const isAdded = isPoor && (await isMoneyAdded(context, problem));
      settled.preview = isAdded ? await price() : preview;
      return settled.preview.price;
    },
    isWalletless,
  );
  const draft = draftOf(context, options);
  const talk: Interview = {
    wizardCatalog,
    interviewer,
    ahead,
    proposals: proposalsFrom(context.settings),
    // A script answers each question itself.
    isOnlyTaken: mayPrompt,
    isAgreed: options.isAgreed,
    preview: () => settled.preview,
    refuse: refuse(context, options, interviewer),
    keep: draft.keep,
  };
  return untilBought(context, { talk, options, draft });
}

/** Refuses a coin or network that the merchant does not list, before any question. */
async function checkMeans(context: BuyerContext, { ahead }: GuideOptions): Promise<void> {
  if (!context.settings.mayPrompt) return;
  const { checkListed } = await import('../../api/partner/means.ts');
  await checkListed(partnerHost(scripDeps(context)), ahead);
}

/**
 * False if the user wants no wallet, and may still choose a coin that needs none.
 * @throws {ScripError} as `readyWallet`; DECLINED for a coin that needs a wallet
 */
function isWalletReady(context: BuyerContext, { ahead }: GuideOptions): Promise<boolean> {
  return readyWallet(context).then(
    () => true,
    expected((error) => {
      if (ahead.coin !== undefined) throw error;
      return false;
    }, 'DECLINED'),
  );
}

/** Whether the coin named ahead needs no wallet of this machine. */
function isPaidElsewhere({ coin }: Answers): boolean {
  return coin !== undefined && !LOCAL_COINS.some((name) => isSameName(coin, name));
}

/** Coins that a local wallet can pay with. */
const LOCAL_COINS = ['USDC', 'SOL'] as const;

interface GuideRun {
  readonly talk: Interview;
  readonly options: GuideOptions;
  readonly draft: KeptDraft;
}

/** If the price rises above the confirmed maximum, asks again in interactive use. */
async function untilBought(context: BuyerContext, run: GuideRun): Promise<View> {
  const { options, talk, draft } = run;
  try {
    const answers = await interview(talk).catch(leaving);
    return await buy(context, run, answers);
  } catch (error) {
    const isMoved = error instanceof ScripError && error.code === 'AMOUNT_OVER_CAP';
    if (!isMoved || options.isAgreed || options.maxAmount !== undefined) {
      throw await explain(context, options, draft.isOwn(), error);
    }
    talk.interviewer.say(t`${error.sentence}. Here is the new price.`);
    const ahead = draft.isOwn() ? ((await keptAnswers(context)) ?? {}) : talk.ahead;
    return untilBought(context, { ...run, talk: { ...talk, ahead } });
  }
}

/**
 * Deletes the draft before money can move, and restores it if none did: resuming a draft must never buy
 * something that an earlier run has bought.
 */
async function buy(
  context: BuyerContext,
  { talk: { preview }, options, draft }: GuideRun,
  answers: Answers,
): Promise<View> {
  const settled = preview();
  if (settled === undefined) throw new ScripError('INTERNAL', verbatim('the recap has no order'));
  const { input, problem } = settled;
  if (problem !== undefined) {
    await draft.keep(answers, false);
    throw problem;
  }
  await context.files.draft.remove();
  const known = await keptSettings(context, options, answers);
  const again = lineAgain(context, input, {
    amount: answerOf(answers, 'amount'),
    timeout: options.timeout,
    known,
  });
  try {
    const view = await placeOrder(context, input);
    return view.kind === 'record' ? { ...view, again: await again } : view;
  } catch (error) {
    // The answers are still needed if nothing was paid, and no order was made of them.
    const isUnplaced =
      error instanceof ScripError &&
      error.fundsAtRisk === 'none' &&
      error.details.order_id === undefined;
    if (isUnplaced) await draft.keep(answers, true);
    throw error;
  }
}

/**
 * Saves the country and the e-mail address as `scrip order` does; not the recipient's address, which question 8
 * proposes and a friend may own. @returns those now in the settings
 */
async function keptSettings(
  context: BuyerContext,
  options: GuideOptions,
  answers: Answers,
): Promise<KnownSettings> {
  const isAnswered = mayAsk(context, options);
  const kept = async (setting: keyof KnownSettings, key: 'country' | 'user_email') => {
    if (!isAnswered || options.ahead[key] !== undefined) return undefined;
    const answer = answerOf(answers, key);
    if (answer === answers.beneficiary_account) return undefined;
    const value = setting === 'country' ? answer.toLowerCase() : answer;
    await keepAnswer(context, { setting, value });
    return value;
  };
  return {
    country: context.settings.countryCode ?? (await kept('country', 'country')),
    email: context.settings.email ?? (await kept('email', 'user_email')),
  };
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
