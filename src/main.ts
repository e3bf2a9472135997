/** The composition root: reads the process, plugs the parts together, gives the exit code back. */
import { readFileSync, realpathSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { resolve } from 'node:path';
import { isatty } from 'node:tty';
import type { Needs } from './cli/commands.ts';
import type { Learned } from './cli/completion/remembered.ts';
import type { Context, Machine, ServedSandbox, Settings } from './cli/context.ts';
import { createDialog } from './cli/dialog.ts';
import { createFaultLog } from './cli/fault-log.ts';
import { createLineReader } from './cli/line-reader.ts';
import { languageAhead } from './cli/messages/ahead.ts';
import { spokenLanguage } from './cli/messages/language.ts';
import { asWritten, type Tell, translator } from './cli/messages/translate.ts';
import { colorChoice } from './cli/output/color.ts';
import { escapeText } from './cli/output/escape.ts';
import { pagerOf } from './cli/output/paging.ts';
import { runProgram } from './cli/program.ts';
import {
  checkWalletFits,
  EMBEDDED_URL,
  type GlobalFlags,
  resolveSettings,
} from './cli/settings.ts';
import {
  createPrompter,
  outputStream,
  plainProgress,
  silent,
  spinner,
  toldProgress,
  watchOutput,
} from './cli/terminal.ts';
import { inLanguage } from './client/accept-language.ts';
import type { Fetch } from './contract/fetch.ts';
import { SOLANA_MAINNET } from './contract/usdc.ts';
import { ScripError } from './domain/errors.ts';
import { countHits, type FailPoint } from './domain/fail-points.ts';
import { isLoopbackHost } from './domain/loopback.ts';
import { systemClock as clock } from './net/clock.ts';
import { createHttpFetch } from './net/fetch.ts';
import type { Signer } from './rails/rail.ts';
import { createEmbeddedFetch } from './sandbox/embedded.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import { localToolServer, sandboxTools } from './tool-serving.ts';
import { lazyWallets } from './wallet/lazy-wallets.ts';
import type { Vault } from './wallet/vault.ts';
import { webhookParts } from './webhook-serving.ts';

declare const SCRIP_VERSION: string | undefined;

type ServeOptions = Parameters<Context['serveSandbox']>[0];

const { env } = process;
/** Taken out before anything else, so that no child inherits it (reliability 4.3). */
const { SCRIP_PASSPHRASE: environmentPassphrase, SCRIP_WEBHOOK_SECRET: webhookSecret } = env;
delete env.SCRIP_PASSPHRASE;
delete env.SCRIP_WEBHOOK_SECRET;
const version = typeof SCRIP_VERSION === 'string' ? SCRIP_VERSION : '0.0.0-source';
/** How long an interrupted command may take to end well; a payment in flight is given 5 s (C26). */
const GRACE_MS = 7_000;
const INTERRUPTED_EXIT = 130;
/** Asked by its number: setting up the stream takes time that most commands need not spend. */
const STDIN = 0;

const failPoint = createFailPoint();
const network = createHttpFetch({
  isTlsUnverified: env.NODE_TLS_REJECT_UNAUTHORIZED === '0',
  paymentSent: failPoint && (() => failPoint('payment-sent')),
});
const color = colorChoice(process.argv.slice(2), env);
const stdout = outputStream(process.stdout, env, color);
const stderr = outputStream(process.stderr, env, color);
const toolParts = { clock, version, random };
const report = createFaultLog((line) => stderr.write(line));

/** Runs the command line of this process and ends it. */
export async function main(): Promise<void> {
  guardProcess();
  const flushed = watchOutput(process.stdout);
  const interrupted = watchSignals();
  const closers = new Set<() => Promise<void>>();
  const place: { errorLogPath?: string } = {};
  const exit = await runProgram(process.argv.slice(2), {
    version,
    stdout,
    stderr,
    flushed,
    page: process.stdin.isTTY === true ? page : undefined,
    failed: (failure) => remember(place.errorLogPath, failure),
    tell: (words) => translator(languageAhead(words, around())),
    open: async (flags, needs) => {
      const settings = settingsOf(flags, needs);
      place.errorLogPath = settings.errorLogPath;
      return openContext(settings, { interrupted, closers, tell: await translator(settings.lang) });
    },
  });
  await Promise.allSettled([...closers].map((close) => close()));
  leave(exit);
}

/** Without settings nobody knows where: then the command line itself was wrong. */
async function remember(
  path: string | undefined,
  failure: { readonly code: string; readonly verb: string | null },
): Promise<void> {
  if (path === undefined) return;
  const { rememberError } = await import('./storage/recent-errors.ts');
  rememberError(path, { at: new Date(clock.now()).toISOString(), ...failure });
}

function settingsOf(flags: GlobalFlags, needs: Needs): Settings {
  return resolveSettings(flags, { ...around(), isProfileOptional: needs.isProfileOptional });
}

function around() {
  return {
    env,
    home: home(),
    isInteractive: isatty(STDIN) && process.stderr.isTTY === true,
    readFile: readIfThere,
    isSameFile: (one: string, other: string) => realPath(one) === realPath(other),
  };
}

/** Links are followed, so that the file of a folder under version control stays where it is. */
function configFileOf({ configPath }: Settings): Context['configFile'] {
  const open = once(async () => {
    const { createSmallFile } = await import('./storage/small-file.ts');
    return createSmallFile(realPath(configPath));
  });
  return {
    read: async () => (await open()).read(),
    replace: async (expected, text) => (await open()).replace(expected, text),
    rehearse: (text, profile) => {
      const ours = Object.keys(env).filter((name) => name.startsWith('SCRIP_'));
      const blank = Object.fromEntries(ours.map((name) => [name, undefined]));
      const alone = { ...around(), env: { ...env, ...blank }, readFile: () => text };
      return resolveSettings({ profile }, alone);
    },
  };
}

/** HOME may be set to nothing; state never goes to the root folder for that. */
function home(): string {
  return homedir() || userInfo().homedir;
}

async function machine(): Promise<Machine> {
  const { readForeignFile, replaceForeignFile } = await import('./storage/foreign-file.ts');
  return {
    platform: process.platform,
    home: home(),
    env,
    program: { runtime: process.execPath, script: realPath(process.argv[1] ?? '') },
    resolve: (path) => resolve(path),
    read: readForeignFile,
    replace: replaceForeignFile,
  };
}

/** Links followed; where there is no file yet, the path alone. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

interface Life {
  readonly interrupted: AbortSignal;
  /** What has to be closed before the process ends. */
  readonly closers: Set<() => Promise<void>>;
  readonly tell: Tell;
}

