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
  const format = new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeStyle: 'medium' });
  // Some versions of Node put a narrow space before AM and PM, which not every terminal has.
  return format.format(at).replace(/\u202f/g, ' ');
}
