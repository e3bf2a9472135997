/** The table of errors in the JSON form. */
import { CODES } from '../domain/errors.ts';

export function errorRecords() {
  return Object.entries(CODES).map(([code, { exit, retryable, fundsAtRisk, hint }]) => ({
    code,
    exit,
    retryable,
    funds_at_risk: fundsAtRisk,
    hint,
  }));
}
