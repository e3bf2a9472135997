/** The package as npm installs it: packed, unpacked into a folder of its own, its parts linked beside it. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { type CliResult, collect } from './cli.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Installed {
  /** Where programs that import it stand. */
  readonly dir: string;
  /** Links a package of this folder beside it. */
  link(name: string): void;
  /** Writes a program and runs it there, without environment or home; `.ts` is translated first. */
  run(name: string, source: string, env?: Readonly<Record<string, string>>): Promise<CliResult>;
  /** What the compiler has to say of programs there, under these options and `strict`. */
  problems(sources: Readonly<Record<string, string>>, options: ts.CompilerOptions): string[];
  remove(): void;
}

/** Its files alone, as npm does it with --omit=optional. */
export function installPackage(): Installed {
  const dir = mkdtempSync(join(tmpdir(), 'scrip-installed-'));
  const modules = join(dir, 'node_modules');
  const words = ['pack', '--ignore-scripts', '--pack-destination', dir, '--json'];
  const [{ filename }] = JSON.parse(
    execFileSync('npm', words, { cwd: root, encoding: 'utf8' }),
  ) as [{ readonly filename: string }];
  const target = join(modules, 'scrip-cli');
  mkdirSync(target, { recursive: true });
  const strip = ['--strip-components=1', '-xzf', join(dir, filename), '-C', target];
  execFileSync('tar', strip);
  const write = (name: string, text: string): string => {
    const path = join(dir, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  return {
    dir,
    link: (name) => {
      const path = join(modules, name);
      mkdirSync(dirname(path), { recursive: true });
      symlinkSync(join(root, 'node_modules', name), path);
    },
    run: (name, source, env = {}) => {
      const path = name.endsWith('.ts')
        ? write(name.replace(/ts$/, 'mjs'), translated(source))
        : write(name, source);
      return collect(spawn(process.execPath, [path], { cwd: dir, env: { ...env } }));
    },
    problems: (sources, options) => {
      const paths = Object.entries(sources).map(([name, text]) => write(name, text));
      const program = ts.createProgram(paths, {
        ...{ target: ts.ScriptTarget.ES2022, lib: ['lib.es2022.d.ts'], strict: true },
        ...{ noEmit: true, skipLibCheck: false, types: [], typeRoots: [join(modules, '@types')] },
        ...options,
      });
      return ts
        .getPreEmitDiagnostics(program)
        .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** With the native parts of the service that runs inside the process. */
export function installWithService(): Installed {
  const installed = installPackage();
  const litesvm = readdirSync(join(root, 'node_modules')).filter((name) =>
    name.startsWith('litesvm-'),
  );
  for (const name of ['@libsql', ...litesvm]) installed.link(name);
  return installed;
}

function translated(source: string): string {
  return ts.transpileModule(source, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
  }).outputText;
}
