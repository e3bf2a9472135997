/** Reads and changes the settings file, with the same checks as every command that reads it. */

import { countryCalled } from '../../api/in-country.ts';
import { checkKnownCountry } from '../../api/nearest-country.ts';
import { isMarked } from '../../api/scrip.ts';
import { isOnThisMachine } from '../../domain/address/loopback.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Message, type Said, t } from '../../domain/message/message.ts';
import { refuseSecretWord } from '../../domain/secret-word.ts';
import type { Wallets } from '../../wallet/wallets.ts';
import type { With } from '../context.ts';
import type { RecordView } from '../output/view.ts';
import { sentenceText } from '../output/wrap.ts';
import type { ChosenProfile } from '../schemas/machine.ts';
import { shownLanguage } from '../scrip-deps.ts';
import { type Config, configText, NO_CONFIG, parseConfig, unknownProfile } from './config.ts';
import { checkWalletFits, type Settings } from './settings.ts';
import { FILE_KEYS, type Profile, SANDBOX_PROFILE, type SettingRow } from './table.ts';
import { checkValue } from './values.ts';

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

/** Saves values in the current profile; undefined removes one. @throws {ScripError} as `changeConfig` */
export function changeProfile(
  context: With<'settings' | 'parts' | 'keys' | 'files'>,
  change: Profile,
): Promise<Settings> {
  const { profile } = context.settings;
  return changeConfig(context, profile, (config) => {
    const said = Object.entries({ ...config.profiles.get(profile), ...change });
    const kept = said.filter(([, value]) => value !== undefined);
    const isNothing = profile === SANDBOX_PROFILE && kept.length === 0;
    return withProfile(config, profile, isNothing ? undefined : Object.fromEntries(kept));
  });
}

/**
 * Checks a value to be saved: a country as its code, a file as an absolute path, so that it works in every folder.
 * @param label the value's name in errors
 * @throws {ScripError} INPUT_INVALID, COUNTRY_UNKNOWN and the codes of each value
 */
export async function savedText(
  { system, parts, settings }: With<'settings' | 'parts' | 'system'>,
  { key, name }: SettingRow,
  value: string,
  label: string,
): Promise<string> {
  if (key !== 'signer_address') refuseSecretWord([value]);
  if (key === 'country' && value !== '') {
    const countries = await parts.countries();
    const code = countryCalled(countries, value, shownLanguage(settings)) ?? value;
    await checkKnownCountry(countries, code);
    return code;
  }
  const isFile = FILE_KEYS.has(key) && value !== '' && value !== '-';
  const text = isFile ? (await system.machine()).resolve(value) : value;
  checkValue(name, text, label);
  return text;
}

/** Returns the file's content with this profile replaced; undefined removes it. */
export function withProfile(config: Config, name: string, profile: Profile | undefined): Config {
  const profiles = new Map(config.profiles);
  if (profile === undefined) profiles.delete(name);
  else profiles.set(name, profile);
  return { ...config, profiles };
}

/**
 * The kind of money for any settings, also those of another profile.
 * @throws {ScripError} as `isPlayMoney`
 */
export async function moneyOf(
  { keys: { wallets }, parts: { playMarks } }: With<'parts' | 'keys'>,
  settings: Settings,
): Promise<'play' | 'real'> {
  const { checkoutUrl, apiUrl, rpcUrl } = settings;
  if (![checkoutUrl, apiUrl, rpcUrl].every(isOnThisMachine)) return 'real';
  const address = await addressIn(wallets, settings);
  return (await isMarked(playMarks, address, settings)) ? 'play' : 'real';
}

/** Whether the configured wallet is marked as a test-money wallet. @throws {ScripError} as `isPlayMoney` */
async function isPlayWallet(
  { keys: { wallets }, parts: { playMarks } }: With<'parts' | 'keys'>,
  settings: Settings,
): Promise<boolean> {
  return isMarked(playMarks, await addressIn(wallets, settings), settings);
}

/** Undefined for a signer command without a known address: don't run it just for this. */
async function addressIn(
  wallets: Wallets,
  { signer, keypairPath }: Settings,
): Promise<string | undefined> {
  return signer === undefined ? wallets.addressAt(keypairPath) : signer.address;
}

export function moneyText(money: 'play' | 'real'): Message {
  return money === 'play' ? t`test` : t`real`;
}

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
