/** Selects the profile and reads its values. */

import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { type Config, NO_CONFIG, parseConfig } from './config.ts';
import type { Settings } from './shape.ts';
import { type Profile, SANDBOX_PROFILE } from './table.ts';
import { checkProfileName } from './values.ts';

export interface ProfileSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reads a text file; undefined without one. @throws {ScripError} INPUT_INVALID */
  readonly readFile: (path: string) => string | undefined;
  /** Whether to accept an unreadable settings file or a missing profile, because the command repairs it. */
  readonly isProfileOptional?: boolean;
}

interface ProfileChoice {
  readonly name: string;
  readonly source: Settings['profileSource'];
  readonly profile: Profile;
}

/**
 * Selects the profile.
 * @param flag the name given on the command line
 * @throws {ScripError} PROFILE_UNKNOWN, INPUT_INVALID
 */
export function chooseProfile(
  flag: string | undefined,
  file: string,
  around: ProfileSurroundings,
): ProfileChoice {
  const config = readConfig(file, around);
  const { name, source } = nameOf(flag, around, config);
  const profile = config.profiles.get(name);
  const isRefused = name !== SANDBOX_PROFILE && around.isProfileOptional !== true;
  if (profile === undefined && isRefused) throw unknownProfile(name, config, file);
  return { name, source, profile: profile ?? {} };
}

/** The error lists the existing profiles. */
export function unknownProfile(name: string, { profiles }: Config, file: string): ScripError {
  return new ScripError('PROFILE_UNKNOWN', t`There is no profile "${name}" in ${file}`, {
    details: { profiles: [...new Set([SANDBOX_PROFILE, ...profiles.keys()])] },
  });
}

function readConfig(file: string, around: ProfileSurroundings): Config {
  try {
    const text = around.readFile(file);
    return text === undefined ? NO_CONFIG : parseConfig(text, file);
  } catch (error) {
    if (error instanceof ScripError && around.isProfileOptional === true) return NO_CONFIG;
    throw error;
  }
}

/** The command line's name comes first, then SCRIP_PROFILE, then the file's default. */
function nameOf(
  flag: string | undefined,
  { env }: ProfileSurroundings,
  config: Config,
): Pick<ProfileChoice, 'name' | 'source'> {
  const places = [
    [flag, 'flag'],
    [env.SCRIP_PROFILE, 'environment'],
    [config.profile, 'file'],
  ] as const;
  for (const [name, source] of places) {
    if (name !== undefined && name !== '') return { name: checkProfileName(name), source };
  }
  return { name: SANDBOX_PROFILE, source: 'default' };
}
