/** The free routes of the partner API. */
import type { Hono } from 'hono';
import { catalogRoutes } from './catalog-routes.ts';
import { marketRoutes } from './market-routes.ts';
import { pictureRoutes } from './picture-routes.ts';
import { productRoutes } from './product-routes.ts';
import { createShop, type PartnerCatalogDeps } from './shop.ts';

/** Adds currencies, payment vias, brands, front page, search, products, prices and pictures. */
export function partnerCatalogRoutes(app: Hono, deps: PartnerCatalogDeps): void {
  const shop = createShop(deps);
  marketRoutes(app, shop);
  catalogRoutes(app, shop);
  productRoutes(app, shop);
  pictureRoutes(app, shop);
}
