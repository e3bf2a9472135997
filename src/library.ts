/**
 * The package's export, for programs on Node. Importing it reads and starts nothing; `createScrip` loads the
 * rest.
 */

import type { CreateScrip, ScripErrorClass } from './api/library/public.ts';
import { ScripError as Raised } from './domain/message/errors.ts';

export type * from './api/library/public.ts';
export type * from './api/library/public.ts';

/** A value, so that callers can use `instanceof`. */
export const ScripError: ScripErrorClass = Raised;

export const createScrip: CreateScrip = async (options) => {
  const { openScrip } = await import('./run/library-parts.ts');
  return openScrip(options);
};
