/** What a program can read before it orders: the paths, the terms of payment, and documents about the host. */
import type { Hono } from 'hono';
import { postOrder } from '../../contract/checkout.ts';
import { DOCUMENT_PATHS, getManifest } from '../../contract/manifest.ts';
import { surfacesOf } from '../../contract/surfaces.ts';
import { USDC_DECIMALS, X402_VERSION } from '../../contract/x402.ts';
import type { CheckoutRail } from '../../rails/merchant-rail.ts';
import { createPages, pageReply, whileSame } from '../http/ready.ts';
import { jsonReply } from '../http/replies.ts';
import { answer } from '../http/route.ts';
import type { Host, Shop } from './guidance.ts';

export function discoveryRoutes(app: Hono, shop: Shop): void {
  const index = describePaths(shop);
  app.get('/', () => jsonReply(index));
  app.get(getManifest.path, () => answer(async () => jsonReply(await describePayment(shop))));
  documentRoutes(app, shop);
}

/** Made at the first request: a host is seldom asked for them. */
function documentRoutes(app: Hono, shop: Shop): void {
  const pages = createPages(1);
  const { catalog, rates } = shop;
  let known: Host | undefined;
  const load = async () => {
    const { DOCUMENTS, rememberRange } = await import('./guidance.ts');
    known ??= { ...shop, range: rememberRange(shop) };
    return { DOCUMENTS, host: known };
  };
  const { openApi: path, ...others } = DOCUMENT_PATHS;
  app.get(path, async ({ req }) => {
    const [{ openApi }, { host }] = await Promise.all([import('./openapi.ts'), load()]);
    const page = await pages(`${catalog.version} ${rates.version}`, () => openApi(host));
    return pageReply(page, req.raw, { isCurrent: whileSame(catalog, rates) });
  });
  for (const other of Object.values(others)) {
    app.get(other, async () => {
      const { DOCUMENTS, host } = await load();
      const told = DOCUMENTS[other]?.(host);
      const headers = { 'Content-Type': 'text/plain; charset=utf-8' };
      return typeof told === 'string' ? new Response(told, { headers }) : jsonReply(told);
    });
  }
}

function describePaths({ baseUrl, partner }: Pick<Shop, 'baseUrl' | 'partner'>) {
  const surfaces = surfacesOf({ hasPartners: partner !== undefined });
  const rows = surfaces.flatMap(({ served }) => served.map(({ row }) => row));
  return {
    service: 'scrip checkout host',
    base_url: baseUrl,
    paths: [...rows, getManifest].map(({ method, path, summary }) => ({ method, path, summary })),
    documents: Object.values(DOCUMENT_PATHS),
  };
}

/** Ours: no standard defines this document; real hosts list their wallets in it. */
async function describePayment({ rails, baseUrl }: Pick<Shop, 'rails' | 'baseUrl'>) {
  const [first, ...others] = await Promise.all(rails.map(describeRail));
  const accepts = rails.map(({ payTo }, index) => ({ ...[first, ...others][index], payTo }));
  return {
    x402Version: X402_VERSION,
    ...first,
    ...(others.length > 0 && { accepts }),
    resources: [
      {
        method: postOrder.method,
        path: postOrder.path,
        url: baseUrl + postOrder.path,
        description: postOrder.summary,
        mimeType: 'application/json',
        pricing: 'dynamic',
      },
    ],
  };
}

async function describeRail({ facilitator, network, asset: address, payTo }: CheckoutRail) {
  const { kinds } = await facilitator.supported();
  const kind = kinds.find((one) => one.scheme === 'exact' && one.network === network);
  return {
    scheme: 'exact',
    network,
    asset: { address, symbol: 'USDC', decimals: USDC_DECIMALS },
    feePayer: kind?.extra?.feePayer ?? null,
    payTo: payTo ?? {
      allocation: 'per_session',
      description: 'Every payment session has a destination of its own; none is used twice.',
    },
  };
}
