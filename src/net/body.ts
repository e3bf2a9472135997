/** Reads a response body: decompressed, and never more bytes than allowed. */

import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { errorCode, ScripError } from '../domain/message/errors.ts';
import { t } from '../domain/message/message.ts';

interface BodyOptions {
  /** The `content-encoding` header. */
  readonly encoding: string | undefined;
  /** Counted after decompression, so that a small compressed body cannot fill the memory. */
  readonly maxBytes: number;
  /** The host, for error messages. */
  readonly source: string;
  readonly signal: AbortSignal | undefined;
  /** The error to throw when the connection ends early. */
  readonly onBroken: (cause: unknown) => ScripError;
}

/**
 * Yields the decompressed body; leaving the loop early closes the connection.
 * @throws {ScripError} MERCHANT_REPLY_INVALID when it is too long or cannot be decompressed, and the error of
 * `onBroken` when the connection ends early
 */
export async function* readBody(
  response: IncomingMessage,
  options: BodyOptions,
): AsyncIterable<Uint8Array> {
  const { signal } = options;
  const abort = (): void => {
    response.destroy();
  };
  signal?.addEventListener('abort', abort, { once: true });
  let count = 0;
  try {
    signal?.throwIfAborted();
    for await (const chunk of await decoded(response, options)) {
      count += chunk.length;
      if (count > options.maxBytes) throw tooLong(options);
      yield chunk;
    }
  } catch (cause) {
    throw explain(cause, options);
  } finally {
    signal?.removeEventListener('abort', abort);
    if (!response.complete) response.destroy();
  }
}

async function decoded(
  response: IncomingMessage,
  options: BodyOptions,
): Promise<AsyncIterable<Uint8Array>> {
  const encoding = options.encoding?.toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '') return response;
  const decoder = await decoderFor(encoding);
  if (!decoder) {
    throw new ScripError(
      'MERCHANT_REPLY_INVALID',
      t`${options.source} compressed its response as "${encoding}", which was not requested`,
    );
  }
  response.once('error', (cause) => decoder.destroy(cause));
  return response.pipe(decoder);
}

async function decoderFor(encoding: string): Promise<Transform | undefined> {
  const zlib = await import('node:zlib');
  const decoders: Readonly<Record<string, () => Transform>> = {
    gzip: zlib.createGunzip,
    'x-gzip': zlib.createGunzip,
    deflate: zlib.createInflate,
    br: zlib.createBrotliDecompress,
  };
  return decoders[encoding]?.();
}

function explain(cause: unknown, options: BodyOptions): unknown {
  if (options.signal?.aborted) return options.signal.reason;
  if (cause instanceof ScripError) return cause;
  if (!isUnpacking(cause)) return options.onBroken(cause);
  return new ScripError(
    'MERCHANT_REPLY_INVALID',
    t`The response of ${options.source} could not be decompressed`,
    { cause },
  );
}

/** zlib errors have codes of their own; any other error comes from the connection. */
function isUnpacking(cause: unknown): boolean {
  return /^(Z_|ERR__?ZLIB|ERR_BROTLI|ERR__ERROR_)/.test(errorCode(cause) ?? '');
}

function tooLong(options: BodyOptions): ScripError {
  return new ScripError(
    'MERCHANT_REPLY_INVALID',
    t`The response of ${options.source} is longer than ${options.maxBytes} bytes`,
    { details: { max_bytes: options.maxBytes } },
  );
}
