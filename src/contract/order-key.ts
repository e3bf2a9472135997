/** Ours: identifies a creation (`POST /v5/orders`), so that repeating the request makes no second order. */
import { z } from 'zod';
import { lazy } from './endpoint.ts';

export const IDEMPOTENCY_KEY_HEADER = 'Idempotency-Key';

/**
 * With the value `once`, the key makes only one order ever: after that order has ended, a creation
 * with the key is refused.
 */
export const KEY_USE_HEADER = 'X-Scrip-Key';
export const USED_ONCE = 'once';

/** `detail` of that refusal, and the schema of its `moreDetails`. */
export const ORDER_IS_OVER = 'ORDER_IS_OVER';
export const orderOver = lazy(() => z.object({ order_id: z.uuid(), order_state: z.string() }));
