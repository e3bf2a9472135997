/**
 * The service with nothing else needed: the embedded chain, its JSON-RPC, a catalog and a supplier
 * plugged together over one data folder. Several processes may have one folder open at once.
 */
import type { Fetch } from '../contract/fetch.ts';
import { SOLANA_MAINNET, USDC_MINT } from '../contract/x402.ts';
import { checkBeneficiary, checkOrdered } from '../domain/beneficiary.ts';
import type { Clock } from '../domain/clock.ts';
import type { ServicePoint } from '../domain/fail-points.ts';
import { createRemoteFacilitator } from '../rails/facilitator-http.ts';
import type { Facilitator, MerchantRail, Signer } from '../rails/rail.ts';
import { signerFromSeed } from '../rails/solana/ed25519.ts';
import { createFacilitator } from '../rails/solana/facilitator.ts';
import { createMerchantFate } from '../rails/solana/merchant-fate.ts';
import { createSolanaMerchant } from '../rails/solana/requirement.ts';
import type { SolanaRpc } from '../rails/solana/rpc.ts';
import { createService } from '../service/app.ts';
import type { NamedCaller } from '../service/callers.ts';
import type { Catalog } from '../service/catalog.ts';
import { GENEROUS_TRAFFIC, type TrafficOptions } from '../service/limits.ts';
import type { FollowOrder } from '../service/partner/stream.ts';
import { createPayerBudget } from '../service/payer-budget.ts';
import { DEFAULT_MARGIN_BPS } from '../service/pricing.ts';
import type { Supplier } from '../service/suppliers/supplier.ts';
import type { Caller } from '../service/traffic.ts';
import { createWebhookKeys } from '../service/webhook-signature.ts';
import type { WebhookOptions } from '../service/webhooks.ts';
import type { Store } from '../storage/store.ts';
import { CATALOG_SEED, createGeneratedCatalog } from './catalog/generated.ts';
import type { Chain } from './chain/chain.ts';
import { checkVm } from './chain/vm.ts';
import { expiringFacilitator } from './expiring-facilitator.ts';
import { type Watch, watchPorts } from './fail-points.ts';
import type { FaultPlan } from './faults/fault-plan.ts';
import { faultySupplier } from './faults/faulty-supplier.ts';
import { pressButton } from './partner/buttons.ts';
import { checkoutPage } from './partner/checkout-page.ts';
import { type PartnerSettings, sandboxPartner } from './partner/partner.ts';
import { createPlayedPayments } from './partner/played-payments.ts';
import { parsePhone } from './phone.ts';
import { sandboxRates } from './rates.ts';
import { forOwnPages, RPC_PATH } from './rpc/endpoint.ts';
import { checkSecrets, type Draw, openSecrets } from './secrets.ts';
import {
  type Funds,
  fundOnce,
  openOwnChain,
  type RpcAddress,
  reachChain,
  type ShopChain,
} from './shop-chain.ts';
import { openShopStore } from './stores.ts';
import { createSandboxSupplier } from './supplier.ts';

/** Seconds a payer has between the challenge and its payment, as x402 states it. */
const PAYMENT_WINDOW_SECONDS = 60;
const CONFIRM_TIMEOUT_MS = 8_000;
/** Fees of about 50,000 payments; the fee payer is never asked for anything else. */
const FEE_PAYER_LAMPORTS = 1_000_000_000n;
/** On a chain elsewhere it bears the rent of the accounts that orders are paid to, too. */
const FEE_PAYER_LAMPORTS_ELSEWHERE = 1_000n * FEE_PAYER_LAMPORTS;

