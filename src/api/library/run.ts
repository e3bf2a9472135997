/** Runs library calls: each has its own signal and progress, and ends when the instance is closed. */

import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import type { Signer } from '../../rails/rail.ts';
import { untilAborted } from '../http/deadline.ts';
import { stopped } from '../http/pause.ts';
import type { ScripDeps } from '../scrip.ts';
import type { CallOptions } from './public.ts';

export interface RunOptions extends CallOptions {
  readonly onStep?: ((step: string) => void) | undefined;
}

/** Dependencies that the calls of an instance share. */
export interface InstanceDeps extends Omit<ScripDeps, 'signal' | 'progress'> {
  /** Allows many listeners on one signal; Node warns of a leak from the eleventh on. */
  shareSignal(signal: AbortSignal): void;
}

/** The calls of one instance. */
export function createRuns({ shareSignal, ...deps }: InstanceDeps) {
  const closing = new AbortController();
  shareSignal(closing.signal);
  const underWay = new Set<Promise<unknown>>();
  const begin = (options: RunOptions): { readonly deps: ScripDeps } & Call => {
    const call = joined(closing.signal, options.signal);
    for (const signal of [call.signal, options.signal]) if (signal) shareSignal(signal);
    return { ...call, deps: depsOf(deps, call.signal, options) };
  };
  const keep = async <T>(work: Promise<T>): Promise<T> => {
    underWay.add(work);
    try {
      return await work;
    } finally {
      underWay.delete(work);
    }
  };
  return {
    /**
     * Runs a verb with dependencies that respect its signal.
     * @throws {ScripError} INTERRUPTED when it is aborted or the instance is closed
     */
    async run<T>(options: RunOptions, work: (deps: ScripDeps) => Promise<T>): Promise<T> {
      const call = begin(options);
      try {
        call.deps.signal.throwIfAborted();
        return await keep(work(call.deps));
      } catch (error) {
        throw forProgram(error);
      } finally {
        call.end();
      }
    },
    /** The same for results that are read piece by piece. */
    async *stream<T>(
      options: RunOptions,
      work: (deps: ScripDeps) => AsyncIterable<T>,
    ): AsyncGenerator<T> {
      const call = begin(options);
      try {
        call.deps.signal.throwIfAborted();
        yield* work(call.deps);
      } catch (error) {
        throw forProgram(error);
      } finally {
        call.end();
        call.stop();
      }
    },
    /** Aborts the calls in progress and waits for them. */
    async close(): Promise<void> {
      closing.abort(stopped(t`Stopped: the instance is closed`, undefined));
      await Promise.allSettled(underWay);
    },
  };
}

interface Call {
  /** Its reason is one of our errors. */
  readonly signal: AbortSignal;
  /** Stops listening to the caller's signal. */
  end(): void;
  stop(): void;
}

function joined(closing: AbortSignal, asked: AbortSignal | undefined): Call {
  const inner = new AbortController();
  const stop = (): void => inner.abort(stopped(t`Stopped by the caller`, asked?.reason));
  const close = (): void => inner.abort(closing.reason);
  asked?.addEventListener('abort', stop, { once: true });
  closing.addEventListener('abort', close, { once: true });
  if (asked?.aborted === true) stop();
  if (closing.aborted) close();
  return {
    signal: inner.signal,
    stop,
    end: () => {
      asked?.removeEventListener('abort', stop);
      closing.removeEventListener('abort', close);
    },
  };
}

function depsOf(
  deps: Omit<ScripDeps, 'signal' | 'progress'>,
  signal: AbortSignal,
  { onStep }: RunOptions,
): ScripDeps {
  const known = new Map<Signer, Signer>();
  const heeding = (own: Signer): Signer => {
    // A device or a service may take long, or never answer.
    const sign: Signer['sign'] = (message) => untilAborted(signal, () => own.sign(message));
    const signer = { address: own.address, sign };
    known.set(signer, own);
    return signer;
  };
  return {
    ...deps,
    signal,
    progress: { step: (text) => notify(onStep, String(text)), done: () => undefined },
    signer: async () => heeding(await deps.signer()),
    payer: async (network) => heeding(await deps.payer(network)),
    // Pass the wallet's own signer, so that the vault derives its key once per wallet, not per call.
    vault: (signer) => deps.vault(known.get(signer) ?? signer),
  };
}

/** Reports a step; an error of the listener must not interrupt a payment. */
function notify(onStep: RunOptions['onStep'], step: string): void {
  try {
    onStep?.(step);
  } catch {
    // The listener's error is not ours.
  }
}

/** What the library calls flags of the command line, unless by the same name: `--max-amount` is `maxAmount`. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  '--rpc-url-2': 'witnessRpcUrl',
  '--keypair': 'wallet',
  '--partner-secret-file': 'partnerSecret',
  '--lang': 'language',
};
const SAME_NAMES =
  /^--(?:max-amount|idempotency-key|allow-duplicate|allow-other-country|note|country|brand|value|to|email|checkout-url|api-url|rpc-url|base-rpc-url|network|partner-id)$/;

/**
 * Makes the hint of an error a text, since Node prints the fields of an error that a program does not catch. It
 * names options of the library; commands in it stay those of the command line.
 */
export function forProgram(error: unknown): unknown {
  if (!(error instanceof ScripError)) return error;
  const said = String(error.hint);
  const hint = said.replace(/\bscrip [^.;:]*|--[a-z][\w-]*/g, optionName);
  error.stack = error.stack?.replace(`\nhint: ${said}`, () => `\nhint: ${hint}`) ?? '';
  return Object.defineProperty(error, 'hint', { value: hint });
}

function optionName(found: string): string {
  const own = OTHER_NAMES[found];
  if (own !== undefined || !SAME_NAMES.test(found)) return own ?? found;
  return found.slice(2).replace(/-./g, ([, letter = '']) => letter.toUpperCase());
}

/** Rejects unknown options: a misspelled limit would otherwise not apply. @throws {ScripError} USAGE */
export function checkKeys(verb: string, options: object, known: readonly string[]): void {
  const strange = Object.keys(options).find((key) => !known.includes(key));
  if (strange === undefined) return;
  throw new ScripError('USAGE', t`${verb} has no option "${strange}"`, {
    details: { option: strange, options: known },
  });
}
