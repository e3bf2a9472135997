// Loads the chunks of the bundle. They are CommonJS, which loads in a third of the time of ES modules on Node
// 20. The chunks of common commands share one file. What V8 compiled is kept: by the build beside the bundle or, for
// a published package, by the first run in the user's cache folder.
'use strict';
const fs = require('node:fs');
const { Script } = require('node:vm');
const { existsSync, readFileSync } = fs;

const WRAPPER = ['(function(exports,require,module,__filename){"use strict";', '\n})'];

const ENGINE = `${process.versions.v8}-${process.platform}-${process.arch}`;

/** The build's folder of the code cache. */
function cacheFolder(dist) {
  return `${dist}/code-cache/${ENGINE}`;
}

function cacheHome() {
  const { XDG_CACHE_HOME: named } = process.env;
  return named?.startsWith('/') ? named : `${require('node:os').homedir()}/.cache`;
}

/**
 * The user's folder of the code cache. V8 tells builds apart by their lengths alone, so its name begins with the
 * build's id. Undefined where others could write it, whose code would be run, or where there is none.
 */
function userFolder(dist) {
  try {
    const id = readFileSync(`${dist}/build-id`, 'latin1');
    const parent = `${cacheHome()}/scrip/code`;
    const there = fs.statSync(parent, { throwIfNoEntry: false });
    const isOurs =
      process.getuid === undefined ||
      (there?.uid === process.getuid() && (there.mode & 0o022) === 0);
    return there === undefined || isOurs ? `${parent}/${id}-${ENGINE}` : undefined;
  } catch {
    return undefined;
  }
}

/** Writes the code of the scripts that have none there, and removes that of other builds. */
function keep(folder, scripts) {
  const { basename, dirname } = require('node:path');
  const [id] = basename(folder).split('-');
  try {
    // One by one: with `recursive` Node 20 tries for ever in /proc. No home is made that is not there.
    const ways = [folder, dirname(folder), dirname(dirname(folder)), cacheHome()];
    for (const way of ways.reverse()) if (!existsSync(way)) fs.mkdirSync(way, { mode: 0o700 });
    const others = fs.readdirSync(dirname(folder)).filter((other) => !other.startsWith(id));
    for (const other of others) fs.rmSync(`${dirname(folder)}/${other}`, { recursive: true });
    for (const [name, script] of scripts) {
      const file = `${folder}/${name}.bin`;
      if (existsSync(file) && !script.cachedDataRejected) continue;
      const temporary = `${file}.${process.pid}`;
      fs.writeFileSync(temporary, script.createCachedData(), { mode: 0o600, flag: 'wx' });
      fs.renameSync(temporary, file);
    }
  } catch {
    // It only saves time.
  }
}

/**
 * `load(name)` returns the exports of a chunk; `scripts` holds the compiled scripts by name.
 * @param isProgram whether it may read and leave a code cache of the user; within others' programs it does not
 */
function createLoader(dist, isProgram = false) {
  const built = cacheFolder(dist);
  const isBuilt = existsSync(built);
  const own = isProgram && !isBuilt ? userFolder(dist) : undefined;
  const folder = isBuilt ? built : own;
  const modules = new Map();
  const scripts = new Map();
  const compile = (name, filename, wrapper) => {
    // V8 ignores a cache that another version or build wrote.
    const cachedData = folder ? readIfThere(`${folder}/${name}.bin`) : undefined;
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
  if (own !== undefined) process.once('exit', () => keep(own, scripts));
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
