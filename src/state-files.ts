/** Plugs together for `main.ts` what is kept of a user on disk: settings and drafts. */
import { existsSync } from 'node:fs';
import type { Learned } from './cli/completion/remembered.ts';
import type { ConfigFile, DraftFile, OwnFiles } from './cli/own-files.ts';
import type { Settings } from './cli/settings/shape.ts';
import { realPath } from './storage/user-files.ts';

type Rehearse = ConfigFile['rehearse'];

/** @param rehearse the settings as another text of their file would make them */
export function ownFiles(settings: Settings, rehearse: Rehearse): OwnFiles {
  return {
    draft: draftOf(settings),
    configFile: configFileOf(settings.configPath, rehearse),
    async recentErrors() {
      const { recentErrors } = await import('./storage/recent-errors.ts');
      return recentErrors(settings.errorLogPath);
    },
    isFirstRun: () => isFirstRun(settings),
    learn: (seen) => learn(settings, seen),
  };
}

/** Links are followed, so that the file of a folder under version control stays where it is. */
function configFileOf(path: string, rehearse: Rehearse): ConfigFile {
  const open = async () => {
    const { createSmallFile } = await import('./storage/small-file.ts');
    return createSmallFile(realPath(path));
  };
  return {
    read: async () => (await open()).read(),
    replace: async (expected, text) => (await open()).replace(expected, text),
    rehearse,
  };
}

function draftOf({ draftPath }: Settings): DraftFile {
  const open = async () => {
    const { createSmallFile } = await import('./storage/small-file.ts');
    return createSmallFile(draftPath);
  };
  return {
    read: async () => (await open()).read(),
    write: async (text) => (await open()).write(text),
    remove: async () => (await open()).remove(),
  };
}

/**
 * A mark in the state folder; where none can be made, the user is not told again and again. A user with a
 * wallet, a journal or settings was here before, be it by a script alone.
 */
async function isFirstRun(settings: Settings): Promise<boolean> {
  const { makeMark } = await import('./storage/cache-file.ts');
  const { stateDir, keypairPath, journalDir, configPath, policyPath } = settings;
  const isNew = ![keypairPath, journalDir, configPath, policyPath].some((path) => existsSync(path));
  return makeMark(`${stateDir}/welcomed`) && isNew;
}

/** A cache: what cannot be kept is looked up again some day. */
async function learn({ completionPath, checkoutUrl }: Settings, seen: Learned): Promise<void> {
  try {
    const { readCacheFile, writeCacheFile } = await import('./storage/cache-file.ts');
    const { readRemembered, remember, rememberedText } = await import(
      './cli/completion/remembered.ts'
    );
    const before = readCacheFile(completionPath);
    const after = rememberedText(remember(readRemembered(before ?? ''), checkoutUrl, seen));
    if (after !== before) writeCacheFile(completionPath, after);
  } catch {
    // A full disk, a folder of another user: the command itself has done what it was asked.
  }
}
