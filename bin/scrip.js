#!/usr/bin/env node
// CommonJS (bin/package.json): it loads in a third of the time of an ES module.
'use strict';
const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { start } = require('./start.js');

const DIST = join(__dirname, '..', 'dist');

function text(path) {
  try {
    return readFileSync(join(DIST, 'texts', ...path), 'utf8');
  } catch {
    return undefined;
  }
}

start({
  version: () => JSON.parse(readFileSync(join(__dirname, '..', 'package.json'), 'utf8')).version,
  text,
  complete: (words) => require(join(DIST, 'complete.cjs')).complete(words, text),
  first: (columns) => require(join(DIST, 'first-screen.cjs')).readFirstScreen(columns),
  program: () =>
    existsSync(join(DIST, 'usual.js'))
      ? require('./load.js').createLoader(DIST).load('main.js')
      : undefined,
});
