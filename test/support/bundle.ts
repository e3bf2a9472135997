/** Programs for child processes: bundled TypeScript beside a link to the installed packages. */
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Bundles `test/support/<name>.ts` into the folder and gives the path of the program. */
export async function bundleProgram(name: string, folder: string): Promise<string> {
  const outfile = join(folder, `${name}.mjs`);
  await build({
    entryPoints: [fileURLToPath(new URL(`${name}.ts`, import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['libsql', 'litesvm'],
    // Some packages require built-ins.
    banner: {
      js: "import { createRequire as requireAt } from 'node:module'; const require = requireAt(import.meta.url);",
    },
    logLevel: 'silent',
  });
  const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));
  await symlink(modules, join(folder, 'node_modules'));
  return outfile;
}
