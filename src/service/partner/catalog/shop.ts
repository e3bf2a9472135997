/** Shared parts of the partner API's browsing routes: catalog, prices, cached pages, country lookup. */
import type { Catalog } from '../../catalog/catalog.ts';
import type { Market } from '../../catalog/market.ts';
import { createPopularity, type Popularity } from '../../catalog/popularity.ts';
import type { Rates } from '../../catalog/pricing.ts';
import { createPages, type Life, type Pages, pageReply, whileSame } from '../../http/ready.ts';
import { type Refusal, refuse } from '../../http/replies.ts';
import type { Answer, RouteOptions } from '../../http/route.ts';
import { partnerRefusal } from '../failure.ts';
import type { PartnerGate } from '../partner-gate.ts';

export interface PartnerCatalogDeps {
  readonly catalog: Catalog;
  readonly market: Market;
  readonly rates: Rates;
  /** Margin on the face value, in hundredths of a percent. */
  readonly marginBps?: number;
  /** Address at which clients reach the service, without a trailing slash. */
  readonly baseUrl: string;
  readonly limits: Pick<RouteOptions, 'bodyBytes'>;
  readonly gate: Pick<PartnerGate, 'isKnownToPass'>;
}

export interface Shop extends PartnerCatalogDeps {
  readonly popularity: Popularity;
  readonly pages: Pages;
  /** Pages of single brands, which are small. */
  readonly brandPages: Pages;
  readonly routing: RouteOptions;
}

/** Cached pages of whole countries; the largest is about 2 MB. */
const PAGES = 24;
const BRAND_PAGES = 1_000;

export function createShop(deps: PartnerCatalogDeps): Shop {
  return {
    ...deps,
    popularity: createPopularity(deps.catalog),
    pages: createPages(PAGES),
    brandPages: createPages(BRAND_PAGES),
    routing: { ...deps.limits, writeRefusal: partnerRefusal },
  };
}

/** Country codes may have either case; the catalog uses lower case. */
export function inCountry(
  { catalog }: Shop,
  countryCode: string,
  handle: (code: string) => Answer | Promise<Answer>,
): Answer | Promise<Answer> {
  const code = countryCode.toLowerCase();
  if (catalog.countries.some((country) => country.code === code)) return handle(code);
  return refuse('country_not_supported', `${countryCode} is not on the list of countries.`);
}

/** Returns a page of the catalog's current version. */
export async function pageOf(
  shop: Shop,
  key: string,
  request: Request,
  render: () => unknown,
  pages = shop.pages,
): Promise<Response> {
  const life = lifeOf(shop);
  return pageReply(await pages(`${versionOf(shop)} ${key}`, render), request, life);
}

/** Valid while catalog, market and rates stay the same, for requests that the gate lets pass. */
export function lifeOf({ catalog, market, rates, gate }: Shop): Life {
  return {
    isCurrent: whileSame(catalog, market, rates),
    admits: gate.isKnownToPass,
  };
}

function versionOf({ catalog, market, rates }: Shop): string {
  return `${catalog.version} ${market.version} ${rates.version}`;
}

export function noLanguage(lang: string): Refusal {
  return refuse(
    'invalid_request',
    `lang: ${lang.slice(0, 40)} is not a language tag, such as en or pt-BR.`,
  );
}
