/** Reads the JSON file that names the callers of the facilitator (`--settle-for`). */

import { z } from 'zod';
import { ScripError } from '../domain/errors.ts';
import { t } from '../domain/message.ts';
import type { NamedCaller } from '../service/callers.ts';
import { readOperatorFile } from '../service/operator-file.ts';

const HINT = t`Correct the --settle-for file and start again (docs/operate/sandbox.md).`;

/** 32 characters of base64 hold 192 bits. */
const token = () => z.string().regex(/^[\x21-\x7e]{32,256}$/, '32 to 256 visible characters');
const name = () => z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/, 'letters, digits, dots and hyphens');
const lamports = () => z.number().int().positive().max(Number.MAX_SAFE_INTEGER);

const callerFile = () =>
  z
    .strictObject({
      callers: z.array(
        z.strictObject({ name: name(), token: token(), lamports_per_day: lamports() }),
      ),
    })
    .superRefine(({ callers }, context) => {
      for (const field of ['name', 'token'] as const) {
        const values = callers.map((caller) => caller[field]);
        const again = values.findIndex((value, index) => values.indexOf(value) !== index);
        if (again < 0) continue;
        const message = `two callers have one ${field}`;
        context.addIssue({ code: 'custom', path: ['callers', again, field], message });
      }
    });

/**
 * Reads the operator's file. Errors quote none of its values, since it holds tokens.
 * @throws {ScripError} INPUT_INVALID naming the path of the first fault
 */
export function readCallers(text: string): readonly NamedCaller[] {
  const { callers } = readOperatorFile(callerFile(), parseJson(text), {
    invalid: (path, problem) => t`The callers file is not valid at ${path}: ${problem}`,
    hint: HINT,
  });
  return callers.map(({ lamports_per_day, ...caller }) => ({
    ...caller,
    lamportsPerDay: BigInt(lamports_per_day),
  }));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ScripError('INPUT_INVALID', t`The callers file is not JSON`, {
      hint: HINT,
    });
  }
}
