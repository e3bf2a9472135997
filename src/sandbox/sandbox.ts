/**
 * The service without external parts: embedded chain, its JSON-RPC, a catalog and a supplier, over
 * one data folder. Several processes may open one folder at once.
 */
import type { Fetch } from '../contract/fetch.ts';
import { SOLANA_MAINNET, USDC_MINT } from '../contract/x402.ts';
import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/errors.ts';
import type { ServicePoint } from '../domain/fail-points.ts';
import { isEmbeddedUrl } from '../domain/loopback.ts';
import { t } from '../domain/message.ts';
import { checkAccount } from '../domain/phone.ts';
import { type FacilitatorClient, readFeePayer } from '../rails/facilitator-http.ts';
import type { Facilitator, MerchantRail, PaymentSponsor } from '../rails/merchant-rail.ts';
import type { Signer } from '../rails/rail.ts';
import { createFacilitator } from '../rails/solana/facilitator.ts';
import { chainIdAt } from '../rails/solana/health.ts';
import { createRemoteFacilitator } from '../rails/solana/remote-facilitator.ts';
import { createSolanaMerchant } from '../rails/solana/requirement.ts';
import { createSolanaRpc, type SolanaRpc } from '../rails/solana/rpc.ts';
import { createSponsor } from '../rails/solana/sponsor.ts';
import { createService } from '../service/app.ts';
import type { Catalog } from '../service/catalog.ts';
import { type Watch, watchPorts } from '../service/fail-points.ts';
import { watchWrites } from '../service/health.ts';
import { GENEROUS_TRAFFIC, type TrafficOptions } from '../service/limits.ts';
import type { FollowOrder } from '../service/partner/stream.ts';
import { createPayerBudget } from '../service/payer-budget.ts';
import { DEFAULT_MARGIN_BPS } from '../service/pricing.ts';
import type { OpenService } from '../service/serving.ts';
import { storeClock } from '../service/store-clock.ts';
import type { Supplier } from '../service/suppliers/supplier.ts';
import type { Caller } from '../service/traffic.ts';
import { createWebhookKeys } from '../service/webhook-signature.ts';
import type { WebhookOptions } from '../service/webhooks.ts';
import { adoptChain, type ChainAhead } from '../store/ownership.ts';
import type { Store } from '../store/store.ts';
import { claimsOf } from '../store/tables/claims.ts';
import { chainAheadIn, OTHER_CHAIN, openBegunShop } from './begun-shop.ts';
import { CATALOG_SEED, createGeneratedCatalog } from './catalog/generated.ts';
import type { Chain } from './chain/chain.ts';
import { checkVm } from './chain/vm.ts';
import { expiringFacilitator } from './expiring-facilitator.ts';
import type { FaultPlan } from './faults/fault-plan.ts';
import { faultySupplier } from './faults/faulty-supplier.ts';
import { pressButton } from './partner/buttons.ts';
import { type PartnerSettings, sandboxPartner } from './partner/partner.ts';
import { createPlayedPayments } from './partner/played-payments.ts';
import { createPaymentAddresses, type NextAddress } from './payment-addresses.ts';
import { sandboxRates } from './rates.ts';
import { sandboxRefunds } from './refund-wallet.ts';
import { forOwnPages, RPC_PATH } from './rpc/endpoint.ts';
import { feePayerFrom } from './secrets.ts';
import {
  type Funds,
  fundOnce,
  type OwnChainOptions,
  openOwnChain,
  type RpcAddress,
  reachChain,
  type ShopChain,
} from './shop-chain.ts';
import { createSandboxSupplier } from './supplier.ts';

/** Seconds between the challenge and its payment (x402: `maxTimeoutSeconds`). */
const PAYMENT_WINDOW_SECONDS = 60;
const CONFIRM_TIMEOUT_MS = 8_000;
/** Fees of about 50,000 payments; the fee payer pays for nothing else. */
const FEE_PAYER_LAMPORTS = 1_000_000_000n;
/** On a remote chain, the fee payer also pays the rent of the accounts that receive payments. */
const FEE_PAYER_LAMPORTS_ELSEWHERE = 1_000n * FEE_PAYER_LAMPORTS;

