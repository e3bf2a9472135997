/** Limits concurrent requests while tracking many orders. */
import type { Fetch } from '../../contract/fetch.ts';

/** Limits requests until their response starts; an open stream does not count. */
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
