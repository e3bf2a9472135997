/**
 * Connects the parts that the shared layer (`api/`) uses. Nothing here reads the process: `main.ts` passes in
 * paths and functions for the command line, `library-parts.ts` for other programs.
 */

import type { Place, ScripParts } from '../api/scrip.ts';
import type { Fetch } from '../contract/fetch.ts';
import { namespaceOf, SOLANA_MAINNET } from '../contract/usdc.ts';
import { EMBEDDED_URL } from '../domain/address/loopback.ts';
import { once } from '../domain/attempt.ts';
import type { Clock } from '../domain/clock.ts';
import type { FailPoint } from '../domain/journal/fail-points.ts';
import type { PolicyFileAccess } from '../domain/policy/policy-file.ts';
import type { Signer } from '../rails/rail.ts';
import { createEmbeddedFetch } from '../sandbox/embedded.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { PlayMarks } from '../wallet/play-marks.ts';
import type { Vault } from '../wallet/vault.ts';

/** Where the journal is, and which RPC servers read the chain. */
export interface Places {
  readonly journalDir: string;
  readonly rpcs: Place['rpcs'];
}

export interface Means {
  readonly clock: Clock;
  /** Aborts when the user interrupts the command, or the program closes its instance. */
  readonly signal: AbortSignal;
  /** Random bytes from the system. */
  random(length: number): Uint8Array;
  readonly fetch: Fetch;
  signer(): Promise<Signer>;
  /** The wallet's key for the networks of a namespace (CAIP-2). @throws {ScripError} WALLET_MISSING */
  signerOn(namespace: string): Promise<Signer>;
  /** The namespaces that the wallet has a key for, the first key's first. */
  namespaces(): Promise<readonly string[]>;
  readonly playMarks: PlayMarks;
  readonly policyFile: PolicyFileAccess;
  readonly failPoint?: ((name: FailPoint) => void) | undefined;
  readonly testPollMs?: number | undefined;
}

/** Each part is loaded and opened on first use. */
export function composeParts(places: Places, means: Means): ScripParts {
  const { fetch, clock, failPoint } = means;
  const payer = oncePerKey(async (of: string) => {
    const [first] = await means.namespaces();
    const namespace = namespaceOf(of);
    return namespace === first ? means.signer() : means.signerOn(namespace);
  });
  const network = once(async () => {
    const networks = Object.keys(places.rpcs);
    const own = (await means.namespaces()).flatMap(
      (namespace) => networks.find((id) => namespaceOf(id) === namespace) ?? [],
    );
    // Later networks are asked, and their code is loaded, only if the earlier ones hold nothing.
    for (const one of own.length > 1 ? own : []) {
      const { address } = await payer(one);
      if (((await (await rail(one)).balances(address)).usdcAtomic ?? 0n) > 0n) return one;
    }
    return own[0] ?? SOLANA_MAINNET;
  });
  const rail = oncePerKey(async (of: string) => {
    const { openPayerRail } = await import('../rails/registry.ts');
    return openPayerRail(of, { url: undefined, ...places.rpcs[of], fetch, clock });
  });
  return {
    ...means,
    ...records(places, means),
    countries: async () => (await import('../domain/product/countries.ts')).listCountries(),
    parsePhone: async (text, nationalIn) =>
      (await import('../domain/product/phone.ts')).parsePhone(text, nationalIn),
    network,
    rail: async (of) => rail(of ?? (await network())),
    payer,
    vault: vaults(),
    failPoint: (name) => failPoint?.(name),
  };
}

function records(
  { journalDir }: Places,
  { clock, failPoint }: Pick<Means, 'clock' | 'failPoint'>,
): Pick<ScripParts, 'journal' | 'journalWallets' | 'journalCare' | 'spendLog'> {
  return {
    async journal({ address }) {
      const { openJournal } = await import('../records/journal-files.ts');
      const journalAt = { dir: journalDir, payer: address };
      if (failPoint === undefined) return openJournal(journalAt);
      const { watchedDisk } = await import('../disk/files.ts');
      return openJournal({ ...journalAt, disk: watchedDisk(failPoint) });
    },
    async journalWallets() {
      return (await import('../records/journal-files.ts')).journalWallets(journalDir);
    },
    async journalCare(payer) {
      const { openJournalCare } = await import('../records/journal-care.ts');
      // Unique, sortable by time, and valid on every file system.
      const stamp = () => new Date(clock.now()).toISOString().replaceAll(':', '-');
      return openJournalCare({ dir: journalDir, payer, stamp });
    },
    async spendLog({ address }) {
      const { openSpendLog } = await import('../records/spend-log-files.ts');
      const { isGone, ownMark } = await import('../disk/process-mark.ts');
      return openSpendLog({ dir: journalDir, payer: address, owner: ownMark(), isGone });
    },
  };
}

