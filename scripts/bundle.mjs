// How the program is bundled, whatever becomes of the bundle: chunks for Node, texts, one executable.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sqliteAtHand } from './sqlite-at-hand.mjs';

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

/** No question is answered in an editor, whose means carry the tables of eighty encodings. */
const noEditor = {
  name: 'no-editor',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@inquirer\/editor$/ }, () => ({ path: 'none', namespace: 'no-editor' }));
    onLoad({ filter: /.*/, namespace: 'no-editor' }, () => ({ contents: 'export default null;' }));
  },
};

/** web3.js brings a fetch for engines without one, and with it a built-in that newer ones warn of. */
const ownFetch = {
  name: 'own-fetch',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node-fetch$/ }, () => ({ path: 'none', namespace: 'own-fetch' }));
    onLoad({ filter: /.*/, namespace: 'own-fetch' }, () => ({
      contents: 'export default globalThis.fetch;',
    }));
  },
};

export const options = {
  absWorkingDir: root,
  entryPoints: { main: 'src/main.ts' },
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
  // Native code stays in its own packages; ws takes the last two only where they are installed.
  external: ['litesvm', 'litesvm/*', 'bufferutil', 'utf-8-validate'],
  alias: {
    // Its CommonJS build, which `main` names, loses its named exports in an ESM bundle.
    '@solana/web3.js': `${dirname(require.resolve('@solana/web3.js/package.json'))}/lib/index.esm.js`,
    // The Node build of this one looks for a native addon and warns without it.
    'bigint-buffer': require.resolve('bigint-buffer/dist/browser.js'),
  },
  plugins: [englishOnly, sparseSchemas, noSubprocess, noEditor, ownFetch, sqliteAtHand],
  define: { SCRIP_VERSION: JSON.stringify(version) },
};
