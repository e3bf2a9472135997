/** Messages in the user's language. A catalogue is loaded only for a user of its language. */
import { Message, type Said } from '../../domain/message.ts';
import type { Language } from './language.ts';

/** Says a message in the user's language. */
export type Localize = (message: Message) => string;

/** The same of what may be data, which stays as it is. */
export function localSaid(said: Said, localize: Localize): string {
  return typeof said === 'string' ? said : localize(said);
}

/** Pairs of English and another language; `{0}` stands for a value, in the order of the English. */
export type Catalogue = Readonly<Record<string, string>>;

/** What everything is written in. */
export const inEnglish: Localize = String;

export async function localizer(language: Language): Promise<Localize> {
  if (language === 'en') return inEnglish;
  const { default: catalogue } = await import('./es.json', { with: { type: 'json' } });
  return localizeBy(catalogue);
}

const PLACE = /\{(\d+)\}/;

/** A message that the catalogue has not is said in English, its values as they are said here. */
export function localizeBy(catalogue: Catalogue): Localize {
  const localize = (message: Message): string => {
    const { key, parts, values, adapt } = message;
    const valueAt = (index: number): string => {
      const value = values[index] ?? '';
      return value instanceof Message ? localize(value) : String(value);
    };
    const sentence = Object.hasOwn(catalogue, key) ? catalogue[key] : undefined;
    const said =
      sentence === undefined
        ? parts.reduce((text, part, index) => `${text}${valueAt(index - 1)}${part}`)
        : filled(sentence, valueAt);
    return adapt === undefined ? said : adapt(said);
  };
  return localize;
}

/** What was split off at the places stands at the odd ones. */
function filled(sentence: string, valueAt: (index: number) => string): string {
  const pieces = sentence.split(PLACE);
  return pieces.map((piece, at) => (at % 2 === 0 ? piece : valueAt(Number(piece)))).join('');
}
