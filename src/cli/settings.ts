/** What the global flags, the environment, the profile and the defaults come to, in that order. */
import { ScripError } from '../domain/errors.ts';
import { EMBEDDED_HOST, isLoopbackHost } from '../domain/loopback.ts';
import { refuseSecretWord } from '../domain/secret-word.ts';
import type { SecretPlace } from '../wallet/passphrase.ts';
import { type Profile, parseProfiles } from './config.ts';
import type { Settings } from './context.ts';
import { type FormatFlags, outputOf } from './output/format.ts';

/** Global flags as they were typed. */
export interface GlobalFlags extends Profile, FormatFlags {
  readonly profile?: string;
  readonly passphraseFd?: string;
  /** False after `--no-input`. */
  readonly input?: boolean;
  readonly verbose?: boolean;
}

/** What the process is surrounded by. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home folder. */
  readonly home: string;
  /** Questions can be put and answered: standard input and standard error are terminals. */
  readonly isInteractive: boolean;
  /** Reads a text file; undefined where there is none. */
  readonly readFile: (path: string) => string | undefined;
  /** Whether two paths lead to one file; by their text when left out. */
  readonly isSameFile?: (one: string, other: string) => boolean;
}

/** The profile that needs nothing but this program. */
const DEFAULT_PROFILE = 'sandbox';
export const EMBEDDED_URL = `http://${EMBEDDED_HOST}`;
const MAINNET_RPC_URL = 'https://api.mainnet-beta.solana.com';
/** The partner id that the sandbox knows its own command line by. */
const DEFAULT_PARTNER_ID = 'scrip-cli';
// Ours: the interface wants a country in every request and does not say whose when nothing is known.
const DEFAULT_COUNTRY = 'us';
const PROFILE_NAME = /^[A-Za-z0-9_-]{1,40}$/;

/** @throws {ScripError} INPUT_INVALID for an address or a profile name, PROFILE_UNKNOWN, USAGE */
export function resolveSettings(flags: GlobalFlags, around: Surroundings): Settings {
  const output = outputOf(flags);
  const folders = xdgFolders(around);
  const name = pick(flags.profile, around.env.SCRIP_PROFILE) ?? DEFAULT_PROFILE;
  const profile = loadProfile(name, `${folders.config}/config.json`, around);
  const layers = [fromFlags(flags), fromEnvironment(around.env), profile];
  const said: Profile = Object.assign({}, ...layers.toReversed());
  const addresses = resolveAddresses(said);
  const sandboxKey = `${folders.data}/wallets/${DEFAULT_PROFILE}.json`;
  const { keypair, signer } = walletOf(layers, said);
  const keypairPath = keypair ?? `${folders.data}/wallets/${name}.json`;
  const isSameFile = around.isSameFile ?? ((one, other) => one === other);
  return {
    ...addresses,
    profile: name,
    partnerId: checkPartnerId(said.partnerId ?? DEFAULT_PARTNER_ID),
    countryCode: checkCountry(said.country ?? DEFAULT_COUNTRY),
    keypairPath,
    ...(signer === undefined ? {} : { signer }),
    passphrase: passphrasePlace(flags.passphraseFd, said.passphraseFile),
    isSandboxKey: signer === undefined && isSameFile(keypairPath, sandboxKey),
    sandboxDir: `${folders.state}/${name === DEFAULT_PROFILE ? name : `sandbox-${name}`}`,
    journalDir: `${folders.state}/journal`,
    draftPath: `${folders.state}/wizard-${name}.json`,
    output,
    isJson: output.format === 'json' || output.format === 'ndjson',
    policyPath: `${folders.config}/policy.json`,
    mayPrompt: around.isInteractive && flags.input !== false,
    isVerbose: flags.verbose ?? false,
  };
}

/**
 * Keeps play money and real money apart: the sandbox's own wallet, however it was named, pays nobody
 * but a sandbox, and nobody is told to send money to it.
 * @throws {ScripError} WALLET_PROFILE_MISMATCH
 */
export function checkWalletFits(settings: Settings): void {
  if (!settings.isSandboxKey) return;
  const host = [settings.checkoutUrl, settings.apiUrl, settings.rpcUrl]
    .map((url) => new URL(url).hostname)
    .find((name) => !isLoopbackHost(name));
  if (host === undefined) return;
  throw new ScripError(
    'WALLET_PROFILE_MISMATCH',
    `the sandbox wallet ${settings.keypairPath} is not used with ${host}`,
    { details: { host, keypair: settings.keypairPath } },
  );
}

/** It is sent as a header. */
function checkPartnerId(id: string): string {
  if (/^[\x21-\x7e]{1,100}$/.test(id)) return id;
  throw new ScripError(
    'INPUT_INVALID',
    'a partner id is 1 to 100 printable characters without spaces',
  );
}

function checkCountry(code: string): string {
  if (/^[A-Za-z]{2}$/.test(code)) return code.toLowerCase();
  throw new ScripError('INPUT_INVALID', `the country "${code}" of the settings is not two letters`);
}

/**
 * A key file or a program that signs: whichever is named nearer to the command.
 * @throws {ScripError} INPUT_INVALID when both are named at one place
 */