function openContext(settings: Settings, { interrupted, closers, tell }: Life): Context {
  const embedded = once(async () => {
    const sandbox = await openEmbedded(settings);
    closers.add(() => sandbox.close());
    return sandbox;
  });
  const fetch = spoken(fetchThrough(embedded, interrupted, faultsOf(settings)), settings);
  return {
    ...surroundings(settings, interrupted, tell),
    version,
    footing: {
      nodeVersion: process.versions.node,
      platform: `${process.platform} ${process.arch}`,
      variable: (name) => env[name],
      folder: async (path) => (await import('./storage/folder-state.ts')).readFolderState(path),
    },
    readText,
    async writeSecret(path, text) {
      (await import('./storage/secret-file.ts')).writeSecretFile(path, text);
    },
    ...walletParts(settings, interrupted, tell),
    machine,
    webhooks: webhookParts(webhookSecret),
    async recentErrors() {
      const { recentErrors } = await import('./storage/recent-errors.ts');
      return recentErrors(settings.errorLogPath);
    },
    async runProgram({ variables, ...call }) {
      const { runUserProgram } = await import('./net/user-program.ts');
      return runUserProgram({ ...call, env: { ...env, ...variables }, signal: interrupted });
    },
    draft: draftOf(settings),
    configFile: configFileOf(settings),
    fetch,
    parsePhone: async (text) => (await import('./sandbox/phone.ts')).parsePhone(text),
    rail: once(async () => {
      const { openPayerRail } = await import('./rails/registry.ts');
      const { rpcUrl, witnessRpcUrl } = settings;
      return openPayerRail(SOLANA_MAINNET, { rpcUrl, witnessRpcUrl, fetch, clock });
    }),
    async fund(owner, funds) {
      if (!settings.rpcUrl.startsWith(`${EMBEDDED_URL}/`)) {
        const { fundByFaucet } = await import('./rails/solana/faucet.ts');
        return fundByFaucet({ url: settings.rpcUrl, fetch, clock }, owner, funds);
      }
      return (await embedded()).fund(owner, funds);
    },
    serveSandbox: (options) => serveSandbox(settings, options),
    toolServer: localToolServer(toolParts, {
      input: () => process.stdin,
      output: process.stdout,
      interrupted,
    }),
    async openBooks(dataDir) {
      const { openBooks } = await import('./sandbox/books.ts');
      return openBooks(dataDir ?? settings.sandboxDir, clock);
    },
  };
}

