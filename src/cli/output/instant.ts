/** An instant as people read it; machines get ISO 8601. */

const ISO = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/;

/** `2026-11-21 12:19:47 UTC`; a text that is no such instant stays as it is. */
export function instantText(iso: string): string {
  return iso.replace(ISO, '$1 $2 UTC');
}

/** The same by the clock and the calendar of this machine, in a language; other texts stay as they are. */
export function localTime(iso: string, lang: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  return formatted(at, lang, { dateStyle: 'medium', timeStyle: 'medium' });
}

/** `10:38 AM` of today, by the clock of this machine; of another day with its date. */
export function clockTime(
  atMs: number,
  { nowMs, lang }: { readonly nowMs: number; readonly lang: string },
): string {
  const at = new Date(atMs);
  const isToday = at.toDateString() === new Date(nowMs).toDateString();
  const date = isToday ? {} : { dateStyle: 'medium' as const };
  return formatted(at, lang, { ...date, timeStyle: 'short' });
}

function formatted(at: Date, lang: string, style: Intl.DateTimeFormatOptions): string {
  // Some versions of Node put a narrow space before AM and PM, which not every terminal has.
  return new Intl.DateTimeFormat(lang, style).format(at).replace(/\u202f/g, ' ');
}
