/** All that a command may touch. `main.ts` builds the real one, a test a small one of values. */
import type { ToolDesk } from '../client/tool-desk.ts';
import type { Fetch } from '../contract/fetch.ts';
import type { WireToolManifest } from '../contract/tool-manifest.ts';
import type { AuditReport } from '../domain/audit.ts';
import type { PhoneParser } from '../domain/beneficiary.ts';
import type { Clock } from '../domain/clock.ts';
import type { FailPoint } from '../domain/fail-points.ts';
import type { Journal } from '../domain/journal.ts';
import type { JournalCare } from '../domain/journal-care.ts';
import type { EventFacts } from '../domain/played-event.ts';
import type { SpendLog } from '../domain/spend-log.ts';
import type { WebhookRecord, WebhookState } from '../domain/webhook-record.ts';
import type { PayerRail, Signer } from '../rails/rail.ts';
import type { SecretPlace } from '../wallet/passphrase.ts';
import type { Vault } from '../wallet/vault.ts';
import type { Wallets } from '../wallet/wallets.ts';
import type { Learned } from './completion/remembered.ts';
import type { Language } from './messages/language.ts';
import type { Tell } from './messages/translate.ts';
import type { NamedCountry } from './nearest-country.ts';
import type { Output } from './output/format.ts';
import type { SettingName, Source } from './setting-table.ts';

export interface OutputStream {
  write(text: string): void;
  /** Waits until all that was written was taken; false when nobody takes any more. */
  taken(): Promise<boolean>;
  readonly isTerminal: boolean;
  /** Width in columns; 80 where it is not known. */
  readonly columns: number;
  /** Height in lines; 24 where it is not known. */
  readonly rows: number;
  readonly hasColor: boolean;
  /** The terminal makes links of OSC 8. */
  readonly hasLinks: boolean;
}

/** Questions to the person at the terminal; refuses with TERMINAL_REQUIRED where there is none. */
export interface Prompter {
  confirm(question: string): Promise<boolean>;
  /** A line as it is typed. */
  text(question: string): Promise<string>;
}

/** One of several. */
export interface Choice {
  readonly value: string;
  /** How it is shown; whatever it holds is escaped where it is shown. */
  readonly label: string;
}

/** What a list shows for a text: choices, or why there is none that fits. */
export interface Narrowed {
  readonly choices: readonly Choice[];
  /** Said above the choices. */
  readonly remarks: readonly string[];
}

export interface ListQuestion {
  readonly message: string;
  readonly help: string;
  /** Asked whenever the text changes. */
  narrow(text: string): Promise<Narrowed>;
}

export interface TextQuestion {
  readonly message: string;
  /** Why a text is not taken; undefined when it is. */
  check(text: string): Promise<string | undefined>;
}

/** Questions that redraw a terminal, on stderr. @throws {ScripError} INTERRUPTED */
export interface Dialog {
  /** The value that was chosen, or the text as it was typed where no choice fits it. */
  pick(question: ListQuestion): Promise<string>;
  type(question: TextQuestion): Promise<string>;
}

/** The answers of a purchase that was left, kept for a later run. */
export interface DraftFile {
  read(): Promise<string | undefined>;
  /** Durable when it resolves. */
  write(text: string): Promise<void>;
  remove(): Promise<void>;
}

/** The file of the user's profiles. */
export interface ConfigFile {
  /** Undefined when there is none. @throws {ScripError} STORE_UNUSABLE */
  read(): Promise<string | undefined>;
  /**
   * Replaces it whole, or not at all; durable when it resolves.
   * @param expected what was read before. @throws {ScripError} STORE_UNUSABLE, also when it was changed since
   */
  replace(expected: string | undefined, text: string): Promise<void>;
  /** What a profile alone would come to with such a file: no flag and no variable of ours counts. */
  rehearse(text: string, profile: string): Settings;
}

/** Progress on stderr: a spinner on a terminal, plain lines in --verbose, silence otherwise. */
export interface Progress {
  step(text: string): void;
  done(text?: string): void;
}

