/** The settings file as commands read and change it: checked as every other command will read it. */

import type { With } from '../context.ts';
import { type Config, configText, NO_CONFIG, parseConfig } from './config.ts';
import { isPlayWallet } from './money.ts';
import { checkWalletFits } from './settings.ts';
import type { Settings } from './shape.ts';
import { type Profile, SANDBOX_PROFILE } from './table.ts';

/** @throws {ScripError} INPUT_INVALID when the file is damaged, STORE_UNUSABLE */
export async function readConfig({
  files: { configFile },
  settings,
}: With<'settings' | 'files'>): Promise<Config> {
  const text = await configFile.read();
  return text === undefined ? NO_CONFIG : parseConfig(text, settings.configPath);
}

/** What the profile alone comes to; no flag and no variable counts. */
export function profileSettings(
  { files: { configFile } }: With<'files'>,
  config: Config,
  name: string,
): Settings {
  return configFile.rehearse(configText(config), name);
}

/**
 * Changes the file, unless the profile would then mix test money and real money. A damaged file is
 * refused and stays as it is.
 * @param name the profile that is changed; `sandbox` where none is
 * @returns what that profile comes to afterwards
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

/** Values of a profile to be kept; undefined takes one out. */
export type ProfileChange = { readonly [name in keyof Profile]: string | undefined };

/** Keeps values in the profile in use. @throws {ScripError} as `changeConfig` */
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

/** The same with another profile of that name, in its place; undefined takes it out. */
export function withProfile(config: Config, name: string, profile: Profile | undefined): Config {
  const profiles = new Map(config.profiles);
  if (profile === undefined) profiles.delete(name);
  else profiles.set(name, profile);
  return { ...config, profiles };
}
