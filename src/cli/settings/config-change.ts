/** Reads and changes the settings file, with the same checks as every command that reads it. */

import type { With } from '../context.ts';
import { type Config, configText, NO_CONFIG, parseConfig } from './config.ts';
import { isPlayWallet } from './money.ts';
import { checkWalletFits } from './settings.ts';
import type { Settings } from './shape.ts';
import { type Profile, SANDBOX_PROFILE } from './table.ts';

/** Reads the file. @throws {ScripError} INPUT_INVALID when it is damaged, STORE_UNUSABLE */
export async function readConfig({
  files: { configFile },
  settings,
}: With<'settings' | 'files'>): Promise<Config> {
  const text = await configFile.read();
  return text === undefined ? NO_CONFIG : parseConfig(text, settings.configPath);
}

/** Returns a profile's settings, ignoring flags and variables. */
export function profileSettings(
  { files: { configFile } }: With<'files'>,
  config: Config,
  name: string,
): Settings {
  return configFile.rehearse(configText(config), name);
}

/**
 * Changes the file, unless the profile would then mix test money and real money. Refuses a damaged file and
 * leaves it unchanged.
 * @param name the changed profile; `sandbox` if none is
 * @returns the profile's settings after the change
 * @throws {ScripError} INPUT_INVALID, WALLET_PROFILE_MISMATCH, STORE_UNUSABLE
 */
export async function changeConfig(
  context: With<'settings' | 'parts' | 'keys' | 'files'>,
  name: string,
  change: (config: Config) => Config,
): Promise<Settings> {
  const {
    files: { configFile },
    settings,
  } = context;
  const before = await configFile.read();
  const config = before === undefined ? NO_CONFIG : parseConfig(before, settings.configPath);
  const text = configText(change(config));
  const after = configFile.rehearse(text, name);
  checkWalletFits(after, await isPlayWallet(context, after));
  if (text !== before) await configFile.replace(before, text);
  return after;
}

/** New values of a profile; undefined removes one. */
export type ProfileChange = { readonly [name in keyof Profile]: string | undefined };

/** Saves values in the current profile. @throws {ScripError} as `changeConfig` */
export function changeProfile(
  context: With<'settings' | 'parts' | 'keys' | 'files'>,
  change: ProfileChange,
): Promise<Settings> {
  const { profile } = context.settings;
  return changeConfig(context, profile, (config) => {
    const said = { ...config.profiles.get(profile), ...change };
    const kept = Object.entries(said).filter(([, value]) => value !== undefined);
    const isNothing = profile === SANDBOX_PROFILE && kept.length === 0;
    return withProfile(config, profile, isNothing ? undefined : Object.fromEntries(kept));
  });
}

/** Returns the file's content with this profile replaced; undefined removes it. */
export function withProfile(config: Config, name: string, profile: Profile | undefined): Config {
  const profiles = new Map(config.profiles);
  if (profile === undefined) profiles.delete(name);
  else profiles.set(name, profile);
  return { ...config, profiles };
}
