/**
 * Which web pages may use the service from a browser. Client endpoints are open to all pages: the
 * service has no cookies or login, so a page gains nothing from its visitor's browser
 * (docs/operate/browsers.md). Endpoints that settle, simulate events or run tools are for programs,
 * and for pages of this machine.
 */
import type { Hono, MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import { purchaseElicitation } from '../../contract/agent.ts';
import { DOCUMENT_PATHS } from '../../contract/manifest.ts';
import { IDEMPOTENCY_KEY_HEADER, KEY_USE_HEADER } from '../../contract/order-key.ts';
import { SIGN_IN_HEADER } from '../../contract/sign-in.ts';
import {
  PAYMENT_REQUIRED_HEADER,
  PAYMENT_RESPONSE_HEADER,
  PAYMENT_SIGNATURE_HEADER,
  SESSION_HEADER,
} from '../../contract/x402.ts';
import { placeOf, placeProblem } from '../../domain/address/loopback.ts';
import { PAGE_ID, transactionPath } from '../page/path.ts';
import { STANDING_HEADER } from '../partner/rules/standing.ts';
import { WEBHOOK_SECRET_HEADER } from '../webhooks/webhook-signature.ts';
import { errorReply, refuse } from './replies.ts';

const OPEN_PATHS = [
  ...['/v1/*', '/v2/*', '/v3/*', '/v4/*', '/v5/*', '/api/*', '/.well-known/*', '/logos/*', '/qr/*'],
  ...[DOCUMENT_PATHS.openApi, DOCUMENT_PATHS.llms].map((path) => `${path}/*`),
  `${purchaseElicitation.path}/*`,
  // Solana Pay asks for it: wallets may be web pages.
  transactionPath(PAGE_ID),
];

/** Headers that pages may read besides the usual ones. */
const EXPOSED = [
  PAYMENT_REQUIRED_HEADER,
  PAYMENT_RESPONSE_HEADER,
  SESSION_HEADER,
  WEBHOOK_SECRET_HEADER,
  STANDING_HEADER,
  ...['Retry-After', 'RateLimit', 'RateLimit-Policy', 'ETag', 'Allow', 'X-Request-Id'],
];

const ALLOWED = [
  PAYMENT_SIGNATURE_HEADER,
  SESSION_HEADER,
  SIGN_IN_HEADER,
  ...['X-Cr-Application', 'X-Cr-Version', 'X-Country-ISO-Code'],
  ...[IDEMPOTENCY_KEY_HEADER, KEY_USE_HEADER],
  ...['Content-Type', 'User-Agent', 'If-None-Match', 'Last-Event-ID'],
  // The public x402 client sends it with its payment.
  'Access-Control-Expose-Headers',
];
const PREFLIGHT_SECONDS = 7_200;

/** Headers of an answer that every page may read. */
export const OPEN_TO_PAGES: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': EXPOSED.join(', '),
};

export function openToPages(response: Response): Response {
  for (const [name, value] of Object.entries(OPEN_TO_PAGES)) response.headers.set(name, value);
  return response;
}

/** Register before all routes, so pages can also read refusals. */
export function crossOrigin(app: Hono): void {
  const preflight = cors({
    origin: '*',
    allowMethods: ['GET', 'HEAD', 'POST'],
    allowHeaders: ALLOWED,
    maxAge: PREFLIGHT_SECONDS,
  });
  for (const path of OPEN_PATHS) {
    // Other OPTIONS get 405: a success would tell programs that probe a path that it is free.
    app.options(path, async (context, next) =>
      context.req.header('Access-Control-Request-Method') === undefined
        ? next()
        : preflight(context, next),
    );
    app.use(path, async (context, next) => {
      await next();
      openToPages(context.res);
    });
  }
}

/** Refuses requests from pages of other machines, even if they could not read the answer. */
export function ownPagesOnly(baseUrl: string): MiddlewareHandler {
  const own = new URL(baseUrl);
  return async (context, next) => {
    const problem = placeProblem(placeOf(context.req.raw), own);
    if (problem === undefined) return next();
    return errorReply(refuse('place_refused', problem));
  };
}
