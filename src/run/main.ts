/** The composition root: reads the process, connects the parts, and sets the exit code. */

import { isatty } from 'node:tty';
import { inLanguage } from '../api/http/call-options.ts';
import type { ScripParts } from '../api/scrip.ts';
import type { Needs } from '../cli/command.ts';
import type { Context, Io, Keys } from '../cli/context.ts';
import {
  inEnglish,
  type Localize,
  localizer,
  localSaid,
  spokenLanguage,
} from '../cli/i18n/localize.ts';
import { pagerOf } from '../cli/output/paging.ts';
import { colorChoice } from '../cli/output/paint.ts';
import { sentenceText } from '../cli/output/wrap.ts';
import { runProgram } from '../cli/program.ts';
import { createFaultLog, serverLine } from '../cli/serving/fault-log.ts';
import type { Serving, WebhookParts } from '../cli/serving/ports.ts';
import {
  type GlobalFlags,
  languageAhead,
  resolveSettings,
  type Settings,
} from '../cli/settings/settings.ts';
import { createDialog } from '../cli/terminal/dialog.ts';
import { createPrompter } from '../cli/terminal/prompter.ts';
import {
  createLineReader,
  finishedSteps,
  outputStream,
  plainProgress,
  silent,
  spinner,
  watchOutput,
} from '../cli/terminal/terminal.ts';
import type { Fetch } from '../contract/fetch.ts';
import { BASE, SOLANA_MAINNET } from '../contract/usdc.ts';
import { readSettingsFile, realPath } from '../disk/user-files.ts';
import { EMBEDDED_URL } from '../domain/address/loopback.ts';
import { isOwnAddress } from '../domain/address/public-address.ts';
import { ScripError } from '../domain/message/errors.ts';
import { escapeText, t } from '../domain/message/message.ts';
import { systemClock as clock } from '../net/clock.ts';
import { createHttpFetch } from '../net/fetch.ts';
import {
  createFailPoint,
  guardProcess,
  leave,
  readTestPace,
  watchSignals,
} from '../net/process-life.ts';
import { homeFolder, userName } from '../records/folders.ts';
import {
  composeParts,
  type EmbeddedService,
  embeddedService,
  policyFileAt,
  random,
} from './compose.ts';
import { authentic, machineParts, ownFiles, walletParts } from './machine.ts';
import { localToolServer } from './tool-serving.ts';

declare const SCRIP_VERSION: string | undefined;
declare const SCRIP_STANDALONE: boolean | undefined;

const { env } = process;
/** Removed from the environment first, so that no child process inherits them. */
const {
  SCRIP_PASSPHRASE: environmentPassphrase,
  SCRIP_WEBHOOK_SECRET: webhookSecret,
  SCRIP_DATABASE_URL: environmentDatabase,
  SCRIP_PARTNER_SECRET: partnerSecret,
} = env;
delete env.SCRIP_PASSPHRASE;
delete env.SCRIP_WEBHOOK_SECRET;
delete env.SCRIP_DATABASE_URL;
delete env.SCRIP_PARTNER_SECRET;
const version = typeof SCRIP_VERSION === 'string' ? SCRIP_VERSION : '0.0.0-source';
/** Program and Node runtime are one executable file. */
const isStandalone = typeof SCRIP_STANDALONE === 'boolean';
/**
 * `isatty` takes the descriptor: creating the stream `process.stdin` takes time that most commands don't
 * need.
 */
const STDIN = 0;

const failPoint = createFailPoint(env);
const { pollMs: testPollMs, finalSlots } = readTestPace(env);
const networkOf = ({ caFile }: Settings): Fetch =>
  createHttpFetch({
    ...{ env, caFile },
    isTlsUnverified: env.NODE_TLS_REJECT_UNAUTHORIZED === '0',
    paymentSent: failPoint && (() => failPoint('payment-sent')),
  });
const color = colorChoice(process.argv.slice(2), env);
const stdout = outputStream(process.stdout, env, color);
const stderr = outputStream(process.stderr, env, color);
const toolParts = { clock, version, random };
const report = createFaultLog((line) => stderr.write(line));

