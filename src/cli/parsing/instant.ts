/** Points in time as typed: a UTC day, an instant, or a duration before now. */

import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';

const UNIT_MS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000 };

export type TypedInstant = { readonly atMs: number } | { readonly agoMs: number };

/** The hint for an invalid instant. */
export const INSTANT_HINT = t`Write a day, 2026-11-01, an instant, 2026-11-01T12:00Z, or a time back, 30d or 12h.`;

/** Undefined for any other text. */
export function readInstant(text: string): TypedInstant | undefined {
  const [, count, unit = ''] = /^(\d{1,5})([dhm])$/.exec(text) ?? [];
  if (count !== undefined) return { agoMs: Number(count) * (UNIT_MS[unit] ?? 0) };
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const isInstant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z$/.test(text);
  const ms = isDay || isInstant ? Date.parse(text) : Number.NaN;
  // JavaScript may accept February 30 as a day in March.
  const isThere = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text.slice(0, 10));
  return isThere ? { atMs: ms } : undefined;
}

/** Days are UTC days, as in all output. @throws {ScripError} INPUT_INVALID */
export function startOf(text: string, flag: string, nowMs: number): number {
  const instant = readInstant(text);
  if (instant !== undefined) return 'atMs' in instant ? instant.atMs : nowMs - instant.agoMs;
  throw new ScripError('INPUT_INVALID', t`${flag} "${text}" is not a date`, { hint: INSTANT_HINT });
}
