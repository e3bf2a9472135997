import { expect, it } from 'vitest';
import { createGate } from '../../../src/cli/tracking/tracking-all.ts';
import type { Reply } from '../../../src/contract/fetch.ts';

it('no more are asked at once than the gate lets through, and every one is asked', async () => {
  const open: (() => void)[] = [];
  let running = 0;
  let most = 0;
  const gate = createGate(async (url) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise<void>((resolve) => open.push(resolve));
    running -= 1;
    if (url === 'bad') throw new Error('refused');
    return new Response(url) as Reply;
  }, 2);
  const urls = ['a', 'bad', 'c', 'd', 'e'];
  const asked = Promise.allSettled(urls.map((url) => gate(url)));
  for (let done = 0; done < urls.length; done += 1) {
    while (open.length === 0) await Promise.resolve();
    open.shift()?.();
  }
  const results = await asked;
  expect(most).toBe(2);
  expect(results.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
    'fulfilled',
  ]);
});
