// Builds the standalone executable, build/scrip: the program, its texts and its native parts in one
// file, for this platform. The compiler is fetched when it is asked for (docs/performance.md says why).
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative, sep } from 'node:path';
import { build } from 'esbuild';
import { options, root, version } from './bundle.mjs';

const COMPILER = 'bun@1.4.5';
const folder = join(root, 'build');
const bundle = join(folder, 'bundle');

/** Text that is put in place of another; a source that has changed is told, not passed over. */
function replaced(text, from, to, path) {
  if (!text.includes(from)) throw new Error(`${path} has no "${from}" any more`);
  return text.replace(from, () => to);
}

/** Native parts are found by name at run time; in one file they have to be named outright. */
const nativeParts = {
  name: 'native-parts',
  setup({ onLoad }) {
    const target = nativeTarget();
    onLoad({ filter: /[\\/]src[\\/]sandbox[\\/]chain[\\/]vm\.ts$/ }, ({ path }) => ({
      contents: replaced(
        readFileSync(path, 'utf8'),
        "createRequire(import.meta.url)('litesvm/dist/internal')",
        "require('litesvm/dist/internal')",
        path,
      ),
      loader: 'ts',
    }));
    onLoad({ filter: /[\\/]libsql[\\/]index\.js$/ }, ({ path }) => ({
      contents: replaced(
        readFileSync(path, 'utf8'),
        '} = requireNative();',
        `} = require('@libsql/${target}');`,
        path,
      ),
    }));
    onLoad({ filter: /[\\/]litesvm[\\/]dist[\\/]internal\.js$/ }, ({ path }) => ({
      contents: replaced(
        readFileSync(path, 'utf8'),
        'nativeBinding = requireNative();',
        `nativeBinding = require('litesvm-${target}');`,
        path,
      ),
    }));
  },
};

/** As the packages of native parts are named. */
function nativeTarget() {
  const { platform, arch } = process;
  const abi = { linux: '-gnu', win32: '-msvc' }[platform] ?? '';
  return `${platform}-${arch}${abi}`;
}

/** The texts of one folder of dist/texts, by their path in it. */
function textsOf(dir, base = dir) {
  return readdirSync(dir).flatMap((name) => {
    const path = join(dir, name);
    if (statSync(path).isDirectory()) return textsOf(path, base);
    return [[relative(base, path).split(sep).join('/'), readFileSync(path, 'utf8')]];
  });
}

/** Small, and apart from what it starts: the engine reads nothing else for a text or a version. */
const entryOf = (folders) => `
import start from './start.js';
const folders = {${folders.map((name) => `${name}: () => import('./texts-${name}.js')`)}};
const text = async ([first, ...path]) => {
  if (!Object.hasOwn(folders, first)) return undefined;
  const { default: texts } = await folders[first]();
  const name = path.join('/');
  return Object.hasOwn(texts, name) ? texts[name] : undefined;
};
start.start({
  version: () => ${JSON.stringify(version)},
  text,
  complete: async (words) => {
    const values = (await folders.values()).default;
    const { default: program } = await import('./program.js');
    return program.complete(words, ([, name]) => values[name]);
  },
  program: async () => (await import('./program.js')).default,
});
`;

const PROGRAM = `
export { main } from './src/main.ts';
export { complete } from './src/complete.ts';
`;

rmSync(folder, { recursive: true, force: true });
mkdirSync(bundle, { recursive: true });
const texts = join(root, 'dist', 'texts');
for (const name of readdirSync(texts)) {
  const held = JSON.stringify(Object.fromEntries(textsOf(join(texts, name))));
  writeFileSync(join(bundle, `texts-${name}.js`), `module.exports = ${held};\n`);
}
copyFileSync(join(root, 'bin', 'start.js'), join(bundle, 'start.js'));
writeFileSync(join(bundle, 'entry.mjs'), entryOf(readdirSync(texts)));
await build({
  ...options,
  entryPoints: undefined,
  stdin: { contents: PROGRAM, resolveDir: root, loader: 'ts' },
  splitting: false,
  format: 'cjs',
  outdir: undefined,
  outfile: join(bundle, 'program.js'),
  external: ['bufferutil', 'utf-8-validate'],
  loader: { '.node': 'copy' },
  define: { ...options.define, SCRIP_STANDALONE: 'true', 'import.meta.url': '__filename' },
  plugins: [nativeParts, ...options.plugins],
});
const words = [
  ...['build', '--compile', '--bytecode', '--splitting', '--format=esm'],
  ...[join(bundle, 'entry.mjs'), '--outfile', join(folder, 'scrip')],
];
const { status } = spawnSync(
  'npm',
  ['exec', '--yes', `--package=${COMPILER}`, '--', 'bun', ...words],
  { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] },
);
process.exitCode = status ?? 1;