function walletOf(
  layers: readonly Profile[],
  { signerAddress }: Profile,
): { readonly keypair?: string; readonly signer?: NonNullable<Settings['signer']> } {
  const { keypair, signerCommand } =
    layers.find((layer) => layer.keypair !== undefined || layer.signerCommand !== undefined) ?? {};
  if (keypair !== undefined && signerCommand !== undefined) {
    throw new ScripError('INPUT_INVALID', 'a key file and a signer command are both named', {
      hint: 'Leave --keypair or --signer-command out.',
    });
  }
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

/** No shell reads it: the path of a program, or a JSON array of the path and its arguments. */
function parseCommand(text: string): readonly string[] {
  const words = text.trimStart().startsWith('[') ? parseWords(text) : [text];
  // A bare name would be looked for in PATH, where the working folder may stand.
  if (words?.[0] !== undefined && /^(?:\/|[A-Za-z]:[\\/])/.test(words[0])) return words;
  throw new ScripError(
    'INPUT_INVALID',
    'the signer command is not the absolute path of a program',
    {
      hint: `With arguments, write a JSON array: '["/path/to/signer","--slot","1"]'`,
    },
  );
}

function parseWords(text: string): readonly string[] | undefined {
  try {
    const words: unknown = JSON.parse(text);
    return Array.isArray(words) && words.every((word) => typeof word === 'string')
      ? words
      : undefined;
  } catch {
    return undefined;
  }
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
  throw new ScripError('INPUT_INVALID', `${flag} is not the number of an open descriptor`, {
    hint: `Such as: scrip … ${flag} 3 3< <(pass show scrip)`,
  });
}

type Addresses = Pick<
  Settings,
  'isEmbedded' | 'checkoutUrl' | 'apiUrl' | 'mcpUrl' | 'rpcUrl' | 'witnessRpcUrl'
>;

/** Whether an address is the embedded service's. */
export function isEmbeddedUrl(url: string): boolean {
  return url === EMBEDDED_URL || url.startsWith(`${EMBEDDED_URL}/`);
}

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
  return {
    isEmbedded,
    checkoutUrl,
    // Ours: the interface does not say where the surfaces live; the sandbox has all on one origin.
    apiUrl: url(said.apiUrl, '--api-url', origin),
    mcpUrl: url(said.mcpUrl, '--mcp-url', origin),
    rpcUrl,
    ...(said.rpcUrl2 === undefined ? {} : { witnessRpcUrl: witnessAddress(said.rpcUrl2, rpcUrl) }),
  };
}

/** A node cannot bear itself witness. @throws {ScripError} INPUT_INVALID */
function witnessAddress(text: string, rpcUrl: string): string {
  const address = baseAddress(text, '--rpc-url-2');
  if (address !== rpcUrl) return address;
  throw new ScripError('INPUT_INVALID', '--rpc-url-2 is the same as --rpc-url', {
    hint: 'Name a node of another operator.',
  });
}

/**
 * A base address without a trailing slash.
 * @throws {ScripError} INPUT_INVALID naming the flag, when it is not https or on loopback
 */
export function baseAddress(text: string, flag: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname));
  if (!url || !isSafe) {
    throw new ScripError('INPUT_INVALID', `${flag} "${text}" is not an https address`, {
      hint: 'Use https://…; plain http is for this machine alone, such as http://127.0.0.1:4020.',
    });
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new ScripError(
      'INPUT_INVALID',
      `${flag} takes a plain base address, without ?, # or a user name`,
    );
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

function loadProfile(name: string, file: string, around: Surroundings): Profile {
  if (!PROFILE_NAME.test(name)) {
    throw new ScripError('INPUT_INVALID', `"${name}" is not a profile name`, {
      hint: 'Profile names are letters, digits, - and _, at most 40.',
    });
  }
  if (name === DEFAULT_PROFILE) return {};
  const text = around.readFile(file);
  const profiles = text === undefined ? new Map<string, Profile>() : parseProfiles(text, file);
  const profile = profiles.get(name);
  if (profile) return profile;
  throw new ScripError('PROFILE_UNKNOWN', `there is no profile "${name}" in ${file}`, {
    details: { profiles: [DEFAULT_PROFILE, ...profiles.keys()] },
  });
}

function fromEnvironment(env: Surroundings['env']): Profile {
  return withoutBlanks({
    checkoutUrl: env.SCRIP_CHECKOUT_URL,
    apiUrl: env.SCRIP_API_URL,
    mcpUrl: env.SCRIP_MCP_URL,
    rpcUrl: env.SCRIP_RPC_URL,
    rpcUrl2: env.SCRIP_RPC_URL_2,
    keypair: env.SCRIP_KEYPAIR,
    signerCommand: env.SCRIP_SIGNER_COMMAND,
    signerAddress: env.SCRIP_SIGNER_ADDRESS,
    passphraseFile: env.SCRIP_PASSPHRASE_FILE,
    partnerId: env.SCRIP_PARTNER_ID,
    country: env.SCRIP_COUNTRY,
  });
}

function fromFlags(flags: GlobalFlags): Profile {
  const { checkoutUrl, apiUrl, mcpUrl, rpcUrl, rpcUrl2, keypair, partnerId } = flags;
  const { signerCommand, passphraseFile } = flags;
  const places = { checkoutUrl, apiUrl, mcpUrl, rpcUrl, rpcUrl2, keypair, partnerId };
  return withoutBlanks({ ...places, signerCommand, passphraseFile });
}

/** A variable that is set to nothing is not set. */
function withoutBlanks(
  values: Readonly<Partial<Record<keyof Profile, string | undefined>>>,
): Profile {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value));
}

function pick(...values: readonly (string | undefined)[]): string | undefined {
  return values.find((value) => value !== undefined && value !== '');
}

interface Folders {
  readonly config: string;
  readonly data: string;
  readonly state: string;
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
  };
}
