/** `scrip wallet new`, `encrypt`, `change-passphrase`, `export`, `mark-play`: creates, protects, exports and marks a key. */

import type { Command } from 'commander';
import { BASE, NETWORK_IDS, namespaceOf } from '../../contract/usdc.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Said, t } from '../../domain/message/message.ts';
import type { Signer } from '../../rails/rail.ts';
import { evmKeyPath } from '../../wallet/key-paths.ts';
import type { SecretPlace } from '../../wallet/passphrase.ts';
import type { ExportFormat } from '../../wallet/wallets.ts';
import { addExamples, addOptions, type Bind, type FlagsOf } from '../command.ts';
import type { With } from '../context.ts';
import { given, type RecordView, type View } from '../output/view.ts';
import type { KeyFileRecord, MarkRecord } from '../schemas/machine.ts';
import { moneyText } from '../settings/config-change.ts';
import { checkWalletFits, parseDescriptor } from '../settings/settings.ts';

/** Default amounts for funding a sandbox wallet, as decimals. */
export const PLAY_MONEY = { usdc: '100', sol: '1' } as const;

export const WEAK_OK = { '--weak-ok': 'allow a passphrase of fewer than 12 characters' } as const;

const NEW_OPTIONS = {
  '--encrypt': 'encrypt them with a passphrase; --passphrase-file and --passphrase-fd imply it',
  '--network <name>': { what: 'create only the key for this network', choices: ['base'] },
  '--phrase-file <file>': 'write the recovery phrase of both keys to a new file',
  ...WEAK_OK,
} as const;

const CHANGE_OPTIONS = {
  '--new-passphrase-file <file>': 'the new passphrase; - is standard input',
  '--new-passphrase-fd <n>': 'file descriptor to read it from',
  ...WEAK_OK,
} as const;

const EXPORT_OPTIONS = {
  '--output <file>': 'new file that only you can read',
  '--format <format>': {
    what: 'json for the Solana CLI, base58 for other wallets, hex for the key for Base',
    choices: ['json', 'base58', 'hex'],
    usual: 'json',
  },
} as const;

type NewOptions = FlagsOf<typeof NEW_OPTIONS>;
type WeakOption = FlagsOf<typeof WEAK_OK>;
type ChangeOptions = FlagsOf<typeof CHANGE_OPTIONS>;
type ExportOptions = FlagsOf<typeof EXPORT_OPTIONS>;

export function declareKeys(command: Command, bind: Bind): void {
  const made = addOptions(command.command('new'), NEW_OPTIONS)
    .description('create key files for Solana and Base; existing ones are never overwritten')
    .action((options: NewOptions) => bind((context) => create(context, options)));
  addExamples(made, ['wallet new', 'wallet new --encrypt --keypair ~/keys/shop.json']);
  const encrypted = addOptions(command.command('encrypt'), WEAK_OK)
    .description('encrypt the key file with a passphrase, in place')
    .action((options: WeakOption) => bind((context) => encrypt(context, options)));
  addExamples(encrypted, ['wallet encrypt', 'wallet encrypt --passphrase-file ~/keys/passphrase']);
  const changed = addOptions(command.command('change-passphrase'), CHANGE_OPTIONS)
    .description('change the passphrase of an encrypted key file')
    .action((options: ChangeOptions) => bind((context) => change(context, options)));
  addExamples(changed, [
    'wallet change-passphrase',
    'wallet change-passphrase --passphrase-file old --new-passphrase-file new',
  ]);
  const exported = addOptions(command.command('export'), EXPORT_OPTIONS)
    .description('write the secret key to a file, or to a terminal after confirmation')
    .action((options: ExportOptions) => bind((context) => exportKey(context, options)));
  addExamples(exported, ['wallet export --output id.json', 'wallet export --format base58']);
}

/**
 * Creates the key file.
 * @throws {ScripError} WALLET_EXISTS, WALLET_UNSAFE, WALLET_PROFILE_MISMATCH, and the codes of a new
 * passphrase
 */
