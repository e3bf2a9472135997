/** GET /pay/{order_id}: the payment page, its stylesheet and script, and its stream of changes. */
import type { Hono } from 'hono';
import type { PartnerOrderDeps } from '../partner/order-deps.ts';
import { paymentView } from '../partner/order-view.ts';
import { PRIVATE_HEADERS } from '../reply.ts';
import { SCRIPT, STYLE } from './assets.ts';
import { paymentPage, unknownOrderPage } from './page.ts';
import { languageOf } from './texts.ts';

const SECURITY = {
  'Content-Security-Policy':
    "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
} as const;

/** An hour: the files change only with a release. */
const ASSET_CACHE = 'public, max-age=3600';

export function paymentPageRoutes(app: Hono, deps: PartnerOrderDeps): void {
  app.get('/pay/style.css', () => asset(STYLE, 'text/css'));
  app.get('/pay/live.js', () => asset(SCRIPT, 'text/javascript'));
  app.get('/pay/:order_id', async ({ req }) => {
    const language = languageOf(req.query('lang') ?? null, req.header('Accept-Language') ?? null);
    const order = await pagedOrder(deps, req.param('order_id'));
    const page = order ? paymentPage(language, order) : unknownOrderPage(language);
    return new Response(String(await page), {
      status: order ? 200 : 404,
      headers: { 'Content-Type': 'text/html; charset=utf-8', ...PRIVATE_HEADERS, ...SECURITY },
    });
  });
}

async function pagedOrder(deps: PartnerOrderDeps, orderId: string) {
  const { partnerOrders, deliveries, refunds } = deps.store.tables;
  const row = await partnerOrders.byId(orderId.toLowerCase());
  if (!row) return undefined;
  return {
    row,
    payment: await paymentView(deps, row),
    deliveries: await deliveries.ofOrder(row.orderId),
    refunds: await refunds.ofOrder(row.orderId),
    isSandbox: deps.isSandbox,
    simulateAt: deps.simulateAt?.(row),
  };
}

function asset(body: string, type: string): Response {
  return new Response(body, {
    headers: {
      'Content-Type': `${type}; charset=utf-8`,
      'Cache-Control': ASSET_CACHE,
      ...SECURITY,
    },
  });
}
