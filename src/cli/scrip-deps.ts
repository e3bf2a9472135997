/** Builds the dependencies of the shared layer (`api/`) from a context. */

import type { ScripDeps } from '../api/scrip.ts';
import type { With } from './context.ts';
import { spokenLanguage } from './i18n/localize.ts';
import { noticePrinter } from './ordering/notices.ts';
import type { Settings } from './settings/settings.ts';

/** The context needed to call a merchant or read the journal. */
export type ScripContext = With<'version' | 'settings' | 'io' | 'parts'>;

export function scripDeps(context: ScripContext): ScripDeps {
  const { parts, settings, io, version } = context;
  return {
    ...parts,
    place: settings,
    version,
    channel: settings.mayPrompt ? 'terminal' : 'unattended',
    progress: io.progress,
    notify: noticePrinter(context).notify,
    toldIn: shownLanguage(settings),
    spokenLanguage: spokenLanguage(settings),
  };
}

/** The language of shown messages; JSON is always English. */
export function shownLanguage({
  isJson,
  lang,
}: Pick<Settings, 'isJson' | 'lang'>): Settings['lang'] {
  return isJson ? 'en' : lang;
}
