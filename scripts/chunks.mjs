// Writes the chunks of the bundle as CommonJS: esbuild can split only ES modules, and bin/load.js loads
// CommonJS in a third of the time. Chunks that are loaded together are packed into one file.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { transform } from 'esbuild';

const OPTIONS = {
  format: 'cjs',
  platform: 'node',
  target: 'node20.19',
  minifyWhitespace: true,
  legalComments: 'none',
  // The first build has printed all warnings.
  logLevel: 'error',
  // An uncaught error prints its source line, so keep lines short.
  lineLimit: 200,
  // Makes `import()` of a chunk go through our loader too.
  supported: { 'dynamic-import': false },
  // Only used to require files relative to the chunk.
  define: { 'import.meta.url': '__filename' },
};

/** Chunks that are loaded together, by entry point: one file loads faster than forty. */
const PACKS = {
  /** For listing a catalog. */
  'usual.js': [
    'src/run/main.ts',
    'src/cli/commands/brands.ts',
    'src/cli/commands/catalog.ts',
    'src/api/checkout/checkout-catalog.ts',
    'src/api/http/call.ts',
    'src/cli/output/csv.ts',
    'src/cli/completion/remembered.ts',
    'src/records/cache-files.ts',
  ],
  /** For the service in this process. */
  'embedded.js': [
    'src/net/web-shim.ts',
    'src/sandbox/sandbox.ts',
    'src/store/sqlite-driver.ts',
    'node_modules/libsql/index.js',
  ],
};

/** Where a chunk begins, after esbuild's helpers. */
const EXPORTS = 'var stdin_exports=';

/** Part of zod. It stays in a chunk of its own, since the commands that list a catalog don't use it. */
const SCHEMAS = 'node_modules/zod/v4/core/schemas.js';
/** Small, and used by the embedded service and by commands that must not load it. */
const SMALL = 'src/domain/address/chain-address.ts';

/** @param result of esbuild's `build` with `metafile` and without `write` */
export async function writeChunks({ outputFiles, metafile: { outputs } }, dist) {
  const chunkOf = (file) => Object.keys(outputs).find((path) => file in outputs[path].inputs);
  const [schemas, small] = [SCHEMAS, SMALL].map(chunkOf);
  const codes = await Promise.all(
    outputFiles.map(async ({ path, text }) => {
      const code = await commonJs(text);
      return [basename(path), atFirstUse(code, basename(schemas, '.js'))];
    }),
  );
  const packs = packsOf(outputs);
  for (const apart of [schemas, small]) packs.delete(basename(apart));
  const [first, ...others] = Object.keys(PACKS);
  mkdirSync(`${dist}/chunks`, { recursive: true });
  for (const [name, code] of codes) {
    if (!packs.has(name)) writeFileSync(`${dist}/chunks/${name}`, code);
  }
  // Equal for equal code: bin/load.js keeps what the engine compiled of it under this name.
  const id = createHash('sha256').update(JSON.stringify(codes)).digest('hex').slice(0, 16);
  writeFileSync(`${dist}/build-id`, id);
  const functionsOf = (pack) =>
    codes
      .filter(([name]) => packs.get(name) === pack)
      .map(([name, code]) => {
        const own = withoutHelpers(code);
        return `"${name}":function(exports,require,module,__filename){${own}\n}`;
      });
  // The first pack names the packs of all other chunks.
  const elsewhere = [...packs].filter(([, pack]) => pack !== first);
  const places = elsewhere.map(([name, pack]) => `"${name}":_${others.indexOf(pack)}`);
  const names = others.map((pack, at) => `const _${at}="${pack}";`).join('');
  const helpers = await sharedHelpers();
  const packText = (entries) =>
    `"use strict";(()=>{${helpers}${names}return{${entries.join(',\n')}}})()\n`;
  writeFileSync(`${dist}/${first}`, packText([...functionsOf(first), ...places]));
  for (const pack of others) writeFileSync(`${dist}/${pack}`, packText(functionsOf(pack)));
  // Node must read chunks as CommonJS without our loader too.
  writeFileSync(`${dist}/chunks/package.json`, '{"type":"commonjs"}\n');
}

/**
 * Converts an ES module to CommonJS in ASCII, which Node reads without decoding. It removes esbuild's copies
 * of exports, one for `module.exports` and one for each `import()`, which take longer than everything else.
 */
async function commonJs(text) {
  const { code } = await transform(text, OPTIONS);
  return code
    .replace(
      /module\.exports=__toCommonJS\(\s*stdin_exports\)/,
      'module.exports=__defProp(stdin_exports,"__esModule",{value:true})',
    )
    .replace(/__toESM\(\s*require\(\s*"(\.[^"]+)"\)\)/g, 'require("$1")')
    .replace(
      /[\u0080-\uffff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
}

/** Makes a chunk load when it is first used, not when it is imported. */
function atFirstUse(code, chunk) {
  const name = `import_${chunk.replaceAll('-', '_')}`;
  const loaded = `require("./${chunk}.js")`;
  return code
    .replaceAll(`${name}.`, `${name}().`)
    .replace(`${name}=${loaded}`, `${name}=()=>${loaded}`);
}

/** Also drops the list of exports that esbuild adds for Node's importer of CommonJS. */
function withoutHelpers(code) {
  const from = Math.max(0, code.indexOf(EXPORTS));
  return code.slice(from).replace(/0&&\(module\.exports=\{[^}]*\}\);?\s*$/, '');
}

/** esbuild's helpers, which it writes at the start of each chunk; those of a pack share them. */
async function sharedHelpers() {
  const code = await commonJs('import one from "one"; export { one }; import("two");');
  return code.slice(0, code.indexOf(EXPORTS));
}

/** Maps each packed chunk to the first pack whose entry points import it. */
function packsOf(outputs) {
  const found = new Map();
  const add = (path, pack) => {
    const name = basename(path);
    if (found.has(name)) return;
    found.set(name, pack);
    for (const { kind, path: imported, external } of outputs[path].imports) {
      if (kind === 'import-statement' && !external) add(imported, pack);
    }
  };
  for (const [pack, entries] of Object.entries(PACKS)) {
    for (const entry of entries) {
      // With a shared node_modules, the path of a package's entry starts elsewhere.
      const isOf = (path) => outputs[path].entryPoint?.endsWith(entry);
      const path = Object.keys(outputs).find(isOf);
      if (path === undefined) throw new Error(`${pack} is to hold ${entry}, which is no chunk`);
      add(path, pack);
    }
  }
  return found;
}
