/** What one check of this machine found. */

import { CODES, type Code, ScripError } from '../../domain/errors.ts';
import { type Message, type Said, t } from '../../domain/message.ts';

export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warn' | 'fail';
  /** For people; holds no secret. */
  readonly detail: Said;
  /** What to do about it; null where nothing is to be done. */
  readonly fix: Message | null;
  /** Of a failure: what a command that meets it ends with. */
  readonly code?: Code;
}

export const ok = (check: string, detail: Said): Finding => ({
  check,
  state: 'ok',
  detail,
  fix: null,
});

export const warn = (check: string, detail: Said, fix: Message): Finding => ({
  check,
  state: 'warn',
  detail,
  fix,
});

export const fail = (
  check: string,
  detail: Said,
  { code, fix = CODES[code].hint }: { readonly code: Code; readonly fix?: Message },
): Finding => ({ check, state: 'fail', detail, fix, code });

/** An error met by a check, as what the check found. */
export function failedBy(check: string, error: unknown): Finding {
  if (!(error instanceof ScripError) || error.code === 'INTERRUPTED') throw error;
  return fail(check, error.sentence, { code: error.code, fix: error.hint });
}

/** The failure with the highest exit status, as the error that the command ends with. */
export function worstOf(findings: readonly Finding[]): ScripError | undefined {
  const failures = findings.flatMap((finding) =>
    finding.code === undefined ? [] : [{ ...finding, code: finding.code }],
  );
  const [worst] = failures.toSorted((one, other) => CODES[other.code].exit - CODES[one.code].exit);
  if (worst === undefined) return undefined;
  const names = failures.map(({ check }) => check);
  const many = t`${failures.length} checks fail: ${names.join(', ')}`;
  return new ScripError(
    worst.code,
    names.length === 1 ? t`1 check fails: ${names[0] ?? ''}` : many,
    {
      ...(worst.fix === null ? {} : { hint: worst.fix }),
      // Looking moves nothing; what a damaged journal leaves open is told by its own check.
      fundsAtRisk: worst.code === 'JOURNAL_UNUSABLE' ? 'possible' : 'none',
      details: { failed: names },
    },
  );
}

/** In JSON. */
export function checkRecord({ check, state, detail, fix }: Finding) {
  return { check, state, detail: String(detail), fix: fix && String(fix) };
}
