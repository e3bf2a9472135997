// Runs the program as bin/scrip.js does and writes the code cache of every chunk that it loaded.
'use strict';
const { mkdirSync, writeFileSync } = require('node:fs');
const { dirname, join, relative } = require('node:path');
const { cacheFolder, createLoader } = require('../bin/load.js');

const dist = join(__dirname, '..', 'dist');
const { load, scripts } = createLoader(dist);

process.on('exit', () => {
  for (const [file, script] of scripts) {
    const target = join(cacheFolder(dist), `${relative(dist, file)}.bin`);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, script.createCachedData());
  }
});

load('main.js').main();
