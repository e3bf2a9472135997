#!/usr/bin/env node
// CommonJS (bin/package.json): loading it costs a third of what the ES module loader takes.
'use strict';
const { existsSync, readFileSync, writeSync } = require('node:fs');
const { homedir } = require('node:os');
const { join } = require('node:path');
const { isatty } = require('node:tty');

const DIST = join(__dirname, '..', 'dist');
const PROGRAM = join(DIST, 'usual.js');
const COMPLETER = join(DIST, 'complete.cjs');
const MANIFEST = join(__dirname, '..', 'package.json');

// Nothing that this program writes is for other users of the machine.
process.umask(0o077);

const words = process.argv.slice(2);
const text = builtText(words);
if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
  print(`${JSON.parse(readFileSync(MANIFEST, 'utf8')).version}\n`);
} else if (words[0] === 'completion' && words[1] === '--values') {
  print(completed(words.slice(2)));
} else if (text !== undefined) {
  print(text);
} else if (existsSync(PROGRAM)) {
  try {
    require('./load.js').createLoader(DIST).load('main.js').main().catch(fail);
  } catch (error) {
    fail(error);
  }
} else {
  process.stderr.write(
    'error: scrip is not built yet: dist/ is missing\nhint: Run: npm run build\n',
  );
  process.exitCode = 1;
}

/** What was written when the program was built: help for 80 columns, and completion scripts. */
function builtText(words) {
  const path = textPath(words);
  const language = path?.[0] === 'help' ? helpLanguage() : 'en';
  if (language === undefined) return undefined;
  if (path === undefined || !path.every((word) => /^[a-z][a-z-]*$/.test(word))) return undefined;
  try {
    return readFileSync(join(DIST, 'texts', language, ...path), 'utf8');
  } catch {
    return undefined;
  }
}

/** As the program has it; undefined where only the program can tell. */
function helpLanguage() {
  const { SCRIP_LANG, LC_ALL, LC_MESSAGES, LANG, XDG_CONFIG_HOME } = process.env;
  if (SCRIP_LANG) return ['en', 'es'].find((language) => language === primary(SCRIP_LANG));
  const folder = XDG_CONFIG_HOME?.startsWith('/') ? XDG_CONFIG_HOME : join(homedir(), '.config');
  try {
    // A profile may name one.
    if (readFileSync(join(folder, 'scrip', 'config.json'), 'utf8').includes('"lang"'))
      return undefined;
  } catch {}
  return primary(LC_ALL || LC_MESSAGES || LANG || '') === 'es' ? 'es' : 'en';
}

function primary(tag) {
  return tag.toLowerCase().split(/[-_.@]/)[0];
}

/** Values for a key press: from what is on disk, without loading the program, and never an error. */
function completed(words) {
  try {
    return require(COMPLETER).complete(words, DIST);
  } catch {
    return '';
  }
}

function textPath(words) {
  if (words[0] === 'completion' && words.length === 2 && !words[1].startsWith('-')) return words;
  const last = words[words.length - 1];
  const isHelp = last === undefined || last === '--help' || last === '-h';
  if (!isHelp && words[0] !== 'help') return undefined;
  if (isatty(1) && process.stdout.columns < 80) return undefined;
  return ['help', ...(isHelp ? words.slice(0, -1) : words.slice(1)), 'index'];
}

/** Straight to the descriptor: setting up the stream takes longer than all the rest. */
function print(text) {
  let rest = Buffer.from(text);
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(1, rest));
  } catch (error) {
    // A pipe that is full for now is waited for; a reader that has enough is no error.
    if (error.code === 'EAGAIN') process.stdout.write(rest);
    else if (error.code !== 'EPIPE') failToPrint(error);
  }
}

/** As the program itself says it. */
function failToPrint(error) {
  process.exitCode = 13;
  process.stderr.write(
    `error[OUTPUT_UNWRITABLE]: standard output cannot be written (${error.code})\n` +
      'hint: Free disk space or name another file, then run the command again.\n',
  );
}

/** Reached only when the program itself cannot be loaded: it reports its own errors. */
function fail(error) {
  process.stderr.write(
    `error: scrip could not start: ${error.message}\nhint: Run: npm run build\n`,
  );
  process.exitCode = 1;
}
