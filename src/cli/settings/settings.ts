/** What the global flags, the environment, the profile and the defaults come to, in that order. */

import { MAINNET_RPC_URL } from '../../contract/usdc.ts';
import { baseAddress } from '../../domain/base-address.ts';
import { checkEmail } from '../../domain/beneficiary.ts';
import { commandText } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { EMBEDDED_URL, isLoopbackHost } from '../../domain/loopback.ts';
import { t } from '../../domain/message.ts';
import { refuseSecretWord } from '../../domain/secret-word.ts';
import type { SecretPlace } from '../../wallet/passphrase.ts';
import { checkLanguage, systemCountry, systemLanguage } from '../i18n/language.ts';
import { type FormatFlags, outputOf } from '../output/format.ts';
import { chooseProfile, type ProfileSurroundings } from './profile-choice.ts';
import type { Settings } from './shape.ts';
import { type Profile, SANDBOX_PROFILE, SETTINGS, type Source } from './table.ts';
import {
  checkCountry,
  checkPartnerId,
  checkRecipient,
  checkTogether,
  parseCommand,
  parseKeySince,
} from './values.ts';

/** Global flags as they were typed. */
export interface GlobalFlags extends Profile, FormatFlags {
  readonly profile?: string;
  readonly passphraseFd?: string;
  /** False after `--no-pager`. */
  readonly pager?: boolean;
  /** False after `--no-input`. */
  readonly input?: boolean;
  readonly verbose?: boolean;
}

/** What the process is surrounded by. */
export interface Surroundings extends ProfileSurroundings {
  /** The user's home folder. */
  readonly home: string;
  /** Questions can be put and answered: standard input and standard error are terminals. */
  readonly isInteractive: boolean;
  /** Whether two paths lead to one file; by their text when left out. */
  readonly isSameFile?: (one: string, other: string) => boolean;
}

/** The partner id that the sandbox knows its own command line by. */
const DEFAULT_PARTNER_ID = 'scrip-cli';
// Ours: the interface wants a country in every request and does not say whose when nothing is known.
const DEFAULT_COUNTRY = 'us';

/** @throws {ScripError} INPUT_INVALID for an address or a profile name, PROFILE_UNKNOWN, USAGE */
export function resolveSettings(flags: GlobalFlags, around: Surroundings): Settings {
  const output = outputOf(flags);
  const folders = xdgFolders(around);
  const configPath = `${folders.config}/config.json`;
  const { name, source, profile } = chooseProfile(flags.profile, configPath, around);
  const layers = [fromFlags(flags), fromEnvironment(around.env), profile] as const;
  const said: Profile = Object.assign({}, ...layers.toReversed());
  const { keypair, signer } = walletOf(layers, said);
  const keypairPath = keypair ?? `${folders.data}/wallets/${name}.json`;
  return {
    ...resolveAddresses(said),
    profile: name,
    profileSource: source,
    sources: sourcesOf(layers),
    ...(said.keySince === undefined
      ? {}
      : { keySince: { text: said.keySince, since: parseKeySince(said.keySince) } }),
    partnerId: checkPartnerId(said.partnerId ?? DEFAULT_PARTNER_ID),
    countryCode: checkCountry(said.country ?? DEFAULT_COUNTRY),
    proposedCountry: systemCountry(around.env) ?? DEFAULT_COUNTRY,
    ...(said.email === undefined ? {} : { email: checkEmail(said.email) }),
    ...(said.to === undefined ? {} : { to: checkRecipient(said.to) }),
    lang: said.lang === undefined ? systemLanguage(around.env) : checkLanguage(said.lang),
    keypairPath,
    ...(signer === undefined ? {} : { signer }),
    passphrase: passphrasePlace(flags.passphraseFd, said.passphraseFile),
    isSandboxKey: signer === undefined && isPlayKey(keypair, { profile, name, folders, around }),
    isLiveKey: isLiveKey(layers),
    playMarksDir: `${folders.data}/play`,
    sandboxDir: `${folders.state}/${name === SANDBOX_PROFILE ? name : `sandbox-${name}`}`,
    journalDir: `${folders.state}/journal`,
    stateDir: folders.state,
    completionPath: `${folders.cache}/completion-${name}.json`,
    draftPath: `${folders.state}/wizard-${name}.json`,
    errorLogPath: `${folders.state}/recent-errors.ndjson`,
    configPath,
    homeDir: around.home,
    output,
    isJson: output.format === 'json' || output.format === 'ndjson',
    policyPath: `${folders.config}/policy.json`,
    mayPrompt: around.isInteractive && flags.input !== false,
    isVerbose: flags.verbose ?? false,
  };
}