export async function makeKeyFile(
  context: With<'settings' | 'parts' | 'keys'>,
  options: Partial<NewOptions> = {},
) {
  const path = keyFile(context);
  const isEncrypted = isEncryptionMeant(context, options.encrypt);
  const isWeakOk = options.weakOk === true;
  const made = await context.keys.wallets.create(path, {
    ...{ isEncrypted, isWeakOk, phraseFile: options.phraseFile },
    namespace: options.network && namespaceOf(NETWORK_IDS[options.network]),
  });
  // Created here for a sandbox, so it has never received real money.
  if (context.settings.isSandboxKey) {
    // Marks name a wallet by its first key, which may have been there.
    await context.parts.playMarks.add((await context.keys.wallets.addressAt(path)) ?? made.address);
  }
  return { ...made, path };
}

async function create(
  context: With<'settings' | 'parts' | 'keys'>,
  options: NewOptions,
): Promise<View> {
  const { path, ...made } = await makeKeyFile(context, options);
  const { isSandboxKey } = context.settings;
  const next = isSandboxKey ? t`Next: scrip wallet fund` : t`Next: scrip wallet balance`;
  return {
    ...keyFileView(path, { ...made, isEncrypted: made.isEncrypted || undefined }),
    note: next,
  };
}

/** A passphrase option implies an encrypted file. */
export function isEncryptionMeant(
  { settings }: With<'settings'>,
  encrypt: boolean | undefined,
): boolean {
  const { fd, file } = settings.passphrase;
  return encrypt === true || fd !== undefined || file !== undefined;
}

async function encrypt(context: With<'settings' | 'keys'>, { weakOk }: WeakOption): Promise<View> {
  const path = keyFile(context);
  const address = await context.keys.wallets.encrypt(path, { isWeakOk: weakOk === true });
  return {
    ...keyFileView(path, { address, isEncrypted: true }),
    note: t`Older copies of the file, including backups, are still unencrypted.`,
  };
}

async function change(context: With<'settings' | 'keys'>, options: ChangeOptions): Promise<View> {
  const path = keyFile(context);
  const { newPassphraseFile: file, newPassphraseFd: fdText } = options;
  const place: SecretPlace = {
    ...(file === undefined ? {} : { file }),
    ...(fdText === undefined ? {} : { fd: parseDescriptor(fdText, '--new-passphrase-fd') }),
  };
  const isWeakOk = options.weakOk === true;
  const address = await context.keys.wallets.changePassphrase(path, { isWeakOk, place });
  return {
    ...keyFileView(path, { address, isEncrypted: true }),
    note: t`Older copies of the file still open with the old passphrase.`,
  };
}

async function exportKey(
  context: With<'settings' | 'io' | 'keys'>,
  options: ExportOptions,
): Promise<View> {
  const path = keyFile(context);
  const { output, format } = options;
  if (output === undefined) return showSecret(context, path, format);
  const { address, text } = await context.keys.wallets.reveal(path, format);
  await context.io.writeSecret(output, text);
  return {
    kind: 'record',
    record: { address, keypair: path, output, format },
    lines: [
      [t`Address`, address],
      [t`Written to`, output],
    ],
    note: t`Anyone who reads that file can spend the money.`,
  };
}

/** Prints a secret key only to a terminal: a program behind a pipe might store it. */
async function showSecret(
  { settings, io: { stdout, prompter }, keys: { wallets } }: With<'settings' | 'io' | 'keys'>,
  path: string,
  format: ExportFormat,
): Promise<View> {
  if (!stdout.isTerminal || !settings.mayPrompt) {
    throw new ScripError('TERMINAL_REQUIRED', t`A secret key is printed only to a terminal`, {
      hint: t`Write it to a file: scrip wallet export --output <file>`,
    });
  }
  const { address } = await wallets.open(path);
  const isSure = await prompter.confirm(
    t`Print the secret key of ${address}? Anyone who sees it can spend the money.`,
  );
  if (!isSure) throw new ScripError('DECLINED', t`Nothing was printed`);
  const { text } = await wallets.reveal(path, format);
  const record: unknown = format === 'json' ? JSON.parse(text) : text.trimEnd();
  return { kind: 'text', text, record };
}

/**
 * Returns the path of the key file.
 * @throws {ScripError} WALLET_PROFILE_MISMATCH before the file is touched
 */
export function keyFile({ settings }: With<'settings'>): string {
  checkWalletFits(settings);
  return settings.keypairPath;
}

/** Opens the configured wallet. @throws {ScripError} WALLET_PROFILE_MISMATCH, or a code of the key file */
export async function openWallet(context: With<'settings' | 'parts' | 'keys'>): Promise<Signer> {
  const {
    settings,
    keys: { wallets },
    parts: { playMarks },
  } = context;
  const signer = await wallets.open(keyFile(context));
  checkWalletFits(settings, await playMarks.has(signer.address));
  return signer;
}

