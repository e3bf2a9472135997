/** Reads a secret that another program passes on a file descriptor: a pipe, a socket or a file. */

import { fstatSync, readSync } from 'node:fs';
import { Socket } from 'node:net';
import { isatty } from 'node:tty';
import { ScripError } from '../domain/message/errors.ts';
import { type Message, t } from '../domain/message/message.ts';

const MAX_BYTES = 4_096;

const STDIN_FD = 0;

/**
 * Reads a descriptor to its end.
 * @param stdin standard input, which the runtime has already opened
 * @throws {ScripError} INPUT_INVALID when it is not open for reading, is a terminal (which would show what is
 * typed), or has more than 4,096 bytes
 */
export async function readDescriptor(fd: number, stdin: AsyncIterable<unknown>): Promise<Buffer> {
  if (isatty(fd)) {
    throw new ScripError(
      'INPUT_INVALID',
      t`Descriptor ${fd} is a terminal and would show what you type`,
      {
        hint: t`Leave the flag out: scrip then asks for it and hides what you type.`,
      },
    );
  }
  const bytes = await readOpen(fd, stdin);
  if (bytes.length <= MAX_BYTES) return bytes;
  bytes.fill(0);
  throw invalid(fd, t`holds more than ${MAX_BYTES} bytes`);
}

async function readOpen(fd: number, stdin: AsyncIterable<unknown>): Promise<Buffer> {
  const isFile = isRegular(fd);
  try {
    if (fd === STDIN_FD) return await readStream(stdin);
    if (isFile) return readWhole(fd);
    return await readStream(new Socket({ fd, readable: true, writable: false }));
  } catch (cause) {
    throw invalid(fd, t`cannot be read`, cause);
  }
}

/**
 * Whether it is a regular file. Rejects other kinds than file, pipe and socket: such descriptors may belong
 * to the runtime.
 */
function isRegular(fd: number): boolean {
  try {
    const stats = fstatSync(fd);
    if (stats.isFile() || stats.isFIFO() || stats.isSocket()) return stats.isFile();
  } catch (cause) {
    throw invalid(fd, t`is not open`, cause);
  }
  throw invalid(fd, t`is neither a pipe nor a file`);
}

function readWhole(fd: number): Buffer {
  const bytes = Buffer.alloc(MAX_BYTES + 1);
  return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, null));
}

/** Reads at most one chunk beyond the limit. */
async function readStream(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    if (!Buffer.isBuffer(chunk)) continue;
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_BYTES) break;
  }
  const whole = Buffer.concat(chunks);
  for (const chunk of chunks) chunk.fill(0);
  return whole;
}

function invalid(fd: number, why: Message, cause?: unknown): ScripError {
  return new ScripError('INPUT_INVALID', t`Descriptor ${fd} ${why}`, { cause });
}
