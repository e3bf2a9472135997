/**
 * The service without external parts: embedded chain, its JSON-RPC, a catalog and a supplier, over
 * one data folder. Several processes may open one folder at once.
 */

import type { WireOrderRequest } from '../contract/checkout.ts';
import type { Fetch } from '../contract/fetch.ts';
import { SOLANA_MAINNET, USDC_MINT } from '../contract/x402.ts';
import { isEmbeddedUrl } from '../domain/address/loopback.ts';
import { expected } from '../domain/attempt.ts';
import type { Clock } from '../domain/clock.ts';
import type { ServicePoint } from '../domain/journal/fail-points.ts';
import { remade } from '../domain/message/errors.ts';
import { t } from '../domain/message/message.ts';
import { checkAccount } from '../domain/product/phone.ts';
import { type FacilitatorClient, readFeePayer } from '../rails/facilitator-http.ts';
import type {
  Facilitator,
  MerchantRail,
  PaymentSponsor,
  ShopRail,
} from '../rails/merchant-rail.ts';
import type { Signer } from '../rails/rail.ts';
import { signerFromSeed } from '../rails/solana/ed25519.ts';
import { createFacilitator } from '../rails/solana/facilitator.ts';
import { chainIdAt } from '../rails/solana/health.ts';
import { createRemoteFacilitator } from '../rails/solana/remote-facilitator.ts';
import { createSolanaMerchant } from '../rails/solana/requirement.ts';
import { createSolanaRpc, type SolanaRpc } from '../rails/solana/rpc.ts';
import { createSolanaShopRail } from '../rails/solana/shop-rail.ts';
import { createSponsor } from '../rails/solana/sponsor.ts';
import type { Catalog } from '../service/catalog/catalog.ts';
import { DEFAULT_MARGIN_BPS } from '../service/catalog/pricing.ts';
import type { Supplier } from '../service/delivery/supplier.ts';
import { type Watch, watchPorts } from '../service/fail-points.ts';
import { createService } from '../service/http/app.ts';
import { watchWrites } from '../service/http/health.ts';
import { GENEROUS_TRAFFIC, type TrafficOptions } from '../service/http/rate-limits.ts';
import type { Caller } from '../service/http/route.ts';
import type { OpenService } from '../service/http/serving.ts';
import type { FollowOrder } from '../service/partner/events/stream.ts';
import { createPayerBudget } from '../service/payer-budget.ts';
import { createRefundPayments } from '../service/refunds/refund-payments.ts';
import { createShopTransfers } from '../service/refunds/shop-transfers.ts';
import { storeClock } from '../service/store-clock.ts';
import { createWebhookKeys } from '../service/webhooks/webhook-signature.ts';
import type { WebhookOptions } from '../service/webhooks/webhooks.ts';
import { adoptChain, type ChainAhead } from '../store/ownership.ts';
import { claimsOf, type Store } from '../store/store.ts';
import { type BaseRail, createBaseRail } from './base-rail.ts';
import { CATALOG_SEED, createGeneratedCatalog } from './catalog/generated.ts';
import { checkVm } from './chain/vm.ts';
import {
  chainAheadIn,
  type Draw,
  feePayerFrom,
  OTHER_CHAIN,
  openBegunShop,
} from './data-folder.ts';
import type { FaultPlan } from './faults/fault-plan.ts';
import { faultySupplier } from './faults/faulty-parts.ts';
import { createPaymentAddresses, type NextAddress } from './partner/addresses.ts';
import { pressButton } from './partner/buttons.ts';
import { type PartnerSettings, sandboxPartner } from './partner/partner.ts';
import { createPlayedPayments } from './partner/played-payments.ts';
import { sandboxRates } from './rates.ts';
import { forOwnPages, isRpcPath } from './rpc/handler.ts';
import { tagsOf } from './scenarios.ts';
import {
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

export type Sandbox = Awaited<ReturnType<typeof openSandbox>>;

/** Opens the sandbox. @throws {ScripError} STORE_UNUSABLE, PLATFORM_UNSUPPORTED */
export async function openSandbox(options: SandboxOptions) {
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

  const { random, baseUrl, report = () => undefined } = options;
  const rpc = watch.rpc(chain.rpc);
  const parts = { ...options, report, wallClock, store, draw, feePayer, chain, rpc, watch };
  const played = createPlayedPayments(store, wallClock, random);
  const nextAddress = createPaymentAddresses({ chain, draw, random });
  const sponsor = openSponsor(parts);
  const shopRail = openShopRail(parts);
  const base = openBaseRail(parts);
  const partner = sandboxPartner(
    { ...parts, nextAddress, played, sponsor, shopRail, base },
    options.partner,
  );
  const settling = openFacilitator(parts);
  const rail = merchantRail(nextAddress, settling);
  const payRefunds = sandboxRefunds(parts, shopRail, base);
  const service = createService({
    store,
    catalog: options.catalog ?? createGeneratedCatalog({ seed: CATALOG_SEED }),
    rates: sandboxRates,
    marginBps: DEFAULT_MARGIN_BPS,
    supplier: watch.supplier(openSupplier(parts)),
    rails: [
      { ...rail, facilitator: watch.facilitator(expiringFacilitator(settling, rail, parts)) },
      ...(base === undefined
        ? []
        : [{ ...base, facilitator: watch.facilitator(base.facilitator) }]),
    ],
    partner,
    ...(options.agentUserAgent ? { agentUserAgent: options.agentUserAgent } : {}),
    traffic: options.traffic ?? GENEROUS_TRAFFIC,
    ...(options.webhooks ? { webhooks: { ...options.webhooks, key: draw('webhooks') } } : {}),
    clock: wallClock,
    random,
    voucherKey: draw('vouchers'),
    baseUrl,
    checkBeneficiary: checkAccount,
    report,
  });
  const answer = async (request: Request, caller?: Caller): Promise<Response> => {
    if (PAID_PATH.test(new URL(request.url).pathname)) await base?.load();
    return (
      (service.partner &&
        (await pressButton({ orders: service.partner, ...partner, played, baseUrl }, request))) ??
      service.fetch(request, caller)
    );
  };
  const answerRpcOfPages = forOwnPages(chain.answer, baseUrl);
  /** Answers every path of the service, including JSON-RPC at `/rpc` and `/rpc/base`. */
  const handle = async (request: Request, caller?: Caller): Promise<Response> =>
    isRpcPath(new URL(request.url).pathname) ? answerRpcOfPages(request) : answer(request, caller);
  /** `handle` as a `Fetch`, for a client in this process. */
  const fetch: Fetch = (url, init) => handle(new Request(url, init));
  const checks: OpenService['checks'] = {
    database: writes.check,
    chain: () => chain.rpc.blockHeight('confirmed'),
  };
  /** Streams of orders, for a server that holds very many of them. */
  const follow: FollowOrder = (...asked) => service.follow?.(...asked);

  return {
    handle,
    fetch,
    checks,
    follow,
    routes: service.routes,
    /** Secret that signs the webhooks of a partner's orders, besides the order's own. */
    webhookSecret: createWebhookKeys(draw('webhooks')).ofApplication,
    /** Ends the streams and waits for webhooks being sent. */
    settle: () => service.close(),
    /** Address that pays the network fees; null with a remote facilitator. */
    feePayer: options.facilitator ? null : feePayer.address,
    /** Advances orders. */
    async tick(): Promise<void> {
      await service.tick();
      await payRefunds();
    },
    /** Mints test money; amounts in atomic units. */
    fund: chain.fund,
    /** Undefined if the chain is remote. */
    chain: chain.embedded,
    store,
    async close(): Promise<void> {
      await service.close();
      await Promise.all([store.close(), chain.close()]);
    },
  };
}

/** A remote chain is asked now, so nothing is made where it is away. */
async function chainAhead({ dataDir, clock, chainRpc }: SandboxOptions): Promise<ChainAhead> {
  if (!chainRpc) return chainAheadIn(dataDir);
  const hint = t`Check --chain-rpc: the RPC of a chain has to answer there.`;
  const id = await chainIdAt(createSolanaRpc({ ...chainRpc, clock })).catch(
    expected((error) => {
      throw remade(error, { hint });
    }),
  );
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

interface Parts extends SandboxOptions {
  report(error: unknown): void;
  readonly wallClock: Clock;
  readonly store: Store;
  readonly draw: Draw;
  readonly feePayer: Signer;
  readonly chain: ShopChain;
  /** The chain's, with the fail points of payments. */
  readonly rpc: SolanaRpc;
  readonly watch: Watch;
}

function openSupplier({ clock, wallClock, faults, store, draw }: Parts): Supplier {
  const supplier = createSandboxSupplier({ store, clock: wallClock, seed: draw('supplier') });
  return faults ? faultySupplier(supplier, faults, clock) : supplier;
}

/** Undefined where no page offers it, or with a facilitator elsewhere: no fee payer of ours signs then. */
function openSponsor(parts: Parts): PaymentSponsor | undefined {
  const { facilitator, baseUrl, clock, store, rpc, feePayer, report } = parts;
  if (facilitator || isEmbeddedUrl(baseUrl)) return undefined;
  return createSponsor({
    ...{ store, rpc, feePayer, clock, report },
    mint: USDC_MINT,
    budget: createPayerBudget(store, clock),
    floorLamports: parts.feePayerFloor,
  });
}

/** Where payments are asked for, read and settled. */
const PAID_PATH = /^\/(?:v1\/orders|verify|settle|pay\/[^/]+\/authorization)$/;

/** Undefined with a facilitator elsewhere, which settles on Solana only. */
function openBaseRail(parts: Parts): BaseRail | undefined {
  const { facilitator, chain, baseUrl, clock, store, draw, watch, report } = parts;
  if (facilitator) return undefined;
  return createBaseRail({
    ...{ chain, baseUrl, clock, store, draw, watch, random: parts.random, report },
    claims: watch.claims(claimsOf(store)),
    budget: createPayerBudget(store, clock),
    maxTimeoutSeconds: PAYMENT_WINDOW_SECONDS,
    confirmTimeoutMs: CONFIRM_TIMEOUT_MS,
  });
}

function openFacilitator(parts: Parts): Facilitator {
  const { facilitator: client, clock, store, rpc, feePayer, report, watch } = parts;
  const shared = {
    ...{ rpc, clock, report },
    confirmTimeoutMs: CONFIRM_TIMEOUT_MS,
    network: SOLANA_MAINNET,
    mint: USDC_MINT,
  };
  if (client) return createRemoteFacilitator({ ...shared, client });
  return createFacilitator({
    ...shared,
    feePayer,
    claims: watch.claims(claimsOf(store)),
    budget: createPayerBudget(store, clock),
    nextBlockMs: parts.chain.nextBlockMs,
    floorLamports: parts.feePayerFloor,
  });
}

// Simulates payments that expire unsent, for buyers tagged `ann+expired@…`: it countersigns nothing.

/** The tag in the buyer's address. */
const EXPIRED = 'expired';
/** How long the payment stays pending. */
const PENDING_MS = 3_000;
/** The embedded facilitator's reason for an expired payment. */
const REASON = 'invalid_exact_svm_transaction_expired';

function expiringFacilitator(
  facilitator: Facilitator,
  rail: MerchantRail,
  { store, wallClock }: Parts,
): Facilitator {
  return {
    ...facilitator,
    settle: async (payload, requirement, options) => {
      const { messageHash, payer } = rail.inspect(payload);
      const { sessions, settlements } = store.tables;
      const settlement = await settlements.byMessage(messageHash);
      const session = settlement && (await sessions.byId(settlement.sessionId));
      if (settlement === undefined || session === undefined || !isChosen(session.body)) {
        return facilitator.settle(payload, requirement, options);
      }
      const isOver = wallClock.now() >= settlement.createdAtMs + PENDING_MS;
      const errorReason = isOver ? REASON : 'settlement_pending';
      return { success: false, transaction: '', network: rail.network, payer, errorReason };
    },
  };
}

function isChosen(body: string): boolean {
  const { email }: WireOrderRequest = JSON.parse(body);
  return tagsOf(email).includes(EXPIRED);
}

// Pays the sandbox's refunds on its chain, from a wallet of its own that holds test money.

/** In atomic units: more than any order of the sandbox costs. */
const MOST_ATOMIC = 100_000_000_000n;
const PER_DAY_ATOMIC = 100n * MOST_ATOMIC;

function openShopRail({ store, chain, watch, wallClock, feePayer, random }: Parts): ShopRail {
  return createSolanaShopRail({
    ...{ network: SOLANA_MAINNET, mint: USDC_MINT, random, clock: wallClock },
    rpc: watch.refundRpc(chain.rpc),
    claims: watch.refundClaims(claimsOf(store)),
    feePayer: () => feePayer,
  });
}

function sandboxRefunds(
  parts: Parts,
  rail: ShopRail,
  base: BaseRail | undefined,
): () => Promise<void> {
  const { store, chain, draw, wallClock: clock, report } = parts;
  const wallet = signerFromSeed(draw('refunds'));
  const topUp = () => chain.fund(wallet.address, { usdcAtomic: PER_DAY_ATOMIC, lamports: 0n });
  return createRefundPayments({
    ...{ store, clock, report },
    senders: [{ transfers: createShopTransfers(store, rail), wallet, topUp }],
    openSender: async (network) => (network === base?.network ? base.refundSender() : undefined),
    limits: {
      mostAtomic: MOST_ATOMIC,
      perDayAtomic: PER_DAY_ATOMIC,
      approveAboveAtomic: MOST_ATOMIC,
    },
  });
}
