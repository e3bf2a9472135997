/** The whole service as one function, `(Request) => Promise<Response>`, and a tick that advances orders. */

import { Hono } from 'hono';
import { purchaseElicitation } from '../../contract/agent.ts';
import type { Store } from '../../store/store.ts';
import { noteChanges } from '../../store/tables/order-events.ts';
import { agentRefusal, agentRoutes } from '../agent/routes.ts';
import { browseRoutes } from '../catalog/browse.ts';
import { checkoutRoutes } from '../checkout/checkout.ts';
import { facilitatorRoutes } from '../checkout/facilitator-routes.ts';
import { ownOrdersRoutes } from '../checkout/own-orders.ts';
import { settleDue } from '../checkout/settlement.ts';
import { createSignedTerms, signedTermsRoutes } from '../checkout/signed-terms.ts';
import { deliverDue } from '../delivery/delivery.ts';
import { createVoucherVault } from '../delivery/vouchers.ts';
import { discoveryRoutes } from '../discovery/routes.ts';
import { freeOfDead } from '../lease-due.ts';
import { DEFAULT_LIMITS, type ServiceOptions } from '../options.ts';
import { paymentPageRoutes } from '../page/routes.ts';
import { partnerCatalogRoutes } from '../partner/catalog/catalog-routes.ts';
import { createOrderHub, type OrderHub } from '../partner/events/order-hub.ts';
import { followOrders, type StreamHubs, streamRoutes } from '../partner/events/stream.ts';
import { partnerRefusal } from '../partner/failure.ts';
import { partnerOrderDeps } from '../partner/order-deps.ts';
import { createOrderAdmin } from '../partner/orders/order-admin.ts';
import { partnerOrderRoutes } from '../partner/orders/order-routes.ts';
import { orderView } from '../partner/orders/order-view.ts';
import { hearNews, lookDue } from '../partner/orders/reconcile.ts';
import { type PartnerGate, streamHeaders } from '../partner/partner-gate.ts';
import { createWebhookKeys } from '../webhooks/webhook-signature.ts';
import { createWebhookWorker } from '../webhooks/webhooks.ts';
import { crossOrigin } from './cross-origin.ts';
import { createGuessGate, createRateGate, createRateSharing } from './rate-limits.ts';
import { errorReply, type Refusal, refuse } from './replies.ts';
import { type Caller, callerOf, urlProblem } from './route.ts';
import { createChallengeGate, limitTraffic } from './traffic.ts';

export type Service = ReturnType<typeof createService>;

export function createService(options: ServiceOptions) {
  const parts = withDefaults(options);
  const stopping = new AbortController();
  const app = createApp(parts);
  return {
    /** `caller` is what the server knows of the client; undefined inside a process. */
    fetch: async (request: Request, caller?: Caller): Promise<Response> =>
      app.fetch(request, caller),
    /** Streams of orders without a web `Response`, for a server that holds very many of them. */
    follow: parts.partnerDeps && parts.hubs && followOrders(parts.partnerDeps, parts.hubs),
    /**
     * Ends all streams and the waits of running ticks, whose work another server may take at once.
     * Resolves once no webhook is being sent.
     */
    async close() {
      stopping.abort();
      for (const hub of hubsOf(parts)) hub.close();
      await parts.webhookWorker?.drain();
    },
    /**
     * Continues claimed settlements and delivers paid orders that are due. Safe to call at any time,
     * also in parallel and from several processes on one store.
     */
    tick: createTick(parts, stopping.signal),
    /** Orders of the partner API; undefined if it is not served. */
    partner: parts.partnerDeps && createOrderAdmin(parts.partnerDeps),
    /** Every path that is served, with its method, such as `GET /v5/orders/:order_id`. */
    routes: [...new Set(routesOf(app).map(({ method, path }) => `${method} ${path}`))],
  };
}

type Parts = ReturnType<typeof withDefaults>;

function withDefaults(options: ServiceOptions) {
  let hubs: StreamHubs | undefined;
  const { webhooks, traffic } = options;
  const sharing = createRateSharing(options.store, options.clock);
  const parts = {
    ...options,
    store: notifyingStore(options.store, (orderIds) => {
      for (const hub of hubsOf({ hubs })) hub.notify(orderIds);
    }),
    webhookKeys: webhooks && createWebhookKeys(webhooks.key),
    webhookRules: { isPrivateAllowed: webhooks?.isPrivateAllowed ?? false },
    isRatioEnforced: options.traffic?.isRatioEnforced ?? true,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    guesses: createGuessGate(createRateGate(options.clock, traffic, sharing)),
    challenges: createChallengeGate(options.clock, traffic, sharing),
    sharing,
    vault: createVoucherVault(options.voucherKey, options.random),
    terms: createSignedTerms(options.voucherKey, options.baseUrl),
  };
  const partnerDeps = options.partner && partnerOrderDeps(parts, options.partner);
  hubs = partnerDeps && {
    hub: createOrderHub({ ...partnerDeps, view: (row) => orderView(partnerDeps, row) }),
    // The link to a page may be shared, so its stream says only that the order changed.
    pageHub: createOrderHub({ ...partnerDeps, view: async () => ({}) }),
  };
  const webhookWorker = webhooks && createWebhookWorker({ ...parts, webhooks });
  return { ...parts, partnerDeps, hubs, webhookWorker };
}

function hubsOf({ hubs }: { readonly hubs: StreamHubs | undefined }): readonly OrderHub[] {
  return hubs ? [hubs.hub, hubs.pageHub] : [];
}