type Surroundings = Pick<
  Context,
  | 'stdout'
  | 'stderr'
  | 'tell'
  | 'isInputTerminal'
  | 'clock'
  | 'prompter'
  | 'dialog'
  | 'readLine'
  | 'progress'
  | 'settings'
  | 'interrupted'
  | 'random'
  | 'failPoint'
>;

function surroundings(settings: Settings, interrupted: AbortSignal, tell: Tell): Surroundings {
  const { mayPrompt } = settings;
  return {
    stdout,
    stderr,
    // What scripts read is in English for everybody.
    tell: settings.isJson ? asWritten : tell,
    isInputTerminal: isatty(STDIN),
    clock,
    settings,
    interrupted,
    random,
    failPoint: (name) => failPoint?.(name),
    prompter: createPrompter({ mayPrompt, output: process.stderr, signal: interrupted, tell }),
    dialog: createDialog({
      input: () => process.stdin,
      output: process.stderr,
      hasColor: stderr.hasColor,
      signal: interrupted,
    }),
    readLine: createLineReader(() => process.stdin, interrupted),
    progress: toldProgress(progressFor(settings), tell),
  };
}

function draftOf({ draftPath }: Settings): Context['draft'] {
  const open = once(async () => {
    const { createSmallFile } = await import('./storage/small-file.ts');
    return createSmallFile(draftPath);
  });
  return {
    read: async () => (await open()).read(),
    write: async (text) => (await open()).write(text),
    remove: async () => (await open()).remove(),
  };
}

function progressFor(settings: Settings): Context['progress'] {
  // In JSON mode stderr holds one error object or nothing.
  if (settings.isJson) return silent;
  if (settings.isVerbose) return plainProgress(stderr);
  return stderr.isTerminal && stderr.hasColor ? spinner(process.stderr) : silent;
}

function walletParts(
  settings: Settings,
  interrupted: AbortSignal,
  tell: Tell,
): Pick<
  Context,
  | 'wallets'
  | 'signer'
  | 'journal'
  | 'journalCare'
  | 'spendLog'
  | 'policyFile'
  | 'learn'
  | 'isFirstRun'
  | 'openAddress'
  | 'vault'
> {
  const wallets = lazyWallets({
    ...settings,
    environmentPassphrase,
    env,
    isHeard: !settings.isJson,
    stdin: () => process.stdin,
    printable: (text) => escapeText(tell(text)),
    random,
    clock,
    signal: interrupted,
  });
  const vaults = new Map<Signer, Promise<Vault>>();
  return {
    wallets,
    async signer() {
      checkWalletFits(settings);
      return wallets.open(settings.keypairPath);
    },
    async journal({ address }) {
      const { openJournal } = await import('./storage/journal-files.ts');
      const books = { dir: settings.journalDir, payer: address };
      if (failPoint === undefined) return openJournal(books);
      const { watchedDisk } = await import('./storage/watched-disk.ts');
      return openJournal({ ...books, disk: watchedDisk(failPoint) });
    },
    async journalCare(payer) {
      const { openJournalCare } = await import('./storage/journal-care.ts');
      // Unique, and a name that sorts by time and suits every file system.
      const stamp = () => new Date(clock.now()).toISOString().replaceAll(':', '-');
      return openJournalCare({ dir: settings.journalDir, payer, stamp });
    },
    async spendLog({ address }) {
      const { openSpendLog } = await import('./storage/spend-log-files.ts');
      const { isGone, ownMark } = await import('./net/process-mark.ts');
      return openSpendLog({ dir: settings.journalDir, payer: address, owner: ownMark(), isGone });
    },
    policyFile: policyFileAt(settings.policyPath),
    isFirstRun: () => isFirstRun(settings),
    async openAddress(url) {
      const { openAddress } = await import('./net/other-programs.ts');
      return openAddress(url, process.platform);
    },
    learn: (seen) => learn(settings, seen),
    // Once for a signer: a program that signs may ask its user each time.
    vault(signer) {
      const vault = vaults.get(signer) ?? openVault(signer);
      vaults.set(signer, vault);
      return vault;
    },
  };
}

