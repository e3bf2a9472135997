/** Schemas of objects, built on first use. */

import { z } from 'zod';
import { type Lazy, lazy } from './endpoint.ts';

/** An object with these fields; others are dropped. */
export function object<Shape extends z.ZodRawShape>(
  shape: () => Shape,
): Lazy<z.ZodObject<Shape, z.core.$strip>> {
  return lazy(() => z.object(shape()));
}

/** An object with these fields alone. */
export function strictObject<Shape extends z.ZodRawShape>(
  shape: () => Shape,
): Lazy<z.ZodObject<Shape, z.core.$strict>> {
  return lazy(() => z.strictObject(shape()));
}
