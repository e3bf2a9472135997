/** Simulated compliance checks: a tag in the buyer's address decides the result. */
import type { Compliance } from '../../service/partner/reconcile.ts';
import { tagsOf } from './tags.ts';

/** How long a check takes. */
export const CHECK_MS = 3_000;

const VERDICTS: Readonly<Record<string, ReturnType<Compliance>>> = {
  checked: 'cleared',
  quarantined: 'held',
};

/** `ann+checked@…` is checked and cleared, `ann+quarantined@…` is held; other buyers are not checked. */
export const sandboxCompliance: Compliance = ({ email, sinceMs, nowMs }) => {
  const tag = tagsOf(email).find((one) => Object.hasOwn(VERDICTS, one));
  if (tag === undefined) return 'none';
  return nowMs >= sinceMs + CHECK_MS ? (VERDICTS[tag] ?? 'none') : 'pending';
};
