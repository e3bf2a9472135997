#!/usr/bin/env node
// CommonJS (bin/package.json): it loads in a third of the time of an ES module. Node 4 can parse this file.
'use strict';

function main() {
  const fs = require('node:fs');
  const join = require('node:path').join;
  const dist = join(__dirname, '..', 'dist');
  const text = (path) => {
    try {
      return fs.readFileSync(join.apply(undefined, [dist, 'texts'].concat(path)), 'utf8');
    } catch (_missing) {
      return undefined;
    }
  };
  require('./start.js').start({
    version: () =>
      JSON.parse(fs.readFileSync(join(__dirname, '..', 'package.json'), 'utf8')).version,
    text,
    complete: (words) => require(join(dist, 'complete.cjs')).complete(words, text),
    first: (columns) => require(join(dist, 'first-screen.cjs')).readFirstScreen(columns),
    program: () =>
      fs.existsSync(join(dist, 'usual.js'))
        ? require('./load.js').createLoader(dist, true).load('main.js')
        : undefined,
  });
}

// From `engines` in package.json.
const node = process.versions.node.split('.').map(Number);
if (node[0] < 20 || (node[0] === 20 && node[1] < 19)) require('./old-node.js');
else main();
