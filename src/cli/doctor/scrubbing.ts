/** Takes out of a text what is of one person: who they are, where they are, and what they hold. */

export interface Surroundings {
  /** The user's home folder. */
  readonly home: string;
  /** Texts that are to be shown as others, such as a host with a key in its name. */
  readonly hidden: ReadonlyMap<string, string>;
}

type Rule = readonly [what: RegExp, by: string | ((found: string) => string)];

/** Shorter folder names are too common to identify a user. */
const LEAST_NAME = 3;
const SHOWN = 4;

/** In this order: what one rule leaves the next ones read. */
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
  // Addresses of wallets and mints are told apart by their ends; keys are longer.
  [/(?<![A-Za-z0-9])[1-9A-HJ-NP-Za-km-z]{32,44}(?![A-Za-z0-9])/g, ends],
  // Ids of orders and sessions, tokens, hashes, keys: long, and no words.
  [/[A-Za-z0-9_+/=-]{20,}/g, (found) => (isWords(found) ? found : '<id>')],
];

/** The host alone: a path, a query or a user name may hold a key. */
function originOf(address: string): string {
  if (!URL.canParse(address)) return '<address>';
  const { origin, pathname, search, username, hash } = new URL(address);
  const isBare = `${pathname}${search}${hash}${username}` === '/';
  return isBare ? origin : `${origin}/…`;
}

function ends(address: string): string {
  return `${address.slice(0, SHOWN)}…${address.slice(-SHOWN)}`;
}

/** Names of variables and codes, paths of words: without digits, but for a switch. */
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

/** The same value with every text in it scrubbed; names of fields are ours and stay. */
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
