// Loads the chunks of the bundle. They are CommonJS, which takes a third of the time of ES modules on
// Node 20, those of usual commands are in one file, and V8's code cache lies beside them where they
// were built for this very engine.
'use strict';
const { existsSync, readFileSync } = require('node:fs');
const { Script } = require('node:vm');

const WRAPPER = ['(function(exports,require,module,__filename){"use strict";', '\n})'];

/** Where the cache of a bundle is, for the engine that runs: another one has its own, or none. */
function cacheFolder(dist) {
  const { versions, platform, arch } = process;
  return `${dist}/code-cache/${versions.v8}-${platform}-${arch}`;
}

/** `load(name)` gives the exports of a chunk; `scripts` holds what was compiled, by name. */
function createLoader(dist) {
  const folder = cacheFolder(dist);
  const hasCache = existsSync(folder);
  const modules = new Map();
  const scripts = new Map();
  const compile = (name, filename, wrapper) => {
    // An engine that does not know the cache as its own leaves it.
    const cachedData = hasCache ? readIfThere(`${folder}/${name}.bin`) : undefined;
    // Chunks are ASCII (scripts/chunks.mjs).
    const text = readFileSync(filename, 'latin1');
    const source = wrapper === undefined ? text : wrapper.join(text);
    const script = new Script(source, { filename, cachedData });
    scripts.set(name, script);
    return script.runInThisContext();
  };
  const packOf = (name) => compile(name, `${dist}/${name}`);
  /** Functions by the name of their chunk, or the name of the pack that it is in. */
  const packed = packOf('usual.js');
  const load = (name) => {
    const known = modules.get(name);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    modules.set(name, module);
    const filename = `${dist}/chunks/${name}`;
    if (typeof packed[name] === 'string') Object.assign(packed, packOf(packed[name]));
    const run = packed[name] ?? compile(name, filename, WRAPPER);
    try {
      run(module.exports, requireFrom, module, filename);
    } catch (error) {
      // Half a chunk is none.
      modules.delete(name);
      throw error;
    }
    return module.exports;
  };
  // The bundler gives every chunk a name of its own.
  const requireFrom = (id) =>
    id[0] === '.' ? load(id.slice(id.lastIndexOf('/') + 1)) : require(id);
  return { load, scripts };
}

function readIfThere(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

module.exports = { cacheFolder, createLoader };
