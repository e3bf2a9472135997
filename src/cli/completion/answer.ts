/** What `scrip completion --values <kind>` answers a shell: values that are known on this machine. */
import type { Settings } from '../context.ts';
import { escapeText } from '../output/escape.ts';
import type { Remembered } from './remembered.ts';
import { quoteForLine, readShellLine, type ShellLine } from './shell-line.ts';

/** The other half of a profile's row. */
interface NamedProfile {
  readonly name: string;
  readonly what: string;
}

/** Where values come from; none of it is the network. */
export interface KnownHere {
  /** What the flags on the line come to. @throws {ScripError} when they make no sense */
  settings(flags: { readonly profile?: string; readonly checkoutUrl?: string }): Settings;
  /** Of the profile; undefined where nothing was looked at yet. */
  remembered(settings: Settings): Remembered | undefined;
  profiles(settings: Settings): readonly NamedProfile[];
  /** Lines that were written when the program was built: a value, a tab, what it is. */
  builtLines(name: 'countries' | 'coins' | 'schema'): readonly string[];
  /** What the embedded service sells. */
  readonly embedded: {
    isSold(country: string): boolean;
    brands(country: string): readonly { readonly name: string; readonly family: string }[];
    products(
      country: string,
      brand: string,
    ): readonly { readonly id: string; readonly label: string }[];
  };
}

interface Candidate {
  readonly value: string;
  readonly what: string;
}

/** The line so far, and what it names. */
interface Question {
  readonly words: readonly string[];
  readonly here: KnownHere;
  readonly settings: Settings;
  readonly remembered: Remembered | undefined;
  readonly country: string | undefined;
  readonly brand: string | undefined;
}

type Answer = (question: Question) => readonly Candidate[];

const ANSWERS = {
  countries: ({ here, settings }) =>
    here
      .builtLines('countries')
      .map(splitLine)
      .filter(({ value }) => !settings.isEmbedded || here.embedded.isSold(value)),
  coins: ({ here, remembered, settings }) =>
    settings.isEmbedded ? here.builtLines('coins').map(splitLine) : bare(remembered?.coins ?? []),
  brands: (question) => bare(namesOf(question, 'brands', ({ name }) => name)),
  families: (question) => bare(namesOf(question, 'families', ({ family }) => family)),
  products: productsOf,
  profiles: ({ here, settings }) =>
    here.profiles(settings).map(({ name, what }) => ({ value: name, what })),
  orders: ({ remembered }) => bare(remembered?.orders ?? []),
  schema: ({ here, words }) => schemaWords(here.builtLines('schema'), words),
} as const satisfies Readonly<Record<string, Answer>>;

export type LiveKind = keyof typeof ANSWERS;

/**
 * @param words those after `completion --values`: the kind, `--shell`, `--breaks`, then the line
 * @returns a line for each value: quoted for bash, with a tab and what it is for the others
 */
export function answerCompletion(words: readonly string[], here: KnownHere): string {
  const [kind = '', ...rest] = words;
  const { shell, breaks, line } = readRequest(rest);
  if (!isKind(kind)) return '';
  const typed = shell === 'bash' ? readShellLine(line.join(' '), breaks) : undefined;
  const found = ANSWERS[kind](readQuestion(typed?.words ?? line, here)).filter(isShowable);
  return typed === undefined ? found.map(described).join('') : finishing(found, typed).join('');
}

function isKind(text: string): text is LiveKind {
  return Object.hasOwn(ANSWERS, text);
}

interface Request {
  readonly shell: string;
  readonly breaks: string;
  readonly line: readonly string[];
}

function readRequest(words: readonly string[]): Request {
  const end = words.indexOf('--');
  const own = end === -1 ? words : words.slice(0, end);
  return {
    shell: flagValue(own, '--shell') ?? '',
    breaks: flagValue(own, '--breaks') ?? '',
    line: end === -1 ? words : words.slice(end + 1),
  };
}

function readQuestion(words: readonly string[], here: KnownHere): Question {
  const profile = flagValue(words, '--profile');
  const checkoutUrl = flagValue(words, '--checkout-url');
  const settings = here.settings({
    ...(profile === undefined ? {} : { profile }),
    ...(checkoutUrl === undefined ? {} : { checkoutUrl }),
  });
  const known = here.remembered(settings);
  const isOfHost = known?.host === settings.checkoutUrl;
  return {
    words,
    here,
    settings,
    remembered:
      known === undefined || isOfHost
        ? known
        : { ...known, brands: {}, families: {}, coins: [], products: [] },
    country: flagValue(words, '--country')?.trim().toLowerCase(),
    brand: flagValue(words, '--brand'),
  };
}

/** The last one counts, as for the program itself. */
function flagValue(words: readonly string[], flag: string): string | undefined {
  const at = words.findLastIndex((word) => word === flag || word.startsWith(`${flag}=`));
  if (at === -1) return undefined;
  return words[at] === flag ? words[at + 1] : words[at]?.slice(flag.length + 1);
}

function namesOf(
  { settings, here, remembered, country = settings.countryCode }: Question,
  of: 'brands' | 'families',
  nameOf: (brand: { readonly name: string; readonly family: string }) => string,
): readonly string[] {
  if (settings.isEmbedded) return [...new Set(here.embedded.brands(country).map(nameOf))];
  return remembered?.[of][country] ?? [];
}

/** Of the brand that the line names; without one, those that were looked at last. */
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
  return (remembered?.products ?? [])
    .filter((product) => country === undefined || product.country === country)
    .filter((product) => brand === undefined || product.brand === brand)
    .map((product) => ({ value: product.id, what: `${product.brand} ${product.label}`.trim() }));
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

function splitLine(line: string): Candidate {
  const [value = '', what = ''] = line.split('\t');
  return { value, what };
}

/** What would have to be spelled on a terminal is not offered: nobody could check what was chosen. */
function isShowable({ value, what }: Candidate): boolean {
  return value !== '' && escapeText(value) === value && escapeText(what) === what;
}

function described({ value, what }: Candidate): string {
  return what === '' ? `${value}\n` : `${value}\t${what}\n`;
}

/** In bash's own words: those that begin as it was typed, or else so but for their case. */
function finishing(found: readonly Candidate[], line: ShellLine): readonly string[] {
  const { current, kept, quote } = line;
  const exact = found.filter(({ value }) => value.startsWith(current));
  const begun = current.toLowerCase();
  const like = found.filter(({ value }) => value.toLowerCase().startsWith(begun));
  return (exact.length > 0 ? exact : like).map(
    ({ value }) => `${quoteForLine(value.slice(kept), quote)}\n`,
  );
}