/** What the global flags, the environment and the profile come to, in that precedence. */
export interface Settings {
  readonly profile: string;
  /** Who named it; `file` is the top level of the settings file. */
  readonly profileSource: 'flag' | 'environment' | 'file' | 'default';
  /** Where each setting was said; those at their defaults are left out. */
  readonly sources: { readonly [Name in SettingName]?: Source };
  /** The service runs inside this process: no port, state on disk. */
  readonly isEmbedded: boolean;
  /** Base addresses without a trailing slash. */
  readonly checkoutUrl: string;
  readonly apiUrl: string;
  readonly mcpUrl: string;
  readonly rpcUrl: string;
  /** A second Solana RPC, of another operator. */
  readonly witnessRpcUrl?: string;
  /** Who we are to the partner API; its orders belong to that name. */
  readonly partnerId: string;
  /** Two letters, lowercase: where the user is, as the partner API is told. */
  readonly countryCode: string;
  /** What people are spoken to in, and what the merchant is asked for. */
  readonly lang: Language;
  readonly keypairPath: string;
  /** A program that signs in place of the key file: an absolute path and its arguments. */
  readonly signer?: { readonly command: readonly string[]; readonly address?: string };
  /** Where the passphrase of an encrypted key file is; when empty it is asked for. */
  readonly passphrase: SecretPlace;
  /** The key file is the sandbox's own, by default or by name: play money alone. */
  readonly isSandboxKey: boolean;
  /** The wallet comes with a profile whose host is elsewhere: real money, unless named for more. */
  readonly isLiveKey: boolean;
  /** State of the embedded service. */
  readonly sandboxDir: string;
  /** What this machine bought. */
  readonly journalDir: string;
  /** All that is kept between commands, but wallets and settings. */
  readonly stateDir: string;
  /** What completions remember of the profile's host. */
  readonly completionPath: string;
  /** Answers of a guided purchase that was left. */
  readonly draftPath: string;
  /** Codes of the last failures. */
  readonly errorLogPath: string;
  /** The user's profiles. */
  readonly configPath: string;
  /** How data is written. */
  readonly output: Output;
  /** In JSON, errors too: stderr holds one error object or nothing. */
  /** What may be spent. */
  readonly policyPath: string;
  readonly isJson: boolean;
  readonly mayPrompt: boolean;
  readonly isVerbose: boolean;
}

/** The user's own policy file. */
export interface PolicyFileAccess {
  readonly path: string;
  /** Undefined where there is none. @throws {ScripError} POLICY_INVALID */
  read(): Promise<string | undefined>;
  /** Replaces it whole. @throws {ScripError} OUTPUT_UNWRITABLE */
  write(text: string): Promise<void>;
}

/** A served sandbox, until it is closed. */
export interface ServedSandbox {
  readonly url: string;
  /** What faults are drawn from; null when none were asked for. */
  readonly faultSeed: number | null;
  /** What webhooks of a partner's orders are signed with. */
  webhookSecret(applicationId: string): Promise<string>;
  close(): Promise<void>;
}

/** How the tool server for agents is run on this machine. */
export interface ToolServing {
  readonly desk: ToolDesk;
  /** `payOrder` is among the tools. */
  readonly mayPay: boolean;
  /** Redemption codes are told. */
  readonly areCodesShown: boolean;
}

/** The tool server over HTTP, until it is closed. */
export interface ServedTools {
  readonly url: string;
  /** Bearer token that every request has to carry; there is one where money can be spent. */
  readonly token: string | undefined;
  close(): Promise<void>;
}

export interface ToolServer {
  /** What it would offer. */
  manifest(options: Omit<ToolServing, 'desk'>): Promise<WireToolManifest>;
  /** Over standard input and output, until the input ends. Writes nothing else to the output. */
  serveStdio(options: ToolServing): Promise<void>;
  /** On this machine's loopback alone. @throws {ScripError} INPUT_INVALID when the port is taken */
  serveHttp(
    options: ToolServing & {
      /** 0 takes any free port. */
      readonly port: number;
      /** What clients have to call themselves; the contract's when left out, `*` for any name. */
      readonly agentUserAgent?: string | undefined;
    },
  ): Promise<ServedTools>;
}

/** A file of another program, as it was read. */
export interface ForeignFile {
  /** As it was named. */
  readonly path: string;
  /** Where it really is, links followed. */
  readonly target: string;
  /** Undefined where there is none yet. */
  readonly text: string | undefined;
}

/** This machine, as far as other programs on it are told of this one. */
export interface Machine {
  /** As Node names it: `linux`, `darwin`, `win32`. */
  readonly platform: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How this process was started, as absolute paths: the standalone executable needs no script. */
  readonly program: { readonly runtime: string; readonly script?: string };
  /** The absolute path of one that was typed. */
  resolve(path: string): string;
  /** @throws {ScripError} AGENT_CONFIG_INVALID, AGENT_CONFIG_UNUSABLE */
  read(path: string): ForeignFile;
  /**
   * Replaces the whole text, or nothing; what was there is kept beside it.
   * @returns path of the copy; undefined when there was no file
   * @throws {ScripError} AGENT_CONFIG_UNUSABLE, also when the file is no longer what was read
   */
  replace(file: ForeignFile, text: string, atMs: number): string | undefined;
}

