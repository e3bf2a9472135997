/** A context of values: captured streams, a clock that is told the time, everything else refused. */

import type { Context } from '../../src/cli/context.ts';
import { inEnglish } from '../../src/cli/i18n/localize.ts';
import type { Host } from '../../src/cli/program.ts';
import {
  type GlobalFlags,
  resolveSettings,
  type Settings,
} from '../../src/cli/settings/settings.ts';
import type { OutputStream } from '../../src/cli/terminal/ports.ts';
import type { Fetch, FetchInit } from '../../src/contract/fetch.ts';
import { SOLANA_MAINNET } from '../../src/contract/usdc.ts';
import { manualClock } from './manual-clock.ts';

export interface CapturedStream extends OutputStream {
  readonly text: () => string;
}

export function capture(look: Partial<Omit<OutputStream, 'write'>> = {}): CapturedStream {
  const written: string[] = [];
  return {
    write: (text) => {
      written.push(typeof text === 'string' ? text : Buffer.from(text).toString());
    },
    isTerminal: false,
    columns: 80,
    rows: 24,
    hasColor: false,
    hasLinks: false,
    ...look,
    text: () => written.join(''),
  };
}

export function smallSettings(flags: GlobalFlags = {}, env: Record<string, string> = {}): Settings {
  return resolveSettings(flags, {
    env,
    home: '/home/ada',
    isInteractive: false,
    readFile: () => undefined,
  });
}

function refused(what: string): () => never {
  return () => {
    throw new Error(`this test gives the command no ${what}`);
  };
}

/** What a test gives a command in place of the small context's own, group by group. */
export type ContextParts = { readonly [Group in keyof Context]?: Partial<Context[Group]> };

/** The later one of two values counts. */
export function merged(...layers: readonly ContextParts[]): ContextParts {
  const groups = new Set(layers.flatMap((layer) => Object.keys(layer) as (keyof Context)[]));
  return Object.fromEntries([...groups].map((group) => [group, inGroup(layers, group)]));
}

function inGroup(layers: readonly ContextParts[], group: keyof Context): unknown {
  const values = layers.map((layer) => layer[group]).filter((value) => value !== undefined);
  const last = values.at(-1);
  return typeof last === 'object' ? Object.assign({}, ...values) : last;
}

export function smallContext(...layers: readonly ContextParts[]): Context {
  const context = merged(small(), ...layers) as Context;
  // The wallet has one key.
  return { ...context, parts: { ...context.parts, payer: context.parts.signer } };
}

