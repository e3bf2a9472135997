/** Points in time as typed: a UTC day, an instant, or a duration before now. */
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
