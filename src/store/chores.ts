/** Regular work of a shop as a whole, done by one of its servers at a time. */
import type { DueWork } from './due-work.ts';

export interface Chore {
  /** `accounts`: receiving accounts are looked at, swept and opened. */
  readonly name: 'accounts';
}

/** Due from the beginning. */
export type Chores = DueWork<Chore>;
