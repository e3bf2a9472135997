/** The checkout host as one function: `(Request) => Promise<Response>`, and a tick that moves orders on. */
import { Hono } from 'hono';
import { browseRoutes } from './browse.ts';
import type { Checkout } from './challenge.ts';
import { checkoutRoutes } from './checkout.ts';
import { refuse } from './errors.ts';
import { facilitatorRoutes } from './facilitator-routes.ts';
import { manifestRoutes } from './manifest.ts';
import { DEFAULT_LIMITS, type ServiceOptions } from './options.ts';
import { type OrderDesk, openDesk } from './partner/desk.ts';
import { createOrderDesk, type PartnerOrderDesk } from './partner/order-desk.ts';
import { partnerOrderRoutes } from './partner/order-routes.ts';
import { partnerCatalogRoutes } from './partner/routes.ts';
import { errorReply } from './reply.ts';
import { createTick } from './tick.ts';
import { createVoucherVault, type VoucherVault } from './voucher-vault.ts';

export interface Service {
  fetch(request: Request): Promise<Response>;
  /**
   * Settles what was claimed and delivers what was paid, as far as it is due. Safe to call at any
   * time, also before the last call has ended, from any number of processes on one store.
   */
  tick(): Promise<void>;
  /** Orders of the partner API; undefined where it is not served. */
  readonly partner: PartnerOrderDesk | undefined;
}

export function createService(options: ServiceOptions): Service {
  const parts = withDefaults(options);
  const app = createApp(parts);
  return {
    fetch: async (request) => app.fetch(request),
    tick: createTick(parts),
    partner: parts.desk && createOrderDesk(parts.desk),
  };
}

type Parts = Checkout & {
  readonly vault: VoucherVault;
  readonly desk: OrderDesk | undefined;
};

function withDefaults(options: ServiceOptions): Parts {
  const parts = {
    ...options,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    vault: createVoucherVault(options.voucherKey, options.random),
  };
  return { ...parts, desk: options.partner && openDesk(parts, options.partner) };
}

function createApp(parts: Parts): Hono {
  const app = new Hono();
  manifestRoutes(app, parts);
  browseRoutes(app, parts);
  checkoutRoutes(app, parts);
  facilitatorRoutes(app, parts);
  if (parts.desk) {
    partnerCatalogRoutes(app, parts.desk);
    partnerOrderRoutes(app, parts.desk);
  }
  refuseOtherMethods(app);
  app.notFound(() => errorReply(refuse('not_found', 'Nothing is here; GET / lists the paths.')));
  app.onError((error) => {
    parts.report?.(error);
    return errorReply(refuse('internal_error', 'The service failed; the request may be repeated.'));
  });
  return app;
}

/** A known path with another method: 405 says which ones it has (RFC 9110). */
function refuseOtherMethods(app: Hono): void {
  const methods = new Map<string, string[]>();
  for (const { path, method } of app.routes) {
    methods.set(path, [...(methods.get(path) ?? []), method]);
  }
  for (const [path, allowed] of methods) {
    const headers = { Allow: allowed.join(', ') };
    const message = `This path takes ${headers.Allow}.`;
    app.all(path, () => errorReply(refuse('method_not_allowed', message, { headers })));
  }
}
