// How the program is bundled, whatever becomes of the bundle: chunks for Node, texts, one executable.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);
export const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

/** The schema library carries its messages in fifty languages; ours is English. */
const englishOnly = {
  name: 'english-only',
  setup({ onLoad }) {
    onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

/** Named as a namespace of its own, the schema library can be left out in parts. */
const sparseSchemas = {
  name: 'sparse-schemas',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(
        "import { z } from 'zod';",
        "import * as z from 'zod';",
      ),
      loader: 'ts',
    }));
  },
};

/** The parser can run a subcommand as a program of its own; we never do, and loading the means is slow. */
const noSubprocess = {
  name: 'no-subprocess',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      /[\\/]commander[\\/]/.test(importer) ? { path: 'none', namespace: 'nothing' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'nothing' }, () => ({ contents: 'module.exports = {};' }));
  },
};

/** Everybody's `process` is the one that is there: asking for it as a module makes a list of all its parts. */
const ownProcess = {
  name: 'own-process',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:process$/ }, ({ importer }) =>
      /[\\/]commander[\\/]/.test(importer) ? { path: 'own', namespace: 'process' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'process' }, () => ({
      contents: 'module.exports = process;',
    }));
  },
};

/** No question is answered in an editor, whose means carry the tables of eighty encodings. */
const noEditor = {
  name: 'no-editor',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@inquirer\/editor$/ }, () => ({ path: 'none', namespace: 'no-editor' }));
    onLoad({ filter: /.*/, namespace: 'no-editor' }, () => ({ contents: 'export default null;' }));
  },
};

/**
 * web3.js builds transactions here and sends none: the chain is asked through our own client
 * (src/rails/solana/rpc.ts). Its connections would bring 400 KB, a part under the LGPL, and a built-in
 * that newer engines warn of.
 */
const noConnection = {
  name: 'no-connection',
  setup({ onResolve, onLoad }) {
    const filter = /^(jayson\/lib\/client\/browser|node-fetch|rpc-websockets)$/;
    onResolve({ filter }, ({ importer }) =>
      /[\\/]@solana[\\/]web3\.js[\\/]/.test(importer)
        ? { path: 'none', namespace: 'no-connection' }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'no-connection' }, () => ({
      contents: 'export class CommonClient {} export class WebSocket {} export default undefined;',
    }));
  },
};

/** PostgreSQL's driver can load a native part in its own place; none is installed. */
const noNativeDriver = {
  name: 'no-native-driver',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^pg-native$/ }, () => ({ path: 'none', namespace: 'no-native-driver' }));
    onLoad({ filter: /.*/, namespace: 'no-native-driver' }, () => ({
      contents: 'module.exports = undefined;',
    }));
  },
};

/** A source with other texts in the place of some; one that has changed is told, not passed over. */
export function replaced(path, texts) {
  return Object.entries(texts).reduce(
    (source, [from, to]) => {
      if (!source.includes(from)) throw new Error(`${path} has no "${from}" any more`);
      return source.replace(from, () => to);
    },
    readFileSync(path, 'utf8'),
  );
}

/** The database's JavaScript, without its own search for its native part. */
export function libsqlWith(native, path) {
  return replaced(path, {
    'const { load, currentTarget } = require("@neon-rs/load");': '',
    'const { familySync, GLIBC, MUSL } = require("detect-libc");': '',
    '} = requireNative();': `} = ${native};`,
  });
}

/** Ours is quicker (src/storage/native-part.ts). */
const nativeParts = {
  name: 'native-parts',
  setup({ onLoad }) {
    const ours = JSON.stringify(join(root, 'src', 'storage', 'native-part.ts'));
    onLoad({ filter: /[\\/]libsql[\\/]index\.js$/ }, ({ path }) => ({
      contents: libsqlWith(`require(${ours}).requireNativePart('@libsql/')`, path),
    }));
  },
};

export const options = {
  absWorkingDir: root,
  entryPoints: { main: 'src/main.ts', library: 'src/library.ts' },
  outdir: 'dist',
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
  alias: {
    // Its CommonJS build, which `main` names, loses its named exports in an ESM bundle.
    '@solana/web3.js': `${dirname(require.resolve('@solana/web3.js/package.json'))}/lib/index.esm.js`,
    // Nor can `main` of this one be bundled: it requires its parts by way of a variable.
    'jsonc-parser': require.resolve('jsonc-parser/lib/esm/main.js'),
    // The Node build of this one looks for a native addon and warns without it.
    'bigint-buffer': require.resolve('bigint-buffer/dist/browser.js'),
  },
  plugins: [
    englishOnly,
    sparseSchemas,
    noSubprocess,
    ownProcess,
    noEditor,
    noConnection,
    noNativeDriver,
    nativeParts,
  ],
  define: {
    SCRIP_VERSION: JSON.stringify(version),
    // The websockets would look for native parts that no installation of ours has.
    'process.env.WS_NO_BUFFER_UTIL': '"1"',
    'process.env.WS_NO_UTF_8_VALIDATE': '"1"',
  },
};
