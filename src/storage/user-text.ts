/**
 * Reads a text that the user names: a file, a pipe or standard input. Limits its size, and stops on
 * a signal.
 */

import { closeSync, constants, createReadStream, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { errorCode } from '../domain/error-code.ts';
import { ScripError } from '../domain/errors.ts';
import { t } from '../domain/message.ts';

/** Ours: larger than any accepted cart, and quick to read. */
const MAX_MEBIBYTES = 16;
const MAX_BYTES = MAX_MEBIBYTES * 1_048_576;

interface Reading {
  readonly input: () => Readable;
  readonly signal: AbortSignal;
}

/** Reads the text. @param path `-` for standard input @throws {ScripError} INPUT_INVALID, INTERRUPTED */
export async function readUserText(path: string, { input, signal }: Reading): Promise<string> {
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
    throw new ScripError('INPUT_INVALID', t`${path} cannot be read`, { cause });
  } finally {
    signal.removeEventListener('abort', stop);
    source.destroy();
  }
}

async function readBounded(source: Readable, path: string): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of source) {
    const piece = Buffer.from(chunk);
    bytes += piece.length;
    if (bytes > MAX_BYTES) {
      const name = path === '-' ? t`standard input` : path;
      throw new ScripError('INPUT_INVALID', t`${name} holds more than ${MAX_MEBIBYTES} MiB`);
    }
    chunks.push(piece);
  }
  return Buffer.concat(chunks).toString('utf8');
}

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
    throw new ScripError('INPUT_INVALID', problem, { cause, hint: t`Check the path of the file.` });
  }
}
