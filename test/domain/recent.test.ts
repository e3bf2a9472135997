import { expect, it } from 'vitest';
import { createRecent } from '../../src/domain/recent.ts';

it('what counts callers forgets the longest silent one when it is full', () => {
  const recent = createRecent<number>(2);
  recent.set('a', 1);
  recent.set('b', 2);
  recent.set('a', 3);
  recent.set('c', 4);
  expect([recent.size, recent.get('a'), recent.get('b'), recent.get('c')]).toEqual([
    2,
    3,
    undefined,
    4,
  ]);
});
