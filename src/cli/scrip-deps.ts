/** What the shared layer works with, of a context: for the place of its settings. */

import type { ScripDeps } from '../api/scrip.ts';
import type { With } from './context.ts';
import { spokenLanguage } from './i18n/language.ts';
import { noticePrinter } from './ordering/notices.ts';
import type { Settings } from './settings/shape.ts';

/** Of what is asked of a merchant, or of the journal in the shared layer. */
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

/** What a message is in: in JSON it is as it is written. */
export function shownLanguage({
  isJson,
  lang,
}: Pick<Settings, 'isJson' | 'lang'>): Settings['lang'] {
  return isJson ? 'en' : lang;
}
