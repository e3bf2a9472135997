// Bundler options shared by all outputs: chunks for Node, texts, the single executable.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);
export const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

/** zod includes its messages in fifty languages; we use only English. */
const englishOnly = {
  name: 'english-only',
  setup({ onLoad }) {
    onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

/** As a namespace import, zod can be tree-shaken. */
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

/** commander can run a subcommand as a child process. We never do, and loading node:child_process is slow. */
const noSubprocess = {
  name: 'no-subprocess',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      /[\\/]commander[\\/]/.test(importer) ? { path: 'none', namespace: 'nothing' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'nothing' }, () => ({ contents: 'module.exports = {};' }));
  },
};

/**
 * commander imports node:process, which is slow to load as a module; it gets the global `process` instead.
 */
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

/** No prompt opens an editor, and this package includes tables of eighty encodings. */
const noEditor = {
  name: 'no-editor',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@inquirer\/editor$/ }, () => ({ path: 'none', namespace: 'no-editor' }));
    onLoad({ filter: /.*/, namespace: 'no-editor' }, () => ({ contents: 'export default null;' }));
  },
};

/**
 * web3.js only builds transactions here; our own client talks to the chain (src/rails/solana/rpc.ts).
 * web3.js's connections would add 400 KB, a package under the LGPL, and a built-in module that newer Node
 * versions deprecate.
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

/** pg can use an optional native package, which we don't install. */
const noNativeDriver = {
  name: 'no-native-driver',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^pg-native$/ }, () => ({ path: 'none', namespace: 'no-native-driver' }));
    onLoad({ filter: /.*/, namespace: 'no-native-driver' }, () => ({
      contents: 'module.exports = undefined;',
    }));
  },
};

/**
 * The MCP server would check a user's answers by JSON Schema, with 300 KB. Our tools take only the answers that
 * they asked for.
 */
const noValidator = {
  name: 'no-validator',
  setup({ onLoad }) {
    onLoad(
      { filter: /[\\/]@modelcontextprotocol[\\/]server[\\/]dist[\\/]shimsNode\.mjs$/ },
      () => ({
        contents: `const { process } = globalThis;
        export class DefaultJsonSchemaValidator {
          getValidator() { return (data) => ({ valid: true, data, errorMessage: undefined }); }
        }
        export { process };`,
      }),
    );
  },
};

/** The EVM would print what it does, on request. */
const noTraces = {
  name: 'no-traces',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^debug$/ }, ({ importer }) =>
      /[\\/]@ethereumjs[\\/]/.test(importer) ? { path: 'none', namespace: 'no-traces' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'no-traces' }, () => ({
      contents: 'export default () => () => undefined;',
    }));
  },
};

/** Returns a file's source with some texts replaced. Fails if a text is no longer there. */
export function replaced(path, texts) {
  return Object.entries(texts).reduce(
    (source, [from, to]) => {
      if (!source.includes(from)) throw new Error(`${path} has no "${from}" any more`);
      return source.replace(from, () => to);
    },
    readFileSync(path, 'utf8'),
  );
}

/** libsql's JavaScript without its own search for the native module. */
export function libsqlWith(native, path) {
  return replaced(path, {
    'const { load, currentTarget } = require("@neon-rs/load");': '',
    'const { familySync, GLIBC, MUSL } = require("detect-libc");': '',
    '} = requireNative();': `} = ${native};`,
  });
}

/** Ours is faster (src/store/native-part.ts). */
const nativeParts = {
  name: 'native-parts',
  setup({ onLoad }) {
    const ours = JSON.stringify(join(root, 'src', 'store', 'native-part.ts'));
    onLoad({ filter: /[\\/]libsql[\\/]index\.js$/ }, ({ path }) => ({
      contents: libsqlWith(`require(${ours}).requireNativePart('@libsql/')`, path),
    }));
  },
};

export const options = {
  absWorkingDir: root,
  entryPoints: { main: 'src/run/main.ts', library: 'src/library.ts' },
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
    // Bundled as ESM, its CommonJS build (`main`) loses its named exports.
    '@solana/web3.js': `${dirname(require.resolve('@solana/web3.js/package.json'))}/lib/index.esm.js`,
    // Its `main` cannot be bundled: it requires its parts through a variable.
    'jsonc-parser': require.resolve('jsonc-parser/lib/esm/main.js'),
    // Its Node build looks for a native addon and prints a warning without it.
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
    noValidator,
    noTraces,
    nativeParts,
  ],
  define: {
    SCRIP_VERSION: JSON.stringify(version),
    // Stops ws from looking for native modules that we never install.
    'process.env.WS_NO_BUFFER_UTIL': '"1"',
    'process.env.WS_NO_UTF_8_VALIDATE': '"1"',
  },
};
