/** The package as npm installs it: packed, unpacked into a folder of its own, its parts linked beside it. */
import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { type CliResult, collect } from './cli.ts';
import { onceInRun } from './once-in-run.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Installed {
  /** Where programs that import it stand. */
  readonly dir: string;
  /** Links a package of this folder beside it. */
  link(name: string): void;
  /** Writes a program and runs it there, without environment or home; `.ts` is translated first. */
  run(name: string, source: string, env?: Readonly<Record<string, string>>): Promise<CliResult>;
  /** The value that a program exports as `told`; one process runs all that are asked so, one after the other. */
  tell(name: string, source: string): Promise<unknown>;
  /** What the compiler has to say of programs there, under these options and `strict`. */
  problems(sources: Readonly<Record<string, string>>, options: ts.CompilerOptions): string[];
  remove(): void;
}

interface Packed {
  readonly tarball: string;
  readonly files: readonly { readonly path: string }[];
}

/** What npm packs: asked of it once in a run. */
export async function packed(): Promise<Packed> {
  const told = await onceInRun('packed', (folder) => {
    const words = ['pack', '--ignore-scripts', '--pack-destination', folder, '--json'];
    const said = execFileSync('npm', words, { cwd: root, encoding: 'utf8' });
    const [{ filename, files }] = JSON.parse(said) as [
      Pick<Packed, 'files'> & { filename: string },
    ];
    return JSON.stringify({ tarball: join(folder, filename), files });
  });
  return JSON.parse(told) as Packed;
}

/** Its files alone, as npm does it with --omit=optional. */
export async function installPackage(): Promise<Installed> {
  const { tarball } = await packed();
  const dir = mkdtempSync(join(tmpdir(), 'scrip-installed-'));
  const modules = join(dir, 'node_modules');
  const target = join(modules, 'scrip-cli');
  mkdirSync(target, { recursive: true });
  execFileSync('tar', ['--strip-components=1', '-xzf', tarball, '-C', target]);
  const write = (name: string, text: string): string => {
    const path = join(dir, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  const runner = createRunner(dir, write);
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
    tell: runner.tell,
    problems: (sources, options) => {
      const paths = Object.entries(sources).map(([name, text]) => write(name, text));
      const program = programOf(paths, {
        ...{ target: ts.ScriptTarget.ES2022, lib: ['lib.es2022.d.ts'], strict: true },
        ...{ noEmit: true, skipLibCheck: false, types: [], typeRoots: [join(modules, '@types')] },
        ...options,
      });
      return problemsOf(program).map(({ messageText }) =>
        ts.flattenDiagnosticMessageText(messageText, ' '),
      );
    },
    remove: () => {
      runner.end();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

const RUNNER = `import { inspect } from 'node:util';
process.on('message', (path) =>
  import(path).then(
    ({ told }) => process.send({ told: JSON.stringify(told) }),
    (error) => process.send({ problem: inspect(error) }),
  ),
);
`;

type Told = { readonly told: string } | { readonly problem: string };

/** Begun when it is first asked for. */
function createRunner(dir: string, write: (name: string, text: string) => string) {
  let child: ChildProcess | undefined;
  let said = '';
  const begin = (): ChildProcess => {
    const begun = fork(write('runner.mjs', RUNNER), { cwd: dir, env: {}, silent: true });
    begun.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    return begun;
  };
  return {
    tell: async (name: string, source: string): Promise<unknown> => {
      child ??= begin();
      child.send(write(name, source));
      const [result] = (await once(child, 'message')) as [Told];
      const problem = 'problem' in result ? result.problem : said;
      if ('problem' in result || problem !== '') throw new Error(`${name}: ${problem}`);
      return JSON.parse(result.told);
    },
    end: () => child?.disconnect(),
  };
}

/** With the native parts of the service that runs inside the process. */
export async function installWithService(): Promise<Installed> {
  const installed = await installPackage();
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

/** Declarations of the language, of Node and of the web: read once, and others answer for them. */
const OF_OTHERS = /\/node_modules\/(typescript|@types|undici-types)\//;
const read = new Map<string, ts.SourceFile | undefined>();

function programOf(paths: readonly string[], options: ts.CompilerOptions): ts.Program {
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (file, version, ...rest) => {
    if (!OF_OTHERS.test(file)) return getSourceFile(file, version, ...rest);
    const name = JSON.stringify([file, version]);
    if (!read.has(name)) read.set(name, getSourceFile(file, version, ...rest));
    return read.get(name);
  };
  return ts.createProgram(paths, options, host);
}

function problemsOf(program: ts.Program): readonly ts.Diagnostic[] {
  const ours = program.getSourceFiles().filter(({ fileName }) => !OF_OTHERS.test(fileName));
  return [
    ...program.getConfigFileParsingDiagnostics(),
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...ours.flatMap((file) => program.getSyntacticDiagnostics(file)),
    ...ours.flatMap((file) => program.getSemanticDiagnostics(file)),
  ];
}
