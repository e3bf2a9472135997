// How the bundle comes to SQLite. The package's own way to its native part has Node write a whole
// report to learn which C library this is, and reads five packages: a tenth of a short command. Ours is
// for the usual place and library, and leaves every other case to the package.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const NATIVE = `
const { closeSync, openSync, readSync } = require('node:fs');
function nativePart() {
  if (process.platform !== 'linux') return undefined;
  try {
    const name = '@libsql/linux-' + process.arch + '-gnu';
    const isOurs = isGlibc() && require(name + '/package.json').version === VERSION;
    return isOurs ? require(name) : undefined;
  } catch {
    return undefined;
  }
}
/** Near its beginning an executable names the loader that it was started with. */
function isGlibc() {
  const head = Buffer.alloc(2048);
  const file = openSync(process.execPath);
  readSync(file, head);
  closeSync(file);
  return head.includes('/ld-linux');
}
const native = nativePart();
`;

/** Text that is put in place of another, by the other. */
const REPLACED = {
  'const { load, currentTarget } = require("@neon-rs/load");': '',
  'const { familySync, GLIBC, MUSL } = require("detect-libc");': '',
  '} = requireNative();': '} = native ?? {};',
};

export const sqliteAtHand = {
  name: 'sqlite-at-hand',
  setup({ onResolve, onLoad }) {
    const filter = /[\\/]libsql[\\/]index\.js$/;
    onResolve({ filter: /^libsql$/ }, ({ importer }) =>
      filter.test(importer) ? { path: 'libsql', external: true } : undefined,
    );
    onLoad({ filter }, ({ path }) => ({ contents: atHand(path) }));
  },
};

function atHand(path) {
  const { version } = JSON.parse(readFileSync(join(dirname(path), 'package.json'), 'utf8'));
  let text = readFileSync(path, 'utf8');
  for (const [from, to] of Object.entries(REPLACED)) {
    if (!text.includes(from)) throw new Error(`libsql has no "${from}" any more`);
    text = text.replace(from, to);
  }
  return [
    NATIVE.replace('VERSION', JSON.stringify(version)),
    text,
    "if (native === undefined) module.exports = require('libsql');",
  ].join('\n');
}