/** What the profile has for a language. @throws {ScripError} as `resolveSettings` does for a profile */
export function profileLanguage(name: string | undefined, around: Surroundings) {
  return chooseProfile(name, `${xdgFolders(around).config}/config.json`, around).profile.lang;
}

type Layers = readonly [flags: Profile, environment: Profile, profile: Profile];

const LAYER_SOURCES = ['flag', 'environment', 'profile'] as const satisfies readonly Source[];

/** The source of each setting that is set. */
function sourcesOf(layers: Layers): Settings['sources'] {
  const found = SETTINGS.flatMap(({ name }) => {
    const at = layers.findIndex((layer) => layer[name] !== undefined);
    const source = LAYER_SOURCES[at];
    return source === undefined ? [] : [[name, source] as const];
  });
  return Object.fromEntries(found);
}

interface KeyPlace {
  readonly profile: Profile;
  readonly name: string;
  readonly folders: Folders;
  readonly around: Surroundings;
}

/** The sandbox's own wallet, by any path, and the wallet of a profile without a host. */
function isPlayKey(keypair: string | undefined, { profile, name, folders, around }: KeyPlace) {
  if (keypair === undefined) return name === SANDBOX_PROFILE || profile.checkoutUrl === undefined;
  const isSameFile = around.isSameFile ?? ((one, other) => one === other);
  return isSameFile(keypair, `${folders.data}/wallets/${SANDBOX_PROFILE}.json`);
}

/** The wallet comes with a profile whose host is elsewhere: what it holds is real money. */
function isLiveKey([flags, environment, { checkoutUrl }]: Layers): boolean {
  const isNamed = [flags, environment].some(
    ({ keypair, signerCommand }) => keypair !== undefined || signerCommand !== undefined,
  );
  if (isNamed || checkoutUrl === undefined) return false;
  return !isLoopbackHost(new URL(baseAddress(checkoutUrl, 'checkout_url')).hostname);
}

/**
 * Keeps test money and real money apart: a wallet marked as test money pays only sandboxes, and no
 * message asks to send money to it.
 * @param isMarked whether the wallet is marked as one, once that is known
 * @throws {ScripError} WALLET_PROFILE_MISMATCH
 */
export function checkWalletFits(settings: Settings, isMarked = false): void {
  const { checkoutUrl, apiUrl, rpcUrl, signer, keypairPath, isSandboxKey } = settings;
  if (!isSandboxKey && !isMarked) return;
  const host = [checkoutUrl, apiUrl, rpcUrl]
    .map((url) => new URL(url).hostname)
    .find((name) => !isLoopbackHost(name));
  if (host === undefined) return;
  const wallet = signer?.command[0] ?? keypairPath;
  throw new ScripError(
    'WALLET_PROFILE_MISMATCH',
    t`The sandbox wallet ${wallet} cannot be used with ${host}`,
    { details: { host, keypair: wallet } },
  );
}

/**
 * Test money exists in the sandbox alone, and a wallet for real money gets it only where it was named for that: its address would show
 * two balances, of which one is nothing.
 * @throws {ScripError} INPUT_INVALID for a chain elsewhere, WALLET_PROFILE_MISMATCH
 */
export function checkMayBeFunded({ isLiveKey, rpcUrl, keypairPath, profile }: Settings): void {
  const { hostname } = new URL(rpcUrl);
  if (!isLoopbackHost(hostname)) {
    throw new ScripError('INPUT_INVALID', t`${hostname} is not a sandbox: its money is real`, {
      hint: t`Test money exists only in the sandbox: scrip wallet fund --profile sandbox. For real money, send USDC to the address that scrip wallet address prints.`,
    });
  }
  if (!isLiveKey) return;
  throw new ScripError(
    'WALLET_PROFILE_MISMATCH',
    t`The wallet ${keypairPath} of the profile ${profile} is for real money`,
    {
      hint: t`To give it test money anyway, name it with --keypair.`,
      details: { keypair: keypairPath, profile },
    },
  );
}

/**
 * A key file or a program that signs: whichever is named nearer to the command.
 * @throws {ScripError} INPUT_INVALID when both are named at one place
 */
