/** The questions on a terminal: lists to type into, texts that are checked, the recap as a card. */
import { type Message, t } from '../../domain/message.ts';
import type { StepKey, WrongAnswer } from '../../domain/wizard-step.ts';
import type { With } from '../context.ts';
import type { Localize } from '../i18n/localize.ts';
import { escapeText } from '../output/escape.ts';
import type { Choice, Narrowed } from '../terminal/ports.ts';
import { drawCard, recapLines } from './card.ts';
import { type Answer, type Asked, type Interviewer, QUESTIONS } from './interview.ts';
import { readRecap, readWord, toldWrong } from './words.ts';

const BACK = 'back';
/** Long lists are typed into; nobody pages through hundreds of brands. */
const MOST_SHOWN = 40;

/** What follows a value in its label. */
const ABOUT_IT = / {2}\(.*\)$/;

const TYPED: ReadonlySet<StepKey> = new Set(['beneficiary_account', 'user_email']);

export function createScreen(context: With<'settings' | 'io'>): Interviewer {
  const {
    io: { stderr, dialog, progress, localize },
  } = context;
  const say = (text: string): void => {
    progress.done();
    stderr.write(`${escapeText(text)}\n`);
  };
  return {
    say: (text) => say(localize(text)),
    recap(answers, deal) {
      progress.done();
      stderr.write(
        drawCard(localize(t`Recap`), recapLines(context, answers, deal), stderr.columns),
      );
    },
    async ask(asked) {
      progress.done();
      const { step } = asked.question;
      const wrong = asked.wrong === undefined ? [] : toldWrong(asked.wrong, localize);
      for (const line of wrong) say(`  ${line}`);
      if (step === 'confirmation') return confirm(context, asked);
      const message = `${numberOf(asked)}${localize(asked.question.question)}`;
      const given = TYPED.has(step)
        ? await dialog.type({
            message: `${message}${mayGoBack(asked) ? localize(t` (or back)`) : ''}`,
            proposal: asked.proposal,
            check: async (text) =>
              readWord(text, localize) ? undefined : explained(await asked.check(text), localize),
          })
        : await dialog.pick({
            message,
            help: helpOf(asked, localize),
            narrow: (text) => narrowed(asked, text, localize),
          });
      return readWord(given, localize) ?? { answer: given };
    },
  };
}

function numberOf({ number }: Asked): string {
  return number === 0 ? '' : `${number}/${QUESTIONS} `;
}

/** To the question before, where there is one. */
function mayGoBack({ number }: Asked): boolean {
  return number > 1;
}

function explained(wrong: WrongAnswer | undefined, localize: Localize): string | undefined {
  return (
    wrong &&
    toldWrong(wrong, localize)
      .map((line) => escapeText(line))
      .join('\n  ')
  );
}

function helpOf(asked: Asked, localize: Localize): string {
  const { question } = asked;
  const isAmount = question.step === 'amount';
  const bounds = isAmount ? `${escapeText(localize(question.expectedFormat), 150)}\n` : '';
  const back = mayGoBack(asked) ? localize(t` · "back" goes back`) : '';
  return `${bounds}${localize(t`Type to filter · ↑↓ move · Enter takes it`)}${back}`;
}

async function narrowed(asked: Asked, typed: string, localize: Localize): Promise<Narrowed> {
  // Tab writes a whole label into the line.
  const text = typed.replace(ABOUT_IT, '');
  const hasBack = mayGoBack(asked);
  const isBack = readWord(text, localize) !== undefined;
  const back = hasBack ? [{ value: BACK, label: `← ${localize(t`back`)}` }] : [];
  const values = await asked.narrow(isBack ? '' : text);
  if (hasBack && isBack) {
    const like = await asked.narrow(text);
    return { remarks: [], choices: [...back, ...(await choicesOf(asked, like, localize))] };
  }
  if (values.length > 0) {
    const more = values.length - MOST_SHOWN;
    const remark = t`${values.length} to choose from: type a part of the name`;
    const remarks = more > 0 ? [localize(remark)] : [];
    return { remarks, choices: [...(await choicesOf(asked, values, localize)), ...back] };
  }
  // Without a choice, Enter does nothing: nobody gets what he has not named.
  const wrong = await asked.check(text);
  if (wrong === undefined) return { remarks: [], choices: [{ value: text, label: text }] };
  return { remarks: toldWrong(wrong, localize), choices: [] };
}

/** What the words of the interface come to. */
const ABOUT: Readonly<Record<string, Message>> = {
  giftcard: t`gift cards, eSIMs and the like`,
  mobile_topup: t`credit or data for a phone`,
};

function choicesOf(
  asked: Asked,
  values: readonly string[],
  localize: Localize,
): Promise<readonly Choice[]> {
  return Promise.all(
    values.slice(0, MOST_SHOWN).map(async (value) => {
      const price = asked.question.step === 'amount' ? await asked.listPrice(value) : undefined;
      const known = Object.hasOwn(ABOUT, value) ? ABOUT[value] : undefined;
      const about = price ?? (known && localize(known));
      return { value, label: about === undefined ? value : `${value}  (${about})` };
    }),
  );
}

/** The word has to be typed: Enter alone, which may have been pressed too often, buys nothing. */
async function confirm(
  { io: { dialog, localize } }: With<'io'>,
  { deal, number, check }: Asked,
): Promise<Answer> {
  const isBuyable = deal?.problem === undefined;
  const buy = deal?.way === 'elsewhere' ? t`place the order` : t`buy it`;
  const asked = isBuyable
    ? t`Is everything right? Type yes to ${buy}`
    : t`It cannot be bought like this. Type again to check again`;
  const given = await dialog.type({
    message: `${number}/${QUESTIONS} ${localize(asked)}${localize(t` (or back)`)}`,
    check: async (text) => {
      const read = readRecap(text, localize);
      if (read !== undefined && 'action' in read) return undefined;
      return explained(await check(read?.answer ?? text), localize);
    },
  });
  return readRecap(given, localize) ?? { answer: given };
}
