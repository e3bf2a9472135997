/** An instant as people read it; machines get ISO 8601. */

const ISO = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/;

/** `2026-11-21 12:19:47 UTC`; a text that is no such instant stays as it is. */
export function instantText(iso: string): string {
  return iso.replace(ISO, '$1 $2 UTC');
}
