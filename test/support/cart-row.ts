import type { CartRow } from '../../src/cli/batch/checking.ts';

/** A line of a cart: Amazon.com for a friend. */
export const cartRow = (more: Partial<CartRow> = {}): CartRow => ({
  ...{ number: 1, brand: 'Amazon.com', country: 'us', to: 'friend@example.com', quantity: 1 },
  ...{ isNamed: true, ids: [], problems: [] },
  withBrand: (other) => [other, more.value, 'friend@example.com'].join(','),
  ...more,
});
