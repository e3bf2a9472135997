/** English sentences in another language: the sentence is the key, and its values are numbered. */
import { QUOTED_WORD } from '../../domain/command-text.ts';
import type { Language } from './language.ts';

/** Gives a text of ours in the language of the user; a text that it does not know as it is. */
export type Tell = (text: string) => string;

/**
 * Pairs of English and another language. `{0}` stands for a value, in the order of the English
 * sentence; on the other side `{~0}` is a value that is a text of ours and is told as well, and
 * `{,0}` a list of such texts with commas between.
 */
export type Catalogue = Readonly<Record<string, string>>;

/** English, as everything is written here. */
export const asWritten: Tell = (text) => text;

/** A language's messages are loaded when somebody speaks it. */
export async function translator(language: Language): Promise<Tell> {
  if (language === 'en') return asWritten;
  const { ES } = await import('./es.ts');
  return tellFrom(ES);
}

/**
 * For texts that propose commands: their values in quotes are handed on as they are. A value that looks
 * like sentences of ours could be taken apart; such a text stays in English.
 */
export function tellingCommands(tell: Tell): Tell {
  return (text) => {
    const told = tell(text);
    return quotedIn(told) === quotedIn(text) ? told : text;
  };
}

const QUOTED = new RegExp(QUOTED_WORD, 'g');

const quotedIn = (text: string): string => (text.match(QUOTED) ?? []).toSorted().join(' ');

/** A sentence within a sentence within a sentence: deeper than that is nobody's text. */
const MOST_DEPTH = 4;
/** What is longer is the text of others; the longest of ours are the help topics. */
const MOST_LENGTH = 4_000;

interface Template {
  /** What stands before, between and after the values. */
  readonly literals: readonly string[];
  readonly told: string;
  /** So little of it is text that anything could be it: its values are single words. */
  readonly isLoose: boolean;
}

/** Where one sentence ends and the next begins. */
const BETWEEN_SENTENCES = /(?<=[.?!]) (?=[\p{Lu}\d])/u;

export function tellFrom(catalogue: Catalogue): Tell {
  const state: { templates?: readonly Template[] } = {};
  const tell = (text: string, depth: number): string => {
    const exact = Object.hasOwn(catalogue, text) ? catalogue[text] : undefined;
    if (exact !== undefined) return exact;
    if (text.length > MOST_LENGTH || depth >= MOST_DEPTH) return text;
    state.templates ??= templatesOf(catalogue);
    const deeper = (part: string): string => tell(part, depth + 1);
    const whole = firstThatFits(state.templates, text, (value) => !BETWEEN_SENTENCES.test(value));
    if (whole !== undefined) return filled(whole.told, whole.values, deeper);
    const sentences = text.split(BETWEEN_SENTENCES);
    const told = sentences.length > 1 ? sentences.map(deeper).join(' ') : text;
    if (told !== text) return told;
    const any = firstThatFits(state.templates, text, () => true);
    return any === undefined ? text : filled(any.told, any.values, deeper);
  };
  return (text) => tell(text, 0);
}

const PLACE = /\{(\d+)\}/;
const FEW_LETTERS = 4;

/** Most literal text first: the least that is left to values decides. */
function templatesOf(catalogue: Catalogue): readonly Template[] {
  return Object.entries(catalogue)
    .filter(([english]) => PLACE.test(english))
    .map(([english, told]) => ({
      literals: english.split(/\{\d+\}/),
      told,
      isLoose: !english.startsWith(' ') && english.replace(/\{\d+\}|\W/g, '').length < FEW_LETTERS,
    }))
    .toSorted((one, other) => lengthOf(other) - lengthOf(one));
}

const lengthOf = ({ literals }: Template): number => literals.join('').length;

/** @param suits what every value has to be */
function firstThatFits(
  templates: readonly Template[],
  text: string,
  suits: (value: string) => boolean,
): { readonly told: string; readonly values: readonly string[] } | undefined {
  for (const { literals, told, isLoose } of templates) {
    const values = valuesIn(text, literals);
    const isFit = values?.every((value) => suits(value) && !(isLoose && /\s/.test(value)));
    if (values !== undefined && isFit === true) return { told, values };
  }
  return undefined;
}

/**
 * What stands where the values are, each as short as it can be; undefined when the text is another.
 * In one pass: a text of others takes no longer for being made to.
 */
function valuesIn(text: string, literals: readonly string[]): readonly string[] | undefined {
  const [first = '', ...rest] = literals;
  const last = rest.at(-1) ?? '';
  if (!text.startsWith(first) || !text.endsWith(last)) return undefined;
  const end = text.length - last.length;
  const values: string[] = [];
  let at = first.length;
  for (const literal of rest.slice(0, -1)) {
    const next = text.indexOf(literal, at);
    if (next === -1) return undefined;
    values.push(text.slice(at, next));
    at = next + literal.length;
  }
  if (at > end) return undefined;
  return [...values, text.slice(at, end)];
}

function filled(told: string, values: readonly string[], tell: Tell): string {
  return told.replace(/\{([~,]?)(\d+)\}/g, (_, mark: string, index: string) => {
    const value = values[Number(index)] ?? '';
    if (mark === '~') return tell(value);
    return mark === ',' ? value.split(', ').map(tell).join(', ') : value;
  });
}
