/** The wallet of an instance of `library.ts`: a key file, a signer of the program, or the sandbox's own. */

import { resolve } from 'node:path';
import type { KeyFile, ScripOptions, WalletOptions } from './api/library/public.ts';
import { type EmbeddedService, random } from './compose.ts';
import { USDC_DECIMALS } from './contract/usdc.ts';
import { ScripError } from './domain/errors.ts';
import { t } from './domain/message.ts';
import { parseDecimal } from './domain/money.ts';
import { systemClock as clock } from './net/clock.ts';
import type { PayerRail, Signer } from './rails/rail.ts';
import type { Passphrases } from './wallet/passphrase.ts';
import type { PlayMarks } from './wallet/play-marks.ts';
import type { Wallets } from './wallet/wallets.ts';

export interface Folders {
  /** Undefined if the options name none: buying is then impossible. */
  readonly journal: string | undefined;
  /** Where test-money wallets are marked; undefined without a sandbox. */
  readonly playMarks: string | undefined;
  /** Key file of the sandbox's own wallet. */
  readonly ownKey: string | undefined;
}

/** USDC that the sandbox's own wallet receives, and lamports for the fees of its own transactions. */
const OWN_FUNDS = '1000';
const LAMPORTS = 1_000_000_000n;

interface WalletParts {
  readonly folders: Folders;
  readonly playMarks: PlayMarks;
  readonly embedded: EmbeddedService | undefined;
  readonly rail: () => Promise<PayerRail>;
}

/**
 * Opens the wallet and, in a sandbox, funds it.
 * @throws {ScripError} WALLET_MISSING and the other codes of a key file; USAGE without a journal
 */
export async function openWallet(
  { wallet, sandbox }: ScripOptions,
  { folders, playMarks, embedded, rail }: WalletParts,
): Promise<Signer> {
  if (folders.journal === undefined) {
    throw new ScripError('USAGE', t`Buying needs a journal folder`, {
      hint: t`Pass journal: a folder that all runs of this program share.`,
    });
  }
  const signer = await signerOf(wallet, folders.ownKey);
  const fund = sandbox?.fund ?? (wallet === undefined ? OWN_FUNDS : undefined);
  if (embedded === undefined || fund === undefined) return signer;
  const { address } = signer;
  const wanted = parseDecimal(fund, USDC_DECIMALS);
  await playMarks.add(address);
  const held = (await (await rail()).balances(address)).usdcAtomic ?? 0n;
  if (held < wanted) {
    await (await embedded.open()).fund(address, { usdcAtomic: wanted - held, lamports: LAMPORTS });
  }
  return signer;
}

async function signerOf(
  wallet: WalletOptions | undefined,
  ownKey: string | undefined,
): Promise<Signer> {
  if (wallet !== undefined && 'sign' in wallet) {
    const { givenSigner } = await import('./wallet/given-signer.ts');
    return givenSigner(wallet);
  }
  const keyFile = wallet?.keyFile ?? ownKey;
  if (keyFile === undefined) {
    throw new ScripError('WALLET_MISSING', t`No wallet is set`, {
      hint: t`Pass wallet: { keyFile } or { address, sign }.`,
    });
  }
  const path = resolve(keyFile);
  const wallets = await openWallets(wallet?.passphrase);
  if (wallet === undefined && (await wallets.addressAt(path)) === undefined) {
    await makeOwn(wallets, path);
  }
  return wallets.open(path);
}

/** If two instances create the sandbox's key at once, the second one uses the key of the first. */
async function makeOwn(wallets: Wallets, path: string): Promise<void> {
  try {
    await wallets.create(path, { isEncrypted: false, isWeakOk: false });
  } catch (error) {
    if (!(error instanceof ScripError) || error.code !== 'WALLET_EXISTS') throw error;
  }
}

async function openWallets(passphrase: KeyFile['passphrase']): Promise<Wallets> {
  const [{ createWallets }, { createPassphrases }] = await Promise.all([
    import('./wallet/wallets.ts'),
    import('./wallet/passphrase.ts'),
  ]);
  const readFd = async (): Promise<Buffer> => {
    throw new ScripError('PASSPHRASE_REQUIRED', t`The library does not read file descriptors`);
  };
  const told = async (): Promise<Passphrases> => {
    const text = typeof passphrase === 'function' ? await passphrase() : passphrase;
    return createPassphrases({
      place: {},
      readFd,
      ...(text === undefined ? {} : { environment: text }),
    });
  };
  const passphrases: Passphrases = {
    isAsked: false,
    current: async (question) => (await told()).current(question),
    fresh: async (question, options) => (await told()).fresh(question, options),
  };
  return createWallets({
    passphrases,
    passphrasesAt: () => passphrases,
    readFd,
    askHidden: undefined,
    random,
    clock,
    signal: new AbortController().signal,
  });
}
