/** GET /pay/{page_id}: the payment page with its files, and its transaction request of Solana Pay. */
import type { Hono } from 'hono';
import { ownPagesOnly } from '../http/cross-origin.ts';
import type { PartnerOrderDeps } from '../partner/order-deps.ts';
import {
  authorizationPath,
  ICON_PATH,
  PAGE_ID,
  pagePath,
  refundFormPath,
  transactionPath,
} from './path.ts';

/** What answers is loaded with the first request: a service inside a process has no pages. */
export function paymentPageRoutes(app: Hono, deps: PartnerOrderDeps): void {
  const answers = () => import('./answers.ts');
  app.get('/pay/style.css', async () => (await answers()).style());
  app.get('/pay/live.js', async () => (await answers()).script());
  app.get(ICON_PATH, async () => (await answers()).icon());
  app.get(pagePath(PAGE_ID), async ({ req }) => (await answers()).page(deps, req));
  app.post(refundFormPath(PAGE_ID), ownPagesOnly(deps.baseUrl), async ({ req }) =>
    (await answers()).nameAddress(deps, req),
  );
  app.post(authorizationPath(PAGE_ID), ownPagesOnly(deps.baseUrl), async ({ req }) =>
    (await answers()).payByAuthorization(deps, req),
  );
  const { sponsorship } = deps;
  if (sponsorship === undefined) return;
  const parts = { ...deps, sponsorship };
  const path = transactionPath(PAGE_ID);
  app.get(path, async ({ req }) => (await answers()).describeShop(parts, req));
  app.post(path, async ({ req }) => (await answers()).giveTransaction(parts, req));
}
