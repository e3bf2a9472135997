/**
 * A signer that runs a program of the user: a device, a vault, an agent. It receives only the messages to
 * sign.
 */

import { spawn } from 'node:child_process';
import { isAbsolute } from 'node:path';
import type { Clock } from '../domain/clock.ts';
import { errorCode, ScripError } from '../domain/message/errors.ts';
import { type Message, t } from '../domain/message/message.ts';
import type { Signer } from '../rails/rail.ts';
import { decodeBase58 } from '../rails/solana/address.ts';
import { algorithmOf, isSignedBy } from './algorithm.ts';

export interface SignerDeps {
  /** An absolute path and its arguments; run without a shell. */
  readonly command: readonly string[];
  /** If omitted, the command is asked for it. */
  readonly address?: string | undefined;
  /** Environment of the command. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Whether the command may write to the user: it then shares our standard error. */
  readonly isHeard: boolean;
}

const PROTOCOL_VERSION = 1;
const TIMEOUT_MS = 60_000;
const MAX_REPLY = 4_096;
/** Of Ed25519; of secp256k1 with the number that tells the public key. */
const SIGNATURE_BYTES: readonly (number | undefined)[] = [64, 65];
/** Exit status of a command whose user declined; the same as ours for declining. */
const DECLINED_STATUS = 7;

/**
 * Returns a signer that runs the command.
 * @throws {ScripError} SIGNER_FAILED, DECLINED, INTERRUPTED; INPUT_INVALID for a command that is not an
 * absolute path
 */
export async function externalSigner(deps: SignerDeps): Promise<Signer> {
  const address = deps.address ?? (await ask(deps, 'address', ''));
  if (algorithmOf(address) === undefined) {
    throw failed(t`its address is neither one of Solana nor one of an EVM network`);
  }
  return {
    address,
    sign: async (message) => {
      const request = {
        version: PROTOCOL_VERSION,
        address,
        message: Buffer.from(message).toString('base64'),
      };
      const reply = await ask(deps, 'sign', `${JSON.stringify(request)}\n`);
      const signature = readSignature(reply);
      // Check before use: the program must have signed this message with this key.
      if (!(await isSignedBy(address, message, signature))) {
        throw failed(t`its signature is not that of ${address} over the message`);
      }
      return signature;
    },
  };
}

/** Base64 of 64 or 65 bytes ends with padding characters, which base58 and hex do not have. */
function readSignature(reply: string): Uint8Array {
  const encoding = reply.startsWith('0x') ? 'hex' : 'base64';
  const text = reply.replace(/^0x/, '');
  const isBase58 = encoding === 'base64' && !reply.endsWith('=');
  const bytes = isBase58 ? base58(reply) : Buffer.from(text, encoding);
  if (SIGNATURE_BYTES.includes(bytes?.length)) return Uint8Array.from(bytes ?? []);
  throw failed(t`its reply is not a signature of 64 or 65 bytes in base58, base64 or hex`);
}

function base58(text: string): Uint8Array | undefined {
  try {
    return decodeBase58(text);
  } catch {
    return undefined;
  }
}

/** Runs the command once and returns its output, one line. */
async function ask(deps: SignerDeps, verb: 'address' | 'sign', input: string): Promise<string> {
  const { clock, signal } = deps;
  const [file = ''] = deps.command;
  if (!isAbsolute(file)) throw failed(t`"${file}" is not an absolute path`);
  const over = new AbortController();
  const late = clock.sleep(TIMEOUT_MS, AbortSignal.any([signal, over.signal])).then(
    () => {
      throw failed(t`it did not answer within ${TIMEOUT_MS / 1_000} s`);
    },
    () => {
      throw interrupted(signal.reason);
    },
  );
  try {
    // What loses the race is not heard: once the command has answered, the end of the wait is no error.
    return await Promise.race([run([...deps.command, verb], input, deps, over.signal), late]);
  } finally {
    over.abort();
  }
}

function interrupted(cause: unknown): ScripError {
  return new ScripError('INTERRUPTED', t`Stopped while waiting for the signer; nothing was sent`, {
    cause,
    fundsAtRisk: 'none',
    hint: t`Run the command again.`,
  });
}

function run(
  [file = '', ...args]: readonly string[],
  input: string,
  { env, isHeard }: SignerDeps,
  over: AbortSignal,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const stdio = ['pipe', 'pipe', isHeard ? 'inherit' : 'ignore'] as const;
    const child = spawn(file, args, { env: { ...env }, stdio: [...stdio] });
    let reply = '';
    over.addEventListener('abort', () => {
      child.kill('SIGKILL');
      child.stdout.destroy();
    });
    child.once('error', (cause) =>
      reject(failed(t`it cannot be run (${errorCode(cause) ?? t`unknown error`})`, cause)),
    );
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      reply += text;
      if (reply.length <= MAX_REPLY) return;
      reject(failed(t`it answered with more than ${MAX_REPLY} characters`));
    });
    child.once('close', (status, ended) => {
      if (status === 0) resolve(reply.trim());
      else reject(endedBadly(status, ended));
    });
    // Ignore write errors: a command may answer without reading its input.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

function endedBadly(status: number | null, ended: NodeJS.Signals | null): ScripError {
  if (status === DECLINED_STATUS) {
    return new ScripError('DECLINED', t`The signer command declined; nothing was sent`);
  }
  return failed(
    ended === null ? t`it ended with status ${status ?? 0}` : t`it was ended by ${ended}`,
  );
}

/** Never quotes the command's output: it may contain a secret. */
function failed(why: Message, cause?: unknown): ScripError {
  return new ScripError('SIGNER_FAILED', t`The signer command failed: ${why}`, { cause });
}
