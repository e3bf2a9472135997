/** A buyer and a shop whose every secret is a marker; what they say and write is kept and searched. */
import type { ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  codesIn,
  HOLDERS,
  leaks,
  MAIL,
  type Markers,
  OWN_MAIL,
  PASSPHRASE,
  PEOPLE,
  paymentsOf,
  SECRETS,
  type Secret,
  searchDisk,
  spellings,
} from './canary.ts';
import { type CliResult, collect, type Home, makeHome, type RunOptions } from './cli.ts';
import { served as openServed, type ServedSandbox } from './served-sandbox.ts';
import { AGREED, amazonProducts, HERE } from './shop.ts';

const KEY_FILE = '.local/share/scrip/wallets/sandbox.json';
/** People are typed by the user as arguments, and an order says for whom it is to whoever made it. */
const NOT_TOLD = SECRETS.filter((kind) => kind !== 'person');

export interface CanaryWorld {
  readonly home: Home;
  /** A fixed card of a few dollars. */
  readonly product: string;
  flags(): readonly string[];
  readonly served: () => ServedSandbox;
  /** Serves the same data anew, in a process of other flags and variables. */
  serve(flags?: readonly string[], env?: Readonly<Record<string, string>>): Promise<void>;
  /** Runs a command as loudly as it goes and keeps what it says on stderr; stdout is the caller's. */
  run(words: readonly string[], options?: RunOptions): Promise<CliResult>;
  /** The same, of a command that asked for no secret: its stdout is searched as well. */
  quietly(words: readonly string[], options?: RunOptions): Promise<CliResult>;
  /** Keeps what a process says, and how it looks to others while it does. */
  listen(child: ChildProcess): void;
  /** Something that was told to whoever did not ask for a secret. */
  hear(text: string): void;
  /** Something that was said on standard error. */
  overhear(text: string): void;
  /** Takes the codes of a document for markers. */
  learn(document: unknown): void;
  /** Reveals a purchase on purpose, and learns its codes. */
  reveal(id: string): Promise<void>;
  /** A file of the user's own with a passphrase in it. */
  passphraseFile(name: 'right' | 'wrong', text: string): string;
  /** Stops the shop and searches everything. */
  search(payers?: readonly string[]): Promise<Search>;
  close(): Promise<void>;
}

export interface Search {
  readonly leaks: readonly string[];
  /** Markers by kind: a search for nothing proves nothing. */
  readonly counts: Readonly<Record<Secret, number>>;
  /** Reasons of holders in which nothing was found. */
  readonly idle: readonly string[];
}

/** The words of an order of the marked people. */
export function canaryOrder(
  product: string,
  { to = MAIL, place = HERE }: { readonly to?: string; readonly place?: readonly string[] } = {},
): readonly string[] {
  return ['order', product, ...place, '--to', to, '--email', OWN_MAIL, ...AGREED];
}

export async function openCanaryWorld(): Promise<CanaryWorld> {
  const home = makeHome();
  const stderr: string[] = [];
  const stdout: string[] = [];
  const titles: string[] = [];
  const codes = new Set<string>();
  let served: ServedSandbox | undefined;

  const listen = (child: ChildProcess): void => {
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr.push(text);
      titles.push(titleOf(child));
    });
  };
  const current = (): ServedSandbox => {
    if (served === undefined) throw new Error('the shop is closed');
    return served;
  };
  const serve: CanaryWorld['serve'] = async (flags = [], env = {}) => {
    await served?.stop();
    const words = ['sandbox', '--port', '0', '--json', '--data', 'shop', '--verbose', ...flags];
    served = await openServed(home.start(words, { env }), true);
    listen(served.process);
  };
  const run: CanaryWorld['run'] = async (words, options = {}) => {
    const child = home.start([...current().flags, '--verbose', ...words], options);
    listen(child);
    return collect(child);
  };
  const quietly: CanaryWorld['quietly'] = async (words, options) => {
    const result = await run(words, options);
    stdout.push(result.stdout);
    return result;
  };
  const learn = (document: unknown): void => {
    for (const code of codesIn(document)) codes.add(code);
  };
  const markersOf = async (payers: readonly string[]): Promise<Markers> => ({
    code: [...codes],
    key: spellings(Uint8Array.from(JSON.parse(readFileSync(join(home.dir, KEY_FILE), 'utf8')))),
    passphrase: [PASSPHRASE],
    person: PEOPLE,
    ...(await paymentsOf(home.dir, payers)),
  });

  await serve();
  const made = await home.json<{ address: string }>(['wallet', 'new']);
  await home.json(['wallet', 'fund', '--usdc', '2000', ...current().flags]);
  const { fixed } = amazonProducts();
  return {
    home,
    product: fixed.product_id,
    flags: () => current().flags,
    served: current,
    serve,
    run,
    quietly,
    listen,
    hear: (text) => stdout.push(text),
    overhear: (text) => stderr.push(text),
    learn,
    async reveal(id) {
      const shown = await run(['orders', 'reveal', id, '--json']);
      if (shown.status !== 0) throw new Error(shown.stderr);
      learn(JSON.parse(shown.stdout));
    },
    passphraseFile(name, text) {
      const path = join(home.dir, `passphrase-${name}`);
      writeFileSync(path, `${text}\n`, { mode: 0o600 });
      return path;
    },
    async search(payers = []) {
      await served?.stop();
      const markers = await markersOf([made.address, ...payers]);
      const disk = searchDisk(home.dir, markers);
      return {
        leaks: [
          ...leaks(stderr.join(''), markers, SECRETS).map((leak) => `stderr: ${leak}`),
          ...leaks(stdout.join(''), markers, NOT_TOLD).map((leak) => `stdout: ${leak}`),
          ...leaks(titles.join('\n'), markers, NOT_TOLD).map((leak) => `command line: ${leak}`),
          ...disk.leaks,
        ],
        counts: Object.fromEntries(
          SECRETS.map((kind) => [kind, new Set(markers[kind]).size]),
        ) as Search['counts'],
        idle: HOLDERS.filter((holder) => !disk.used.has(holder)).map(({ because }) => because),
      };
    },
    async close() {
      await served?.stop();
    },
  };
}

/** What everybody on the machine can read of a process and of those that it started. */
function titleOf({ pid }: ChildProcess): string {
  if (pid === undefined) return '';
  const read = (path: string): string => {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      // It has ended, or this system shows no processes as files.
      return '';
    }
  };
  const children = read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean);
  return [String(pid), ...children].map((id) => read(`/proc/${id}/cmdline`)).join('\n');
}