export interface SandboxOptions extends OwnChainOptions {
  readonly dataDir: string;
  /** A `postgres://` address, for several servers of one shop; by default a file in the data folder. */
  readonly database?: string | undefined;
  random(length: number): Uint8Array;
  /** Address at which clients reach the service, without a trailing slash. */
  readonly baseUrl: string;
  readonly catalog?: Catalog;
  /** RPC of a remote chain; by default the chain is in the data folder. */
  readonly chainRpc?: RpcAddress | undefined;
  /** A remote facilitator; by default the embedded one. */
  readonly facilitator?: FacilitatorClient;
  /** Below this balance the fee payer pays for nothing; by default the facilitator's own limit. */
  readonly feePayerFloor?: bigint | undefined;
  /** The operator's own parts of the partner API; by default the sandbox's. */
  readonly partner?: PartnerSettings;
  /** User-Agent that clients of the agent surface must send; by default the contract's. */
  readonly agentUserAgent?: string;
  /** Posts webhooks; without it they stay in the outbox. */
  readonly webhooks?: Pick<WebhookOptions, 'send' | 'isPrivateAllowed'>;
  /** Rate limits of callers; generous by default. */
  readonly traffic?: TrafficOptions;
  /** Receives errors that no caller sees. */
  report?(error: unknown): void;
  /** Faults to simulate: here at the supplier; a server applies those of the network. */
  readonly faults?: FaultPlan | undefined;
  /** The service's clock if it is to be wrong; the chain always uses `clock`. */
  readonly wallClock?: Clock | undefined;
  /** The time that servers with one database share; by default the database's own. */
  readonly sharedClock?: Clock | undefined;
  /** Called at points where a test may end the process. */
  readonly failPoint?: ((name: ServicePoint) => void) | undefined;
}

export interface Sandbox extends Pick<OpenService, 'checks'> {
  /** Answers every path of the service, including JSON-RPC at `/rpc`. */
  handle(request: Request, caller?: Caller): Promise<Response>;
  readonly routes: readonly string[];
  /** Streams of orders, for a server that holds very many of them. */
  readonly follow: FollowOrder;
  /** Secret that signs the webhooks of a partner's orders, besides the order's own. */
  webhookSecret(applicationId: string): Promise<string>;
  /** Ends the streams and waits for webhooks being sent. */
  settle(): Promise<void>;
  /** Address that pays the network fees; null with a remote facilitator. */
  readonly feePayer: string | null;
  /** `handle` as a `Fetch`, for a client in this process. */
  readonly fetch: Fetch;
  /** Advances orders. */
  tick(): Promise<void>;
  /** Mints test money; amounts in atomic units. */
  fund(owner: string, funds: Funds): Promise<void>;
  /** Undefined if the chain is remote. */
  readonly chain: Chain | undefined;
  readonly store: Store;
  close(): Promise<void>;
}

/** Opens the sandbox. @throws {ScripError} STORE_UNUSABLE, PLATFORM_UNSUPPORTED */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { clock } = options;
  const watch = watchPorts(options.failPoint);
  if (!options.chainRpc) checkVm();
  const ahead = await chainAhead(options);
  const { store: opened, draw } = await openBegunShop(options, ahead);
  const writes = watchWrites(watch.store(opened), clock);
  const { store } = writes;
  const wallClock = options.sharedClock ?? storeClock(store, options.wallClock ?? clock);
  const feePayer = feePayerFrom(draw);
  const chain = await openShopChain(options, feePayer);
  await adoptChain(store, chain.embedded ? { ...ahead, id: chain.embedded.id } : ahead);

  const rpc = watch.rpc(chain.rpc);
  const played = createPlayedPayments(store, wallClock, options.random);
  const { baseUrl } = options;
  const sponsor = openSponsor(options, { store, rpc, feePayer });
  const { random, report } = options;
  const nextAddress = createPaymentAddresses({ chain, draw, random });
  const partner = sandboxPartner(
    { chain, nextAddress, draw, rpc, played, baseUrl, sponsor },
    options.partner,
  );

  const settling = openFacilitator(options, { store, chain: { ...chain, rpc }, feePayer, watch });
  const rail = merchantRail(nextAddress, settling);
  const payRefunds = sandboxRefunds({
    ...{ store, chain, rpc: chain.rpc, clock: wallClock, draw, feePayer, watch, random, report },
    market: partner.market,
  });
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
      expiringFacilitator(settling, { store, rail, clock: wallClock }),
    ),
    partner,
    ...(options.agentUserAgent ? { agentUserAgent: options.agentUserAgent } : {}),
    traffic: options.traffic ?? GENEROUS_TRAFFIC,
    ...(options.webhooks ? { webhooks: { ...options.webhooks, key: draw('webhooks') } } : {}),
    clock: wallClock,
    random: options.random,
    voucherKey: draw('vouchers'),
    baseUrl,
    checkBeneficiary: checkAccount,
    ...(options.report ? { report: options.report } : {}),
  });
  const answer = async (request: Request, caller?: Caller): Promise<Response> =>
    (service.partner &&
      (await pressButton({ orders: service.partner, ...partner, played, baseUrl }, request))) ??
    service.fetch(request, caller);
  const answerRpcOfPages = forOwnPages(chain.answer, baseUrl);
  const handle: Sandbox['handle'] = async (request, caller) =>
    new URL(request.url).pathname === RPC_PATH
      ? answerRpcOfPages(request)
      : answer(request, caller);

  return {
    handle,
    routes: service.routes,
    follow: (...asked) => service.follow?.(...asked),
    webhookSecret: createWebhookKeys(draw('webhooks')).ofApplication,
    checks: {
      database: writes.check,
      chain: () => chain.rpc.blockHeight('confirmed'),
    },
    settle: () => service.close(),
    feePayer: options.facilitator ? null : feePayer.address,
    fetch: (url, init) => handle(new Request(url, init)),
    async tick() {
      await service.tick();
      await payRefunds();
    },
    fund: chain.fund,
    chain: chain.embedded,
    store,
    async close() {
      await service.close();
      await Promise.all([store.close(), chain.close()]);
    },
  };
}