/** The books of a sandbox's data folder, for its operator; until they are closed. */
export interface OperatorBooks {
  audit(): Promise<AuditReport>;
  readonly webhooks: {
    list(state: WebhookState, limit: number): Promise<readonly WebhookRecord[]>;
    /** @throws {ScripError} WEBHOOK_UNKNOWN, INPUT_INVALID */
    replay(webhookId: string): Promise<WebhookRecord>;
    /** @throws {ScripError} ORDER_UNKNOWN, INPUT_INVALID */
    retell(telling: {
      readonly orderId: string;
      readonly facts?: EventFacts | undefined;
      readonly webhookId: string;
    }): Promise<WebhookRecord>;
  };
  close(): Promise<void>;
}

/** How a folder stands. */
export interface FolderState {
  readonly isFolder: boolean;
  /** Permission bits. */
  readonly mode: number;
  readonly isOwn: boolean;
  readonly freeBytes: number;
}

/** What this program runs on, as `scrip doctor` looks at it. */
export interface Footing {
  /** Such as `20.19.0`. */
  readonly nodeVersion: string;
  /** System and processor, such as `linux x64`. */
  readonly platform: string;
  /** An environment variable; its value is for comparing, never for showing. */
  variable(name: string): string | undefined;
  /** Undefined where there is none. @throws {ScripError} STORE_UNUSABLE */
  folder(path: string): Promise<FolderState | undefined>;
}

/** Posts a message; the status of the answer, or why there was none, as a code. */
export type SendMessage = (posting: {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}) => Promise<{ readonly status: number } | { readonly failure: string }>;

/** What webhooks are received, sent on and signed with. */
export interface WebhookParts {
  /** SCRIP_WEBHOOK_SECRET, which no child of this process inherits. */
  readonly environmentSecret: string | undefined;
  /** On this machine's loopback alone; 0 takes any free port. @throws {ScripError} INPUT_INVALID when it is taken */
  receive(options: {
    readonly port: number;
    handler(request: Request): Promise<Response>;
  }): Promise<{ readonly url: string; close(): Promise<void> }>;
  /** To this machine and networks of one's own, or to anywhere. Follows no redirect. */
  sender(options: { readonly isAnywhere: boolean }): Promise<SendMessage>;
  /** Of the sandbox in a data folder, which need not have been served yet. @throws {ScripError} STORE_UNUSABLE */
  sandboxSecrets(dataDir: string): Promise<{
    ofOrder(orderId: string): Promise<string>;
    ofApplication(applicationId: string): Promise<string>;
    /** What a message is sent with. */
    headersOf(message: {
      readonly webhookId: string;
      readonly orderId: string;
      /** Undefined for an order of the checkout host. */
      readonly applicationId: string | undefined;
      readonly body: string;
      readonly atMs: number;
    }): Promise<Readonly<Record<string, string>>>;
  }>;
}

/** That a command failed, without what it said. */
export interface RecentError {
  /** ISO 8601. */
  readonly at: string;
  readonly code: string;
  readonly verb: string | null;
}

/** A program of the user's, run once. */
export interface UserProgram {
  /** Its name or path and its arguments; no shell is asked. */
  readonly command: readonly string[];
  /** What it reads on standard input. */
  readonly input: string;
  /** Beside the environment that this process was given, without its secrets. */
  readonly variables: Readonly<Record<string, string>>;
  /** What it prints goes to standard error; nowhere otherwise. */
  readonly isHeard: boolean;
  readonly timeoutMs: number;
}

/** How it ended: by itself, or why not. */
export type ProgramEnd = { readonly status: number } | { readonly failure: string };

export interface Context {
  /** Version of this program. */
  readonly version: string;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** A text of ours for people, in their language; in JSON mode as it is written. */
  readonly tell: Tell;
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
  journal(signer: Signer): Promise<Journal>;
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
    /** Webhooks may go to this machine and its network. @throws {ScripError} INPUT_INVALID off loopback */
    readonly areWebhooksPrivate?: boolean;
    /** Callers are limited as on a public service. */
    readonly areLimitsStrict?: boolean;
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
  /** Ends the process at a named point; only under the test variable. */
  failPoint(name: FailPoint): void;
}
