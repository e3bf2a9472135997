/** Unique markers in every secret of a purchase, and the search for them in what was said and written. */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { encodeBase58 } from '../../src/rails/solana/address.ts';
import { recorded } from '../../src/rails/solana/seal.ts';
import { openJournal } from '../../src/records/journal-files.ts';
import { connect } from '../../src/store/sqlite-driver.ts';

export const MAIL = 'canary.receiver.q7x@example.com';
export const OWN_MAIL = 'canary.buyer.w3z@example.com';
export const PHONE = '+14155559900';
export const PASSPHRASE = 'canary passphrase k9f';
/** The part before the @ gives a person away as well; a number does without its plus. */
export const PEOPLE = [MAIL, OWN_MAIL].map((mail) => mail.replace(/@.*/, '')).concat('4155559900');

/** What a marker gives away. */
export const SECRETS = ['code', 'key', 'passphrase', 'person', 'session', 'payment'] as const;
export type Secret = (typeof SECRETS)[number];
export type Markers = Readonly<Record<Secret, readonly string[]>>;

/** What redeems goods, on either surface. */
const CODE_FIELDS: ReadonlySet<string> = new Set([
  'voucher_code',
  'pin_code',
  'pin_serial',
  'security_code',
]);
const LEAST_CODE_LENGTH = 4;

/** Every text of a document that redeems something. */
export function codesIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    CODE_FIELDS.has(name) && typeof inner === 'string' && inner.length >= LEAST_CODE_LENGTH
      ? [inner]
      : codesIn(inner),
  );
}

/** A key in every spelling in which it might be written down. */
export function spellings(secretKey: Uint8Array): readonly string[] {
  return [secretKey.slice(0, 32), secretKey].flatMap((bytes) => [
    encodeBase58(bytes),
    Buffer.from(bytes).toString('hex'),
    Buffer.from(bytes).toString('base64').replace(/=+$/, ''),
    Buffer.from(bytes).toString('base64url'),
    [...bytes].join(','),
    [...bytes].join(', '),
  ]);
}

export function found(text: string, markers: readonly string[]): readonly string[] {
  return markers.filter((marker) => marker !== '' && text.includes(marker));
}

/** The kinds of secrets that stand in a text, of those that must not. */
export function leaks(text: string, markers: Markers, kinds: readonly Secret[]): readonly string[] {
  return kinds.flatMap((kind) => found(text, markers[kind]).map((marker) => `${kind} ${marker}`));
}

/** A file that holds a secret because it has to. */
interface Holder {
  /** Below the home folder. */
  readonly path: RegExp;
  readonly holds: readonly Secret[];
  readonly because: string;
}

/** Every file that may hold a marker. What is not here holds none; what is here holds one. */
export const HOLDERS: readonly Holder[] = [
  {
    path: /^\.local\/share\/scrip\/wallets\/sandbox\.json$/,
    holds: ['key'],
    because: 'the wallet of play money is a key file in the Solana CLI format, mode 0600',
  },
  {
    path: /^passphrase-[a-z]+$/,
    holds: ['passphrase'],
    because: 'the file that --passphrase-file names is the user’s own',
  },
  {
    path: /^\.local\/state\/scrip\/journal\/\w+\/[0-9a-f]{64}\/(intent\.rec|attempt-\d+\.rec|fact-0-created\.rec|\.[0-9a-f-]{36}\.tmp)$/,
    holds: ['person', 'session', 'payment'],
    because:
      'after a crash the same request, session and signed bytes are sent again; a record half written is swept after an hour',
  },
  {
    path: /^shop\/sandbox\.db(-wal)?$/,
    holds: ['person', 'session', 'payment'],
    because: 'the merchant’s own books, which answer repeats; codes are sealed in them',
  },
];

export interface DiskSearch {
  /** `path: kind marker` of everything that stands where it must not, in names as in contents. */
  readonly leaks: readonly string[];
  /** Holders in which something was found. */
  readonly used: ReadonlySet<Holder>;
}

export function searchDisk(dir: string, markers: Markers): DiskSearch {
  const used = new Set<Holder>();
  const found = filesUnder(dir).flatMap((path) => {
    const name = relative(dir, path);
    const holder = HOLDERS.find((candidate) => candidate.path.test(name));
    const text = readFileSync(path, 'latin1');
    const allowed = holder?.holds ?? [];
    if (holder && leaks(text, markers, allowed).length > 0) used.add(holder);
    const forbidden = SECRETS.filter((kind) => !allowed.includes(kind));
    const inside = leaks(text, markers, forbidden);
    return [...inside, ...leaks(name, markers, SECRETS)].map((leak) => `${name}: ${leak}`);
  });
  return { leaks: found, used };
}

function filesUnder(dir: string): readonly string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .map((name) => join(dir, name))
    .filter((path) => statSync(path).isFile());
}

/** Sessions and signed payments, as the journals of wallets and the books of the shop have them. */
export async function paymentsOf(
  dir: string,
  payers: readonly string[],
): Promise<Pick<Markers, 'session' | 'payment'>> {
  const folder = join(dir, '.local/state/scrip/journal');
  const journals = payers.map((payer) => openJournal({ dir: folder, payer }).all());
  const attempts = (await Promise.all(journals)).flat().flatMap((entry) => entry.attempts);
  const { close, run } = await connect(join(dir, 'shop', 'sandbox.db'));
  const sessions = await run('select session_id from sessions');
  await close();
  return {
    session: sessions.map(({ session_id }) => String(session_id)),
    payment: attempts.flatMap((attempt) => [attempt.header, recorded(attempt).transaction]),
  };
}