/** A remote chain is asked now, so nothing is made where it is away. */
async function chainAhead({ dataDir, clock, chainRpc }: SandboxOptions): Promise<ChainAhead> {
  if (!chainRpc) return chainAheadIn(dataDir);
  const id = await chainIdAt(createSolanaRpc({ ...chainRpc, clock })).catch((error: unknown) => {
    if (!(error instanceof ScripError)) throw error;
    throw new ScripError(error.code, error.sentence, {
      cause: error,
      hint: t`Check --chain-rpc: the RPC of a chain has to answer there.`,
    });
  });
  return { where: chainRpc.url, id: async () => id, hint: OTHER_CHAIN };
}

/** Opens the chain and funds its fee payer once, however many processes open it. */
async function openShopChain(
  { dataDir, clock, finalSlots, chainRpc }: SandboxOptions,
  feePayer: Signer,
): Promise<ShopChain> {
  const chain = chainRpc
    ? reachChain(chainRpc, { clock, feePayer })
    : await openOwnChain(dataDir, { clock, finalSlots });
  const lamports = chainRpc ? FEE_PAYER_LAMPORTS_ELSEWHERE : FEE_PAYER_LAMPORTS;
  await fundOnce(chain, feePayer.address, lamports);
  return chain;
}

/** Each session is paid to its own address. */
function merchantRail(nextAddress: NextAddress, facilitator: Facilitator): MerchantRail {
  return createSolanaMerchant({
    network: SOLANA_MAINNET,
    mint: USDC_MINT,
    feePayer: () => readFeePayer(facilitator, SOLANA_MAINNET),
    maxTimeoutSeconds: PAYMENT_WINDOW_SECONDS,
    payTo: nextAddress,
  });
}

function openSupplier(
  { clock, wallClock = clock, faults }: SandboxOptions,
  { store, seed }: { readonly store: Store; readonly seed: Uint8Array },
): Supplier {
  const supplier = createSandboxSupplier({ store, clock: wallClock, seed });
  return faults ? faultySupplier(supplier, faults, clock) : supplier;
}

/** Undefined where no page offers it, or with a facilitator elsewhere: no fee payer of ours signs then. */
function openSponsor(
  { facilitator, baseUrl, clock, feePayerFloor, report }: SandboxOptions,
  parts: { readonly store: Store; readonly rpc: SolanaRpc; readonly feePayer: Signer },
): PaymentSponsor | undefined {
  if (facilitator || isEmbeddedUrl(baseUrl)) return undefined;
  return createSponsor({
    ...parts,
    clock,
    mint: USDC_MINT,
    budget: createPayerBudget(parts.store, clock),
    floorLamports: feePayerFloor,
    ...(report ? { report } : {}),
  });
}

function openFacilitator(
  { facilitator, clock, feePayerFloor, report }: SandboxOptions,
  parts: {
    readonly store: Store;
    readonly chain: Pick<ShopChain, 'rpc' | 'nextBlockMs'>;
    readonly feePayer: Signer;
    readonly watch: Watch;
  },
): Facilitator {
  const { store, chain, feePayer, watch } = parts;
  const shared = {
    rpc: chain.rpc,
    clock,
    confirmTimeoutMs: CONFIRM_TIMEOUT_MS,
    network: SOLANA_MAINNET,
    mint: USDC_MINT,
    ...(report ? { report } : {}),
  };
  if (facilitator) {
    return createRemoteFacilitator({ ...shared, client: facilitator });
  }
  return createFacilitator({
    ...shared,
    feePayer,
    claims: watch.claims(claimsOf(store)),
    budget: createPayerBudget(store, clock),
    nextBlockMs: chain.nextBlockMs,
    floorLamports: feePayerFloor,
  });
}