export interface SandboxOptions {
  readonly dataDir: string;
  /** A `postgres://` address, for several servers of one shop; a file of the data folder otherwise. */
  readonly database?: string | undefined;
  readonly clock: Clock;
  random(length: number): Uint8Array;
  /** Address under which clients see the service, without a trailing slash. */
  readonly baseUrl: string;
  readonly catalog?: Catalog;
  /** A chain elsewhere, reached by its RPC; one of the data folder's own otherwise. */
  readonly chainRpc?: RpcAddress | undefined;
  /** A facilitator elsewhere, with the calls of x402; the embedded one otherwise. */
  readonly facilitator?: {
    readonly url: string;
    readonly fetch: Fetch;
    /** Names this host to it. */
    readonly token?: string | undefined;
  };
  /** Whose payments the fee payer pays for beside those of our sessions. */
  readonly callers?: readonly NamedCaller[] | undefined;
  /** With less than this the fee payer pays for nothing; the facilitator's own when left out. */
  readonly feePayerFloor?: bigint | undefined;
  /** The operator's own parts of the partner API; the sandbox's otherwise. */
  readonly partner?: PartnerSettings;
  /** User-Agent that clients of the agent surface have to send; the contract's when left out. */
  readonly agentUserAgent?: string;
  /** Posts webhooks; they wait in the outbox when left out. */
  readonly webhooks?: Pick<WebhookOptions, 'send' | 'isPrivateAllowed'>;
  /** What callers may do; generous when left out. */
  readonly traffic?: TrafficOptions;
  /** Told of faults that no caller is told of. */
  report?(error: unknown): void;
  /** Trouble that was asked for: at the supplier here, on the network where the sandbox is served. */
  readonly faults?: FaultPlan | undefined;
  /** What the service takes for the time; the chain goes by `clock` alone. */
  readonly wallClock?: Clock | undefined;
  /** Called at places where a test may end the process. */
  readonly failPoint?: ((name: ServicePoint) => void) | undefined;
}

export interface Sandbox {
  /** Answers any path of the service, JSON-RPC at `/rpc` included. */
  handle(request: Request, caller?: Caller): Promise<Response>;
  /** Streams of orders, for a server that holds very many of them. */
  readonly follow: FollowOrder;
  /** The secret that webhooks of a partner's orders are signed with, beside that of the order. */
  webhookSecret(applicationId: string): Promise<string>;
  /** Ends the streams and waits for the webhooks that are under way. */
  settle(): Promise<void>;
  /** Address that pays the network fees; null where the facilitator is elsewhere. */
  readonly feePayer: string | null;
  /** The same as a `Fetch`, for a client in this process. */
  readonly fetch: Fetch;
  /** Moves orders on. */
  tick(): Promise<void>;
  /** Mints test money; amounts in atomic units. */
  fund(owner: string, funds: Funds): Promise<void>;
  /** Undefined where it is elsewhere. */
  readonly chain: Chain | undefined;
  readonly store: Store;
  close(): Promise<void>;
}

/** @throws {ScripError} STORE_UNUSABLE, PLATFORM_UNSUPPORTED */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { dataDir, clock } = options;
  const watch = watchPorts(options.failPoint);
  if (!options.chainRpc) checkVm();
  const draw = openSecrets(dataDir);
  const store = watch.store(await openShopStore(dataDir, options.database));
  await checkSecrets(draw, store.tables.facts);
  const wallClock = timeOf(store, options.wallClock ?? clock);
  const feePayer = signerFromSeed(draw('fee payer'));
  const chain = await openShopChain(options, feePayer);

  const rpc = watch.rpc(chain.rpc);
  const played = createPlayedPayments(store, wallClock, options.random);
  const { baseUrl } = options;
  const partner = sandboxPartner({ chain, draw, rpc, played, baseUrl }, options.partner);

  const rail = merchantRail(chain, draw, feePayer);
  const service = createService({
    store,
    catalog: options.catalog ?? createGeneratedCatalog({ seed: CATALOG_SEED }),
    rates: sandboxRates,
    marginBps: DEFAULT_MARGIN_BPS,
    supplier: watch.supplier(
      openSupplier({ ...options, wallClock }, { store, seed: draw('supplier') }),
    ),
    rail,
    facilitator: watch.facilitator(
      expiringFacilitator(openFacilitator(options, { store, rpc, feePayer, watch }), {
        store,
        rail,
        clock: wallClock,
      }),
    ),
    partner,
    ...(options.callers ? { callers: options.callers } : {}),
    ...(options.agentUserAgent ? { agentUserAgent: options.agentUserAgent } : {}),
    traffic: options.traffic ?? GENEROUS_TRAFFIC,
    ...(options.webhooks ? { webhooks: { ...options.webhooks, key: draw('webhooks') } } : {}),
    clock: wallClock,
    random: options.random,
    voucherKey: draw('vouchers'),
    baseUrl,
    checkBeneficiary: (kind, account, plan = {}) =>
      'e164Of' in plan
        ? checkOrdered(kind, account, parsePhone, plan.e164Of)
        : checkBeneficiary(kind, account, parsePhone, plan.nationalIn),
    ...(options.report ? { report: options.report } : {}),
  });
  const answer = async (request: Request, caller?: Caller): Promise<Response> =>
    (service.partner &&
      (await pressButton({ orders: service.partner, ...partner, played, baseUrl }, request))) ??
    checkoutPage(request) ??
    service.fetch(request, caller);
  const answerRpcOfPages = forOwnPages(chain.answer, baseUrl);
  const handle: Sandbox['handle'] = async (request, caller) =>
    new URL(request.url).pathname === RPC_PATH
      ? answerRpcOfPages(request)
      : answer(request, caller);

  return {
    handle,
    follow: (path, headers) => service.follow?.(path, headers),
    webhookSecret: createWebhookKeys(draw('webhooks')).ofApplication,
    settle: () => service.close(),
    feePayer: options.facilitator ? null : feePayer.address,
    fetch: (url, init) => handle(new Request(url, init)),
    tick: () => service.tick(),
    fund: chain.fund,
    chain: chain.embedded,
    store,
    async close() {
      await service.close();
      await Promise.all([store.close(), chain.close()]);
    },
  };
}

