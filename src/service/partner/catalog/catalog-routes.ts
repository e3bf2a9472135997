/** The free routes of the partner API: currencies, payment vias, brands, front page and search. */

import type { Hono } from 'hono';
import {
  getHomepage,
  listBrands,
  searchProducts,
  type WireBrandList,
  type WireHomepage,
  type WirePartnerBrand,
  type WireSearchResult,
} from '../../../contract/partner-catalog.ts';
import { getCurrencies, getPaymentVias } from '../../../contract/partner-market.ts';
import { FAMILIES } from '../../../domain/product/categories.ts';
import { type Brand, PRODUCT_KINDS } from '../../../domain/product/product.ts';
import { mostPopular, type Popularity } from '../../catalog/popularity.ts';
import { createCatalogSearch } from '../../catalog/search.ts';
import { jsonReply } from '../../http/replies.ts';
import { serve } from '../../http/route.ts';
import { pictureRoutes } from './pictures.ts';
import { productRoutes } from './product-routes.ts';
import {
  createShop,
  inCountry,
  noLanguage,
  type PartnerCatalogDeps,
  pageOf,
  type Shop,
} from './shop.ts';
import { brandView, canonicalTag, categoryViews, currencyView, paymentViaView } from './views.ts';

/** Adds currencies, payment vias, brands, front page, search, products, prices and pictures. */
export function partnerCatalogRoutes(app: Hono, deps: PartnerCatalogDeps): void {
  const shop = createShop(deps);
  marketRoutes(app, shop);
  catalogRoutes(app, shop);
  productRoutes(app, shop);
  pictureRoutes(app, shop);
}

function marketRoutes(app: Hono, shop: Shop): void {
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

const SUGGESTIONS = 12;
const FRONT_PAGE_SECTION = 12;

function catalogRoutes(app: Hono, shop: Shop): void {
  serve(app, listBrands, shop.routing, ({ country_code }, request) =>
    inCountry(shop, country_code, (code) =>
      pageOf(shop, `brands ${code}`, request, () => brandList(shop, code)),
    ),
  );
  serve(app, getHomepage, shop.routing, ({ country_code }, request) =>
    inCountry(shop, country_code ?? visitorCountry(shop, request), async (code) => {
      const reply = await pageOf(shop, `homepage ${code}`, request, () => homepage(shop, code));
      if (country_code === undefined) reply.headers.set('Vary', VISITOR_COUNTRY);
      return reply;
    }),
  );
  searchRoute(app, shop);
}

const VISITOR_COUNTRY = 'X-Country-ISO-Code';

/** Ours: without a country in the query, the one that the caller's header names. */
function visitorCountry({ catalog }: Shop, { headers }: Request): string {
  const said = headers.get(VISITOR_COUNTRY)?.trim().toLowerCase();
  return catalog.countries.find(({ code }) => code === said)?.code ?? 'us';
}

function searchRoute(app: Hono, shop: Shop): void {
  const indexOf = createCatalogSearch(shop.catalog);
  serve(app, searchProducts, shop.routing, ({ country_code, q, lang }) =>
    inCountry(shop, country_code, (code) => {
      const tag = lang === undefined ? undefined : canonicalTag(lang);
      if (lang !== undefined && tag === undefined) return noLanguage(lang);
      const brands = indexOf(code)?.search(q, tag) ?? [];
      const result: WireSearchResult = {
        country_code: code.toUpperCase(),
        query: q,
        brands: views(shop, brands),
      };
      return jsonReply(result, 200, { 'Cache-Control': 'no-cache' });
    }),
  );
}

function brandList(shop: Shop, code: string): WireBrandList {
  const { catalog, baseUrl, popularity } = shop;
  const brands = catalog.brands(code);
  return {
    country_code: code.toUpperCase(),
    categories: categoryViews(baseUrl, brands, popularity),
    all_brands: views(shop, brands),
    // Purchases belong to signed-in users, for whom this surface has no header.
    last_user_purchases: [],
    suggestions: views(shop, mostPopular(brands, popularity, SUGGESTIONS)),
  };
}

/** Popular brands first, then a section per kind; empty sections are omitted. */
function homepage(shop: Shop, code: string): WireHomepage {
  const { catalog, popularity } = shop;
  const brands = catalog.brands(code);
  const section = (title: string, kind: string, of: readonly Brand[]) => ({
    title,
    kind,
    brands: views(shop, frontBrands(of, popularity)),
  });
  const sections = [
    section('Popular', 'popular', mostPopular(brands, popularity, FRONT_PAGE_SECTION)),
    ...PRODUCT_KINDS.map((kind) =>
      section(
        FAMILIES[kind],
        kind,
        brands.filter((brand) => brand.kind === kind),
      ),
    ),
  ];
  return {
    country_code: code.toUpperCase(),
    sections: sections.filter((one) => one.brands.length > 0),
  };
}

/** Well-known brands first; others fill the remaining places. */
function frontBrands(brands: readonly Brand[], popularity: Popularity): readonly Brand[] {
  const known = mostPopular(brands, popularity, FRONT_PAGE_SECTION);
  const others = brands.filter((brand) => !brand.isOutOfStock && !known.includes(brand));
  return [...known, ...others].slice(0, FRONT_PAGE_SECTION);
}

function views({ baseUrl }: Shop, brands: readonly Brand[]): WirePartnerBrand[] {
  return brands.map((brand) => brandView(baseUrl, brand));
}
