// Loads the chunks of the bundle. They are CommonJS, which takes a third of the time of ES modules on
// Node 20, and come with V8's code cache where they were built for this very engine.
'use strict';
const { existsSync, readFileSync } = require('node:fs');
const { join, dirname, relative } = require('node:path');
const { Script } = require('node:vm');

const WRAPPER = ['(function(exports,require,module,__filename){"use strict";', '\n})'];

/** Where the cache of a bundle is, for the engine that runs: another one has its own, or none. */
function cacheFolder(dist) {
  const { versions, platform, arch } = process;
  return join(dist, 'code-cache', `${versions.v8}-${platform}-${arch}`);
}

/** `load(file)` gives the exports of a chunk; `scripts` holds what was loaded, by file. */
function createLoader(dist) {
  const folder = cacheFolder(dist);
  const hasCache = existsSync(folder);
  const modules = new Map();
  const scripts = new Map();
  const load = (file) => {
    const known = modules.get(file);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    modules.set(file, module);
    const here = dirname(file);
    const requireFrom = (id) => (/^\.\.?\//.test(id) ? load(join(here, id)) : require(id));
    const script = compile(
      file,
      hasCache ? join(folder, `${relative(dist, file)}.bin`) : undefined,
    );
    scripts.set(file, script);
    script.runInThisContext()(module.exports, requireFrom, module, file);
    return module.exports;
  };
  return { load: (name) => load(join(dist, name)), scripts };
}

/** An engine that does not know the cache as its own leaves it. */
function compile(filename, cacheFile) {
  const source = WRAPPER.join(readFileSync(filename, 'utf8'));
  return new Script(source, { filename, cachedData: cacheFile && readIfThere(cacheFile) });
}

function readIfThere(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

module.exports = { cacheFolder, createLoader };
