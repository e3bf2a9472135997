/** The language of messages, a setting first, otherwise the system's locale; and their translation, loaded only for users of that language. */

import { ScripError } from '../../domain/message/errors.ts';
import { Message, type Said, t } from '../../domain/message/message.ts';

/** Returns the message in the user's language. */
export type Localize = (message: Message) => string;

/** Translates a message; returns plain text, such as data, unchanged. */
export function localSaid(said: Said, localize: Localize): string {
  return typeof said === 'string' ? said : localize(said);
}

/** Maps English sentences to translations; `{0}` is the first value of the English sentence. */
type Catalogue = Readonly<Record<string, string>>;

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

export const LANGUAGES = ['en', 'es'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The language of scripts, logs and reports, and the default for users. */
const DEFAULT_LANGUAGE: Language = 'en';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Parses `es`, `es-MX` or `es_ES.UTF-8`.
 * @throws {ScripError} USAGE for a language without translations
 */
export function checkLanguage(tag: string): Language {
  const language = languageIn(tag);
  if (language !== undefined) return language;
  throw new ScripError('USAGE', t`There are no messages in the language "${tag}"`, {
    details: { language: tag, languages: LANGUAGES },
    hint: t`Languages: ${LANGUAGES.join(', ')}.`,
  });
}

/** The language of the system's locale: the first of its variables that is set (POSIX, 8.2). */
export function systemLanguage(env: Environment): Language {
  const tag = systemLocale(env);
  return (tag === undefined ? undefined : languageIn(tag)) ?? DEFAULT_LANGUAGE;
}

/**
 * The country of the system's locale in lowercase, such as `us` for `en_US.UTF-8`; undefined if it names
 * none.
 */
export function systemCountry(env: Environment): string | undefined {
  return /^[a-z]{2,3}[-_]([a-z]{2})(?![a-z0-9])/i.exec(systemLocale(env) ?? '')?.[1]?.toLowerCase();
}

function systemLocale(env: Environment): string | undefined {
  return ['LC_ALL', 'LC_MESSAGES', 'LANG'].map((name) => env[name]).find((said) => said);
}

function languageIn(tag: string): Language | undefined {
  const [primary = ''] = tag.toLowerCase().split(/[-_.@]/);
  return LANGUAGES.find((language) => language === primary);
}

interface Spoken {
  readonly lang: Language;
  /** Where the language was set, if it was. */
  readonly sources: { readonly lang?: unknown };
}

/** The language to request from the merchant; undefined when English is only the default. */
export function spokenLanguage({ lang, sources }: Spoken): string | undefined {
  return lang === 'en' && sources.lang === undefined ? undefined : lang;
}

/**
 * The language to request for data: only one that was set, so that it never depends on the system's locale.
 */
export function wantedLanguage({ lang, sources }: Spoken): string | undefined {
  return sources.lang === undefined ? undefined : lang;
}
