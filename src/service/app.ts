/** The whole service as one function, `(Request) => Promise<Response>`, and a tick that advances orders. */
import { Hono } from 'hono';
import { agentRoutes } from './agent/routes.ts';
import { browseRoutes } from './browse.ts';
import type { Checkout } from './challenge.ts';
import { createChallengeGate } from './challenge-gate.ts';
import { checkoutRoutes } from './checkout.ts';
import { crossOrigin } from './cross-origin.ts';
import { type Refusal, refuse } from './errors.ts';
import { facilitatorRoutes } from './facilitator-routes.ts';
import { createGuessGate } from './guesses.ts';
import { createRateGate } from './limits.ts';
import { manifestRoutes } from './manifest.ts';
import { notifyingStore } from './notifying-store.ts';
import { DEFAULT_LIMITS, type ServiceOptions } from './options.ts';
import { partnerRefusal } from './partner/failure.ts';
import { streamHeaders } from './partner/headers.ts';
import { createOrderAdmin, type PartnerOrderAdmin } from './partner/order-admin.ts';
import { type PartnerOrderDeps, partnerOrderDeps } from './partner/order-deps.ts';
import { createOrderHub, type OrderHub, STREAM_LIMITS } from './partner/order-hub.ts';
import { partnerOrderRoutes } from './partner/order-routes.ts';
import { orderView } from './partner/order-view.ts';
import type { PartnerGate } from './partner/partner-gate.ts';
import { partnerCatalogRoutes } from './partner/routes.ts';
import { type FollowOrder, followOrders, type StreamHubs, streamRoutes } from './partner/stream.ts';
import { paymentPageRoutes } from './payment-page/routes.ts';
import { createRateSharing, type RateSharing } from './rate-sharing.ts';
import { errorReply } from './reply.ts';
import { urlProblem } from './route.ts';
import { createTick } from './tick.ts';
import { type Caller, callerOf, limitTraffic } from './traffic.ts';
import { createVoucherVault, type VoucherVault } from './voucher-vault.ts';
import { createWebhookKeys } from './webhook-signature.ts';
import { createWebhookWorker, type WebhookWorker } from './webhooks.ts';

export interface Service {
  /** `caller` is what the server knows of the client; undefined inside a process. */
  fetch(request: Request, caller?: Caller): Promise<Response>;
  /** Streams of orders without a web `Response`, for a server that holds very many of them. */
  readonly follow: FollowOrder | undefined;
  /**
   * Ends all streams and the waits of running ticks, whose work another server may take at once.
   * Resolves once no webhook is being sent.
   */
  close(): Promise<void>;
  /**
   * Continues claimed settlements and delivers paid orders that are due. Safe to call at any time,
   * also in parallel and from several processes on one store.
   */
  tick(): Promise<void>;
  /** Orders of the partner API; undefined if it is not served. */
  readonly partner: PartnerOrderAdmin | undefined;
  /** Every path that is served, with its method, such as `GET /v5/orders/:order_id`. */
  readonly routes: readonly string[];
}

export function createService(options: ServiceOptions): Service {
  const parts = withDefaults(options);
  const stopping = new AbortController();
  const app = createApp(parts);
  return {
    fetch: async (request, caller) => app.fetch(request, caller),
    follow: parts.partnerDeps && parts.hubs && followOrders(parts.partnerDeps, parts.hubs),
    async close() {
      stopping.abort();
      for (const hub of hubsOf(parts)) hub.close();
      await parts.webhookWorker?.drain();
    },
    tick: createTick({ ...parts, hubs: hubsOf(parts), stopping: stopping.signal }),
    partner: parts.partnerDeps && createOrderAdmin(parts.partnerDeps),
    routes: [...new Set(routesOf(app).map(({ method, path }) => `${method} ${path}`))],
  };
}

type Parts = Checkout & {
  readonly vault: VoucherVault;
  readonly partnerDeps: PartnerOrderDeps | undefined;
  readonly hubs: StreamHubs | undefined;
  readonly sharing: RateSharing | undefined;
  readonly webhookWorker: WebhookWorker | undefined;
};

function withDefaults(options: ServiceOptions): Parts {
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
  };
  const partnerDeps = options.partner && partnerOrderDeps(parts, options.partner);
  hubs = partnerDeps && openHubs(partnerDeps, options);
  const webhookWorker = webhooks && createWebhookWorker({ ...parts, webhooks });
  return { ...parts, partnerDeps, hubs, webhookWorker };
}

function openHubs(
  partnerDeps: PartnerOrderDeps,
  { streams }: Pick<ServiceOptions, 'streams'>,
): StreamHubs {
  const deps = { ...partnerDeps, limits: streams ?? STREAM_LIMITS };
  return {
    hub: createOrderHub({ ...deps, view: (row) => orderView(partnerDeps, row) }),
    // The link to a page may be shared, so its stream says only that the order changed.
    pageHub: createOrderHub({ ...deps, view: async () => ({}) }),
  };
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
  manifestRoutes(app, parts);
  browseRoutes(app, parts);
  checkoutRoutes(app, parts);
  facilitatorRoutes(app, parts);
  if (parts.partnerDeps && parts.hubs) {
    partnerCatalogRoutes(app, parts.partnerDeps);
    partnerOrderRoutes(app, parts.partnerDeps);
    streamRoutes(app, parts.partnerDeps, parts.hubs);
    paymentPageRoutes(app, parts.partnerDeps);
    agentRoutes(app, parts.partnerDeps, parts);
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
