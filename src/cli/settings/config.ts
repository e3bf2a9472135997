/** The settings file `config.json`, with the user's profiles, and the profile that is chosen. The working folder is never searched. */

import { readStrictJson } from '../../domain/canonical-json.ts';
import { commandText, wordList } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Message, type Said, t } from '../../domain/message/message.ts';
import { keysFor, type Profile, SANDBOX_PROFILE, SETTINGS, settingOf } from './table.ts';
import { checkProfileName, checkTogether, checkValue } from './values.ts';

export interface Config {
  /** The profile for commands that name none. */
  readonly profile?: string;
  readonly profiles: ReadonlyMap<string, Profile>;
}

/** The content if there is no file. */
export const NO_CONFIG: Config = { profiles: new Map() };

/**
 * Parses `{"profile": "<name>", "profiles": {"<name>": {"checkout_url": "…", …}}}`.
 * @throws {ScripError} INPUT_INVALID for anything else; also for unknown keys, because a misspelt key would
 * silently select the default host
 */
export function parseConfig(text: string, source: string): Config {
  const root = record(parseJson(text, source), source, t`the document`);
  for (const key of Object.keys(root)) {
    if (key !== 'profiles' && key !== 'profile') throw invalid(source, t`unknown key "${key}"`);
  }
  const entries = Object.entries(record(root.profiles ?? {}, source, 'profiles'));
  const profiles = new Map(
    entries.map(([name, value]) => [checkProfileName(name), profileOf(name, value, source)]),
  );
  const { profile } = root;
  if (profile === undefined) return { profiles };
  if (typeof profile !== 'string') throw invalid(source, t`profile is not text`);
  if (profile !== SANDBOX_PROFILE && !profiles.has(profile)) {
    throw invalid(source, t`There is no profile "${profile}"`);
  }
  return { profile, profiles };
}

/** Returns the file's text, profiles in their order. */
export function configText({ profile, profiles }: Config): string {
  const document = {
    ...(profile === undefined ? {} : { profile }),
    profiles: Object.fromEntries([...profiles].map(([name, of]) => [name, keyed(of)])),
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

/** A profile as written to the file, in the order of the table of settings. */
function keyed(profile: Profile): Readonly<Record<string, string>> {
  return Object.fromEntries(
    SETTINGS.flatMap(({ key, name }) => {
      const value = profile[name];
      return value === undefined ? [] : [[key, value] as const];
    }),
  );
}

function profileOf(name: string, value: unknown, source: string): Profile {
  const path = `profiles.${name}`;
  const allowed = keysFor(name);
  const entries = Object.entries(record(value, source, path)).map(([key, field]) => {
    const setting = settingOf(key);
    if (setting === undefined) throw invalid(source, t`unknown key "${path}.${key}"`);
    if (!allowed.includes(key)) {
      throw invalid(
        source,
        t`${path}.${key} cannot be set for the sandbox: name another profile`,
        name,
      );
    }
    if (typeof field !== 'string') throw invalid(source, t`${path}.${key} is not text`);
    checkValue(setting.name, field, `${source}: ${path}.${key}`);
    return [setting.name, field] as const;
  });
  const profile: Profile = Object.fromEntries(entries);
  checkTogether(profile);
  return profile;
}

function record(value: unknown, source: string, path: Said): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw invalid(source, t`${path} is not an object`);
}

function parseJson(text: string, source: string): unknown {
  const read = readStrictJson(text);
  if (read.problem === undefined) return read.value;
  throw new ScripError('INPUT_INVALID', t`${source} ${read.problem}`, {
    cause: read.cause,
    hint: t`Fix the file or move it away; it was not changed.`,
  });
}

function invalid(source: string, problem: Message, profile = ''): ScripError {
  return new ScripError('INPUT_INVALID', t`${source}: ${problem}`, {
    hint: commandText`Correct the file; a profile may hold ${wordList(keysFor(profile))}.`,
  });
}

export interface ProfileSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reads a text file; undefined without one. @throws {ScripError} INPUT_INVALID */
  readonly readFile: (path: string) => string | undefined;
  /** Whether to accept an unreadable settings file or a missing profile, because the command repairs it. */
  readonly isProfileOptional?: boolean;
}

/**
 * Selects the profile.
 * @param flag the name given on the command line
 * @throws {ScripError} PROFILE_UNKNOWN, INPUT_INVALID
 */
export function chooseProfile(flag: string | undefined, file: string, around: ProfileSurroundings) {
  const config = configIn(file, around);
  const { name, source } = nameOf(flag, around, config);
  const profile = config.profiles.get(name);
  const isRefused = name !== SANDBOX_PROFILE && around.isProfileOptional !== true;
  if (profile === undefined && isRefused) throw unknownProfile(name, config, file);
  const chosen: Profile = profile ?? {};
  return { name, source, profile: chosen };
}

/** The error lists the existing profiles. */
export function unknownProfile(name: string, { profiles }: Config, file: string): ScripError {
  return new ScripError('PROFILE_UNKNOWN', t`There is no profile "${name}" in ${file}`, {
    details: { profiles: [...new Set([SANDBOX_PROFILE, ...profiles.keys()])] },
  });
}

function configIn(file: string, around: ProfileSurroundings): Config {
  try {
    const text = around.readFile(file);
    return text === undefined ? NO_CONFIG : parseConfig(text, file);
  } catch (error) {
    if (error instanceof ScripError && around.isProfileOptional === true) return NO_CONFIG;
    throw error;
  }
}

/**
 * The command line's name comes first, then SCRIP_PROFILE, then the file's default. The source `file` is the top
 * level of the settings file.
 */
function nameOf(flag: string | undefined, { env }: ProfileSurroundings, config: Config) {
  const places = [
    [flag, 'flag'],
    [env.SCRIP_PROFILE, 'environment'],
    [config.profile, 'file'],
  ] as const;
  for (const [name, source] of places) {
    if (name !== undefined && name !== '') return { name: checkProfileName(name), source };
  }
  return { name: SANDBOX_PROFILE, source: 'default' as const };
}
