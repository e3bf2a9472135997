/** Calls of the partner API: any row, with the headers that say who asks (interface: Authentication, 2). */

import type { Endpoint } from '../../contract/endpoint.ts';
import type { Fetch } from '../../contract/fetch.ts';
import type { Clock } from '../../domain/clock.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { type Atomic, parseDecimal } from '../../domain/money.ts';
import { call } from '../http/call.ts';

export interface PartnerHost {
  readonly fetch: Fetch;
  /** Base address of the API, without a trailing slash. */
  readonly apiUrl: string;
  /** Partner id: orders belong to the one that made them. */
  readonly applicationId: string;
  /** Version of this program. */
  readonly version: string;
  /** Two letters: where the user is. */
  readonly countryCode: string;
  /** Of the user; what an order is made in. */
  readonly lang?: string | undefined;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/** What every request of the partner API says about its sender. */
export function partnerHeaders(
  host: Pick<PartnerHost, 'applicationId' | 'version' | 'countryCode'>,
): Readonly<Record<string, string>> {
  return {
    'x-cr-application': host.applicationId,
    'x-cr-version': host.version,
    'user-agent': `scrip/${host.version}`,
    'x-country-iso-code': host.countryCode.toUpperCase(),
  };
}

/**
 * Asks one question of the partner API; reads are repeated as `call` does.
 * @throws {ScripError} what `call` throws
 */
export function callPartner<In, Out>(
  host: PartnerHost,
  endpoint: Endpoint<In, Out>,
  input: In,
  options: {
    readonly headers?: Readonly<Record<string, string>>;
    /** Sends the request once, even if the row allows retries. */
    readonly isOnce?: boolean;
  } = {},
): Promise<Out> {
  return call(host.fetch, host.apiUrl, endpoint, input, {
    signal: host.signal,
    headers: { ...partnerHeaders(host), ...options.headers },
    ...(options.isOnce === true ? {} : { clock: host.clock }),
  });
}

/** Decimals of a coin that this wallet cannot send; nothing is signed for by them. */
export const OTHER_DECIMALS = 9;

/** What an order costs, as the merchant wrote it. @throws {ScripError} MERCHANT_REPLY_INVALID */
export function readPrice(text: string, decimals: number): Atomic {
  try {
    return parseDecimal(text, decimals);
  } catch (cause) {
    throw new ScripError('MERCHANT_REPLY_INVALID', t`The price "${text}" is not an amount`, {
      cause,
    });
  }
}
