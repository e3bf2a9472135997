#!/usr/bin/env node
// CommonJS (bin/package.json): loading it costs a third of what the ES module loader takes.
'use strict';
const { existsSync, readFileSync, writeSync } = require('node:fs');
const { join } = require('node:path');

const PROGRAM = join(__dirname, '..', 'dist', 'main.js');
const MANIFEST = join(__dirname, '..', 'package.json');

// Nothing that this program writes is for other users of the machine.
process.umask(0o077);

const [word, ...others] = process.argv.slice(2);
if (others.length === 0 && (word === '--version' || word === '-V')) {
  print(`${JSON.parse(readFileSync(MANIFEST, 'utf8')).version}\n`);
} else if (existsSync(PROGRAM)) {
  import('../dist/main.js').then(({ main }) => main()).catch(fail);
} else {
  process.stderr.write(
    'error: scrip is not built yet: dist/ is missing\nhint: Run: npm run build\n',
  );
  process.exitCode = 1;
}

/** Straight to the descriptor: setting up the stream takes longer than all the rest. */
function print(text) {
  try {
    writeSync(1, text);
  } catch (error) {
    // A reader that has enough is no error.
    if (error.code !== 'EPIPE') process.exitCode = 13;
  }
}

/** Reached only when the program itself cannot be loaded: it reports its own errors. */
function fail(error) {
  process.stderr.write(
    `error: scrip could not start: ${error.message}\nhint: Run: npm run build\n`,
  );
  process.exitCode = 1;
}