/** Runs the command line of this process, then exits. */
export async function main(): Promise<void> {
  guardProcess(env);
  const flushed = watchOutput(process.stdout);
  const interrupted = watchSignals(() => paging.isOn);
  const closers = new Set<() => Promise<void>>();
  const place: { settings?: Settings } = {};
  const words = process.argv.slice(2);
  const localize = () => localizer(languageAhead(words, around()));
  const exit = await runProgram(words, {
    version,
    stdout,
    stderr,
    flushed,
    page: isatty(STDIN) ? async (text) => page(text, await localize()) : undefined,
    failed: (failure) => remember(place.settings?.errorLogPath, failure),
    localize,
    open: async (flags, needs) => {
      const settings = settingsOf(flags, needs);
      place.settings = settings;
      return openContext(settings, {
        interrupted,
        closers,
        localize: await localizer(settings.lang),
      });
    },
  });
  await Promise.allSettled([...closers].map((close) => close()));
  if (place.settings !== undefined) await tellOfUpdate(place.settings, localize);
  leave(exit);
}

/** Logs the error for `scrip doctor --bundle`. There is no path if the settings could not be read. */
async function remember(
  path: string | undefined,
  failure: { readonly code: string; readonly verb: string | null },
): Promise<void> {
  if (path === undefined) return;
  const { rememberError } = await import('../records/recent-errors.ts');
  rememberError(path, { at: new Date(clock.now()).toISOString(), ...failure });
}

/** Tells people at a terminal of a newer release. It is no part of the command: errors are left out. */
async function tellOfUpdate(settings: Settings, localize: () => Promise<Localize>): Promise<void> {
  if (!stdout.isTerminal || !stderr.isTerminal || settings.isJson || isStandalone) return;
  try {
    const { updateNotice } = await import('./update-notice.ts');
    const script = realPath(process.argv[1] ?? '');
    const notice = updateNotice({ ...settings, version, script, env, nowMs: clock.now() });
    if (notice !== undefined) stderr.write(sentenceText((await localize())(notice), stderr));
  } catch {
    // A full disk, or a cache folder of another user.
  }
}

function settingsOf(flags: GlobalFlags, needs: Needs): Settings {
  return resolveSettings(flags, { ...around(), isProfileOptional: needs.isProfileOptional });
}

function around() {
  return {
    env,
    home: homeFolder(),
    isInteractive: isatty(STDIN) && process.stderr.isTTY === true,
    readFile: readSettingsFile,
    isSameFile: (one: string, other: string) => realPath(one) === realPath(other),
  };
}

/** Returns the settings that this text of the settings file would give, without the SCRIP_ variables. */
function rehearse(text: string, profile: string): Settings {
  const ours = Object.keys(env).filter((name) => name.startsWith('SCRIP_'));
  const blank = Object.fromEntries(ours.map((name) => [name, undefined]));
  const alone = { ...around(), env: { ...env, ...blank }, readFile: () => text };
  return resolveSettings({ profile }, alone);
}

interface Life {
  readonly interrupted: AbortSignal;
  /** Functions to call before the process exits. */
  readonly closers: Set<() => Promise<void>>;
  readonly localize: Localize;
}

function openContext(settings: Settings, life: Life): Context {
  const { interrupted: signal, closers } = life;
  const around = { clock, random, signal, failPoint };
  const network = networkOf(settings);
  const embedded = embeddedService({
    ...around,
    finalSlots,
    dataDir: settings.sandboxDir,
    network,
    report: faultsOf(settings),
    // The single executable needs no replacement classes.
    prepare: async () => {
      if (!isStandalone) (await import('../net/web-shim.ts')).installWebShim(globalThis);
    },
  });
  closers.add(embedded.close);
  const { wallets, ...walletOfUser } = walletParts(settings, {
    environmentPassphrase,
    env,
    stdin: () => process.stdin,
    printable: (text) => escapeText(localSaid(text, life.localize)),
    ...{ random, clock, signal },
  });
  const parts = composeParts(settings, {
    ...around,
    ...walletOfUser,
    fetch: spoken(authentic(embedded.fetch, settings, partnerSecret), settings),
    policyFile: policyFileAt(settings.policyPath),
    testPollMs,
  });
  return {
    version,
    settings,
    io: ioFor(settings, life),
    parts,
    keys: { wallets, fund: funding(settings, parts, embedded) },
    files: ownFiles(settings, rehearse),
    system: {
      ...machineParts(process, isStandalone, { env, caFile: settings.caFile }),
      async runProgram({ variables, ...call }) {
        const { runUserProgram } = await import('../net/user-program.ts');
        return runUserProgram({ ...call, env: { ...env, ...variables }, signal: life.interrupted });
      },
      async openAddress(url) {
        const { openAddress } = await import('../net/user-program.ts');
        return openAddress(url, process.platform);
      },
    },
    serving: servingFor(settings, life, network),
  };
}

