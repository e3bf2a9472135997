/** The result of one check. */

import { CODES, type Code, ScripError } from '../../domain/message/errors.ts';
import { type Message, type Said, t } from '../../domain/message/message.ts';

export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warn' | 'fail';
  /** For the user; holds no secret. */
  readonly detail: Said;
  /** What the user can do about it; null if nothing. */
  readonly fix: Message | null;
  /** For a failure: the error code of a command that meets it. */
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

/** Turns an error during a check into a finding. */
export function failedBy(check: string, error: unknown): Finding {
  if (!(error instanceof ScripError) || error.code === 'INTERRUPTED') throw error;
  return fail(check, error.sentence, { code: error.code, fix: error.hint });
}

/** Returns the failure with the highest exit code, as the command's error; before it a proxy's, which hides the others. */
export function worstOf(findings: readonly Finding[]): ScripError | undefined {
  const failures = findings.flatMap((finding) =>
    finding.code === undefined ? [] : [{ ...finding, code: finding.code }],
  );
  const byExit = failures.toSorted((one, other) => CODES[other.code].exit - CODES[one.code].exit);
  const worst = failures.find(({ check }) => check === 'proxy') ?? byExit[0];
  if (worst === undefined) return undefined;
  const names = failures.map(({ check }) => check);
  const many = t`${failures.length} checks fail: ${names.join(', ')}`;
  return new ScripError(
    worst.code,
    names.length === 1 ? t`1 check fails: ${names[0] ?? ''}` : many,
    {
      ...(worst.fix === null ? {} : { hint: worst.fix }),
      // Checking moves no money. Only a damaged journal may hide payments in progress.
      fundsAtRisk: worst.code === 'JOURNAL_UNUSABLE' ? 'possible' : 'none',
      details: { failed: names },
    },
  );
}

/** The check in JSON. */
export function checkRecord({ check, state, detail, fix }: Finding) {
  return { check, state, detail: String(detail), fix: fix && String(fix) };
}
