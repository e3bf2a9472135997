/** All that a command may touch. `main.ts` builds the real one, a test a small one of values. */
import type { Fetch } from '../contract/fetch.ts';
import type { PhoneParser } from '../domain/beneficiary.ts';
import type { Clock } from '../domain/clock.ts';
import type { FailPoint } from '../domain/fail-points.ts';
import type { Journal } from '../domain/journal.ts';
import type { JournalCare } from '../domain/journal-care.ts';
import type { SpendLog } from '../domain/spend-log.ts';
import type { PayerRail, Signer } from '../rails/rail.ts';
import type { PlayMarks } from '../wallet/play-marks.ts';
import type { Vault } from '../wallet/vault.ts';
import type { Wallets } from '../wallet/wallets.ts';
import type { NamedCountry } from './browsing/nearest-country.ts';
import type { Learned } from './completion/remembered.ts';
import type { Localize } from './i18n/localize.ts';
import type { Footing, Machine, ProgramEnd, UserProgram } from './machine.ts';
import type { ConfigFile, DraftFile, PolicyFileAccess, RecentError } from './own-files.ts';
import type { OperatorBooks, ServedSandbox, ToolServer, WebhookParts } from './serving/ports.ts';
import type { Settings } from './settings/shape.ts';
import type { Dialog, OutputStream, Progress, Prompter } from './terminal/ports.ts';

export interface Context {
  /** Version of this program. */
  readonly version: string;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Says a message in the user's language; in JSON mode in English. */
  readonly localize: Localize;
  readonly isInputTerminal: boolean;
  readonly clock: Clock;
  readonly prompter: Prompter;
  readonly dialog: Dialog;
  /** The next line of standard input; undefined after the last. @throws {ScripError} INTERRUPTED */
  readonly readLine: () => Promise<string | undefined>;
  readonly draft: DraftFile;
  readonly configFile: ConfigFile;
  readonly progress: Progress;
  readonly settings: Settings;
  readonly wallets: Wallets;
  readonly footing: Footing;
  /** Aborts on the first SIGINT or SIGTERM. */
  readonly interrupted: AbortSignal;
  /** Random bytes from the system. */
  random(length: number): Uint8Array;
  /** Countries that this program knows by itself, whether anything is sold there or not. */
  countries(): Promise<readonly NamedCountry[]>;
  /** Reads phone numbers by the numbering plans, which are loaded at the first one. */
  readonly parsePhone: PhoneParser;
  /** Reaches the checkout host: over the network, or the embedded service in its place. */
  readonly fetch: Fetch;
  rail(): Promise<PayerRail>;
  signer(): Promise<Signer>;
  readonly playMarks: PlayMarks;
  journal(signer: Pick<Signer, 'address'>): Promise<Journal>;
  /** Addresses of the wallets that have a journal here, whichever profile they are of. */
  journalWallets(): Promise<readonly string[]>;
  /** What is done to the records themselves: codes forgotten, damage surveyed and repaired. */
  journalCare(payer: string): Promise<JournalCare>;
  /** What the wallet's payments are reserved in, across processes. */
  spendLog(signer: Pick<Signer, 'address'>): Promise<SpendLog>;
  readonly policyFile: PolicyFileAccess;
  /** Hands an https address to the user's browser. Gives false where there is none. */
  openAddress(url: string): Promise<boolean>;
  /** Whether nobody was told yet what this is; from now on somebody was. */
  isFirstRun(): Promise<boolean>;
  /** Keeps what completions may offer from now on. Never fails: it is a courtesy. */
  learn(seen: Learned): Promise<void>;
  /** Told that more of a long list comes, of which little is kept; what a command needs is loaded. */
  keepSmall(): Promise<void>;
  /** Seals redemption data for the journal with a key derived from the wallet's, and opens it. */
  vault(signer: Signer): Promise<Vault>;
  /** Sandbox only: puts money into a wallet. @throws {ScripError} on a live chain */
  fund(
    owner: string,
    amounts: { readonly usdcAtomic: bigint; readonly lamports: bigint },
  ): Promise<void>;
  /** A text file by its path, or standard input for `-`. @throws {ScripError} INPUT_INVALID */
  readText(path: string): Promise<string>;
  /** A new file, readable by its owner alone and on disk when the promise resolves. @throws {ScripError} OUTPUT_UNWRITABLE */
  writeSecret(path: string, text: string): Promise<void>;
  machine(): Promise<Machine>;
  readonly webhooks: WebhookParts;
  /** The last failures on this machine, oldest first. */
  recentErrors(): Promise<readonly RecentError[]>;
  /** Never rejects. */
  runProgram(program: UserProgram): Promise<ProgramEnd>;
  serveSandbox(options: {
    readonly port: number;
    readonly host: string;
    readonly dataDir?: string;
    readonly catalogFile?: string;
    /** Coins, networks and rates; rules and limits of the partner API. */
    readonly marketFile?: string;
    readonly policyFile?: string;
    /** A facilitator elsewhere, without a trailing slash. */
    readonly facilitatorUrl?: string;
    /** File of the token that names this host to it. */
    readonly facilitatorTokenFile?: string;
    /** File of callers whose payments are settled beside our own. */
    readonly callersFile?: string;
    /** Lamports without which the fee payer pays for nothing. */
    readonly feePayerFloor?: bigint;
    /** Webhooks may go to this machine and its network. @throws {ScripError} INPUT_INVALID off loopback */
    readonly areWebhooksPrivate?: boolean;
    /** Callers are limited as on a public service. */
    readonly areLimitsStrict?: boolean;
    /** Addresses and networks of proxies whose `X-Forwarded-For` is believed. */
    readonly trustedProxies?: readonly string[];
    /** How long an order of the partner API may be paid. */
    readonly paymentWindowMs?: number;
    /** Trouble to rehearse, each in the grammar of docs/sandbox-faults.md. */
    readonly faults?: readonly string[];
    /** What faults are drawn from; drawn anew when left out. */
    readonly faultSeed?: number;
    /** How the service's clock is wrong, such as `+2h`. */
    readonly wallClock?: string;
    /** What agents have to call themselves; the contract's when left out, `*` for any name. */
    readonly agentUserAgent?: string;
  }): Promise<ServedSandbox>;
  readonly toolServer: ToolServer;
  /** Of this data folder, or of the profile's. @throws {ScripError} INPUT_INVALID, STORE_UNUSABLE */
  openBooks(dataDir: string | undefined): Promise<OperatorBooks>;
  /** Between polls of an order of the checkout host; only under the test variable. */
  readonly testPollMs?: number | undefined;
  /** Ends the process at a named point; only under the test variable. */
  failPoint(name: FailPoint): void;
}
