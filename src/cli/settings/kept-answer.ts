/** Saves an answer as a setting, so that it is asked only once. */

import { commandText } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { type Message, t } from '../../domain/message.ts';
import type { With } from '../context.ts';
import { sentenceText } from '../output/wrap.ts';
import { changeProfile } from './config-change.ts';
import type { Settings } from './shape.ts';

type Around = With<'settings' | 'io' | 'parts' | 'keys' | 'files'>;

interface Answer {
  readonly setting: 'country' | 'email';
  readonly value: string;
}

/** Saves the answer and prints where; a failure to save does not stop the command. */
export async function keepAnswer(context: Around, answer: Answer): Promise<void> {
  const { stderr, localize } = context.io;
  for (const line of await kept(context, answer)) {
    stderr.write(sentenceText(localize(line), stderr));
  }
}

async function kept(context: Around, { setting, value }: Answer): Promise<readonly Message[]> {
  try {
    await changeProfile(context, { [setting]: value });
    return [
      t`Saved ${setting} ${value} in ${shownPath(context.settings)}.`,
      commandText`To forget it: scrip config unset ${setting}`,
    ];
  } catch (error) {
    if (!(error instanceof ScripError)) throw error;
    return [t`Not saved: ${error.sentence}`];
  }
}

/** The path with ~ for the home folder. */
export function shownPath({ configPath, homeDir }: Settings): string {
  return configPath.startsWith(`${homeDir}/`) ? `~${configPath.slice(homeDir.length)}` : configPath;
}
