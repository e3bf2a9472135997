/** `POST /supplier/callbacks/{reference}`: a supplier says that a pending purchase is decided. */

import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../domain/clock.ts';
import type { Store } from '../store/store.ts';

interface CallbackDeps {
  readonly store: Pick<Store, 'tables'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly token: string | undefined;
}

const PATH = /^\/supplier\/callbacks\/([A-Za-z0-9_-]{1,100})$/;

/** Answers its path; undefined for every other one. The outcome is asked for, never taken from the call. */
export async function takeCallback(
  { store, clock, token }: CallbackDeps,
  request: Request,
): Promise<Response | undefined> {
  const [, reference] = PATH.exec(new URL(request.url).pathname) ?? [];
  if (reference === undefined || token === undefined) return undefined;
  if (request.method !== 'POST') {
    return new Response(null, { status: 405, headers: { Allow: 'POST' } });
  }
  const isSupplier = isSame(request.headers.get('authorization') ?? '', `Bearer ${token}`);
  if (!isSupplier) return new Response(null, { status: 401 });
  await store.tables.deliveries.wake(reference, clock.now());
  return new Response(null, { status: 204 });
}

function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
