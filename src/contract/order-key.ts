/** Ours: how a caller of `POST /v5/orders` names a creation, so that asking again makes no second order. */
import { z } from 'zod';
import { lazy } from './endpoint.ts';

export const IDEMPOTENCY_KEY_HEADER = 'Idempotency-Key';

/** Says that the key makes one order ever: once that order is over, a creation with it is refused. */
export const KEY_USE_HEADER = 'X-Scrip-Key';
export const USED_ONCE = 'once';

/** `detail` of that refusal, and what its `moreDetails` hold. */
export const ORDER_IS_OVER = 'ORDER_IS_OVER';
export const orderOver = lazy(() => z.object({ order_id: z.uuid(), order_state: z.string() }));