async function openVault(signer: Signer): Promise<Vault> {
  const { createVault } = await import('./wallet/vault.ts');
  return createVault(signer);
}

/** A mark in the state folder; where none can be made, nobody is told again and again. */
async function isFirstRun({ stateDir }: Settings): Promise<boolean> {
  const { makeMark } = await import('./storage/cache-file.ts');
  return makeMark(`${stateDir}/welcomed`);
}

/** A cache: what cannot be kept is looked up again some day. */
async function learn({ completionPath, checkoutUrl }: Settings, seen: Learned): Promise<void> {
  try {
    const { readCacheFile, writeCacheFile } = await import('./storage/cache-file.ts');
    const { readRemembered, remember, rememberedText } = await import(
      './cli/completion/remembered.ts'
    );
    const before = readCacheFile(completionPath);
    const after = rememberedText(remember(readRemembered(before ?? ''), checkoutUrl, seen));
    if (after !== before) writeCacheFile(completionPath, after);
  } catch {
    // A full disk, a folder of somebody else: the command itself has done what it was asked.
  }
}

function policyFileAt(path: string): Context['policyFile'] {
  const files = () => import('./storage/policy-file.ts');
  return {
    path,
    read: async () => (await files()).readPolicyFile(path),
    write: async (text) => (await files()).writePolicyFile(path, text),
  };
}

/** The network, or the embedded service in its place. */
function fetchThrough(
  open: () => Promise<Sandbox>,
  interrupted: AbortSignal,
  told: (error: unknown) => void,
): Fetch {
  const baseUrl = EMBEDDED_URL;
  return createEmbeddedFetch({ baseUrl, open, network, clock, interrupted, report: told });
}

/** What the merchant says to people is asked for in their language. */
function spoken(fetch: Fetch, settings: Settings): Fetch {
  const language = spokenLanguage(settings);
  const bases = [settings.checkoutUrl, settings.apiUrl, settings.mcpUrl];
  return language === undefined ? fetch : inLanguage(fetch, { language, bases });
}

/** The embedded service of the profile. */
async function openEmbedded(settings: Settings): Promise<Sandbox> {
  const { openSandbox } = await import('./sandbox/sandbox.ts');
  const { sandboxDir: dataDir } = settings;
  const report = faultsOf(settings);
  return openSandbox({ dataDir, baseUrl: EMBEDDED_URL, clock, random, report, failPoint });
}

/** Whoever buys is told how the order goes, and not how the shop within fares. */
function faultsOf({ isVerbose, isJson }: Settings): (error: unknown) => void {
  return isVerbose && !isJson ? report : () => undefined;
}

/** The same over HTTP, with what the operator chose. */
async function serveSandbox(
  { sandboxDir }: Settings,
  { port, host, dataDir, facilitatorUrl, ...more }: ServeOptions,
): Promise<ServedSandbox> {
  const isPrivateAllowed = more.areWebhooksPrivate ?? false;
  if (isPrivateAllowed && !isLoopbackHost(host)) {
    throw new ScripError('INPUT_INVALID', `private webhooks are refused on ${host}`, {
      hint: 'Leave --webhook-allow-private out, or bind 127.0.0.1.',
    });
  }
  const { serveSandbox: serve } = await import('./sandbox/serve.ts');
  const { createGuardedSend } = await import('./net/guarded-send.ts');
  const { readOperatorFiles } = await import('./sandbox/operator-files.ts');
  const { readRehearsal } = await import('./sandbox/faults/rehearsal.ts');
  return serve({
    port,
    host,
    dataDir: dataDir ?? sandboxDir,
    clock,
    random,
    report,
    failPoint,
    ...readRehearsal(more, { clock, random }),
    webhooks: { send: createGuardedSend({ isPrivateAllowed }), isPrivateAllowed },
    ...agentParts(more),
    ...(more.areLimitsStrict ? { traffic: {} } : {}),
    ...readOperatorFiles({
      catalog: textOf(more.catalogFile),
      market: textOf(more.marketFile),
      policy: textOf(more.policyFile),
      paymentWindowMs: more.paymentWindowMs,
    }),
    ...(facilitatorUrl === undefined
      ? {}
      : { facilitator: { url: facilitatorUrl, fetch: network } }),
  });
}

