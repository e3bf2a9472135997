/** The wallet that the user named. Its modules are loaded on first use, since most commands need none. */

import { once } from '../domain/attempt.ts';
import type { Clock } from '../domain/clock.ts';
import type { Message, Said } from '../domain/message/message.ts';
import type { Signer } from '../rails/rail.ts';
import type { Passphrases, SecretPlace } from './passphrase.ts';
import type { WalletDeps, Wallets } from './wallets.ts';

export interface WalletOptions {
  /** A program that signs instead of a key file. */
  readonly signer:
    | { readonly command: readonly string[]; readonly address: string | undefined }
    | undefined;
  /** Where the passphrase is, by flags and settings. */
  readonly passphrase: SecretPlace;
  /** Value of SCRIP_PASSPHRASE. */
  readonly environmentPassphrase: string | undefined;
  /** Environment for the signer command, without that passphrase. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly mayPrompt: boolean;
  /** Whether a person reads standard error; false when it must be one JSON object. */
  readonly isHeard: boolean;
  readonly stdin: () => AsyncIterable<unknown>;
  /** Makes a question safe to print. */
  readonly printable: (text: Said) => string;
  readonly random: (length: number) => Uint8Array;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export function lazyWallets(options: WalletOptions): Wallets {
  const load = once(() => build(options));
  const opened = new Map<string, Promise<Signer>>();
  return {
    create: async (path, ...input) => {
      const written = await (await load()).create(path, ...input);
      // An earlier `open` may have failed because the file was missing.
      opened.clear();
      return written;
    },
    import: async (...input) => (await load()).import(...input),
    encrypt: async (...input) => (await load()).encrypt(...input),
    changePassphrase: async (...input) => (await load()).changePassphrase(...input),
    addressAt: async (path) => (await load()).addressAt(path),
    reveal: async (...input) => (await load()).reveal(...input),
    // Open each path only once: the passphrase is asked for, or the pipe read, one time.
    open: (path) => {
      const signer = opened.get(path) ?? load().then((wallets) => wallets.open(path));
      opened.set(path, signer);
      return signer;
    },
    namespaces: async (path) => (await load()).namespaces(path),
    openOn: async (path, namespace) => (await load()).openOn(path, namespace),
  };
}

async function build(options: WalletOptions): Promise<Wallets> {
  const { createWallets } = await import('./wallets.ts');
  return createWallets(await toolsOf(options));
}

async function toolsOf(options: WalletOptions): Promise<WalletDeps> {
  const { random, clock, signal, mayPrompt, stdin, printable } = options;
  const { createPassphrases } = await import('./passphrase.ts');
  const readFd = async (fd: number): Promise<Buffer> =>
    (await import('./descriptor.ts')).readDescriptor(fd, stdin());
  const askHidden = async (question: Message): Promise<string> =>
    (await import('./terminal.ts')).askHidden(printable(question), signal);
  const asking = mayPrompt ? { askHidden } : {};
  const environment = options.environmentPassphrase;
  const passphrases = (place: SecretPlace, given?: string): Passphrases =>
    createPassphrases({ place, readFd, ...asking, environment: given });
  const external = externalOf(options);
  return {
    // An empty variable counts as unset.
    passphrases: passphrases(options.passphrase, environment || undefined),
    passphrasesAt: (place) => passphrases(place),
    readFd,
    askHidden: mayPrompt ? askHidden : undefined,
    random,
    clock,
    signal,
    ...(external === undefined ? {} : { external }),
  };
}

function externalOf(options: WalletOptions): (() => Promise<Signer>) | undefined {
  const { signer, env, clock, signal, isHeard } = options;
  if (signer === undefined) return undefined;
  return async () => {
    const { externalSigner } = await import('./external-signer.ts');
    return externalSigner({ ...signer, env, clock, signal, isHeard });
  };
}
