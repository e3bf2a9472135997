/** Reads passphrases, and checks the strength of new ones. */

import { once } from '../domain/attempt.ts';
import { ScripError } from '../domain/message/errors.ts';
import { type Message, type Said, t } from '../domain/message/message.ts';
import { PASSPHRASE_FILE, readPrivateFile } from './private-file.ts';
import { type Secret, secretOf, takeText } from './secret.ts';

/** A descriptor or a file; `-` means standard input. No flag takes the passphrase itself. */
export interface SecretPlace {
  readonly fd?: number;
  readonly file?: string;
}

export interface PassphraseDeps {
  /** Named by flags; takes precedence over everything else. */
  readonly place: SecretPlace;
  /** Reads a descriptor to its end. @throws {ScripError} INPUT_INVALID */
  readonly readFd: (fd: number) => Promise<Buffer>;
  /** Asks in the terminal without showing the answer; undefined without a terminal. */
  readonly askHidden?: (question: Message) => Promise<string>;
  /** From the environment, or of the program that embeds this one; used last. */
  readonly environment?: string | (() => string | Promise<string>) | undefined;
}

export type Passphrases = ReturnType<typeof createPassphrases>;

const MIN_CHARACTERS = 12;
const STDIN_FD = 0;

export function createPassphrases(deps: PassphraseDeps) {
  // A pipe can be read only once.
  const named = once(() => readPlace(deps));
  const { askHidden, environment } = deps;
  const isNamed = isPlace(deps.place);
  const settled = async (): Promise<string> => {
    if (isNamed) return named();
    const given = typeof environment === 'function' ? await environment() : environment;
    if (given !== undefined) return checkLine(given, 'SCRIP_PASSPHRASE');
    throw new ScripError(
      'PASSPHRASE_REQUIRED',
      t`A passphrase is needed, and there is no terminal to ask for it`,
    );
  };
  const ask = isNamed ? undefined : askHidden;
  return {
    /** Whether a person is asked, who may try again. */
    isAsked: ask !== undefined,
    /** Returns the current passphrase. @throws {ScripError} PASSPHRASE_REQUIRED, INPUT_INVALID */
    current: async (question: Message) =>
      passphraseOf(ask === undefined ? await settled() : await ask(t`${question}: `)),
    /**
     * Returns a new passphrase: at least 12 characters, typed twice in a terminal.
     * @throws {ScripError} PASSPHRASE_WEAK, PASSPHRASE_REQUIRED, INPUT_INVALID
     */
    fresh: async (question: Message, { isWeakOk }: { readonly isWeakOk: boolean }) => {
      const text = ask === undefined ? await settled() : await askTwice(ask, question);
      return passphraseOf(isWeakOk ? text : checkStrength(text));
    },
  };
}

export function isPlace({ fd, file }: SecretPlace): boolean {
  return fd !== undefined || file !== undefined;
}

/**
 * Reads one line from a descriptor or file.
 * @throws {ScripError} INPUT_INVALID, WALLET_UNSAFE
 */
export async function readPlace({
  place: { fd, file },
  readFd,
}: Pick<PassphraseDeps, 'place' | 'readFd'>): Promise<string> {
  const from = fd ?? (file === '-' ? STDIN_FD : undefined);
  const source = from === undefined ? `${file}` : t`descriptor ${from}`;
  const bytes =
    from === undefined ? readPrivateFile(file ?? '', PASSPHRASE_FILE) : await readFd(from);
  const text = takeText(bytes);
  if (text === undefined) throw invalid(source, t`is not text in UTF-8`);
  // PowerShell writes a byte order mark, which nobody can type.
  return checkLine(text.replace(/^\uFEFF/, ''), source);
}

/** Removes one final line break, which editors add; it is not part of the passphrase. */
function checkLine(text: string, source: Said): string {
  const line = text.replace(/\r?\n$/, '');
  if (line === '') throw invalid(source, t`is empty`);
  if (/\p{Cc}/u.test(line)) throw invalid(source, t`has more than one line, or control characters`);
  return line;
}

async function askTwice(
  ask: (question: Message) => Promise<string>,
  question: Message,
): Promise<string> {
  const text = await ask(t`${question}: `);
  const again = await ask(t`${question}, again: `);
  if (text === again) return text;
  throw new ScripError('INPUT_INVALID', t`The two passphrases are not the same`, {
    hint: t`Run the command again.`,
  });
}

function checkStrength(text: string): string {
  const { length } = [...text.normalize('NFKC')];
  if (length >= MIN_CHARACTERS) return text;
  throw new ScripError(
    'PASSPHRASE_WEAK',
    t`A new passphrase needs at least ${MIN_CHARACTERS} characters`,
  );
}

/** Normalizes Unicode, since two keyboards may encode the same characters differently. */
export function passphraseOf(text: string): Secret {
  return secretOf(Buffer.from(text.normalize('NFKC'), 'utf8'));
}

function invalid(source: Said, why: Message): ScripError {
  return new ScripError('INPUT_INVALID', t`The passphrase of ${source} ${why}`);
}
