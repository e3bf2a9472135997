/** Looks up values on this machine, for the command line at the cursor. */

import { SHORT_OPTIONS } from '../command.ts';
import { typedValue } from '../parsing/words.ts';
import type { GlobalFlags, Settings } from '../settings/settings.ts';
import { type Candidate, splitLine } from './candidates.ts';
import type { LiveKind } from './choices.ts';
import { type Remembered, remember } from './remembered.ts';
import type { CommandNode } from './tree.ts';

/** Files that the build writes, one value per line. */
export type BuiltLines =
  | 'countries'
  | 'coins'
  | 'networks'
  | 'ways'
  | 'faults'
  | 'fields'
  | 'schema';

/** Where values come from; nothing here uses the network. */
export interface KnownHere {
  /** Settings for the line's flags. @throws {ScripError} for flags that are invalid */
  settings(flags: Pick<GlobalFlags, 'profile' | 'checkoutUrl'>): Settings;
  /** What earlier commands saw, by profile; undefined before the first. */
  remembered(settings: Settings): Remembered | undefined;
  profiles(settings: Settings): readonly Candidate[];
  /** Lines written by the build: value, tab, description. */
  builtLines(name: BuiltLines): readonly string[];
  /** All commands with their options, as of the build. */
  tree(): CommandNode | undefined;
  /** What the embedded service sells. */
  readonly embedded: {
    brands(country: string): readonly { readonly name: string; readonly family: string }[];
    products(
      country: string,
      brand: string,
    ): readonly { readonly id: string; readonly label: string }[];
  };
}

/** The line being completed, and what it names. */
type Question = ReturnType<typeof readQuestion>;

type Answer = (question: Question) => readonly Candidate[];

const ANSWERS: Readonly<Record<LiveKind, Answer>> = {
  countries: ({ here, settings }) =>
    here
      .builtLines('countries')
      .filter((line) => !settings.isEmbedded || line.endsWith('\tsold'))
      .map(splitLine),
  coins: ({ here, remembered, settings }) =>
    settings.isEmbedded ? here.builtLines('coins').map(splitLine) : bare(remembered.coins),
  brands: (question) => bare(namesOf(question, 'brands', ({ name }) => name)),
  families: (question) => bare(namesOf(question, 'families', ({ family }) => family)),
  products: productsOf,
  // An order names a brand or a product id.
  goods: (question) => [
    ...bare(namesOf(question, 'brands', ({ name }) => name)),
    ...productsOf(question),
  ],
  profiles: ({ here, settings }) => here.profiles(settings),
  orders: ({ remembered }) =>
    Object.entries(remembered.orders).map(([value, what]) => ({ value, what })),
  schema: ({ here, words }) => schemaWords(here.builtLines('schema'), words),
  networks: networksOf,
  ways: ({ here, settings }) => (settings.isEmbedded ? here.builtLines('ways').map(splitLine) : []),
  faults: ({ here }) => here.builtLines('faults').map(splitLine),
  fields: fieldsOf,
};

export function isLiveKind(text: string): text is LiveKind {
  return Object.hasOwn(ANSWERS, text);
}

/**
 * Returns the values of a kind for this line.
 * @param words of the line, without the one at the cursor
 * @param path of its command; empty if not known
 */
export function answerLive(
  kind: LiveKind,
  { words, path }: Pick<Question, 'words' | 'path'>,
  here: KnownHere,
): readonly Candidate[] {
  return ANSWERS[kind](readQuestion(words, path, here));
}

function readQuestion(words: readonly string[], path: string, here: KnownHere) {
  const settings = here.settings({
    profile: flagValue(words, '--profile'),
    checkoutUrl: flagValue(words, '--checkout-url'),
  });
  return {
    words,
    path,
    here,
    settings,
    remembered: remember(here.remembered(settings), settings.checkoutUrl),
    country: flagValue(words, '--country')?.trim().toLowerCase(),
    brand: flagValue(words, '--brand'),
    coin: flagValue(words, '--coin'),
  };
}

function flagValue(words: readonly string[], flag: string): string | undefined {
  return typedValue(words, flag, SHORT_OPTIONS[flag]);
}

function namesOf(
  {
    settings,
    here,
    remembered,
    country = settings.countryCode ?? settings.proposedCountry,
  }: Question,
  of: 'brands' | 'families',
  nameOf: (brand: { readonly name: string; readonly family: string }) => string,
): readonly string[] {
  if (settings.isEmbedded) return [...new Set(here.embedded.brands(country).map(nameOf))];
  return remembered[of][country] ?? [];
}

/** Products of the brand on the line; without a brand, those browsed last. */
function productsOf({
  settings,
  here,
  remembered,
  country,
  brand,
}: Question): readonly Candidate[] {
  if (settings.isEmbedded && country !== undefined && brand !== undefined) {
    const products = here.embedded.products(country, brand);
    return products.map(({ id, label }) => ({ value: id, what: `${brand} ${label}` }));
  }
  return remembered.products
    .filter((product) => country === undefined || product.country === country)
    .filter((product) => brand === undefined || product.brand === brand)
    .map((product) => ({ value: product.id, what: `${product.brand} ${product.label}`.trim() }));
}

/** Networks of the coin on the line; without one, of USDC, the default. */
function networksOf({ here, settings, coin = 'USDC' }: Question): readonly Candidate[] {
  if (!settings.isEmbedded) return [];
  const own = here
    .builtLines('networks')
    .filter((line) => line.split('\t')[0]?.toLowerCase() === coin.toLowerCase());
  return own.map((line) => ({ value: line.split('\t')[1] ?? '', what: '' }));
}

/** Fields of the command's output. */
function fieldsOf({ here, path }: Question): readonly Candidate[] {
  const own = here.builtLines('fields').find((line) => line.startsWith(`${path}\t`));
  return bare(own?.split('\t').slice(1) ?? []);
}

/** The next word of the commands that begin with those already typed. */
function schemaWords(commands: readonly string[], words: readonly string[]): readonly Candidate[] {
  const typed = words.slice(words.indexOf('schema') + 1).filter((word) => !word.startsWith('-'));
  const next = commands
    .map((command) => command.split(' '))
    .filter((path) => typed.every((word, at) => path[at] === word))
    .flatMap((path) => path[typed.length] ?? []);
  return bare([...new Set(next)]);
}

function bare(values: readonly string[]): readonly Candidate[] {
  return values.map((value) => ({ value, what: '' }));
}
