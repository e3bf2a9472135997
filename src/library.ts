/**
 * The package's export, for programs on Node. Importing it reads and starts nothing; `createScrip` loads the
 * rest.
 */

import type { CreateScrip, ScripErrorClass } from './api/library/public.ts';
import { ScripError as Raised } from './domain/message/errors.ts';

export type * from './api/library/public.ts';
export type * from './api/library/public.ts';

/** A value, so that callers can use `instanceof`. Safe: an error reaches a program with its hint as text. */
export const ScripError = Raised as unknown as ScripErrorClass;

export const createScrip: CreateScrip = async (options) => {
  const { openScrip } = await import('./run/library-parts.ts');
  return openScrip(options);
};
