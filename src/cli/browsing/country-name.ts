/** Countries by their names in the user's language; what programs read has the host's. */
import type { Context } from '../context.ts';
import type { Language } from '../i18n/language.ts';

/** @param country its code, two letters in any case, and the name that the host has for it */
export function countryName(
  { code, name }: { readonly code: string; readonly name: string },
  lang: Language,
): string {
  if (lang === 'en') return name;
  const names = new Intl.DisplayNames([lang], { type: 'region', fallback: 'none' });
  return names.of(code.toUpperCase()) ?? name;
}

/** What a message is in: in JSON it is as it is written. */
export function shownLanguage({ settings }: Pick<Context, 'settings'>): Language {
  return settings.isJson ? 'en' : settings.lang;
}
