/** Text files that the user names or that hold settings, and new files for secrets such as codes. */
import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  openSync,
  readFileSync,
  realpathSync,
} from 'node:fs';
import { Socket } from 'node:net';
import { dirname, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { commandText } from '../domain/message/command-text.ts';
import { errorCode, ScripError } from '../domain/message/errors.ts';
import { type Said, t } from '../domain/message/message.ts';
import { type FileRules, faultText, type RefusedFile, readChecked } from './checked-file.ts';

const SETTINGS: FileRules = {
  maxBytes: 65_536,
  isLinkFollowed: true,
  ownWithout: 0o022,
  isRootTrusted: true,
  isFolderChecked: true,
};

/**
 * Reads the settings; undefined if there are none. They name whom to pay and programs to run: others must not
 * be able to change them, or a link to them.
 * @throws {ScripError} INPUT_INVALID
 */
export function readSettingsFile(path: string): string | undefined {
  let text: string | undefined;
  for (const place of new Set([path, realPath(path)])) {
    const file = readChecked(place, SETTINGS);
    if (file.fault === undefined) text = file.bytes.toString('utf8');
    else if (file.fault !== 'missing') throw unsafe(place, file);
  }
  return text;
}

function unsafe(path: string, file: RefusedFile): ScripError {
  const opened = file.fault === 'open-folder' ? dirname(path) : path;
  return new ScripError('INPUT_INVALID', t`The settings file ${path} ${faultText(file)}`, {
    cause: file.cause,
    hint:
      file.fault === 'open-folder' || file.fault === 'exposed'
        ? commandText`Check what it says, then run: chmod go-w ${opened}`
        : t`Make it a regular file of your own, or move it away.`,
  });
}

/** Returns undefined if there is no file. @throws {ScripError} INPUT_INVALID */
function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return undefined;
    throw new ScripError('INPUT_INVALID', t`${path} cannot be read`, { cause });
  }
}

/** Reads a named file; undefined if no name is given. @throws {ScripError} INPUT_INVALID */
export function readNamed(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  const text = readIfThere(resolve(file));
  if (text === undefined) throw new ScripError('INPUT_INVALID', t`There is no file ${file}`);
  return text;
}

/** Resolves links; for a missing file, returns only the absolute path. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

/** Ours: larger than any accepted cart, and quick to read. */
const MAX_MEBIBYTES = 16;
const MAX_BYTES = MAX_MEBIBYTES * 1_048_576;

const CHECK_PATH = t`Check the path of the file.`;

/** Reads the text. @param path `-` for standard input @throws {ScripError} INPUT_INVALID, INTERRUPTED */
export async function readUserText(
  path: string,
  { input, signal }: { readonly input: () => Readable; readonly signal: AbortSignal },
): Promise<string> {
  const source = path === '-' ? input() : openNamed(path);
  const stop = (): void => {
    source.destroy(signal.reason);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    return await readBounded(source, path);
  } catch (cause) {
    if (cause instanceof ScripError) throw cause;
    throw new ScripError('INPUT_INVALID', t`${path} cannot be read`, { cause, hint: CHECK_PATH });
  } finally {
    signal.removeEventListener('abort', stop);
    source.destroy();
  }
}

async function readBounded(source: Readable, path: string): Promise<string> {
  const name = path === '-' ? t`standard input` : path;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of source) {
    const piece = Buffer.from(chunk);
    bytes += piece.length;
    if (bytes > MAX_BYTES) {
      throw new ScripError('INPUT_INVALID', t`${name} holds more than ${MAX_MEBIBYTES} MiB`);
    }
    chunks.push(piece);
  }
  return decoded(Buffer.concat(chunks), name);
}

/** Spreadsheets save "Unicode text" as UTF-16, and mark it. @throws {ScripError} INPUT_INVALID */
function decoded(bytes: Buffer, name: Said): string {
  const marked = MARKS.find(([mark]) => bytes.subarray(0, mark.length).equals(mark));
  const encoding = marked?.[1] ?? 'UTF-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ScripError('INPUT_INVALID', t`${name} is not valid ${encoding}`, {
      cause,
      hint: t`Save the file in UTF-8.`,
    });
  }
}

const MARKS = [
  [Buffer.from([0xff, 0xfe]), 'UTF-16LE'],
  [Buffer.from([0xfe, 0xff]), 'UTF-16BE'],
] as const;

/** Opens without blocking: a pipe without a writer would block the process, signals included. */
function openNamed(path: string): Readable {
  const file = openExisting(path);
  const stat = fstatSync(file);
  if (stat.isFIFO()) return new Socket({ fd: file, readable: true, writable: false });
  if (!stat.isCharacterDevice()) return createReadStream(path, { fd: file });
  closeSync(file);
  return createReadStream(path);
}

function openExisting(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    const problem =
      errorCode(cause) === 'ENOENT' ? t`There is no file ${path}` : t`${path} cannot be read`;
    throw new ScripError('INPUT_INVALID', problem, { cause, hint: CHECK_PATH });
  }
}
