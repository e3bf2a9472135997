/** Answers of the payment page's paths. */
import type { HonoRequest } from 'hono';
import { expected } from '../../domain/attempt.ts';
import type { PartnerOrderRow } from '../../store/tables/partner-orders.ts';
import { isRefusal, jsonReply, PRIVATE_HEADERS, refusalOf, refuse } from '../http/replies.ts';
import { answer, readJson, readText } from '../http/route.ts';
import { type Sponsorship, shopNameOf } from '../options.ts';
import type { PartnerOrderDeps } from '../partner/order-deps.ts';
import { paymentView } from '../partner/orders/order-view.ts';
import { nameRecipient } from '../partner/orders/refund-recipient.ts';
import { ICON, SCRIPT, STYLE } from './assets.ts';
import { takeAuthorization, walletRequestOf } from './authorization.ts';
import { type PagedOrder, paymentPage, unknownOrderPage } from './page.ts';
import { authorizationPath, ICON_PATH, orderOfPage, pagePath, transactionPath } from './path.ts';
import { isSponsored } from './payment-requests.ts';
import { languageOf, type PageLanguage } from './texts.ts';
import { requestPayment } from './transaction-request.ts';

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
  const row = await orderIn(deps, request);
  if (!row) return pageReply(unknownOrderPage(language), 404);
  return pageReply(paymentPage(language, await pagedOrder(deps, row)), 200);
}

/** The form that names where refunds go: back to the page, or the page with why it was refused. */
export async function nameAddress(deps: PartnerOrderDeps, request: HonoRequest): Promise<Response> {
  const language = asked(request);
  const row = await orderIn(deps, request);
  if (!row) return pageReply(unknownOrderPage(language), 404);
  const form = new URLSearchParams((await readText(request.raw, deps.limits.bodyBytes)) ?? '');
  const typed = (name: string) => (form.get(name) ?? '').trim();
  const address = typed('address');
  const refusal = await refusalOfAddress(deps, row, { key: typed('order_key'), address });
  if (refusal === undefined) {
    const headers = { Location: `${pagePath(row.pageId)}?lang=${language}`, ...PRIVATE_HEADERS };
    return new Response(null, { status: 303, headers });
  }
  const wrong = { address: address.slice(0, MOST_SHOWN), refusal: refusal.refusal };
  return pageReply(paymentPage(language, await pagedOrder(deps, row), wrong), refusal.status);
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
    if (!(await rowPaidHere(deps, request))) return unknownOrder();
    return jsonReply({ label: shopNameOf(deps), icon: baseUrl + ICON_PATH });
  });
}

/** Solana Pay 1.1, POST of a transaction request: `{account}` gives a transaction. */
export function giveTransaction(deps: Sponsoring, request: HonoRequest): Promise<Response> {
  return answer(
    async () => {
      const row = await rowPaidHere(deps, request);
      if (!row) return unknownOrder();
      const body = await readJson(request.raw, deps.limits);
      if (isRefusal(body)) return body;
      return requestPayment(deps, row, accountIn(body.value));
    },
    { report: deps.report },
  );
}

/** What a wallet in the browser signed: the page's script sends it. */
export function payByAuthorization(deps: PartnerOrderDeps, request: HonoRequest) {
  return answer(
    async () => {
      const row = await orderIn(deps, request);
      if (!row) return unknownOrder();
      const body = await readJson(request.raw, deps.limits);
      return isRefusal(body) ? body : takeAuthorization(deps, row, body.value);
    },
    { report: deps.report },
  );
}

function orderIn({ store }: PartnerOrderDeps, request: HonoRequest) {
  return orderOfPage(store.tables, request.param('page_id'));
}

/** Other fields may be there: later versions of the standard add some. */
function accountIn(body: unknown): string {
  const isObject = typeof body === 'object' && body !== null;
  return isObject && 'account' in body && typeof body.account === 'string' ? body.account : '';
}

async function rowPaidHere(deps: PartnerOrderDeps, request: HonoRequest) {
  const row = await orderIn(deps, request);
  return row !== undefined && isSponsored(deps, row) ? row : undefined;
}

function unknownOrder() {
  return refuse('order_not_found', 'No order of this page is paid here.');
}

async function pagedOrder(deps: PartnerOrderDeps, row: PartnerOrderRow): Promise<PagedOrder> {
  return {
    row,
    payment: paymentView(deps, row),
    deliveries: await deps.store.tables.deliveries.ofOrder(row.orderId),
    refunds: await deps.store.tables.payouts.ofOrder(row.orderId),
    isSandbox: deps.isSandbox,
    simulateAt: deps.simulateAt?.(row),
    sponsoredAt: sponsoredAt(deps, row),
    wallet: await walletOffer(deps, row),
    shopName: shopNameOf(deps),
    website: deps.website,
  };
}

/** Wallets take a link only over https. */
function sponsoredAt(deps: PartnerOrderDeps, row: PartnerOrderRow): string | undefined {
  const isOffered = deps.baseUrl.startsWith('https:') && isSponsored(deps, row);
  return isOffered ? `solana:${deps.baseUrl}${transactionPath(row.pageId)}` : undefined;
}

/** A page is shown also while the rail cannot be used: it is paid by a transfer then. */
async function walletOffer(deps: PartnerOrderDeps, row: PartnerOrderRow) {
  const away = expected(() => undefined, 'CHAIN_UNREACHABLE', 'FACILITATOR_UNAVAILABLE');
  const request = await walletRequestOf(deps, row).catch(away);
  if (request === undefined) return undefined;
  const { requirement, typedData } = request;
  return { at: authorizationPath(row.pageId), requirement, typedData };
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
