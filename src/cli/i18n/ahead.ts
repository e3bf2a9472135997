/** Finds the language before the command line is parsed, for help texts and parser errors. */
import { ScripError } from '../../domain/errors.ts';
import { profileLanguage, type Surroundings } from '../settings/settings.ts';
import { checkLanguage, type Language, systemLanguage } from './language.ts';

/**
 * Returns the language that the settings will have. If the settings cannot be read, the command reports it
 * later.
 * @throws {ScripError} USAGE for a language without translations
 */
export function languageAhead(words: readonly string[], around: Surroundings): Language {
  const lang = saidFor(words, '--lang') ?? around.env.SCRIP_LANG;
  if (lang !== undefined && lang !== '') return checkLanguage(lang);
  try {
    const profile = saidFor(words, '--profile');
    const own = profileLanguage(profile, { ...around, isProfileOptional: true });
    return own === undefined ? systemLanguage(around.env) : checkLanguage(own);
  } catch (error) {
    if (!(error instanceof ScripError)) throw error;
    return systemLanguage(around.env);
  }
}

function saidFor(words: readonly string[], flag: string): string | undefined {
  const end = words.indexOf('--');
  const said = end === -1 ? words : words.slice(0, end);
  const at = said.lastIndexOf(flag);
  const joined = said.findLast((word) => word.startsWith(`${flag}=`));
  return (at === -1 ? joined?.slice(flag.length + 1) : said[at + 1]) || undefined;
}