const small = (): Context => ({
  version: '1.2.3',
  settings: smallSettings(),
  io: {
    stdout: capture(),
    stderr: capture(),
    localize: inEnglish,
    isInputTerminal: false,
    prompter: { confirm: refused('prompter'), text: refused('prompter') },
    dialog: { pick: refused('dialog'), type: refused('dialog') },
    progress: { step: () => undefined, done: () => undefined },
    readLine: refused('input'),
    readText: refused('file'),
    writeSecret: refused('file'),
    writeBytes: refused('file'),
  },
  parts: {
    fetch: refused('network'),
    clock: manualClock(),
    signal: new AbortController().signal,
    random: (length) => new Uint8Array(length),
    countries: async () => [
      { code: 'de', name: 'Germany' },
      { code: 'fr', name: 'France' },
      { code: 'gb', name: 'United Kingdom' },
      { code: 'ua', name: 'Ukraine' },
      { code: 'us', name: 'United States' },
    ],
    parsePhone: async (text) =>
      /^\+\d{8,15}$/.test(text)
        ? { number: text, countryCode: undefined, isOf: () => true }
        : undefined,
    network: async () => SOLANA_MAINNET,
    rail: refused('rail'),
    signer: refused('signer'),
    payer: refused('signer'),
    vault: refused('vault'),
    playMarks: {
      has: async () => false,
      add: refused('play mark'),
      remove: refused('play mark'),
    },
    journal: refused('journal'),
    journalWallets: async () => [],
    journalCare: refused('journal'),
    spendLog: async () => ({
      read: async () => ({ last: 0, held: [] }),
      reserve: refused('reservation'),
      release: refused('reservation'),
    }),
    policyFile: {
      path: '/home/ada/.config/scrip/policy.json',
      read: async () => undefined,
      write: refused('policy file'),
    },
    failPoint: () => undefined,
  },
  keys: {
    wallets: {
      create: refused('wallet'),
      import: refused('wallet'),
      open: refused('wallet'),
      openOn: refused('wallet'),
      namespaces: async () => ['solana'],
      addressAt: async () => undefined,
      encrypt: refused('wallet'),
      changePassphrase: refused('wallet'),
      reveal: refused('wallet'),
    },
    fund: refused('faucet'),
  },
  files: {
    draft: { read: refused('draft'), write: refused('draft'), remove: refused('draft') },
    configFile: { read: refused('settings'), replace: refused('settings'), rehearse: refused('x') },
    approvals: { read: refused('approvals'), replace: refused('approvals') },
    recentErrors: async () => [],
    countryOfProduct: async () => undefined,
    learn: async () => undefined,
  },
  system: {
    machine: refused('machine'),
    footing: {
      nodeVersion: '20.19.0',
      platform: 'linux x64',
      variable: () => undefined,
      folder: async () => undefined,
      proxyTo: async () => undefined,
      authorities: async () => [],
    },
    runProgram: refused('program'),
    openAddress: refused('browser'),
  },
  serving: {
    serveSandbox: refused('port'),
    serveShop: refused('shop'),
    checkShop: refused('shop'),
    shopSchema: refused('shop'),
    serveChain: refused('port'),
    toolServer: {
      manifest: refused('tool server'),
      serveStdio: refused('tool server'),
      serveHttp: refused('tool server'),
    },
    openSandboxAdmin: refused('books'),
    openShopAdmin: refused('books'),
    webhooks: {
      environmentSecret: undefined,
      receive: refused('port'),
      sender: refused('network'),
      sandboxSecrets: refused('secrets'),
    },
  },
});

export interface SmallHost extends Host {
  readonly stdout: CapturedStream;
  readonly stderr: CapturedStream;
  /** Flags of each command that was opened. */
  readonly opened: GlobalFlags[];
}

/** A host whose commands get a small context; flags are resolved as in the program. */
export function smallHost(
  parts: ContextParts = {},
  streams: { readonly stdout?: CapturedStream; readonly stderr?: CapturedStream } = {},
): SmallHost {
  const stdout = streams.stdout ?? capture();
  const stderr = streams.stderr ?? capture();
  const opened: GlobalFlags[] = [];
  return {
    version: '1.2.3',
    stdout,
    stderr,
    opened,
    open: async (flags) => {
      opened.push(flags);
      return smallContext({ io: { stdout, stderr }, settings: smallSettings(flags) }, parts);
    },
  };
}

interface CannedFetch {
  readonly fetch: Fetch;
  readonly asked: { readonly url: string; readonly init: FetchInit | undefined }[];
}

/** A host that answers by path (without the query) with a JSON value, or a status and one; else 404. */
export function cannedFetch(answers: Readonly<Record<string, unknown>>): CannedFetch {
  const asked: { readonly url: string; readonly init: FetchInit | undefined }[] = [];
  return {
    asked,
    fetch: async (url, init) => {
      asked.push({ url, init });
      const answer = answers[new URL(url).pathname];
      const isFound = answer !== undefined;
      const { status, json } = isReply(answer)
        ? answer
        : { status: isFound ? 200 : 404, json: isFound ? answer : { error: 'not_found' } };
      return new Response(JSON.stringify(json), { status });
    },
  };
}

function isReply(answer: unknown): answer is { readonly status: number; readonly json: unknown } {
  return typeof answer === 'object' && answer !== null && 'status' in answer && 'json' in answer;
}
