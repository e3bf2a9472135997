/** Answers of the payment page's paths. */
import type { HonoRequest } from 'hono';
import type { PartnerOrderRow } from '../../storage/partner-orders.ts';
import { isRefusal, refusalOf, refuse } from '../errors.ts';
import type { PartnerOrderDeps } from '../partner/order-deps.ts';
import { paymentView } from '../partner/order-view.ts';
import type { Sponsorship } from '../partner/partner-options.ts';
import { nameRecipient } from '../partner/refund-recipient.ts';
import { paymentsOf } from '../refunds.ts';
import { jsonReply, PRIVATE_HEADERS } from '../reply.ts';
import { answer, readJson, readText } from '../route.ts';
import { ICON, SCRIPT, STYLE } from './assets.ts';
import { paymentPage, unknownOrderPage } from './page.ts';
import { ICON_PATH, pagePath, transactionPath } from './path.ts';
import { languageOf, type PageLanguage } from './texts.ts';
import { isSponsored, requestPayment } from './transaction-request.ts';

const SECURITY = {
  'Content-Security-Policy':
    "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
} as const;

/** An hour: the files change only with a release. */
const ASSET_CACHE = 'public, max-age=3600';

export const style = () => asset(STYLE, 'text/css');
export const script = () => asset(SCRIPT, 'text/javascript');
export const icon = () => asset(ICON, 'image/svg+xml');

export async function page(deps: PartnerOrderDeps, request: HonoRequest): Promise<Response> {
  const language = asked(request);
  const order = await pagedOrder(deps, orderIdIn(request));
  return order
    ? pageReply(paymentPage(language, order), 200)
    : pageReply(unknownOrderPage(language), 404);
}

/** The form that names where refunds go: back to the page, or the page with why it was refused. */
export async function nameAddress(deps: PartnerOrderDeps, request: HonoRequest): Promise<Response> {
  const language = asked(request);
  const order = await pagedOrder(deps, orderIdIn(request));
  if (!order) return pageReply(unknownOrderPage(language), 404);
  const form = new URLSearchParams((await readText(request.raw, deps.limits.bodyBytes)) ?? '');
  const typed = (name: string) => (form.get(name) ?? '').trim();
  const address = typed('address');
  const refusal = await refusalOfAddress(deps, order.row, { key: typed('order_key'), address });
  if (refusal === undefined) {
    const Location = `${pagePath(order.row.orderId)}?lang=${language}`;
    return new Response(null, { status: 303, headers: { Location, ...PRIVATE_HEADERS } });
  }
  const wrong = { address: address.slice(0, MOST_SHOWN), refusal: refusal.refusal };
  return pageReply(paymentPage(language, order, wrong), refusal.status);
}

/** Longer than any address. */
const MOST_SHOWN = 200;

async function refusalOfAddress(...input: Parameters<typeof nameRecipient>) {
  try {
    return await nameRecipient(...input);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    return refusal;
  }
}

function asked(request: HonoRequest): PageLanguage {
  return languageOf(request.query('lang') ?? null, request.header('Accept-Language') ?? null);
}

async function pageReply(
  shown: ReturnType<typeof unknownOrderPage>,
  status: number,
): Promise<Response> {
  return new Response(String(await shown), {
    status,
    headers: { 'Content-Type': 'text/html; charset=utf-8', ...PRIVATE_HEADERS, ...SECURITY },
  });
}

type Sponsoring = PartnerOrderDeps & { readonly sponsorship: Sponsorship };

/** Solana Pay 1.1, GET of a transaction request. */
export function describeShop(deps: Sponsoring, request: HonoRequest): Promise<Response> {
  const { baseUrl } = deps;
  return answer(async () => {
    if (!(await isPaidHere(deps, orderIdIn(request)))) return unknownOrder();
    return jsonReply({ label: new URL(baseUrl).host, icon: baseUrl + ICON_PATH });
  });
}

/** Solana Pay 1.1, POST of a transaction request: `{account}` gives a transaction. */
export function giveTransaction(deps: Sponsoring, request: HonoRequest): Promise<Response> {
  return answer(
    async () => {
      const orderId = orderIdIn(request);
      if (!(await isPaidHere(deps, orderId))) return unknownOrder();
      const body = await readJson(request.raw, deps.limits);
      if (isRefusal(body)) return body;
      return requestPayment(deps, orderId, accountIn(body.value));
    },
    { report: deps.report },
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
  const { partnerOrders, deliveries } = deps.store.tables;
  const row = await partnerOrders.byId(orderId);
  if (!row) return undefined;
  return {
    row,
    payment: paymentView(deps, row),
    deliveries: await deliveries.ofOrder(row.orderId),
    refunds: await paymentsOf(deps.store.tables, row.orderId),
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
