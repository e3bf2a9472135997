/** What a client can read before it orders: the paths, and the terms of payment. */
import type { Hono } from 'hono';
import { purchaseElicitation } from '../../contract/agent.ts';
import { CHECKOUT_ENDPOINTS, postOrder } from '../../contract/checkout.ts';
import {
  getHomepage,
  getProductPrice,
  listBrands,
  listProductsForCountry,
  searchProducts,
} from '../../contract/partner-catalog.ts';
import { getCurrencies, getPaymentVias } from '../../contract/partner-market.ts';
import { createOrder, getOrderStatus, validateOrder } from '../../contract/partner-orders.ts';
import { getOwnOrders } from '../../contract/sign-in.ts';
import { getAvailableCountries } from '../../contract/site.ts';
import { USDC_DECIMALS, X402_VERSION } from '../../contract/x402.ts';
import type { CheckoutRail } from '../../rails/merchant-rail.ts';
import { FACILITATOR_PATHS } from '../checkout/facilitator-routes.ts';
import type { ServiceOptions } from '../options.ts';
import { jsonReply } from './replies.ts';
import { answer } from './route.ts';

type Host = Pick<ServiceOptions, 'rails' | 'baseUrl' | 'partner'>;

const PARTNER_ENDPOINTS = [
  getCurrencies,
  getPaymentVias,
  listBrands,
  getHomepage,
  searchProducts,
  listProductsForCountry,
  getProductPrice,
  validateOrder,
  createOrder,
  getOrderStatus,
  purchaseElicitation,
];

const MANIFEST_PATH = '/.well-known/x402.json';

export function manifestRoutes(app: Hono, host: Host): void {
  const index = describePaths(host);
  app.get('/', () => jsonReply(index));
  app.get(MANIFEST_PATH, () => answer(async () => jsonReply(await describePayment(host))));
}

function describePaths({ baseUrl, partner }: Host) {
  const served = [
    ...CHECKOUT_ENDPOINTS,
    getOwnOrders,
    getAvailableCountries,
    ...(partner ? PARTNER_ENDPOINTS : []),
  ];
  const rows = served.map(({ method, path, summary }) => ({ method, path, summary }));
  const { supported, verify, settle } = FACILITATOR_PATHS;
  return {
    service: 'scrip checkout host',
    base_url: baseUrl,
    paths: [
      ...rows,
      { method: 'GET', path: MANIFEST_PATH, summary: 'Terms of payment' },
      { method: 'GET', path: supported, summary: 'What the facilitator settles (x402 v2)' },
      { method: 'POST', path: verify, summary: 'Checks a payment without sending it (x402 v2)' },
      { method: 'POST', path: settle, summary: 'Settles a payment, once per message (x402 v2)' },
    ],
  };
}

/** Ours: no standard defines this document; real hosts list their wallets in it. */
async function describePayment({ rails, baseUrl }: Host) {
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
