/** GET /pay/{order_id}: the payment page with its files, and its transaction request of Solana Pay. */
import type { Hono, HonoRequest } from 'hono';
import type { PartnerOrderRow } from '../../storage/partner-orders.ts';
import { isRefusal, refuse } from '../errors.ts';
import type { PartnerOrderDeps } from '../partner/order-deps.ts';
import { paymentView } from '../partner/order-view.ts';
import { jsonReply, PRIVATE_HEADERS } from '../reply.ts';
import { answer, readJson } from '../route.ts';
import { ICON, SCRIPT, STYLE } from './assets.ts';
import { paymentPage, unknownOrderPage } from './page.ts';
import { transactionPath } from './path.ts';
import { languageOf } from './texts.ts';
import { isSponsored, requestPayment } from './transaction-request.ts';

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
  app.get(ICON_PATH, () => asset(ICON, 'image/svg+xml'));
  transactionRoutes(app, deps);
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

const ICON_PATH = '/pay/icon.svg';

/** Solana Pay 1.1, transaction request: GET describes the shop, POST `{account}` gives a transaction. */
function transactionRoutes(app: Hono, deps: PartnerOrderDeps): void {
  const { sponsorship, baseUrl, limits } = deps;
  if (sponsorship === undefined) return;
  const icon = baseUrl + ICON_PATH;
  const described = { label: new URL(baseUrl).host, icon };
  const path = transactionPath(':order_id');
  app.get(path, ({ req }) =>
    answer(async () =>
      (await isPaidHere(deps, orderIdIn(req))) ? jsonReply(described) : unknownOrder(),
    ),
  );
  app.post(path, ({ req }) =>
    answer(async () => {
      const orderId = orderIdIn(req);
      if (!(await isPaidHere(deps, orderId))) return unknownOrder();
      const body = await readJson(req.raw, limits);
      if (isRefusal(body)) return body;
      return requestPayment({ ...deps, sponsorship }, orderId, accountIn(body.value));
    }),
  );
}

function orderIdIn(request: HonoRequest): string {
  return (request.param('order_id') ?? '').toLowerCase();
}

/** Other fields may be there: later versions of the standard add some. */
function accountIn(body: unknown): string {
  const isObject = typeof body === 'object' && body !== null;
  return isObject && 'account' in body && typeof body.account === 'string' ? body.account : '';
}

async function isPaidHere(deps: PartnerOrderDeps, orderId: string): Promise<boolean> {
  const row = await deps.store.tables.partnerOrders.byId(orderId);
  return row !== undefined && isSponsored(deps, row);
}

function unknownOrder() {
  return refuse('order_not_found', 'No order with this id is paid here.');
}

async function pagedOrder(deps: PartnerOrderDeps, orderId: string) {
  const { partnerOrders, deliveries, refunds } = deps.store.tables;
  const row = await partnerOrders.byId(orderId.toLowerCase());
  if (!row) return undefined;
  return {
    row,
    payment: paymentView(deps, row),
    deliveries: await deliveries.ofOrder(row.orderId),
    refunds: await refunds.ofOrder(row.orderId),
    isSandbox: deps.isSandbox,
    simulateAt: deps.simulateAt?.(row),
    sponsoredAt: sponsoredAt(deps, row),
  };
}

/** Wallets take a link only over https. */
function sponsoredAt(deps: PartnerOrderDeps, row: PartnerOrderRow): string | undefined {
  const isOffered = deps.baseUrl.startsWith('https:') && isSponsored(deps, row);
  return isOffered ? `solana:${deps.baseUrl}${transactionPath(row.orderId)}` : undefined;
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
