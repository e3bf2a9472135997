/** Translates messages. Loads a translation only for users of that language. */
import { Message, type Said } from '../../domain/message.ts';
import type { Language } from './language.ts';

/** Returns the message in the user's language. */
export type Localize = (message: Message) => string;

/** Translates a message; returns plain text, such as data, unchanged. */
export function localSaid(said: Said, localize: Localize): string {
  return typeof said === 'string' ? said : localize(said);
}

/** Maps English sentences to translations; `{0}` is the first value of the English sentence. */
export type Catalogue = Readonly<Record<string, string>>;

/** All messages are written in English. */
export const inEnglish: Localize = String;

export async function localizer(language: Language): Promise<Localize> {
  if (language === 'en') return inEnglish;
  const { default: catalogue } = await import('./es.json', { with: { type: 'json' } });
  return localizeBy(catalogue);
}

const PLACE = /\{(\d+)\}/;

/** Without a translation the sentence stays English, and its values are still translated. */
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

/** After the split, odd pieces are the numbers of the placeholders. */
function filled(sentence: string, valueAt: (index: number) => string): string {
  const pieces = sentence.split(PLACE);
  return pieces.map((piece, at) => (at % 2 === 0 ? piece : valueAt(Number(piece)))).join('');
}
