/** The patience of a call, whatever the other side and the memory manager do. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { withDeadline } from '../../../src/api/http/deadline.ts';

const SHORT_MS = 20;
const LONG_MS = 60_000;
const never = () => new Promise<never>(() => undefined);

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

describe('a call with a deadline', () => {
  it.each([
    ['alone', undefined],
    ['beside a signal of the user', new AbortController().signal],
  ])('ends %s when the time is over, also after a garbage collection', async (_how, outer) => {
    let inner: AbortSignal | undefined;
    const ended = withDeadline(SHORT_MS, outer, (signal) => {
      inner = signal;
      return never();
    });
    collectGarbage();
    await expect(ended).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(inner?.aborted).toBe(true);
  });

  it('ends when the user does, with the user’s reason', async () => {
    const user = new AbortController();
    const ended = withDeadline(LONG_MS, user.signal, never);
    user.abort(new Error('enough'));
    await expect(ended).rejects.toThrow('enough');
  });

  it('is not begun after the user has ended', async () => {
    let isBegun = false;
    const work = async () => {
      isBegun = true;
    };
    await expect(withDeadline(LONG_MS, AbortSignal.abort(), work)).rejects.toThrow();
    expect(isBegun).toBe(false);
  });
});
