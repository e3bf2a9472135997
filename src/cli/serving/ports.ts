/** What a command may serve or operate: the sandbox, the tools of agents, webhooks. */
import type { ToolBackend } from '../../api/tool-backend.ts';
import type { WireToolManifest } from '../../contract/tool-manifest.ts';
import type { AuditReport } from '../../domain/audit.ts';
import type { EventFacts } from '../../domain/played-event.ts';
import type { WebhookRecord, WebhookState } from '../../domain/webhook-record.ts';

/** How the operator has the sandbox served. */
export interface SandboxServing {
  readonly port: number;
  readonly host: string;
  readonly dataDir?: string;
  /** `postgres://` address of the shop's database; of SCRIP_DATABASE_URL when left out, or a file. */
  readonly database?: string | undefined;
  readonly catalogFile?: string;
  /** Coins, networks and rates; rules and limits of the partner API. */
  readonly marketFile?: string;
  readonly policyFile?: string;
  /** JSON-RPC of a chain elsewhere. */
  readonly chainRpcUrl?: string;
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
  /** Trouble to rehearse, each in the grammar of docs/operate/faults.md. */
  readonly faults?: readonly string[];
  /** What faults are drawn from; drawn anew when left out. */
  readonly faultSeed?: number;
  /** How the service's clock is wrong, such as `+2h`. */
  readonly wallClock?: string;
  /** What agents have to call themselves; the contract's when left out, `*` for any name. */
  readonly agentUserAgent?: string;
}

/** A served sandbox, until it is closed. */
export interface ServedSandbox {
  readonly url: string;
  /** What faults are drawn from; null when none were asked for. */
  readonly faultSeed: number | null;
  /** What webhooks of a partner's orders are signed with. */
  webhookSecret(applicationId: string): Promise<string>;
  /** Address that pays the network fees; null where the facilitator is elsewhere. */
  readonly feePayer: string | null;
  /** Whose payments it pays for beside its own, up to so much in a day of UTC. */
  readonly callers: readonly { readonly name: string; readonly lamportsPerDay: bigint }[];
  close(): Promise<void>;
}

/** How the tool server for agents is run on this machine. */
export interface ToolServing {
  readonly backend: ToolBackend;
  /** `payOrder` is among the tools. */
  readonly mayPay: boolean;
  /** Redemption codes are told. */
  readonly areCodesShown: boolean;
}

/** The tool server over HTTP, until it is closed. */
export interface ServedTools {
  readonly url: string;
  /** Bearer token that every request has to carry; there is one where money can be spent or codes are told. */
  readonly token: string | undefined;
  close(): Promise<void>;
}

export interface ToolServer {
  /** What it would offer. */
  manifest(options: Omit<ToolServing, 'backend'>): Promise<WireToolManifest>;
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

/** Where the books of a sandbox are. */
export interface AdminPlace {
  /** The profile's when left out. */
  readonly dataDir?: string | undefined;
  /** Of its chain; the same folder when left out. */
  readonly chainDir?: string | undefined;
  /** As for the sandbox that is served. */
  readonly database?: string | undefined;
}

/** Audit and webhooks of a sandbox’s data folder, for its operator. Close it when done. */
export interface OperatorAdmin {
  audit(): Promise<AuditReport>;
  readonly webhooks: {
    list(state: WebhookState, limit: number): Promise<readonly WebhookRecord[]>;
    /** @throws {ScripError} WEBHOOK_UNKNOWN, INPUT_INVALID */
    replay(webhookId: string): Promise<WebhookRecord>;
    /** @throws {ScripError} ORDER_UNKNOWN, INPUT_INVALID */
    resend(request: {
      readonly orderId: string;
      readonly facts?: EventFacts | undefined;
      readonly webhookId: string;
    }): Promise<WebhookRecord>;
  };
  close(): Promise<void>;
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

export interface Serving {
  serveSandbox(options: SandboxServing): Promise<ServedSandbox>;
  /** The embedded chain alone. @throws {ScripError} INPUT_INVALID, STORE_UNUSABLE */
  serveChain(
    options: Pick<SandboxServing, 'port' | 'host' | 'dataDir'>,
  ): Promise<Pick<ServedSandbox, 'url' | 'close'>>;
  readonly toolServer: ToolServer;
  /** @throws {ScripError} INPUT_INVALID, STORE_UNUSABLE */
  openSandboxAdmin(place: AdminPlace): Promise<OperatorAdmin>;
  readonly webhooks: WebhookParts;
}
