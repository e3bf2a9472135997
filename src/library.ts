/**
 * The package's export, for programs on Node. Importing it reads and starts nothing: what an instance
 * needs is loaded when one is created.
 */

import type { CreateScrip, ScripErrorClass } from './api/library/public.ts';
import { ScripError as Raised } from './domain/errors.ts';

export type * from './api/library/public.ts';

/** For `instanceof`. */
export const ScripError: ScripErrorClass = Raised;

export const createScrip: CreateScrip = async (options) => {
  const { openScrip } = await import('./library-parts.ts');
  return openScrip(options);
};
