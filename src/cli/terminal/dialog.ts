/** Interactive terminal questions: lists filtered while typing, and validated texts. */

import { escapeText } from '../output/escape.ts';
import { paintFor } from '../output/paint.ts';
import type { Choice, Dialog, ListQuestion } from './ports.ts';
import { CLEARED } from './prompter.ts';
import { atQuestion, type Library, type QuestionOptions, type Streams } from './question.ts';

/** Fits a terminal of 24 lines together with the previous answers. */
const PAGE_LINES = 9;

interface DialogOptions extends QuestionOptions {
  readonly hasColor: boolean;
}

export function createDialog(options: DialogOptions): Dialog {
  const run = <T>(ask: (library: Library, streams: Streams) => Promise<T>): Promise<T> =>
    atQuestion(options, { isEscapeTaken: false }, ask);
  return {
    async pick(question) {
      const { hasColor } = options;
      for (;;) {
        const picked = await run((library, streams) =>
          pick(library, question, { ...streams, hasColor }),
        );
        if (picked !== undefined) return picked;
      }
    },
    type: ({ message, proposal, check, isWord = false }) =>
      run(({ input }, streams) =>
        input(
          {
            message: escapeText(message),
            ...(proposal === undefined ? {} : { default: escapeText(proposal) }),
            validate: async (text) => (await check(text)) ?? true,
            ...(isWord ? { theme: CLEARED } : {}),
          },
          streams,
        ),
      ),
  };
}

interface Shown {
  readonly choice: Choice;
  /** The typed text that this list belongs to. */
  readonly text: string;
}

/**
 * On Enter the library takes the choice from the list on screen, which may still belong to a shorter text. In
 * that case return the typed text instead, so that the user never gets a choice they have not seen.
 * @returns undefined for a text that is no answer; the next question begins with it
 */
async function pick(
  { search, Separator }: Library,
  { message, help, narrow, takes }: ListQuestion,
  { hasColor, ...streams }: Streams & { readonly hasColor: boolean },
): Promise<string | undefined> {
  const { bold } = await paintFor({ hasColor });
  const state: { typed: string; list: Promise<unknown>; taken: Choice } = {
    typed: '',
    list: Promise.resolve(),
    taken: { value: '', label: '' },
  };
  // The library reads this when the question ends: a refused text leaves no line behind.
  const context = { ...streams, clearPromptOnDone: false };
  const listFor = async (text: string) => {
    const { choices, remarks } = await narrow(text);
    return [
      ...remarks.map((remark) => new Separator(escapeText(remark))),
      ...choices.map((choice) => ({ value: { choice, text }, name: escapeText(choice.label) })),
    ];
  };
  await search<Shown>(
    {
      message: escapeText(message),
      pageSize: PAGE_LINES,
      instructions: { navigation: help, pager: help },
      source: (text = '') => {
        const list = listFor(text);
        Object.assign(state, { typed: text, list });
        return list;
      },
      validate: async ({ choice, text }) => {
        const { typed, list } = state;
        state.taken = text === typed ? choice : { value: typed, label: typed };
        // A list that arrives later would draw the question again as if it were open.
        await list.catch(() => undefined);
        context.clearPromptOnDone = text !== typed && !(await takes(typed));
        return true;
      },
      theme: { style: { answer: () => bold(escapeText(state.taken.label)) } },
    },
    context,
  );
  if (!context.clearPromptOnDone) return state.taken.value;
  streams.input.unshift(state.typed);
  return undefined;
}