/** The guided purchase and the tool server, which ask their clients for one name. */
function agentParts({
  agentUserAgent,
  areLimitsStrict = false,
}: Pick<ServeOptions, 'agentUserAgent' | 'areLimitsStrict'>) {
  const tools = sandboxTools(toolParts, { userAgent: agentUserAgent, isStrict: areLimitsStrict });
  return { tools, ...(agentUserAgent === undefined ? {} : { agentUserAgent }) };
}

function textOf(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  const text = readIfThere(resolve(file));
  if (text === undefined) throw new ScripError('INPUT_INVALID', `there is no file ${file}`);
  return text;
}

/** From the system; the web's interface is there without an import. */
function random(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}

function once<T>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined;
  return () => {
    opened ??= open();
    return opened;
  };
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw new ScripError('INPUT_INVALID', `${path} cannot be read`, { cause });
  }
}

/** A file that the user names, or standard input. */
async function readText(path: string): Promise<string> {
  if (path === '-') {
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks).toString('utf8');
  }
  return textOf(path) ?? '';
}

/** Ends the process at a named point, as a power cut would; under the test variable alone. */
function createFailPoint(): ((name: FailPoint) => void) | undefined {
  if (env.SCRIP_TEST !== '1' || env.SCRIP_FAIL_POINT === undefined) return undefined;
  const isReached = countHits(env.SCRIP_FAIL_POINT);
  return (name) => {
    if (isReached(name)) process.kill(process.pid, 'SIGKILL');
  };
}

/** While it is on, a pager has the keys. */
const paging = { isOn: false };

async function page(text: string): Promise<boolean> {
  const words = pagerOf(env);
  if (words === undefined) return false;
  const { showInPager } = await import('./net/other-programs.ts');
  paging.isOn = true;
  try {
    return await showInPager(words, text, env);
  } finally {
    paging.isOn = false;
  }
}

/** Aborts on the first signal; the second one, or the end of the grace, ends the process. */
function watchSignals(): AbortSignal {
  const controller = new AbortController();
  const stop = (signal: NodeJS.Signals): void => {
    // The key is the pager's.
    if (paging.isOn && signal === 'SIGINT') return;
    if (controller.signal.aborted) process.exit(INTERRUPTED_EXIT);
    controller.abort(new ScripError('INTERRUPTED', `stopped by ${signal}`));
    setTimeout(() => process.exit(INTERRUPTED_EXIT), GRACE_MS).unref();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  return controller.signal;
}

/** Nothing that was in memory reaches a report, and a reader that has enough is no error. */
function guardProcess(): void {
  // They are off unless Node was told; asking after them loads a part that few runs need.
  if (env.NODE_OPTIONS || process.execArgv.length > 0) {
    Object.assign(process.report ?? {}, NO_REPORTS);
  }
  // A payment under way is not cut off because nobody can be told of its progress.
  process.stderr.on('error', () => undefined);
  process.on('uncaughtException', () => {
    process.exitCode = 1;
    process.stderr.write('error[INTERNAL]: internal error\n', () => process.exit(1));
  });
}

const NO_REPORTS = {
  reportOnFatalError: false,
  reportOnUncaughtException: false,
  reportOnSignal: false,
};

/** Ends when everything written has been taken, whatever is still open. */
function leave(exit: number): void {
  process.exitCode = exit;
  process.stdout.write('', () => process.stderr.write('', () => process.exit(exit)));
}
