/** Removes personal data from a text: names, places, ids, and what a user owns. */

export interface Surroundings {
  /** The user's home folder. */
  readonly home: string;
  /** Replacements for certain texts, such as a host with a key in its name. */
  readonly hidden: ReadonlyMap<string, string>;
}

type Rule = readonly [what: RegExp, by: string | ((found: string) => string)];

/** Shorter folder names are too common to identify a user. */
const LEAST_NAME = 3;
const SHOWN = 4;

/** Applied in this order: each rule sees the result of the one before. */
function rulesFor({ home, hidden }: Surroundings): readonly Rule[] {
  const name = home.split(/[\\/]/).at(-1) ?? '';
  const own: readonly Rule[] = [
    ...[...hidden].map(([text, shown]) => [literal(text), () => shown] as const),
    ...(home.length > 1 ? [[literal(home), '~'] as const] : []),
    ...(name.length >= LEAST_NAME
      ? [[new RegExp(`(?<=[\\\\/])${escaped(name)}(?![A-Za-z0-9])`, 'g'), '~'] as const]
      : []),
  ];
  return [...own, ...RULES];
}

const RULES: readonly Rule[] = [
  // Home folders of other users too.
  [/(\/home|\/Users|[A-Za-z]:\\Users)[\\/][^\\/\s"']+/g, '~'],
  [/\b(?:https?|wss?):\/\/[^\s"'<>]+/g, originOf],
  [/[^\s"'<>@:,;()]+@[^\s"'<>@,;()]+/g, '<email>'],
  [/\bwhsec_[A-Za-z0-9+/=]+/g, '<secret>'],
  [/\+\d{7,15}\b/g, '<phone>'],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '<id>'],
  // Wallet and mint addresses keep their ends, so that they can be told apart; keys are longer.
  [/(?<![A-Za-z0-9])[1-9A-HJ-NP-Za-km-z]{32,44}(?![A-Za-z0-9])/g, ends],
  // Order and session ids, tokens, hashes, keys: long, and not made of words.
  [/[A-Za-z0-9_+/=-]{20,}/g, (found) => (isWords(found) ? found : '<id>')],
];

/** Shows only the origin: a path, query or user name may hold a key. */
function originOf(address: string): string {
  if (!URL.canParse(address)) return '<address>';
  const { origin, pathname, search, username, hash } = new URL(address);
  const isBare = `${pathname}${search}${hash}${username}` === '/';
  return isBare ? origin : `${origin}/…`;
}

function ends(address: string): string {
  return `${address.slice(0, SHOWN)}…${address.slice(-SHOWN)}`;
}

/** Names of variables and codes, and paths made of words: no digits, except `=0` or `=1` at the end. */
function isWords(text: string): boolean {
  return (
    !/\d/.test(text.replace(/=[01]$/, '')) &&
    text.split(/[_/=+-]/).every((word) => word.length < 20)
  );
}

function literal(text: string): RegExp {
  return new RegExp(`${escaped(text)}(?![A-Za-z0-9])`, 'g');
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** Returns the value with every text in it scrubbed. Field names are ours and stay. */
export function scrubbed(value: unknown, around: Surroundings): unknown {
  const rules = rulesFor(around);
  const scrub = (part: unknown): unknown => {
    if (typeof part === 'string') return rules.reduce(applied, part);
    if (typeof part !== 'object' || part === null) return part;
    if (Array.isArray(part)) return part.map(scrub);
    return Object.fromEntries(Object.entries(part).map(([name, field]) => [name, scrub(field)]));
  };
  return scrub(value);
}

function applied(text: string, [what, by]: Rule): string {
  return typeof by === 'string'
    ? text.replaceAll(what, by)
    : text.replaceAll(what, (found) => by(found));
}
