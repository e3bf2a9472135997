/** Routes of coins and payment vias. */
import type { Hono } from 'hono';
import { getCurrencies, getPaymentVias } from '../../contract/partner-market.ts';
import { serve } from '../route.ts';
import { currencyView, paymentViaView } from './market-views.ts';
import { pageOf, type Shop } from './shop.ts';

export function marketRoutes(app: Hono, shop: Shop): void {
  const { market } = shop;
  serve(app, getCurrencies, shop.routing, (_input, request) =>
    pageOf(shop, 'currencies', request, () =>
      market.currencies.map((coin) => currencyView(shop, coin)),
    ),
  );
  serve(app, getPaymentVias, shop.routing, (_input, request) =>
    pageOf(shop, 'vias', request, () => market.vias.map((via) => paymentViaView(shop, via))),
  );
}
