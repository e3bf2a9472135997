/** An answer that is kept as a setting, so that it is asked for once. */

import { commandText } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import type { With } from '../context.ts';
import { escapeText } from '../output/escape.ts';
import { changeProfile } from './config-change.ts';

/** Keeps it and says where; the command goes on where it cannot be kept. */
export async function keepAnswer(
  context: With<'settings' | 'io' | 'parts' | 'keys' | 'files'>,
  name: 'country' | 'email',
  value: string,
): Promise<void> {
  const { io, settings } = context;
  const said = await kept(context, name, value);
  io.stderr.write(`${escapeText(io.localize(said))}\n`);

  async function kept(...[around, key, text]: Parameters<typeof keepAnswer>) {
    try {
      await changeProfile(around, { [key]: text });
      return commandText`Saved ${key} ${text} in ${settings.configPath}. To forget it: scrip config unset ${key}`;
    } catch (error) {
      if (!(error instanceof ScripError)) throw error;
      return t`Not saved: ${error.sentence}`;
    }
  }
}
