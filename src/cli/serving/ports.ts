/** What commands can serve or operate: the sandbox, the tool server, webhooks. */
import type { ToolBackend } from '../../api/tool-backend.ts';
import type { WireToolManifest } from '../../contract/tool-manifest.ts';
import type { SendWebhook } from '../../domain/address/webhook-address.ts';
import type {
  SandboxAdmin,
  ServedSandbox,
  ShopAdmin,
  ShopCheck,
} from '../../domain/operator/operator.ts';
import type { LogForm } from './fault-log.ts';

/** The operator's options for a served sandbox. */
export interface SandboxServing {
  readonly port: number;
  readonly host: string;
  readonly dataDir?: string | undefined;
  /** `postgres://` URL of the database; default: SCRIP_DATABASE_URL, otherwise a SQLite file. */
  readonly database?: string | undefined;
  readonly catalogFile?: string | undefined;
  /** JSON-RPC URL of an external chain. */
  readonly chainRpcUrl?: string | undefined;
  /** URL of an external facilitator, without a trailing slash. */
  readonly facilitatorUrl?: string | undefined;
  /** File with the token that identifies this host to the facilitator. */
  readonly facilitatorTokenFile?: string | undefined;
  /** Below this balance in lamports the fee payer pays no fees. */
  readonly feePayerFloor?: bigint | undefined;
  /**
   * Whether webhooks may go to this machine and private networks. @throws {ScripError} INPUT_INVALID off
   * loopback
   */
  readonly areWebhooksPrivate?: boolean | undefined;
  /** Whether the rate limits of a public service apply. */
  readonly areLimitsStrict?: boolean | undefined;
  /** Addresses and networks of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** How long an order of the partner API can be paid. */
  readonly paymentWindowMs?: number | undefined;
  /** Faults to inject, in the syntax of docs/operate/faults.md. */
  readonly faults?: readonly string[] | undefined;
  /** Seed for random faults; default: a new one. */
  readonly faultSeed?: number | undefined;
  /** How the service's clock is wrong, such as `+2h`. */
  readonly wallClock?: string | undefined;
  /** The User-Agent that agents must send; default: the contract's, `*` allows any. */
  readonly agentUserAgent?: string | undefined;
}

/** A running shop, until it is closed. */
export interface ServedShop {
  /** The URL of the listening port. */
  readonly url: string;
  /** The URL for clients. */
  readonly publicUrl: string;
  readonly feePayer: string;
  readonly treasury: string;
  /** The shop's accounts on Base; undefined where it takes no payments there. */
  readonly base?: { readonly feeAccount: string; readonly treasury: string } | undefined;
  /** Where the shop is kept: a file, or a server without user and password. */
  readonly database: string;
  close(): Promise<void>;
}

/** How `scrip mcp` runs the tool server. */
export interface ToolServing {
  readonly backend: ToolBackend;
  /** Whether to offer the tool `payOrder`. */
  readonly mayPay: boolean;
  /** Whether tools show redemption codes. */
  readonly areCodesShown: boolean;
}

/** The tool server over HTTP, until it is closed. */
export interface ServedTools {
  readonly url: string;
  /** Bearer token that every request must have; defined if money can be spent or codes are shown. */
  readonly token: string | undefined;
  close(): Promise<void>;
}

export interface ToolServer {
  /** The manifest of the server's tools. */
  manifest(options: Omit<ToolServing, 'backend'>): Promise<WireToolManifest>;
  /** Serves over standard input and output, until the input ends. Writes nothing else to the output. */
  serveStdio(options: ToolServing): Promise<void>;
  /** Serves on loopback only. @throws {ScripError} INPUT_INVALID when the port is in use */
  serveHttp(
    options: ToolServing & {
      /** 0 selects any free port. */
      readonly port: number;
      /** The User-Agent that clients must send; default: the contract's, `*` allows any. */
      readonly agentUserAgent?: string | undefined;
    },
  ): Promise<ServedTools>;
}

/** Where a sandbox keeps its data. */
export interface AdminPlace {
  /** Default: the profile's folder. */
  readonly dataDir?: string | undefined;
  /** The chain's folder; default: the same folder. */
  readonly chainDir?: string | undefined;
  /** The same as for the served sandbox. */
  readonly database?: string | undefined;
}

/** Receives, forwards and signs webhooks. */
export interface WebhookParts {
  /** SCRIP_WEBHOOK_SECRET, removed from the environment so that no child process inherits it. */
  readonly environmentSecret: string | undefined;
  /**
   * Receives on loopback only; port 0 selects any free one. @throws {ScripError} INPUT_INVALID when it is in
   * use
   */
  receive(options: {
    readonly port: number;
    handler(request: Request): Promise<Response>;
  }): Promise<{ readonly url: string; close(): Promise<void> }>;
  /** Sends to this machine and private networks, or to any address. Follows no redirect. */
  sender(options: { readonly isAnywhere: boolean }): Promise<SendWebhook>;
  /**
   * Secrets of the sandbox in a data folder, even one that was never served. @throws {ScripError}
   * STORE_UNUSABLE
   */
  sandboxSecrets(dataDir: string): Promise<{
    ofOrder(orderId: string): Promise<string>;
    ofApplication(applicationId: string): Promise<string>;
    /** Headers of a webhook, with its signature. */
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
  /** Serves only the embedded chain. @throws {ScripError} INPUT_INVALID, STORE_UNUSABLE */
  serveChain(
    options: Pick<SandboxServing, 'port' | 'host' | 'dataDir'>,
  ): Promise<Pick<ServedSandbox, 'url' | 'close'>>;
  /**
   * Serves a shop from a configuration file.
   * @throws {ScripError} INPUT_INVALID naming every fault of the file
   */
  serveShop(configFile: string, log: LogForm): Promise<ServedShop>;
  /** Checks every part of a shop. @throws {ScripError} INPUT_INVALID naming every fault of the file */
  checkShop(configFile: string): Promise<readonly ShopCheck[]>;
  /** Returns the JSON Schema of the configuration file. */
  shopSchema(): Promise<object>;
  readonly toolServer: ToolServer;
  /** @throws {ScripError} INPUT_INVALID, STORE_UNUSABLE */
  openSandboxAdmin(place: AdminPlace): Promise<SandboxAdmin>;
  /**
   * Opens the store of a shop from its configuration file.
   * @param acting named in the log: by default the user of the machine, without a reason
   * @throws {ScripError} INPUT_INVALID naming every fault of the file; STORE_UNUSABLE
   */
  openShopAdmin(
    configFile: string,
    acting: {
      readonly who: string | undefined;
      readonly reason: string | undefined;
      /** Whether it begins the shop where there is none. */
      readonly begins: boolean;
    },
  ): Promise<ShopAdmin>;
  readonly webhooks: WebhookParts;
}
