/** JSON of `scrip doctor`. */
import { z } from 'zod';
import { lazy } from '../../contract/endpoint.ts';

export const examination = lazy(() =>
  z.strictObject({
    ok: z.boolean(),
    checks: z.array(
      z.strictObject({
        check: z.string(),
        state: z.enum(['ok', 'warn', 'fail']),
        detail: z.string(),
        fix: z.string().nullable(),
      }),
    ),
    repair: z
      .strictObject({
        kept: z.number().int().nonnegative(),
        aside: z.string().nullable().describe('where the old records are'),
        is_history_whole: z.boolean(),
        entries: z.array(
          z.strictObject({
            intent_id: z.string(),
            outcome: z.enum(['restored', 'found on the chain', 'nothing to restore']),
            detail: z.string(),
          }),
        ),
      })
      .optional(),
  }),
);
