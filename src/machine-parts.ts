/** Connects for `main.ts` what commands may ask of this machine. */
import { resolve } from 'node:path';
import type { System } from './cli/system.ts';
import { realPath } from './disk/user-files.ts';
import { homeFolder } from './records/home-folder.ts';

interface Surroundings {
  readonly process: NodeJS.Process;
  /** Program and Node runtime are one executable file. */
  readonly isStandalone: boolean;
}

export function machineParts({
  process,
  isStandalone,
}: Surroundings): Pick<System, 'machine' | 'footing'> {
  const { platform, arch, execPath, versions, argv, env } = process;
  return {
    footing: {
      nodeVersion: versions.node,
      platform: `${platform} ${arch}`,
      variable: (name) => env[name],
      folder: async (path) => (await import('./records/folder-state.ts')).readFolderState(path),
    },
    async machine() {
      const { readForeignFile, replaceForeignFile } = await import('./records/foreign-file.ts');
      return {
        platform,
        home: homeFolder(),
        env,
        program: {
          runtime: isStandalone ? realPath(execPath) : execPath,
          ...(isStandalone ? {} : { script: realPath(argv[1] ?? '') }),
        },
        resolve: (path) => resolve(path),
        read: readForeignFile,
        replace: replaceForeignFile,
      };
    },
  };
}
