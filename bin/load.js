// Loads the chunks of the bundle. They are CommonJS, which loads in a third of the time of ES modules on Node
// 20. The chunks of common commands share one file. If the build wrote a V8 code cache for this very engine,
// it is used.
'use strict';
const { existsSync, readFileSync } = require('node:fs');
const { Script } = require('node:vm');

const WRAPPER = ['(function(exports,require,module,__filename){"use strict";', '\n})'];

/** The folder of the code cache. Its name holds the V8 version, platform and architecture. */
function cacheFolder(dist) {
  const { versions, platform, arch } = process;
  return `${dist}/code-cache/${versions.v8}-${platform}-${arch}`;
}

/** `load(name)` returns the exports of a chunk; `scripts` holds the compiled scripts by name. */
function createLoader(dist) {
  const folder = cacheFolder(dist);
  const hasCache = existsSync(folder);
  const modules = new Map();
  const scripts = new Map();
  const compile = (name, filename, wrapper) => {
    // V8 ignores a cache that another version or build wrote.
    const cachedData = hasCache ? readIfThere(`${folder}/${name}.bin`) : undefined;
    // Chunks are ASCII (scripts/chunks.mjs).
    const text = readFileSync(filename, 'latin1');
    const source = wrapper === undefined ? text : wrapper.join(text);
    const script = new Script(source, { filename, cachedData });
    scripts.set(name, script);
    return script.runInThisContext();
  };
  const packOf = (name) => compile(name, `${dist}/${name}`);
  /** By chunk name: the chunk's function, or the name of the pack that holds it. */
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
      // Don't keep a chunk that failed while loading.
      modules.delete(name);
      throw error;
    }
    return module.exports;
  };
  // The bundler gives every chunk a unique file name.
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
