/** Interactive terminal questions: lists filtered while typing, and validated texts. */

import { escapeText } from '../../domain/message/message.ts';
import { paintFor } from '../output/paint.ts';
import type { Choice, Dialog, ListQuestion } from './ports.ts';
import {
  atQuestion,
  CLEARED,
  type Library,
  type QuestionOptions,
  readable,
  type Streams,
} from './prompter.ts';

/** Fits a terminal of 24 lines together with the previous answers. */
const PAGE_LINES = 9;

interface DialogOptions extends QuestionOptions {
  readonly hasColor: boolean;
}

export function createDialog(options: DialogOptions): Dialog {
  const run = <T>(
    message: string,
    ask: (library: Library, streams: Streams) => Promise<T>,
  ): Promise<T> => atQuestion(options, { message: escapeText(message), isEscapeTaken: false }, ask);
  return {
    async pick(question) {
      const { hasColor } = options;
      for (;;) {
        const picked = await run(question.message, (library, streams) =>
          pick(library, question, { streams, hasColor }),
        );
        if (picked !== undefined) return picked;
      }
    },
    type: async ({ message, proposal, check, isWord = false }) => {
      const style = readable(await paintFor(options));
      return run(message, ({ input }, streams) =>
        input(
          {
            message: escapeText(message),
            ...(proposal === undefined ? {} : { default: escapeText(proposal) }),
            validate: async (text) => (await check(text)) ?? true,
            theme: { ...(isWord ? CLEARED : {}), style },
          },
          streams,
        ),
      );
    },
  };
}

interface Shown {
  readonly choice: Choice;
  /** The typed text that this list belongs to. */
  readonly text: string;
}

/** What was typed so far, and the lists for it. */
interface Typing {
  typed: string;
  /** The choices for the typed text, as soon as they come. */
  list: Promise<readonly Choice[]>;
  /** Whether they have not come yet. */
  isPending: boolean;
  /** The choices on screen, as written: without one the library drops Enter. */
  names: readonly string[];
  /** The one that Enter would take. */
  marked: string;
  /** Whether Enter was pressed before the list for the typed text came, such as by a paste. */
  isEntered: boolean;
  /** Whether more was typed after that; only the first line of a paste is an answer. */
  isMore: boolean;
  /** Undefined until the first Enter that the library takes. */
  taking: Promise<void> | undefined;
  taken: Choice;
}

/**
 * On Enter the library takes the choice from the list on screen, which may still belong to a shorter text. In
 * that case takes what the typed text names, so that the user never gets a choice they have not seen.
 * @returns undefined for a text that is no answer; the next question begins with it
 */
async function pick(
  { search, Separator }: Library,
  { message, help, narrow, takes }: ListQuestion,
  { streams, hasColor }: { readonly streams: Streams; readonly hasColor: boolean },
): Promise<string | undefined> {
  const { bold } = await paintFor({ hasColor });
  const state: Typing = {
    typed: '',
    list: Promise.resolve([]),
    isPending: false,
    names: [],
    marked: '',
    isEntered: false,
    isMore: false,
    taking: undefined,
    taken: { value: '', label: '' },
  };
  const itemsFor = async (typed: string) => {
    const text = state.isEntered ? state.typed : typed;
    const narrowed = narrow(text);
    const list = narrowed.then(({ choices }) => choices);
    Object.assign(state, { typed: text, list, isPending: true, isMore: text !== typed });
    const { choices, remarks } = await narrowed.catch((error: unknown) => {
      if (state.list === list) Object.assign(state, { isPending: false, isEntered: false });
      throw error;
    });
    if (state.list === list) listArrived(state, choices, streams.input);
    return [
      ...remarks.map((remark) => new Separator(escapeText(remark))),
      ...choices.map((choice) => ({ value: { choice, text }, name: escapeText(choice.label) })),
    ];
  };
  const take = async ({ choice, text }: Shown): Promise<void> => {
    const { typed, isEntered } = state;
    const isSeen = text === typed && !isEntered;
    // A list that arrives later would draw the question again as if it were open.
    const list = await state.list.catch(() => []);
    const named = isSeen ? choice : namedBy(typed, list);
    state.taken = named ?? { value: typed, label: typed };
    // A refused text leaves no line behind.
    streams.clearPromptOnDone = named === undefined && !(await takes(typed));
  };
  let wrap: (() => void) | undefined;
  const noteKey = (_text: string, key?: { readonly name?: string }): void => {
    const isEnter = key?.name === 'return' || key?.name === 'enter';
    const { isPending, names, typed } = state;
    if (isEnter && isPending && names.length === 0 && typed !== '') state.isEntered = true;
    wrap = key?.name === undefined ? undefined : wrapAt(state, key.name, streams.input);
  };
  const move = (): void => wrap?.();
  streams.input.on('keypress', noteKey);
  try {
    const answered = search<Shown>(
      {
        message: escapeText(message),
        pageSize: PAGE_LINES,
        instructions: { navigation: help, pager: help },
        source: (text = '') => itemsFor(text),
        validate: async (shown) => {
          state.taking ??= take(shown);
          await state.taking;
          return true;
        },
        theme: {
          style: {
            ...readable({ bold }),
            highlight: (text: string) => {
              state.marked = text;
              return bold(text);
            },
            answer: () => bold(escapeText(state.taken.label)),
          },
        },
      },
      streams,
    );
    // After the library has taken the key.
    streams.input.on('keypress', move);
    await answered;
  } finally {
    streams.input.removeListener('keypress', move);
    streams.input.removeListener('keypress', noteKey);
  }
  if (!streams.clearPromptOnDone) return state.taken.value;
  streams.input.unshift(state.taken.value);
  return undefined;
}

/**
 * The library stops at both ends of a list. Returns what moves on to the other end, by as many keys back;
 * undefined if this key does not lead beyond an end.
 */
function wrapAt(
  { isPending, names, marked }: Typing,
  key: string,
  input: Pick<NodeJS.ReadStream, 'emit'>,
): (() => void) | undefined {
  const [end, back] = key === 'down' ? [names.at(-1), 'up'] : [names[0], 'down'];
  if (isPending || (key !== 'down' && key !== 'up') || end === undefined) return undefined;
  // The mark and a space stand before the name.
  if (marked.slice(marked.indexOf(' ') + 1) !== end) return undefined;
  return () => {
    for (let moves = 1; moves < names.length; moves += 1)
      input.emit('keypress', '', { name: back });
  };
}

/**
 * Presses Enter again, once the library shows the list, if it came too early for the library. If there is
 * nothing to choose, the text before Enter stays to be corrected, without what came after it.
 */
function listArrived(
  state: Typing,
  choices: readonly Choice[],
  input: Pick<NodeJS.ReadStream, 'emit' | 'unshift'>,
): void {
  const names = choices.map(({ label }) => escapeText(label));
  Object.assign(state, { isPending: false, names });
  if (!state.isEntered) return;
  const { typed } = state;
  setImmediate(() => {
    if (state.names.length > 0) {
      input.emit('keypress', '\r', { name: 'return' });
      return;
    }
    state.isEntered = false;
    if (!state.isMore) return;
    input.emit('keypress', '', { name: 'u', ctrl: true });
    input.unshift(typed);
  });
}

/** The only choice with the typed text in its label. */
function namedBy(typed: string, choices: readonly Choice[]): Choice | undefined {
  const words = typed.trim().toLowerCase();
  const [only, ...others] = choices;
  return others.length === 0 && only?.label.toLowerCase().includes(words) ? only : undefined;
}
