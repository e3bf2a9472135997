/**
 * Calls any endpoint of the partner API, with the headers that identify the caller (interface:
 * Authentication, 2).
 */

import type { Endpoint } from '../../contract/endpoint.ts';
import type { Fetch } from '../../contract/fetch.ts';
import type { Clock } from '../../domain/clock.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { type Atomic, parseDecimal } from '../../domain/money/money.ts';
import type { CallOptions } from '../http/call.ts';
import { call } from '../http/call.ts';

export interface PartnerHost {
  readonly fetch: Fetch;
  /** Base address of the API, without a trailing slash. */
  readonly apiUrl: string;
  /** Partner id: an order belongs to the partner that created it. */
  readonly applicationId: string;
  /** Version of this program. */
  readonly version: string;
  /** The user's country, two letters. */
  readonly countryCode: string;
  /** The user's language, in which orders are created. */
  readonly lang?: string | undefined;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/** Headers that identify the caller in every request. */
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
 * Sends one request to the partner API; retries reads, as `call` does.
 * @throws {ScripError} what `call` throws
 */
export function callPartner<In, Out>(
  host: PartnerHost,
  endpoint: Endpoint<In, Out>,
  input: In,
  // Once, even if the endpoint allows retries.
  {
    isOnce,
    ...options
  }: Omit<CallOptions, 'signal' | 'clock'> & { readonly isOnce?: boolean } = {},
): Promise<Out> {
  return call(host.fetch, host.apiUrl, endpoint, input, {
    ...options,
    signal: host.signal,
    headers: { ...partnerHeaders(host), ...options.headers },
    clock: isOnce === true ? undefined : host.clock,
  });
}

/** Decimals assumed for a coin that this wallet cannot send; nothing is signed with them. */
export const OTHER_DECIMALS = 9;

/** Parses an order's price as the merchant wrote it. @throws {ScripError} MERCHANT_REPLY_INVALID */
export function readPrice(text: string, decimals: number): Atomic {
  try {
    return parseDecimal(text, decimals);
  } catch (cause) {
    throw new ScripError('MERCHANT_REPLY_INVALID', t`The price "${text}" is not an amount`, {
      cause,
    });
  }
}
