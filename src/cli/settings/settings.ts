/** Resolves the settings from global flags, environment, profile and defaults, in that order. */

import { SOLANA_MAINNET } from '../../contract/usdc.ts';
import { baseAddress, checkNetwork, rpcPlaces } from '../../domain/address/base-address.ts';
import { checkEmail } from '../../domain/address/email.ts';
import { EMBEDDED_URL, isOnThisMachine } from '../../domain/address/loopback.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { refuseSecretWord } from '../../domain/secret-word.ts';
import type { SecretPlace } from '../../wallet/passphrase.ts';
import { checkLanguage, type Language, systemCountry, systemLanguage } from '../i18n/localize.ts';
import { type FormatFlags, outputOf } from '../output/format.ts';
import { typedValue } from '../parsing/words.ts';
import { chooseProfile, type ProfileSurroundings } from './config.ts';
import { type Profile, SANDBOX_PROFILE, SETTINGS, type SettingName, type Source } from './table.ts';
import {
  checkCountry,
  checkPartnerId,
  checkRecipient,
  checkTogether,
  parseCommand,
  parseKeySince,
} from './values.ts';

/** Global flags as typed. */
export interface GlobalFlags extends Profile, FormatFlags {
  readonly profile?: string | undefined;
  readonly passphraseFd?: string;
  /** False with `--no-pager`. */
  readonly pager?: boolean;
  /** False with `--no-input`. */
  readonly input?: boolean;
  readonly verbose?: boolean;
}

/** What the process knows of its surroundings. */
export interface Surroundings extends ProfileSurroundings {
  /** The user's home folder. */
  readonly home: string;
  /** Whether stdin and stderr are terminals, so that the user can be asked. */
  readonly isInteractive: boolean;
  /** Whether two paths lead to the same file; default: compares the paths. */
  readonly isSameFile?: (one: string, other: string) => boolean;
}

/** The partner id under which the sandbox knows our own command line. */
const DEFAULT_PARTNER_ID = 'scrip-cli';
/** What the question proposes if the system's locale names no country. */
const PROPOSED_COUNTRY = 'us';

/**
 * Resolves all settings.
 * @throws {ScripError} INPUT_INVALID for a URL or profile name, PROFILE_UNKNOWN, USAGE
 */
export function resolveSettings(flags: GlobalFlags, around: Surroundings) {
  const output = outputOf(flags);
  const folders = xdgFolders(around);
  const configPath = folders.config('config.json');
  const { name, source, profile } = chooseProfile(flags.profile, configPath, around);
  const layers = [fromFlags(flags), fromEnvironment(around.env), profile] as const;
  const said: Profile = Object.assign({}, ...layers.toReversed());
  const { keypair, signer } = walletOf(layers, said);
  return {
    ...resolveAddresses(said),
    profile: name,
    /** Where the profile's name comes from. */
    profileSource: source,
    /** Where each setting comes from; without those at their default. */
    sources: sourcesOf(layers),
    /** The earliest possible use of idempotency keys, as written and as parsed. */
    keySince: said.keySince ? readKeySince(said.keySince) : undefined,
    /** Our id at the partner API; orders belong to it. */
    partnerId: checkPartnerId(said.partnerId ?? DEFAULT_PARTNER_ID),
    /** File with the secret that authenticates this partner id. */
    partnerSecretFile: said.partnerSecretFile,
    /** PEM file of certificate authorities to trust beside Node's own. */
    caFile: said.caFile,
    /** The user's country: two letters, lowercase; undefined until it is set. */
    countryCode: said.country && checkCountry(said.country),
    /** The country to suggest in questions: of the system's locale, otherwise the default. */
    proposedCountry: systemCountry(around.env) ?? PROPOSED_COUNTRY,
    /** Where the merchant writes to the user. */
    email: said.email && checkEmail(said.email),
    /** The default recipient: an e-mail address or a phone number. */
    to: said.to && checkRecipient(said.to),
    /** Anything but `on` silences it: a variable may say `false`. */
    updateNotice: said.updateNotice ?? 'on',
    /** Cache file of what is known of newer versions. */
    updatePath: folders.cache('latest-version'),
    /** The language of messages, and of texts from the merchant. */
    lang: said.lang ? checkLanguage(said.lang) : systemLanguage(around.env),
    keypairPath: keypair ?? folders.data('wallets', `${name}.json`),
    /** A program that signs instead of the key file: an absolute path and its arguments. */
    signer,
    /** Where to read the passphrase of an encrypted key file; if empty, the user is asked. */
    passphrase: passphrasePlace(flags.passphraseFd, said.passphraseFile),
    /** Whether the key file is the sandbox's, by default or by name: it never pays a live host. */
    isSandboxKey: signer === undefined && isPlayKey(keypair, { profile, name, folders, around }),
    /** Whether the wallet belongs to a profile with a remote host, and so holds real money. */
    isLiveKey: isLiveKey(layers),
    /** Folder with the marks of test-money wallets. */
    playMarksDir: folders.data('play'),
    /** The state of the embedded service. */
    sandboxDir: folders.state(name === SANDBOX_PROFILE ? name : `sandbox-${name}`),
    /** The journal of purchases. */
    journalDir: folders.state('journal'),
    /** What completion remembers of the profile's host. */
    completionPath: folders.cache(`completion-${name}.json`),
    /** The answers of an unfinished guided purchase. */
    draftPath: folders.state(`wizard-${name}.json`),
    approvalsPath: folders.state(`approvals-${name}.json`),
    /** The codes of the last failures. */
    errorLogPath: folders.state('recent-errors.ndjson'),
    /** The user's profiles. */
    configPath,
    homeDir: around.home,
    output,
    /** In JSON mode stderr holds one error object or nothing. */
    isJson: output.format === 'json' || output.format === 'ndjson',
    /** The spending policy. */
    policyPath: folders.config('policy.json'),
    mayPrompt: around.isInteractive && flags.input !== false,
    isVerbose: flags.verbose ?? false,
  };
}