/** The wallet's address on Base, if it has a key for it. */
async function baseAddressOf({
  settings: { keypairPath },
  keys: { wallets },
}: With<'settings' | 'keys'>): Promise<string | undefined> {
  const hasKey = (await wallets.namespaces(keypairPath)).includes(namespaceOf(BASE));
  return hasKey ? (await wallets.openOn(keypairPath, namespaceOf(BASE))).address : undefined;
}

export async function walletView(
  context: With<'settings' | 'keys'>,
  address: string,
): Promise<RecordView> {
  const { settings } = context;
  const program = settings.signer?.command[0];
  if (program === undefined) {
    return keyFileView(settings.keypairPath, { address, evmAddress: await baseAddressOf(context) });
  }
  return {
    kind: 'record',
    record: { address, signer: program },
    lines: [
      [t`Address`, address],
      [t`Signer`, program],
    ],
  };
}

export function keyFileView(
  keypair: string,
  {
    address,
    evmAddress,
    isEncrypted,
    from,
  }: {
    readonly address: string;
    readonly evmAddress?: string | undefined;
    readonly isEncrypted?: boolean | undefined;
    readonly from?: Said;
  },
): RecordView {
  const base = evmAddress === address ? undefined : evmAddress;
  const isOnlyBase = address.startsWith('0x');
  const baseFile = isOnlyBase || base !== undefined ? evmKeyPath(keypair) : undefined;
  return {
    kind: 'record',
    record: {
      address,
      base_address: base,
      keypair,
      base_keypair: baseFile,
      ...(from === undefined ? {} : { from: String(from) }),
      ...(isEncrypted === undefined ? {} : { encrypted: isEncrypted }),
    } satisfies KeyFileRecord,
    lines: [
      [t`Address`, address],
      ...given(t`On Base`, base),
      ...given(t`Key file`, isOnlyBase ? undefined : keypair),
      ...given(t`Key file for Base`, baseFile),
      ...given(t`Read from`, from),
      ...given(t`Encrypted`, isEncrypted === true ? t`yes` : ''),
    ],
  };
}

export function declareMark(command: Command, bind: Bind): void {
  const marked = command
    .command('mark-play')
    .description('declare that the wallet holds only test money; confirmed in a terminal')
    .option('--off', 'remove the mark: the rules for real money apply again')
    .action(({ off }: { readonly off?: boolean }) =>
      bind((context) => (off === true ? unmark(context) : mark(context))),
    );
  addExamples(marked, ['wallet mark-play --keypair ~/keys/test.json', 'wallet mark-play --off']);
}

/**
 * Needs a terminal, so that no script can switch to the rules for test money.
 * @throws {ScripError} TERMINAL_REQUIRED, DECLINED
 */
async function mark(context: With<'settings' | 'io' | 'parts' | 'keys'>): Promise<RecordView> {
  const {
    settings,
    keys: { wallets },
    parts: { playMarks },
    io: { prompter },
  } = context;
  checkWalletFits(settings, true);
  const { address } = await wallets.open(keyFile(context));
  if (await playMarks.has(address)) return markView(address, true);
  if (!settings.mayPrompt) {
    throw new ScripError('TERMINAL_REQUIRED', t`Wallet mark-play needs a terminal`, {
      hint: t`In a script, use a wallet that was made for the sandbox: scrip wallet new`,
    });
  }
  const isSure = await prompter.confirm(
    t`Mark ${address} as test money? It then pays any sandbox on this machine without asking, and no other host.`,
  );
  if (!isSure) throw new ScripError('DECLINED', t`You declined; the wallet was not changed`);
  await playMarks.add(address);
  return markView(address, true);
}

async function unmark(context: With<'settings' | 'parts' | 'keys'>): Promise<RecordView> {
  const { address } = await context.keys.wallets.open(keyFile(context));
  await context.parts.playMarks.remove(address);
  return markView(address, false);
}

function markView(address: string, isPlay: boolean): RecordView {
  return {
    kind: 'record',
    record: { address, money: isPlay ? 'play' : 'real' } satisfies MarkRecord,
    lines: [
      [t`Address`, address],
      [t`Money`, moneyText(isPlay ? 'play' : 'real')],
    ],
  };
}