function ioFor(settings: Settings, { interrupted: signal, localize }: Life): Io {
  const { mayPrompt } = settings;
  const questions = {
    input: () => process.stdin,
    output: process.stderr,
    hasColor: stderr.hasColor,
    signal,
  };
  return {
    stdout,
    stderr,
    // JSON output is English in every language setting.
    localize: settings.isJson ? inEnglish : localize,
    isInputTerminal: isatty(STDIN),
    prompter: createPrompter({ ...questions, mayPrompt, localize }),
    dialog: createDialog(questions),
    progress: progressFor(settings, { interrupted: signal, localize }),
    readLine: createLineReader(() => process.stdin, signal),
    readText: async (path) => {
      const { readUserText } = await import('../disk/user-files.ts');
      return readUserText(path, { input: () => process.stdin, signal });
    },
    async writeSecret(path, text) {
      (await import('../disk/files.ts')).writeSecretFile(path, text);
    },
    async writeBytes(path, bytes) {
      (await import('../disk/files.ts')).writeUserFile(path, bytes);
    },
  };
}

function funding(
  settings: Settings,
  { fetch }: Pick<ScripParts, 'fetch'>,
  embedded: EmbeddedService,
): Keys['fund'] {
  return async (owner, funds) => {
    // Only Solana's part of the embedded chain is funded without a request.
    const network = owner.startsWith('0x') ? BASE : SOLANA_MAINNET;
    const { url = settings.rpcUrl } = settings.rpcs[network] ?? {};
    if (network === BASE || !url.startsWith(`${EMBEDDED_URL}/`)) {
      const { fundByFaucet } = await import('../rails/faucet.ts');
      return fundByFaucet({ url, fetch, clock }, owner, funds);
    }
    return (await embedded.open()).fund(owner, funds);
  };
}

/** @throws {ScripError} INPUT_INVALID where it is empty: a shop must not go on in a file unnoticed */
function databaseUrl(): string | undefined {
  if (environmentDatabase !== '') return environmentDatabase;
  throw new ScripError('INPUT_INVALID', t`SCRIP_DATABASE_URL is empty`, {
    hint: t`Set it to a postgres:// address, or unset it: then a file of the data folder is used.`,
  });
}

function servingFor(
  { sandboxDir, caFile }: Settings,
  { interrupted }: Life,
  network: Fetch,
): Serving {
  const socketAgent = async (url: string) =>
    (await import('../net/agents.ts')).createAgents({ env, caFile }).socketAgent(url);
  const shopParts = { ...toolParts, network, socketAgent, env, report, failPoint };
  return {
    async serveSandbox(options) {
      const { serveSandbox } = await import('./sandbox-serving.ts');
      const told = { report, failPoint, finalSlots, network };
      return serveSandbox(
        { ...toolParts, ...told, sandboxDir },
        { ...options, database: options.database ?? databaseUrl() },
      );
    },
    async serveChain(options) {
      const { serveChain } = await import('./sandbox-serving.ts');
      return serveChain({ clock, finalSlots, report, sandboxDir }, options);
    },
    async serveShop(file, log) {
      const { serveShop } = await import('./shop-serving.ts');
      const lineOf = serverLine(log, () => clock.now());
      return serveShop(
        { ...shopParts, report: createFaultLog((line) => stderr.write(line), lineOf) },
        file,
      );
    },
    async checkShop(file) {
      const { checkShop } = await import('./shop-serving.ts');
      return checkShop(shopParts, file);
    },
    async shopSchema() {
      const { shopConfigSchema } = await import('../shop/shop-config.ts');
      return shopConfigSchema();
    },
    toolServer: localToolServer(toolParts, {
      input: () => process.stdin,
      output: process.stdout,
      interrupted,
    }),
    async openSandboxAdmin({ dataDir = sandboxDir, chainDir = dataDir, database = databaseUrl() }) {
      const { openSandboxAdmin } = await import('../sandbox/sandbox-admin.ts');
      return openSandboxAdmin({ dataDir, chainDir, database }, { clock, random, who: userName() });
    },
    async openShopAdmin(file, { who = userName(), reason, begins }) {
      const { openShopAdmin } = await import('./shop-serving.ts');
      return openShopAdmin(shopParts, file, { who, reason, begins });
    },
    // An empty variable counts as unset.
    webhooks: webhookParts(webhookSecret || undefined),
  };
}

