/** The error table as scripts read it. */
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
