// Writes the chunks of the bundle as CommonJS: the bundler splits ES modules alone, and bin/load.js
// loads CommonJS in a third of the time. Chunks that are loaded together are packed into one file.
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { transform } from 'esbuild';

const OPTIONS = {
  format: 'cjs',
  platform: 'node',
  target: 'node20.19',
  minifyWhitespace: true,
  legalComments: 'none',
  // The bundler has warned already, where there was something to warn of.
  logLevel: 'error',
  // What nobody catches is printed with its line.
  lineLimit: 200,
  // `import()` of a chunk goes through the loader as well.
  supported: { 'dynamic-import': false },
  // The only use of it: to require from where the chunk is.
  define: { 'import.meta.url': '__filename' },
};

/** What is loaded together, by its entry points: one file is read faster than forty. */
const PACKS = {
  /** What listing a catalog takes. */
  'usual.js': [
    'src/main.ts',
    'src/cli/commands/brands.ts',
    'src/cli/commands/catalog.ts',
    'src/api/checkout/checkout-catalog.ts',
    'src/api/http/call.ts',
    'src/cli/output/csv.ts',
    'src/cli/completion/remembered.ts',
    'src/storage/cache-file.ts',
  ],
  /** The service in this process. */
  'embedded.js': [
    'src/net/web-shim.ts',
    'src/sandbox/sandbox.ts',
    'src/storage/sql/tables.ts',
    'src/storage/sqlite-driver.ts',
    'node_modules/libsql/index.js',
  ],
};

/** Of the schema library, which stays alone: what lists take reads them without it. */
const SCHEMAS = 'node_modules/zod/v4/core/schemas.js';

/** @param result what `build` gave with `metafile` and without `write` */
export async function writeChunks({ outputFiles, metafile: { outputs } }, dist) {
  const [schemas] = Object.keys(outputs).filter((path) => SCHEMAS in outputs[path].inputs);
  const codes = await Promise.all(
    outputFiles.map(async ({ path, text }) => {
      const code = await commonJs(text);
      return [basename(path), atFirstUse(code, basename(schemas, '.js'))];
    }),
  );
  const packs = packsOf(outputs);
  packs.delete(basename(schemas));
  const [first, ...others] = Object.keys(PACKS);
  mkdirSync(`${dist}/chunks`, { recursive: true });
  for (const [name, code] of codes) {
    if (!packs.has(name)) writeFileSync(`${dist}/chunks/${name}`, code);
  }
  const functionsOf = (pack) =>
    codes
      .filter(([name]) => packs.get(name) === pack)
      .map(([name, code]) => `"${name}":function(exports,require,module,__filename){${code}\n}`);
  // The first one tells where the chunks of the others are.
  const elsewhere = [...packs].filter(([, pack]) => pack !== first);
  const places = elsewhere.map(([name, pack]) => `"${name}":"${pack}"`);
  writeFileSync(`${dist}/${first}`, packText([...functionsOf(first), ...places]));
  for (const pack of others) writeFileSync(`${dist}/${pack}`, packText(functionsOf(pack)));
  // Whatever reads a chunk without the loader takes it for what it is.
  writeFileSync(`${dist}/chunks/package.json`, '{"type":"commonjs"}\n');
}

/**
 * In ASCII, which is read without decoding. Chunks give their exports as they are: the bundler's own
 * copies of them, one for `module.exports` and one for each `import()`, take longer than all the rest.
 */
async function commonJs(text) {
  const { code } = await transform(text, OPTIONS);
  return code
    .replace(
      'module.exports=__toCommonJS(stdin_exports)',
      'module.exports=__defProp(stdin_exports,"__esModule",{value:true})',
    )
    .replace(/__toESM\(require\("(\.[^"]+)"\)\)/g, 'require("$1")')
    .replace(
      /[\u0080-\uffff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
}

/** A chunk that is loaded when something of it is used, and not where it is imported. */
function atFirstUse(code, chunk) {
  const name = `import_${chunk.replaceAll('-', '_')}`;
  const loaded = `require("./${chunk}.js")`;
  return code
    .replaceAll(`${name}.`, `${name}().`)
    .replace(`${name}=${loaded}`, `${name}=()=>${loaded}`);
}

function packText(entries) {
  return `"use strict";({${entries.join(',\n')}})\n`;
}

/** The pack of each chunk that is in one: the first whose entry points import it. */
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
      // Where packages are shared, theirs begins elsewhere.
      const isOf = (path) => outputs[path].entryPoint?.endsWith(entry);
      const path = Object.keys(outputs).find(isOf);
      if (path === undefined) throw new Error(`${pack} is to hold ${entry}, which is no chunk`);
      add(path, pack);
    }
  }
  return found;
}