function progressFor(
  settings: Settings,
  { interrupted, localize }: Pick<Life, 'interrupted' | 'localize'>,
): Io['progress'] {
  // In JSON mode stderr holds one error object or nothing.
  if (settings.isJson) return silent;
  if (settings.isVerbose) return plainProgress(stderr, localize);
  if (!stderr.isTerminal) return silent;
  if (!stderr.hasColor) {
    // The terminal shows ^C; what follows starts on a line of its own. A question reads the key itself.
    interrupted.addEventListener('abort', () => stderr.write('\n'), { once: true });
    return finishedSteps(stderr, localize);
  }
  // On a terminal that reports no width, the spinner's line erasing would never end.
  return process.stderr.columns > 0
    ? spinner(process.stderr, localize, clock)
    : plainProgress(stderr, localize);
}

/** Asks the merchant for texts in the user's language. */
function spoken(fetch: Fetch, settings: Settings): Fetch {
  const language = spokenLanguage(settings);
  const { checkoutUrl, apiUrl, mcpUrl, siteUrl } = settings;
  const bases = [checkoutUrl, apiUrl, mcpUrl, siteUrl];
  return language === undefined ? fetch : inLanguage(fetch, { language, bases });
}

/**
 * With --verbose, reports faults of the embedded service; otherwise buyers see only their order's progress.
 */
function faultsOf({ isVerbose, isJson }: Settings): (error: unknown) => void {
  return isVerbose && !isJson ? report : () => undefined;
}

/** While it is on, the pager reads the keyboard. */
const paging = { isOn: false };

async function page(text: string, localize: Localize): Promise<boolean> {
  const words = pagerOf(env, localize);
  if (words === undefined) return false;
  const { showInPager } = await import('../net/user-program.ts');
  paging.isOn = true;
  try {
    return await showInPager(words, text, env);
  } finally {
    paging.isOn = false;
  }
}

/**
 * Connects the parts.
 * @param environmentSecret SCRIP_WEBHOOK_SECRET, which `main.ts` removed from the environment
 */
function webhookParts(environmentSecret: string | undefined): WebhookParts {
  return {
    environmentSecret,
    async receive({ port, handler }) {
      const { listen } = await import('../service/http/node.ts');
      const { url, close } = await listen({ port, host: '127.0.0.1', handler });
      return { url, close };
    },
    async sender({ isAnywhere }) {
      const { createGuardedSend } = await import('../net/guarded-send.ts');
      const rules = isAnywhere ? {} : { isAddressAllowed: isOwnAddress };
      return createGuardedSend({ isPrivateAllowed: true, ...rules });
    },
    async sandboxSecrets(dataDir) {
      const { openSecrets } = await import('../sandbox/data-folder.ts');
      const { createWebhookKeys, signedHeaders } = await import(
        '../service/webhooks/webhook-signature.ts'
      );
      const keys = createWebhookKeys(openSecrets(dataDir)('webhooks'));
      return { ...keys, headersOf: (message) => signedHeaders(keys, message) };
    },
  };
}
