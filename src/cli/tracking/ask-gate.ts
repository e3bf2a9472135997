/** A `Fetch` that asks few at once: many orders are followed, and the merchant is not stormed. */
import type { Fetch } from '../../contract/fetch.ts';

/** Bounds requests whose answer has not begun; a stream that goes on holds no place. */
export function createGate(fetch: Fetch, most: number): Fetch {
  const waiting: (() => void)[] = [];
  let running = 0;
  const enter = (): Promise<void> => {
    running += 1;
    if (running <= most) return Promise.resolve();
    return new Promise((resolve) => waiting.push(resolve));
  };
  const leave = (): void => {
    running -= 1;
    waiting.shift()?.();
  };
  return async (url, init) => {
    await enter();
    try {
      return await fetch(url, init);
    } finally {
      leave();
    }
  };
}
