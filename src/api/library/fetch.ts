/** The library's `fetch`: one request, paid for if its host asks for that, as a `Response`. */

import { USDC_DECIMALS } from '../../contract/usdc.ts';
import type { PaidRequest } from '../../domain/journal/paid-request.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { type Atomic, parseDecimal } from '../../domain/money/money.ts';
import { hostKey, usdcText } from '../../domain/policy/policy.ts';
import { checkedHeader, fetchPaid, type RequestOffer } from '../paid-request.ts';
import { SETTLE_MS } from '../payment/pay-loop.ts';
import type { ScripDeps } from '../scrip.ts';
import { asker } from './order.ts';
import type { FetchOptions, FetchSummary } from './public.ts';

/** By the Fetch standard these have no body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Sends the request, and pays once for its answer.
 * @throws {ScripError} as `fetchPaid`; CONFIRMATION_REQUIRED if it costs money and nothing allows that
 */
export async function fetchOnce(
  deps: ScripDeps,
  request: PaidRequest,
  { maxAmount, idempotencyKey: key, confirm, waitMs = SETTLE_MS }: FetchOptions,
): Promise<Response> {
  const capAtomic = maxAmount === undefined ? undefined : parseDecimal(maxAmount, USDC_DECIMALS);
  const { answer, bought } = await fetchPaid(deps, request, {
    ...{ key, capAtomic, timeouts: { waitMs, settleMs: waitMs } },
    agree: (offer) => agree(deps, request, { offer, capAtomic, confirm }),
  });
  const { status, headers, bytes } = answer;
  if (status < 200 || status > 599) {
    throw new ScripError('MERCHANT_REPLY_INVALID', t`The host answered ${status}`);
  }
  // An answer that could not be recorded is still worth what was paid: its key asks the host for it again.
  if (bought?.error === undefined) await bought?.handOver();
  const body = BODILESS.has(status) ? null : Uint8Array.from(bytes);
  const response = new Response(body, { status, headers: headers.map(([...pair]) => pair) });
  return Object.defineProperty(response, 'url', { value: request.url });
}

async function agree(
  deps: ScripDeps,
  { method, url }: PaidRequest,
  {
    offer: { amountAtomic, payTo, purchase, room },
    capAtomic,
    confirm,
  }: {
    readonly offer: RequestOffer;
    readonly capAtomic: Atomic | undefined;
  } & Pick<FetchOptions, 'confirm'>,
): Promise<void> {
  if (confirm === undefined && capAtomic !== undefined) return;
  const isConfirmed = asker<FetchSummary>(deps, confirm);
  const isPaid = await isConfirmed({
    ...{ merchant: hostKey(purchase.host), method, url, payTo },
    amount: usdcText(amountAtomic),
    network: purchase.rail.network,
    leftToday: usdcText(room.leftAtomic),
  });
  if (!isPaid) throw new ScripError('DECLINED', t`You declined; nothing was paid`);
}

/**
 * Reads what the global `fetch` is given. What scrip does not use, such as `cache`, has no effect.
 * @throws {ScripError} INPUT_INVALID
 */
export async function requestOf(
  ...given: ConstructorParameters<typeof Request>
): Promise<PaidRequest> {
  const [, init] = given;
  if (init?.body instanceof FormData) {
    throw new ScripError(
      'INPUT_INVALID',
      t`A form with a boundary of its own is another request each time`,
      {
        hint: t`Pass the body as a text, or as URLSearchParams.`,
      },
    );
  }
  try {
    const request = new Request(...given);
    const url = new URL(request.url);
    url.hash = '';
    const bytes = await request.arrayBuffer();
    const body = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const headers = [...request.headers].map(([name, value]) => checkedHeader(name, value));
    return {
      method: request.method,
      url: url.href,
      headers: { accept: '*/*', ...Object.fromEntries(headers) },
      ...(request.body === null ? {} : { body }),
    };
  } catch (cause) {
    if (cause instanceof ScripError) throw cause;
    throw new ScripError(
      'INPUT_INVALID',
      t`The request is not valid, or its body is not text in UTF-8`,
      {
        cause,
      },
    );
  }
}
