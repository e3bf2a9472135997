// Runs the program as bin/scrip.js does, then writes the code cache of every chunk it loaded, except those
// named in RECORD_KEPT.
'use strict';
const { mkdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { cacheFolder, createLoader } = require('../bin/load.js');

const kept = (process.env.RECORD_KEPT ?? '').split(',');
const dist = join(__dirname, '..', 'dist');
const { load, scripts } = createLoader(dist);

process.on('exit', () => {
  mkdirSync(cacheFolder(dist), { recursive: true });
  for (const [name, script] of scripts) {
    if (kept.includes(name)) continue;
    writeFileSync(join(cacheFolder(dist), `${name}.bin`), script.createCachedData());
  }
});

load('main.js').main();
