/** JSON of `scrip doctor --bundle`. */
import { z } from 'zod';
import { type Infer, lazy } from '../../contract/endpoint.ts';
import { examination } from './doctor.ts';

const count = lazy(() => z.number().int().nonnegative());

export const debugBundle = lazy(() =>
  z.strictObject({
    bundle: z.literal(1),
    made_at: z.iso.datetime(),
    version: z.string(),
    node: z.string(),
    platform: z.string().describe('system and processor, such as linux x64'),
    settings: z.array(
      z.strictObject({ key: z.string(), value: z.string().nullable(), source: z.string() }),
    ),
    environment: z.array(z.string()).describe('names of variables that are set'),
    doctor: examination(),
    journal: z.strictObject({
      error: z.string().nullable().describe('error code if it cannot be read'),
      purchases: count(),
      by_status: z.record(z.string(), count()),
      checkout: count(),
      partner: count(),
      first_at: z.iso.datetime().nullable(),
      last_at: z.iso.datetime().nullable(),
    }),
    recent_errors: z.array(
      z.strictObject({ at: z.iso.datetime(), code: z.string(), verb: z.string().nullable() }),
    ),
  }),
);
export type DebugBundle = Infer<typeof debugBundle>;

export const writtenBundle = lazy(() => z.strictObject({ output: z.string(), bytes: count() }));