function createApp(parts: Parts): Hono {
  const app = new Hono();
  crossOrigin(app);
  app.use(async ({ req }, next) => {
    const problem = urlProblem(req);
    return problem ? replyFor(req.path)(problem) : next();
  });
  const partners = parts.partnerDeps?.gate;
  // Before the limits: only the partner itself may use up what its id has.
  if (partners) requirePartners(app, partners);
  const gate = () => createRateGate(parts.clock, parts.traffic, parts.sharing);
  limitTraffic(app, { challenges: parts.challenges, gate: gate(), users: gate(), partners });
  discoveryRoutes(app, parts);
  signedTermsRoutes(app, parts.terms);
  browseRoutes(app, parts);
  checkoutRoutes(app, parts);
  ownOrdersRoutes(app, parts, parts.voucherKey);
  facilitatorRoutes(app, parts);
  if (parts.partnerDeps && parts.hubs) {
    partnerCatalogRoutes(app, parts.partnerDeps);
    partnerOrderRoutes(app, parts.partnerDeps);
    streamRoutes(app, parts.partnerDeps, parts.hubs);
    paymentPageRoutes(app, parts.partnerDeps);
    agentRoutes(app, parts.partnerDeps);
  }
  refuseOtherMethods(app);
  app.notFound(({ req }) =>
    replyFor(req.path)(refuse('not_found', 'This path does not exist; GET / lists the paths.')),
  );
  app.onError((error, { req }) => {
    parts.report?.(error);
    const message = 'The service failed; you can repeat the request.';
    return replyFor(req.path)(refuse('internal_error', message));
  });
  return app;
}

/** Each surface has its own form of refusals, also for unknown paths. */
function replyFor(path: string): (refusal: Refusal) => Response {
  if (path === purchaseElicitation.path) return agentRefusal;
  const [, version = ''] = path.split('/');
  return PARTNER_VERSIONS.some((known) => known === version) ? partnerRefusal : errorReply;
}

/** Streams take the partner id from their query too. */
function requirePartners(app: Hono, gate: PartnerGate): void {
  for (const version of PARTNER_VERSIONS) {
    app.use(`/${version}/*`, async (context, next) => {
      const { req } = context;
      const isStream = req.path.endsWith('/subscribe');
      const headers = isStream ? streamHeaders(req.url, req.raw.headers) : req.raw.headers;
      const { address } = callerOf(context);
      const refusal = await gate.refusalOf({ headers, address });
      return refusal ? partnerRefusal(refusal) : next();
    });
  }
}

/** First path segments of the partner API (interface: Versioning). */
const PARTNER_VERSIONS = ['v2', 'v3', 'v4', 'v5'] as const;

/** Without what stands before several paths, and without the answer to other methods. */
function routesOf({ routes }: Hono): Hono['routes'] {
  return routes.filter(({ path, method }) => !path.includes('*') && method !== 'ALL');
}

/** Answers 405 with the allowed methods for a known path with another method (RFC 9110). */
function refuseOtherMethods(app: Hono): void {
  const methods = new Map<string, string[]>();
  for (const { path, method } of routesOf(app)) {
    methods.set(path, [...new Set([...(methods.get(path) ?? []), method])]);
  }
  // Register fixed paths before paths with fields, which would also match them.
  const paths = [...methods].sort(([a], [b]) => a.split(':').length - b.split(':').length);
  for (const [path, allowed] of paths) {
    const headers = { Allow: allowed.join(', ') };
    const message = `This path takes ${headers.Allow}.`;
    app.all(path, () => replyFor(path)(refuse('method_not_allowed', message, { headers })));
  }
}

// Advances orders: continues the work that requests recorded but did not finish.

/** Interval of looking for servers that died. */
const TAKE_OVER_MS = 1_000;

/**
 * Creates the tick. Deliveries don't wait for settlements, which wait for the chain. Calls may
 * overlap: what one has leased, the other skips.
 * @param stopping ends waiting for the chain: the service is stopping
 */
function createTick(parts: Parts, stopping: AbortSignal): () => Promise<void> {
  const { limits, partnerDeps } = parts;
  let freedAtMs = 0;
  const takeOver = async () => {
    const atMs = parts.clock.now();
    if (atMs - freedAtMs < TAKE_OVER_MS) return;
    freedAtMs = atMs;
    await freeOfDead(parts.store, atMs).catch((error: unknown) => parts.report?.(error));
  };
  const deliver = () => deliverDue(parts, limits.perTick);
  const settle = () => settleDue(parts, limits.perTick, stopping);
  const look = async () => {
    if (partnerDeps === undefined) return false;
    await hearNews(partnerDeps);
    const hasLooked = await lookDue(partnerDeps, limits.looksPerTick);
    if (partnerDeps.hasPages) {
      const { concludeRequests } = await import('../page/payment-requests.ts');
      await concludeRequests(partnerDeps, limits.perTick);
    }
    return hasLooked;
  };
  /** What was paid just now is delivered now. */
  const deliverAfter = async (work: Promise<boolean>) => {
    if (await work) await deliver();
  };
  return async () => {
    if (stopping.aborted) return;
    await takeOver();
    const exchange = parts.sharing?.exchange().catch((error: unknown) => parts.report?.(error));
    await Promise.all([exchange, deliver(), deliverAfter(settle()), deliverAfter(look())]);
    if (stopping.aborted) return;
    await Promise.all([...hubsOf(parts).map((hub) => hub.tick()), parts.webhookWorker?.start()]);
  };
}

// Wraps a store: after each committed write, reports the orders that got new events.

function notifyingStore(store: Store, notify: (orderIds: Iterable<string>) => void): Store {
  return {
    ...store,
    async write(work, options) {
      const orderIds = new Set<string>();
      const result = await store.write((tables) => work(noteChanges(tables, orderIds)), options);
      notify(orderIds);
      return result;
    },
  };
}
