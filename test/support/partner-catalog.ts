/** The partner API's free routes over a catalog that fits on a page, and over the sandbox's market. */
import { Hono } from 'hono';
import { createSandboxMarket } from '../../src/sandbox/market.ts';
import { partnerCatalogRoutes } from '../../src/service/partner/catalog/catalog-routes.ts';
import type { PartnerCatalogDeps } from '../../src/service/partner/catalog/shop.ts';
import { smallCatalog } from './small-catalog.ts';

export const PARTNER_URL = 'https://api.example';

export interface PartnerCatalog {
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  json<T>(path: string): Promise<T>;
}

export function partnerCatalog(more: Partial<PartnerCatalogDeps> = {}): PartnerCatalog {
  const app = new Hono();
  partnerCatalogRoutes(app, {
    catalog: smallCatalog,
    market: createSandboxMarket(),
    rates: {
      version: 'fixed',
      picoUsdPer: (currency) => ({ USD: 10n ** 12n, BRL: 2n * 10n ** 11n })[currency],
    },
    baseUrl: PARTNER_URL,
    limits: { bodyBytes: 65_536 },
    gate: { isKnownToPass: () => true },
    ...more,
  });
  const get: PartnerCatalog['get'] = async (path, headers = {}) =>
    app.fetch(new Request(PARTNER_URL + path, { headers }));
  return {
    get,
    json: async <T>(path: string) => (await (await get(path)).json()) as T,
  };
}
