/**
 * `scrip wallet import`: copies a key from elsewhere. The secret comes from a file, never from the command
 * line.
 */

import type { Command } from 'commander';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { refuseSecretWord } from '../../domain/secret-word.ts';
import type { Derivation } from '../../wallet/derivation.ts';
import type { SecretPlace } from '../../wallet/passphrase.ts';
import { addExamples, addOptions, type Bind, type FlagsOf } from '../command.ts';
import type { With } from '../context.ts';
import type { View } from '../output/view.ts';
import { parseDescriptor } from '../settings/settings.ts';
import { isEncryptionMeant, keyFile, keyFileView, WEAK_OK } from './wallet-keys.ts';

const OPTIONS = {
  '--from-fd <n>': 'file descriptor to read it from',
  '--account <n>': "for a recovery phrase: the key at m/44'/501'/<n>'/0'",
  '--path <path>': "for a recovery phrase: the key at this path (m/44'/501'/0'/0')",
  '--no-derivation':
    'for a recovery phrase: the key without a derivation path, as in solana-keygen',
  '--phrase-passphrase-file <file>': 'passphrase of the phrase itself (BIP39)',
  '--seed': '32 bytes in base58 are a seed, not an address',
  '--encrypt': 'encrypt the copy with a passphrase; --passphrase-file implies it',
  ...WEAK_OK,
} as const;

type ImportOptions = FlagsOf<typeof OPTIONS>;

export function declareImport(command: Command, bind: Bind): void {
  const imported = addOptions(command.command('import'), OPTIONS)
    .description(
      'copy a key: Solana CLI file, base58, recovery phrase, encrypted key file; for Base hex or a keystore (version 3)',
    )
    .argument('[file]', 'file with the key; - is standard input (default: ask)')
    // Accepts a typed recovery phrase, in order to refuse it with an explanation.
    .allowExcessArguments()
    .action((_file: string | undefined, options: ImportOptions) =>
      bind((context) => importKey(context, imported.args, options)),
    );
  addExamples(imported, [
    'wallet import ~/.config/solana/id.json',
    'wallet import --encrypt',
    'wallet import phrase.txt --account 1',
    'wallet import - < key.txt',
  ]);
}

async function importKey(
  context: With<'settings' | 'keys'>,
  words: readonly string[],
  options: ImportOptions,
): Promise<View> {
  refuseSecretWord(words);
  if (words.length > 1) {
    throw new ScripError('USAGE', t`Import one file at a time; ${words.length} were given`);
  }
  const path = keyFile(context);
  const derivation = await chosenDerivation(options);
  const { phrasePassphraseFile } = options;
  const imported = await context.keys.wallets
    .import(path, {
      place: placeOf(words[0], options.fromFd),
      isSeed: options.seed === true,
      isEncrypted: isEncryptionMeant(context, options.encrypt),
      isWeakOk: options.weakOk === true,
      ...(derivation === undefined ? {} : { derivation }),
      ...(phrasePassphraseFile === undefined ? {} : { phrasePassphraseFile }),
    })
    .catch(misnamed);
  return keyFileView(path, imported);
}

function placeOf(file: string | undefined, fd: string | undefined): SecretPlace {
  if (file !== undefined && fd !== undefined) {
    throw new ScripError('USAGE', t`Name either a file or --from-fd, not both`);
  }
  if (fd !== undefined) return { fd: parseDescriptor(fd, '--from-fd') };
  return file === undefined ? {} : { file };
}

/** Returns the chosen derivation. @throws {ScripError} USAGE for more than one option, INPUT_INVALID */
async function chosenDerivation(options: ImportOptions): Promise<Derivation | undefined> {
  const { account, path, derivation } = options;
  const named = [account !== undefined, path !== undefined, !derivation].filter(Boolean);
  if (named.length > 1) {
    throw new ScripError('USAGE', t`Use only one of --account, --path and --no-derivation`);
  }
  if (!derivation) return { kind: 'none' };
  const { accountPath, parsePath } = await import('../../wallet/derivation.ts');
  if (path !== undefined) return parsePath(path);
  if (account === undefined) return undefined;
  if (/^\d{1,10}$/.test(account)) return accountPath(Number(account));
  throw new ScripError('INPUT_INVALID', t`The account "${account}" is not a number`);
}

/** The missing file is the one to import, so don't suggest creating a wallet. */
function misnamed(error: unknown): never {
  if (!(error instanceof ScripError) || error.code !== 'WALLET_MISSING') throw error;
  const { code, sentence } = error;
  throw new ScripError(code, sentence, { cause: error, hint: t`Check the path of the key file.` });
}
