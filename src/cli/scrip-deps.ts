/** What the shared layer works with, of a context: for the place of its settings. */

import type { ScripDeps } from '../api/scrip.ts';
import type { Context } from './context.ts';
import { spokenLanguage } from './i18n/language.ts';
import { noticeTeller } from './ordering/notices.ts';

export type ScripContext = Pick<Context, 'parts' | 'settings' | 'io' | 'version'>;

export function scripDeps(context: ScripContext): ScripDeps {
  const { parts, settings, io, version } = context;
  return {
    ...parts,
    place: settings,
    version,
    channel: settings.mayPrompt ? 'terminal' : 'unattended',
    progress: io.progress,
    tell: noticeTeller(context).tell,
    toldIn: shownLanguage(settings),
    spokenLanguage: spokenLanguage(settings),
  };
}

/** What a message is in: in JSON it is as it is written. */
export function shownLanguage({
  isJson,
  lang,
}: Pick<Context['settings'], 'isJson' | 'lang'>): Context['settings']['lang'] {
  return isJson ? 'en' : lang;
}