/** Servers of one shop go by the time of its database. */
function timeOf({ others }: Store, clock: Clock): Clock {
  if (!others) return clock;
  return { ...clock, now: () => clock.now() + others.offsetMs() };
}

/** Its fee payer is funded once in its life, for any number of processes that open it. */
async function openShopChain(
  { dataDir, clock, chainRpc }: SandboxOptions,
  feePayer: Signer,
): Promise<ShopChain> {
  const chain = chainRpc
    ? reachChain(chainRpc, { clock, feePayer })
    : await openOwnChain(dataDir, clock);
  const lamports = chainRpc ? FEE_PAYER_LAMPORTS_ELSEWHERE : FEE_PAYER_LAMPORTS;
  await fundOnce(chain, feePayer.address, lamports);
  return chain;
}

/** Each session is paid to an owner of its own, whose key only this folder's secret can make. */
function merchantRail(chain: ShopChain, draw: Draw, feePayer: Signer): MerchantRail {
  return createSolanaMerchant({
    network: SOLANA_MAINNET,
    mint: USDC_MINT,
    feePayer: feePayer.address,
    maxTimeoutSeconds: PAYMENT_WINDOW_SECONDS,
    allocate: async (sessionId) => {
      const owner = signerFromSeed(draw(`pay to ${sessionId}`)).address;
      await chain.provisionTokenAccount(owner);
      return { owner };
    },
  });
}

function openSupplier(
  { clock, wallClock = clock, faults }: SandboxOptions,
  { store, seed }: { readonly store: Store; readonly seed: Uint8Array },
): Supplier {
  const supplier = createSandboxSupplier({ store, clock: wallClock, seed });
  return faults ? faultySupplier(supplier, faults, clock) : supplier;
}

function openFacilitator(
  { facilitator, clock, feePayerFloor, report }: SandboxOptions,
  parts: {
    readonly store: Store;
    readonly rpc: SolanaRpc;
    readonly feePayer: Signer;
    readonly watch: Watch;
  },
): Facilitator {
  const { store, rpc, feePayer, watch } = parts;
  if (facilitator) {
    return createRemoteFacilitator({
      ...facilitator,
      clock,
      fate: createMerchantFate({ rpc, network: SOLANA_MAINNET }),
    });
  }
  return createFacilitator({
    rpc,
    feePayer,
    claims: watch.claims(store.tables.claims),
    budget: createPayerBudget(store, clock),
    clock,
    confirmTimeoutMs: CONFIRM_TIMEOUT_MS,
    network: SOLANA_MAINNET,
    mint: USDC_MINT,
    floorLamports: feePayerFloor,
    ...(report ? { report } : {}),
  });
}
