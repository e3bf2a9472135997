// Builds the single executable build/scrip: program, texts and native modules in one file. Arguments: another folder,
// then another platform (scripts/platforms.mjs); what that one needs comes from npm.
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
import { createRequire } from 'node:module';
import { join, relative, resolve, sep } from 'node:path';
import { build } from 'esbuild';
import { libsqlWith, options, replaced, root, version } from './bundle.mjs';
import { hostPlatform, nativeSuffix, packageFolder, runtimePackage } from './platforms.mjs';

const require = createRequire(import.meta.url);
/** The output folder: build, or the argument. It is emptied first. */
const folder = resolve(process.argv[2] ?? join(root, 'build'));
const platform = process.argv[3] ?? hostPlatform();
const bundle = join(folder, 'bundle');
/** Must be distributed together with the executable. */
const NOTICES = 'THIRD-PARTY-NOTICES.txt';

/**
 * At run time native modules are found by a computed name; the compiler needs literal names to include them.
 */
const nativeParts = {
  name: 'native-parts',
  setup({ onLoad }) {
    const required = (prefix) =>
      `require(${JSON.stringify(packageFolder(prefix + nativeSuffix(platform)))})`;
    onLoad({ filter: /[\\/]src[\\/]sandbox[\\/]chain[\\/]vm\.ts$/ }, ({ path }) => ({
      contents: replaced(path, {
        "checkNativePart('litesvm-');": '',
        "requireNativePart('litesvm-')": required('litesvm-'),
      }),
      loader: 'ts',
    }));
    onLoad({ filter: /[\\/]src[\\/]store[\\/]sqlite-driver\.ts$/ }, ({ path }) => ({
      contents: replaced(path, {
        "requireNativePart('@libsql/')": required('@libsql/'),
      }),
      loader: 'ts',
    }));
    onLoad({ filter: /[\\/]libsql[\\/]index\.js$/ }, ({ path }) => ({
      contents: libsqlWith(required('@libsql/'), path),
    }));
  },
};

/** Of what only an executable holds; their packages carry no text of their licences. */
function runtimeNotice() {
  const { version: bun } = require('bun/package.json');
  const { optionalDependencies } = require(join(root, 'package.json'));
  const parts = ['@libsql/', 'litesvm-'].map((prefix) => prefix + nativeSuffix(platform));
  const lines = [
    `bun ${bun} (MIT), the runtime, with JavaScriptCore (LGPL-2.1) and other libraries`,
    `Source: https://github.com/oven-sh/bun/tree/bun-v${bun}`,
    'Licences: https://bun.com/docs/project/license',
    ...parts.map((name) => `${name} ${optionalDependencies[name]} (MIT)`),
  ];
  return `\n${'-'.repeat(80)}\n\n${lines.join('\n')}\n`;
}

/**
 * As `codesign --remove-signature`: a Mac with Intel's processor runs programs without a signature, and none with a
 * wrong one. The signature is the end of the file, of its last segment, and of the load commands.
 */
function removeSignature(path) {
  const file = readFileSync(path);
  const [LINKEDIT, SIGNATURE, HEADER_BYTES] = ['__LINKEDIT', 0x1d, 32];
  const [count, size] = [file.readUInt32LE(16), file.readUInt32LE(20)];
  let [at, segment] = [HEADER_BYTES, 0];
  for (let left = count - 1; left > 0; left -= 1) {
    if (file.toString('latin1', at + 8, at + 8 + LINKEDIT.length) === LINKEDIT) segment = at;
    at += file.readUInt32LE(at + 4);
  }
  const end = file.readUInt32LE(at + 8);
  if (file.readUInt32LE(at) !== SIGNATURE || segment === 0)
    throw new Error(`${path} is not signed`);
  file.writeUInt32LE(count - 1, 16);
  file.writeUInt32LE(size - file.readUInt32LE(at + 4), 20);
  file.fill(0, at, at + file.readUInt32LE(at + 4));
  file.writeBigUInt64LE(BigInt(end) - file.readBigUInt64LE(segment + 40), segment + 48);
  writeFileSync(path, file.subarray(0, end));
}

/** The compiler's executable. Its package moves the file if install scripts may run. */
function compiler() {
  const bun = createRequire(require.resolve('bun/package.json'));
  const { optionalDependencies } = bun('./package.json');
  const file = process.platform === 'win32' ? 'bun.exe' : 'bun';
  for (const name of Object.keys(optionalDependencies)) {
    try {
      return bun.resolve(`${name}/bin/${file}`);
    } catch {
      // The package of another platform.
    }
  }
  return bun.resolve('./bin/bun.exe');
}

/** Returns [path, text] for each file of a folder of dist/texts. */
function textsOf(dir, base = dir) {
  return readdirSync(dir).flatMap((name) => {
    const path = join(dir, name);
    if (statSync(path).isDirectory()) return textsOf(path, base);
    return [[relative(base, path).split(sep).join('/'), readFileSync(path, 'utf8')]];
  });
}

/**
 * The entry is small and separate from the program: for a text or the version the engine loads nothing else.
 */
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
  first: async (columns) => (await import('./program.js')).default.readFirstScreen(columns),
  program: async () => (await import('./program.js')).default,
});
`;

const PROGRAM = `
export { main } from './src/run/main.ts';
export { complete } from './src/complete.ts';
export { readFirstScreen } from './src/first-screen.ts';
`;

rmSync(folder, { recursive: true, force: true });
mkdirSync(bundle, { recursive: true });
const texts = join(root, 'dist', 'texts');
for (const name of readdirSync(texts)) {
  const held = JSON.stringify(Object.fromEntries(textsOf(join(texts, name))));
  writeFileSync(join(bundle, `texts-${name}.js`), `module.exports = ${held};\n`);
}
writeFileSync(
  join(folder, NOTICES),
  readFileSync(join(root, 'dist', NOTICES), 'utf8') + runtimeNotice(),
);
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
  loader: { '.node': 'copy' },
  define: { ...options.define, SCRIP_STANDALONE: 'true', 'import.meta.url': '__filename' },
  plugins: [nativeParts, ...options.plugins],
});
const isHost = platform === hostPlatform();
const words = [
  ...['build', '--compile', '--bytecode', '--splitting', '--format=esm'],
  ...(isHost ? [] : [`--target=bun-${platform}`]),
  ...(isHost
    ? []
    : [`--compile-executable-path=${join(packageFolder(runtimePackage(platform)), 'bin', 'bun')}`]),
  // Don't load settings or code from the user's current folder.
  ...['dotenv', 'bunfig', 'tsconfig', 'package-json'].map(
    (name) => `--no-compile-autoload-${name}`,
  ),
  ...[join(bundle, 'entry.mjs'), '--outfile', join(folder, 'scrip')],
];
const { status } = spawnSync(compiler(), words, {
  cwd: folder,
  stdio: ['ignore', 'inherit', 'inherit'],
});
// The compiler signs for arm64 alone, and leaves its own runtime's signature, which no longer fits.
if (status === 0 && platform === 'darwin-x64') removeSignature(join(folder, 'scrip'));
process.exitCode = status ?? 1;
