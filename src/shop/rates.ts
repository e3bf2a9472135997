/** Exchange rates from the operator's feed (docs/operate/shop.md); none is used past its age. */

import { z } from 'zod';
import { lazy } from '../contract/endpoint.ts';
import { firstFault } from '../contract/plain-issues.ts';
import { parseJson } from '../domain/attempt.ts';
import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/message/errors.ts';
import { t, verbatim } from '../domain/message/message.ts';
import { type Host, readFeed } from './feed.ts';

const feed = lazy(() =>
  z.strictObject({
    as_of: z.iso.datetime({ offset: true }),
    units_per_usd: z.record(
      z.string().regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code, such as EUR'),
      z
        .string()
        .regex(/^(0|[1-9]\d{0,9})(\.\d{1,12})?$/, 'must be a decimal in quotes, such as "0.88"')
        .refine((text) => !/^0(\.0+)?$/.test(text), 'must be more than zero'),
    ),
  }),
);

export type ShopRates = ReturnType<typeof createShopRates>;

export interface RatesOptions {
  readonly host: Host;
  readonly url: string;
  readonly refreshMs: number;
  readonly maxAgeMs: number;
  readonly clock: Pick<Clock, 'now'>;
}

const PICO_PER_USD = 10n ** 12n;
const USD = 'USD';

/** Without a feed dollars alone have a rate. */
export function createShopRates(options?: RatesOptions) {
  let known: { readonly asOfMs: number; readonly rates: ReadonlyMap<string, bigint> } | undefined;
  let nextAtMs = 0;
  const isFresh = () =>
    options === undefined ||
    (known !== undefined && options.clock.now() - known.asOfMs <= options.maxAgeMs);
  return {
    get version() {
      return `rates-${isFresh() ? (known?.asOfMs ?? 0) : 'stale'}`;
    },
    get isFresh() {
      return isFresh();
    },
    /** When the rates were true; null where none could be read, or there is no feed. */
    get asOfMs() {
      return known?.asOfMs ?? null;
    },
    picoUsdPer: (currency: string) => {
      if (currency === USD) return PICO_PER_USD;
      return isFresh() ? known?.rates.get(currency) : undefined;
    },
    /** Asks the feed when that is due. @throws {ScripError} MERCHANT_ERROR, MERCHANT_REPLY_INVALID */
    async refresh() {
      if (options === undefined || options.clock.now() < nextAtMs) return;
      nextAtMs = options.clock.now() + options.refreshMs;
      known = readRates(await readFeed(options.host, options.url), options.clock.now());
    },
  };
}

/** A feed whose clock is this far ahead is refused: its rates would stay fresh for too long. */
const MOST_AHEAD_MS = 60_000;

function readRates(text: string, nowMs: number) {
  const json = parseJson(text);
  const parsed = feed().safeParse(json);
  if (!parsed.success) throw invalid(firstFault(feed(), json));
  const asOfMs = Date.parse(parsed.data.as_of);
  if (asOfMs > nowMs + MOST_AHEAD_MS) throw invalid('as_of is in the future');
  const units = Object.entries(parsed.data.units_per_usd);
  return { asOfMs, rates: new Map(units.map(([currency, text]) => [currency, picoUsd(text)])) };
}

function invalid(fault: string): ScripError {
  return new ScripError('MERCHANT_REPLY_INVALID', t`The rates are not valid: ${verbatim(fault)}`);
}

/** The reciprocal, rounded up as prices are. */
function picoUsd(unitsPerUsd: string): bigint {
  const [whole = '', fraction = ''] = unitsPerUsd.split('.');
  const divisor = BigInt(whole + fraction);
  const dividend = PICO_PER_USD * 10n ** BigInt(fraction.length);
  return (dividend + divisor - 1n) / divisor;
}
