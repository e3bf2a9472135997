/** Prints points in time for people; scripts get ISO 8601. */

const ISO = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/;

/** Returns `2026-11-21 12:19:47 UTC`; any other text stays as it is. */
export function instantText(iso: string): string {
  return iso.replace(ISO, '$1 $2 UTC');
}

/** Returns the time in this machine's time zone and the given language; any other text stays as it is. */
export function localTime(iso: string, lang: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  return formatted(at, lang, { dateStyle: 'medium', timeStyle: 'medium' });
}

/** Returns the local time, such as `10:38 AM`, with the date if it is not today. */
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
  // Some versions of Node put a narrow space before AM and PM, which some terminals cannot show.
  return new Intl.DateTimeFormat(lang, style).format(at).replace(/\u202f/g, ' ');
}
