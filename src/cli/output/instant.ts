/**
 * Prints points in time. People read the time of this machine, with date and zone if it is not today's; scripts
 * and logs read UTC.
 */

/** For whom a time is printed. */
export interface TimeReader {
  readonly nowMs: number;
  readonly lang: string;
}

/**
 * Returns the local time, such as `10:38 AM`, with date and zone if it is not today.
 * @param instant milliseconds, or ISO 8601; another text of a merchant stays as it is
 */
export function clockTime(instant: number | string, { nowMs, lang }: TimeReader): string {
  const at = new Date(instant);
  if (Number.isNaN(at.getTime())) return String(instant);
  const isToday = at.toDateString() === new Date(nowMs).toDateString();
  return isToday ? formatted(at, lang, { timeStyle: 'short' }) : dayAndTime(at, lang);
}

/** Returns `2026-11-21 12:19 UTC`. */
export function utcTime(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Returns `2026-11-21 12:19` in the time of this machine, which sorts as it reads. */
export function localMinute(iso: string): string {
  const at = new Date(iso);
  const two = (part: number): string => String(part).padStart(2, '0');
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

function dayAndTime(at: Date, lang: string): string {
  return formatted(at, lang, {
    ...({ year: 'numeric', month: 'short', day: 'numeric' } as const),
    ...({ hour: 'numeric', minute: '2-digit', timeZoneName: 'short' } as const),
  });
}

function formatted(at: Date, lang: string, style: Intl.DateTimeFormatOptions): string {
  // Some versions of Node put a narrow space before AM and PM, which some terminals cannot show.
  return new Intl.DateTimeFormat(lang, style).format(at).replace(/\u202f/g, ' ');
}
