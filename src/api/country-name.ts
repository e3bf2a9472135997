/** Country names in the user's language, for people; programs get the host's names. */

/** @param country its code, two letters in any case, and the host's name for it */
export function countryName(
  { code, name }: { readonly code: string; readonly name?: string },
  lang: string,
): string {
  if (lang === 'en' && name !== undefined) return name;
  const names = new Intl.DisplayNames([lang], { type: 'region', fallback: 'none' });
  return names.of(code.toUpperCase()) ?? name ?? code.toUpperCase();
}
