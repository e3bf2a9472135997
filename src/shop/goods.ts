/**
 * What a shop sells and at which rates. Goods in a currency without a fresh rate are not sold, the
 * others are: one rule, for the shop's check, its start, its alarms and its monitors.
 */

import { type Clock, isoOf } from '../domain/clock.ts';
import { joined, type Message, t, verbatim } from '../domain/message/message.ts';
import type { Store } from '../store/store.ts';
import { createCatalogVersions, openShopCatalog, type ShopCatalog } from './catalog.ts';
import type { ShopParts } from './parts.ts';
import type { ShopRates } from './rates.ts';

export interface OnSale {
  /** Whether anything can be sold. */
  readonly isSelling: boolean;
  /** What is wrong with a part that does not stop the sale of everything; null where nothing is. */
  readonly degraded: Readonly<Record<'catalog' | 'rates', Message | null>>;
}

interface Sources {
  readonly catalog: Pick<ShopCatalog, 'currencies' | 'readAtMs' | 'isFresh'>;
  readonly rates: Pick<ShopRates, 'picoUsdPer' | 'asOfMs' | 'isFresh'>;
}

export function onSale({ catalog, rates }: Sources): OnSale {
  const unpriced = catalog.currencies.filter((one) => rates.picoUsdPer(one) === undefined);
  return {
    isSelling: unpriced.length < catalog.currencies.length,
    degraded: {
      catalog: catalog.isFresh
        ? null
        : t`The catalog could not be read since ${isoOf(catalog.readAtMs)}; the last good one is sold`,
      rates: unpriced.length === 0 ? null : unpricedText(unpriced, rates),
    },
  };
}

function unpricedText(currencies: readonly string[], rates: Sources['rates']): Message {
  const names = joined(currencies.map(verbatim), t`, `);
  if (rates.isFresh || rates.asOfMs === null) {
    return t`Goods in ${names} are not sold: they have no rate`;
  }
  return t`Goods in ${names} are not sold: the rates of ${isoOf(rates.asOfMs)} are too old`;
}

interface GoodsOptions {
  readonly parts: Pick<ShopParts, 'rates' | 'catalogSource'>;
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  report(error: unknown): void;
}

/** @throws {ScripError} CATALOG_INVALID, MERCHANT_ERROR, INPUT_INVALID where there is no catalog at all */
export async function openGoods({ parts, store, clock, report }: GoodsOptions) {
  const rates = parts.rates();
  await rates.refresh().catch(report);
  const catalog = await openShopCatalog({
    ...{ ...parts.catalogSource(), rates, clock, report },
    versions: createCatalogVersions({ store, clock }),
  });
  const now = () => onSale({ catalog, rates });
  return {
    catalog,
    rates,
    now,
    /** Reads what is due. */
    upkeep: [catalog.refresh, rates.refresh],
  };
}

export type Goods = Awaited<ReturnType<typeof openGoods>>;