/** As `once`, for each key. */
function oncePerKey<T>(open: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const opened = new Map<string, Promise<T>>();
  return (key) => {
    const found = opened.get(key) ?? open(key);
    opened.set(key, found);
    return found;
  };
}

/** One vault per signer: an external signer may ask its user at each signature. */
function vaults(): ScripParts['vault'] {
  const opened = new Map<Signer, Promise<Vault>>();
  return (signer) => {
    const vault =
      opened.get(signer) ??
      import('../wallet/vault.ts').then(({ createVault }) => createVault(signer));
    opened.set(signer, vault);
    return vault;
  };
}

export function policyFileAt(path: string): PolicyFileAccess {
  const files = () => import('../records/small-files.ts');
  return {
    path,
    read: async () => (await files()).readPolicyFile(path),
    write: async (text) => (await files()).writePolicyFile(path, text),
  };
}

export function playMarksIn(folder: string): PlayMarks {
  const open = async () => (await import('../wallet/play-marks.ts')).openPlayMarks(folder);
  return {
    has: async (address) => (await open()).has(address),
    add: async (address) => (await open()).add(address),
    remove: async (address) => (await open()).remove(address),
  };
}

/** The service inside this process; the first request to it opens it. */
export interface EmbeddedService {
  /** Sends requests for the service's own address to the service, all others to the network. */
  readonly fetch: Fetch;
  open(): Promise<Sandbox>;
  /** Does nothing if the service was never opened. */
  close(): Promise<void>;
}

export interface EmbeddedOptions extends Pick<Means, 'clock' | 'random' | 'signal' | 'failPoint'> {
  /** The folder of its state. */
  readonly dataDir: string;
  /** Slots after which its chain counts a transaction as finalized; by default as many as on Solana. */
  readonly finalSlots?: number | undefined;
  /** Handles requests to every other address. */
  readonly network: Fetch;
  /** Receives faults that are returned to no caller. */
  report(error: unknown): void;
  /** Runs before the service's code is loaded. */
  prepare?(): Promise<void>;
}

export function embeddedService(options: EmbeddedOptions): EmbeddedService {
  const { network, signal: interrupted, prepare, ...around } = options;
  const baseUrl = EMBEDDED_URL;
  const state: { sandbox?: Promise<Sandbox> } = {};
  const open = async (): Promise<Sandbox> => {
    state.sandbox ??= load();
    return state.sandbox;
  };
  const load = async (): Promise<Sandbox> => {
    await prepare?.();
    const { openSandbox } = await import('../sandbox/sandbox.ts');
    return openSandbox({ ...around, baseUrl });
  };
  return {
    fetch: createEmbeddedFetch({ ...options, baseUrl, open, network, interrupted }),
    open,
    close: async () => {
      // If it failed to open, the request that opened it has already reported why.
      await state.sandbox?.then(
        (sandbox) => sandbox.close(),
        () => undefined,
      );
    },
  };
}

/**
 * Random bytes from the system: Web Crypto needs no import. They are drawn many at a time, since a
 * draw takes longer than making an id; what was given is erased here.
 */
export const random = randomSource();

const RANDOM_BLOCK = 2_048;

function randomSource(): (length: number) => Uint8Array {
  let left = new Uint8Array();
  return (length) => {
    if (length > left.length)
      left = crypto.getRandomValues(new Uint8Array(Math.max(length, RANDOM_BLOCK)));
    const given = left.slice(0, length);
    left.fill(0, 0, length);
    left = left.subarray(length);
    return given;
  };
}