function walletOf(
  layers: readonly Profile[],
  { signerAddress }: Profile,
): { readonly keypair?: string; readonly signer?: NonNullable<Settings['signer']> } {
  const nearest =
    layers.find((layer) => layer.keypair !== undefined || layer.signerCommand !== undefined) ?? {};
  checkTogether(nearest);
  const { keypair, signerCommand } = nearest;
  if (keypair !== undefined) {
    refuseSecretWord([keypair]);
    return { keypair };
  }
  if (signerCommand === undefined) return {};
  const command = parseCommand(signerCommand);
  return {
    signer: signerAddress === undefined ? { command } : { command, address: signerAddress },
  };
}

function passphrasePlace(fdText: string | undefined, file: string | undefined): SecretPlace {
  if (fdText !== undefined) return { fd: parseDescriptor(fdText, '--passphrase-fd') };
  return file === undefined ? {} : { file };
}

/**
 * The number of a descriptor; 1 and 2 are written to, and the highest is what a system gives.
 * @throws {ScripError} INPUT_INVALID naming the flag
 */
export function parseDescriptor(text: string, flag: string): number {
  const fd = /^\d{1,4}$/.test(text) ? Number(text) : undefined;
  if (fd !== undefined && fd !== 1 && fd !== 2 && fd < 1_024) return fd;
  throw new ScripError('INPUT_INVALID', t`${flag} is not the number of an open descriptor`, {
    hint: commandText`Such as: scrip … ${flag} 3 3< <(pass show scrip)`,
  });
}

type Addresses = Pick<
  Settings,
  'isEmbedded' | 'checkoutUrl' | 'apiUrl' | 'mcpUrl' | 'siteUrl' | 'rpcUrl' | 'witnessRpcUrl'
>;

function resolveAddresses(said: Profile): Addresses {
  const isEmbedded = said.checkoutUrl === undefined;
  const checkoutUrl = isEmbedded
    ? EMBEDDED_URL
    : baseAddress(said.checkoutUrl ?? '', '--checkout-url');
  const { origin, hostname } = new URL(checkoutUrl);
  const url = (value: string | undefined, flag: string, usual: string): string =>
    value === undefined ? usual : baseAddress(value, flag);
  const rpcUrl = url(
    said.rpcUrl,
    '--rpc-url',
    isLoopbackHost(hostname) ? `${origin}/rpc` : MAINNET_RPC_URL,
  );
  const apiUrl = url(said.apiUrl, '--api-url', origin);
  return {
    isEmbedded,
    checkoutUrl,
    // Ours: the interface does not say where the surfaces live; the sandbox has all on one origin.
    apiUrl,
    mcpUrl: url(said.mcpUrl, '--mcp-url', origin),
    siteUrl: url(said.siteUrl, '--site-url', apiUrl),
    rpcUrl,
    ...(said.rpcUrl2 === undefined ? {} : { witnessRpcUrl: witnessAddress(said.rpcUrl2, rpcUrl) }),
  };
}

/** A node cannot bear itself witness. @throws {ScripError} INPUT_INVALID */
function witnessAddress(text: string, rpcUrl: string): string {
  const address = baseAddress(text, '--rpc-url-2');
  if (address !== rpcUrl) return address;
  throw new ScripError('INPUT_INVALID', t`--rpc-url-2 is the same as --rpc-url`, {
    hint: t`Name a node of another operator.`,
  });
}

function fromEnvironment(env: Surroundings['env']): Profile {
  return withoutBlanks(Object.fromEntries(SETTINGS.map((row) => [row.name, env[row.variable]])));
}

function fromFlags(flags: GlobalFlags): Profile {
  const flagged = SETTINGS.filter((row) => 'flag' in row);
  return withoutBlanks(Object.fromEntries(flagged.map(({ name }) => [name, flags[name]])));
}

/** A variable that is set to nothing is not set. */
function withoutBlanks(
  values: Readonly<Partial<Record<keyof Profile, string | undefined>>>,
): Profile {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value));
}

interface Folders {
  readonly config: string;
  readonly data: string;
  readonly state: string;
  readonly cache: string;
}

/** XDG Base Directory specification 0.8; relative paths in the variables are to be ignored. */
function xdgFolders({ env, home }: Surroundings): Folders {
  const folder = (variable: string, usual: string): string => {
    const said = env[variable];
    return `${said?.startsWith('/') ? said.replace(/\/+$/, '') : `${home}/${usual}`}/scrip`;
  };
  return {
    config: folder('XDG_CONFIG_HOME', '.config'),
    data: folder('XDG_DATA_HOME', '.local/share'),
    state: folder('XDG_STATE_HOME', '.local/state'),
    cache: folder('XDG_CACHE_HOME', '.cache'),
  };
}
