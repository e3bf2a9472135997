/** Sets the profile for commands that name none. */

import { type Message, type Said, t } from '../../domain/message.ts';
import type { With } from '../context.ts';
import type { RecordView } from '../output/view.ts';
import type { ChosenProfile } from '../schemas/machine.ts';
import { changeConfig, readConfig } from './config-change.ts';
import { moneyOf, moneyText } from './money.ts';
import { unknownProfile } from './profile-choice.ts';
import type { Settings } from './shape.ts';
import { SANDBOX_PROFILE } from './table.ts';

/** Sets the default profile. @throws {ScripError} PROFILE_UNKNOWN, INPUT_INVALID, STORE_UNUSABLE */
export async function chooseForAll(
  context: With<'settings' | 'parts' | 'keys' | 'files'>,
  name: string,
): Promise<RecordView> {
  const config = await readConfig(context);
  if (name !== SANDBOX_PROFILE && !config.profiles.has(name)) {
    throw unknownProfile(name, config, context.settings.configPath);
  }
  const after = await changeConfig(context, name, ({ profiles }) =>
    name === SANDBOX_PROFILE ? { profiles } : { profile: name, profiles },
  );
  const { profile, profileSource } = context.settings;
  const isOverruled = profileSource === 'environment' && profile !== name;
  const warning = isOverruled ? t` SCRIP_PROFILE is set to ${profile} and wins.` : '';
  const money = await moneyOf(context, after);
  const record: ChosenProfile = {
    profile: name,
    checkout_url: after.checkoutUrl,
    money,
  };
  return {
    kind: 'record',
    record,
    lines: [
      [t`Profile`, name],
      [t`Host`, hostOf(after)],
      [t`Money`, moneyText(money)],
    ],
    note: t`${whatNow(after, money)}${warning}`,
  };
}

export function hostOf({ isEmbedded, checkoutUrl }: Settings): Said {
  return isEmbedded ? t`built into this program` : checkoutUrl;
}

function whatNow(settings: Settings, money: 'play' | 'real'): Message {
  return money === 'real'
    ? t`Commands without --profile now use real money at ${hostOf(settings)}.`
    : t`Commands without --profile now use test money.`;
}
