/** The questions on a terminal: lists to type into, texts that are checked, the recap as a card. */
import type { StepKey, WrongAnswer } from '../../domain/wizard-step.ts';
import type { Choice, Context, Narrowed } from '../context.ts';
import { escapeText } from '../output/escape.ts';
import { drawCard, recapLines } from './card.ts';
import {
  type Answer,
  type Asked,
  type Interviewer,
  QUESTIONS,
  readRecap,
  readWord,
} from './interview.ts';

const BACK = 'back';
const BACK_CHOICE: Choice = { value: BACK, label: '← back' };
/** Long lists are typed into; nobody pages through hundreds of brands. */
const MOST_SHOWN = 40;

/** What follows an amount in its label. */
const PRICE = / {2}\(.*\)$/;

const TYPED: ReadonlySet<StepKey> = new Set(['beneficiary_account', 'user_email']);

export function createScreen(
  context: Pick<Context, 'dialog' | 'stderr' | 'settings' | 'progress'>,
): Interviewer {
  const { stderr, dialog, progress, settings } = context;
  const say = (text: string): void => {
    progress.done();
    stderr.write(`${escapeText(text)}\n`);
  };
  return {
    say,
    recap(answers, deal) {
      progress.done();
      stderr.write(drawCard('Recap', recapLines(settings, answers, deal), stderr.columns));
    },
    async ask(asked) {
      progress.done();
      const { step } = asked.question;
      for (const line of asked.wrong === undefined ? [] : wrongLines(asked.wrong)) say(`  ${line}`);
      if (step === 'confirmation') return confirm(context, asked);
      const message = `${asked.number}/${QUESTIONS} ${asked.question.question}`;
      const given = TYPED.has(step)
        ? await dialog.type({
            message: `${message}${asked.number > 1 ? ' (or back)' : ''}`,
            check: async (text) => (isBack(text) ? undefined : explained(await asked.check(text))),
          })
        : await dialog.pick({
            message,
            help: helpOf(asked),
            narrow: (text) => narrowed(asked, text),
          });
      return readWord(given) ?? { answer: given };
    },
  };
}

const isBack = (text: string): boolean => readWord(text) !== undefined;

function explained(wrong: WrongAnswer | undefined): string | undefined {
  return (
    wrong &&
    wrongLines(wrong)
      .map((line) => escapeText(line))
      .join('\n  ')
  );
}

function wrongLines({ error, fix, suggestions }: WrongAnswer): readonly string[] {
  const like = suggestions.length === 0 ? [] : [`Such as: ${suggestions.join(', ')}`];
  return [`${error}.`, fix, ...like];
}

function helpOf({ question, number }: Asked): string {
  const bounds = question.step === 'amount' ? `${escapeText(question.expectedFormat, 150)}\n` : '';
  const back = number > 1 ? ' · "back" goes back' : '';
  return `${bounds}Type to filter · ↑↓ move · Enter takes it${back}`;
}

async function narrowed(asked: Asked, typed: string): Promise<Narrowed> {
  // Tab writes a whole label into the line.
  const text = typed.replace(PRICE, '');
  const mayGoBack = asked.number > 1;
  const back = mayGoBack ? [BACK_CHOICE] : [];
  const values = await asked.narrow(isBack(text) ? '' : text);
  if (mayGoBack && isBack(text)) {
    const like = await asked.narrow(text);
    return { remarks: [], choices: [...back, ...(await choicesOf(asked, like))] };
  }
  if (values.length > 0) {
    const more = values.length - MOST_SHOWN;
    const remarks = more > 0 ? [`${values.length} to choose from: type a part of the name`] : [];
    return { remarks, choices: [...(await choicesOf(asked, values)), ...back] };
  }
  // Without a choice, Enter does nothing: nobody gets what he has not named.
  const wrong = await asked.check(text);
  if (wrong === undefined) return { remarks: [], choices: [{ value: text, label: text }] };
  return { remarks: wrongLines(wrong), choices: [] };
}

function choicesOf(asked: Asked, values: readonly string[]): Promise<readonly Choice[]> {
  return Promise.all(
    values.slice(0, MOST_SHOWN).map(async (value) => {
      const price = asked.question.step === 'amount' ? await asked.listPrice(value) : undefined;
      return { value, label: price === undefined ? value : `${value}  (${price})` };
    }),
  );
}

/** The word has to be typed: Enter alone, which may have been pressed too often, buys nothing. */
async function confirm(
  { dialog }: Pick<Context, 'dialog'>,
  { deal, number, check }: Asked,
): Promise<Answer> {
  const isBuyable = deal?.problem === undefined;
  const buy = deal?.way === 'elsewhere' ? 'place the order' : 'buy it';
  const given = await dialog.type({
    message: `${number}/${QUESTIONS} ${isBuyable ? `Is everything right? Type yes to ${buy}` : 'It cannot be bought like this. Type again to check again'} (or back)`,
    check: async (text) => (readRecap(text) ? undefined : explained(await check(text))),
  });
  return readRecap(given) ?? { answer: given };
}