function readKeySince(text: string) {
  return { text, since: parseKeySince(text) };
}

/** The values of global flags, environment and profile, in that precedence. */
export interface Settings extends Readonly<ReturnType<typeof resolveSettings>> {
  /** As in `Place`; no setting, but for an order that was placed at another server of the shop. */
  readonly recordedAs?: string;
}

type Layers = readonly [flags: Profile, environment: Profile, profile: Profile];

const LAYER_SOURCES = ['flag', 'environment', 'profile'] as const satisfies readonly Source[];

function sourcesOf(layers: Layers): { readonly [Name in SettingName]?: Source } {
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

/** Whether the key is the sandbox's own wallet, by any path, or the wallet of a profile without a host. */
function isPlayKey(keypair: string | undefined, { profile, name, folders, around }: KeyPlace) {
  if (keypair === undefined) return name === SANDBOX_PROFILE || profile.checkoutUrl === undefined;
  const isSameFile = around.isSameFile ?? ((one, other) => one === other);
  return isSameFile(keypair, folders.data('wallets', `${SANDBOX_PROFILE}.json`));
}

/** Whether the wallet belongs to a profile with a remote host: it then holds real money. */
function isLiveKey([flags, environment, { checkoutUrl }]: Layers): boolean {
  const isNamed = [flags, environment].some(
    ({ keypair, signerCommand }) => keypair !== undefined || signerCommand !== undefined,
  );
  if (isNamed || checkoutUrl === undefined) return false;
  return !isOnThisMachine(baseAddress(checkoutUrl, 'checkout_url'));
}

/**
 * Keeps test money and real money apart: a wallet marked as test money pays only sandboxes, so that it
 * never receives real money.
 * @param isMarked whether the wallet is marked, if that is known already
 * @throws {ScripError} WALLET_PROFILE_MISMATCH
 */
export function checkWalletFits(settings: Settings, isMarked = false): void {
  const { checkoutUrl, apiUrl, rpcUrl, signer, keypairPath, isSandboxKey } = settings;
  if (!isSandboxKey && !isMarked) return;
  const elsewhere = [checkoutUrl, apiUrl, rpcUrl].find((url) => !isOnThisMachine(url));
  if (elsewhere === undefined) return;
  const host = new URL(elsewhere).hostname;
  const wallet = signer?.command[0] ?? keypairPath;
  throw new ScripError(
    'WALLET_PROFILE_MISMATCH',
    t`The sandbox wallet ${wallet} cannot be used with ${host}`,
    { details: { host, keypair: wallet } },
  );
}

/**
 * Test money exists only in the sandbox. A wallet for real money gets it only if --keypair names that wallet:
 * its address would otherwise show two balances, one of them worthless.
 * @throws {ScripError} INPUT_INVALID for a remote chain, WALLET_PROFILE_MISMATCH
 */
export function checkMayBeFunded({ isLiveKey, rpcUrl, keypairPath, profile }: Settings): void {
  if (!isOnThisMachine(rpcUrl)) {
    const { hostname } = new URL(rpcUrl);
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
 * Uses the key file or the signer command, whichever has the higher precedence.
 * @throws {ScripError} INPUT_INVALID when both come from the same place
 */
function walletOf(layers: readonly Profile[], { signerAddress }: Profile) {
  const nearest =
    layers.find((layer) => layer.keypair !== undefined || layer.signerCommand !== undefined) ?? {};
  checkTogether(nearest);
  const { keypair, signerCommand } = nearest;
  if (keypair !== undefined) refuseSecretWord([keypair]);
  const signer =
    signerCommand === undefined
      ? undefined
      : { command: parseCommand(signerCommand), address: signerAddress };
  return { keypair, signer };
}

function passphrasePlace(fdText: string | undefined, file: string | undefined): SecretPlace {
  if (fdText !== undefined) return { fd: parseDescriptor(fdText, '--passphrase-fd') };
  return file === undefined ? {} : { file };
}

/**
 * Parses a file descriptor. 1 and 2 are output streams, and 1023 is the usual maximum.
 * @throws {ScripError} INPUT_INVALID naming the flag
 */
export function parseDescriptor(text: string, flag: string): number {
  const fd = /^\d{1,4}$/.test(text) ? Number(text) : undefined;
  if (fd !== undefined && fd !== 1 && fd !== 2 && fd < 1_024) return fd;
  throw new ScripError('INPUT_INVALID', t`${flag} is not the number of an open descriptor`, {
    hint: commandText`Such as: scrip … ${flag} 3 3< <(pass show scrip)`,
  });
}

function resolveAddresses(said: Profile) {
  const checkoutUrl =
    said.checkoutUrl === undefined ? EMBEDDED_URL : baseAddress(said.checkoutUrl, '--checkout-url');
  const { origin } = new URL(checkoutUrl);
  const url = <Usual>(value: string | undefined, flag: string, usual: Usual) =>
    value === undefined ? usual : baseAddress(value, flag);
  const apiUrl = url(said.apiUrl, '--api-url', origin);
  const payNetwork = said.network && checkNetwork(said.network);
  const witnessUrl = url(said.rpcUrl2, '--rpc-url-2', undefined);
  const rpcs = rpcPlaces({
    ...{ checkoutUrl, payNetwork, witnessUrl },
    rpcUrl: url(said.rpcUrl, '--rpc-url', undefined),
    baseRpcUrl: url(said.baseRpcUrl, '--base-rpc-url', undefined),
  });
  const rpcUrl = rpcs[SOLANA_MAINNET]?.url ?? '';
  if (witnessUrl === rpcUrl) {
    throw new ScripError('INPUT_INVALID', t`--rpc-url-2 is the same as --rpc-url`, {
      hint: t`Name a node of another operator.`,
    });
  }
  return {
    /** Whether the service runs inside this process: no port, state on disk. */
    isEmbedded: said.checkoutUrl === undefined,
    /** Base URLs without a trailing slash. */
    checkoutUrl,
    // Ours: the interface does not say where the surfaces are; the sandbox serves all from one origin.
    apiUrl,
    mcpUrl: url(said.mcpUrl, '--mcp-url', origin),
    siteUrl: url(said.siteUrl, '--site-url', apiUrl),
    rpcUrl,
    rpcs,
    /** The network to pay on, by its CAIP-2 id, if the user named one. */
    payNetwork,
  };
}

function fromEnvironment(env: Surroundings['env']): Profile {
  return withoutBlanks(Object.fromEntries(SETTINGS.map((row) => [row.name, env[row.variable]])));
}

function fromFlags(flags: GlobalFlags): Profile {
  return withoutBlanks(Object.fromEntries(SETTINGS.map(({ name }) => [name, flags[name]])));
}

/** An empty variable counts as unset. */
function withoutBlanks(values: Profile): Profile {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value));
}

type Folders = ReturnType<typeof xdgFolders>;

/**
 * XDG Base Directory specification 0.8: ignore relative paths in these variables. Windows names no such folders; ours
 * are in the part of its profiles that is not copied to other machines, for two journals would not know each other.
 */
function xdgFolders({ env, home }: Surroundings) {
  const isWindows = /^(?:[A-Za-z]:|\\\\)/.test(home);
  const separator = isWindows ? '\\' : '/';
  const [root, end] = isWindows ? [/^[A-Za-z]:[\\/]/, /[\\/]+$/] : [/^\//, /\/+$/];
  const local = env.LOCALAPPDATA || `${home}\\AppData\\Local`;
  const folder = (variable: string, usual: string, name: string) => {
    const said = env[variable];
    const own = isWindows ? [local, 'scrip', name] : [home, usual, 'scrip'];
    const path = said && root.test(said) ? [said.replace(end, ''), 'scrip'] : own;
    return (...names: readonly string[]): string => [...path, ...names].join(separator);
  };
  return {
    config: folder('XDG_CONFIG_HOME', '.config', 'config'),
    data: folder('XDG_DATA_HOME', '.local/share', 'data'),
    state: folder('XDG_STATE_HOME', '.local/state', 'state'),
    cache: folder('XDG_CACHE_HOME', '.cache', 'cache'),
  };
}

/**
 * Returns the language that the settings will have. If the settings cannot be read, the command reports it
 * later.
 * @throws {ScripError} USAGE for a language without translations
 */
export function languageAhead(words: readonly string[], around: Surroundings): Language {
  const lang = typedValue(words, '--lang') || around.env.SCRIP_LANG;
  if (lang !== undefined && lang !== '') return checkLanguage(lang);
  try {
    const profile = typedValue(words, '--profile');
    const place = { ...around, isProfileOptional: true };
    const file = xdgFolders(around).config('config.json');
    const own = chooseProfile(profile, file, place).profile.lang;
    return own === undefined ? systemLanguage(around.env) : checkLanguage(own);
  } catch (error) {
    if (!(error instanceof ScripError)) throw error;
    return systemLanguage(around.env);
  }
}
