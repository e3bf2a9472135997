// What the first words ask for: a text that was written when the program was built, or the program.
'use strict';
const { readFileSync, writeSync } = require('node:fs');

/**
 * Answers the command line. `version()`, `text(path)` (undefined where there is none), `complete(words)`,
 * `first(columns)` and `program()` (undefined where it is not built) give the parts, or promises of
 * them, from wherever they are kept.
 */
async function start({ version, text, complete, first, program }) {
  // Nothing that this program writes is for other users of the machine.
  process.umask(0o077);
  const words = process.argv.slice(2);
  hearWarnings(words);
  if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
    return print(`${version()}\n`);
  }
  if (words[0] === 'completion' && words[1] === '--values') {
    return print(await completed(() => complete(words.slice(2))));
  }
  if (words.length === 0) return print(await firstScreen(first, text));
  const path = builtText(words);
  const built = path && (await text(path));
  return built === undefined || isTall(built) ? run(program) : print(built);
}

/** More than a screen of a terminal: the program hands it to the reader's pager. */
function isTall(text) {
  return columnsHere() !== undefined && text.split('\n').length > process.stdout.rows;
}

/**
 * What Node thinks of a program is for those who ask by --verbose; in JSON an error is one object on
 * standard error, whatever it thinks. Others that listen go on listening.
 */
function hearWarnings(words) {
  const own = process.listeners('warning').find(({ name }) => name === 'onWarning');
  if (own !== undefined) process.removeListener('warning', own);
  const end = words.indexOf('--');
  const isSaid = (flag) => (end === -1 ? words : words.slice(0, end)).includes(flag);
  if (!isSaid('--verbose') || isSaid('--json') || isSaid('--ndjson')) return;
  process.on('warning', ({ name, message }) => {
    const spelt = (character) => `\\u{${character.codePointAt(0).toString(16)}}`;
    process.stderr.write(`warning: ${`${name}: ${message}`.replace(/[^\x20-\x7e]/gu, spelt)}\n`);
  });
}

async function run(program) {
  try {
    const built = await program();
    if (built !== undefined) return await built.main();
  } catch (error) {
    return fail(error);
  }
  process.stderr.write(
    'error: scrip is not built yet: dist/ is missing\nhint: Run: npm run build\n',
  );
  process.exitCode = 1;
}

/** Settings that cannot be read are told by the commands that need them. */
async function firstScreen(first, text) {
  try {
    return await first(columnsHere() ?? 80);
  } catch {
    return (await text([helpLanguage() ?? 'en', 'help', 'index'])) ?? '';
  }
}

/** Undefined off a terminal. */
function columnsHere() {
  return require('node:tty').isatty(1) ? process.stdout.columns || undefined : undefined;
}

/** The path of what was written when the program was built: help for 80 columns, completion scripts. */
function builtText(words) {
  const path = textPath(words);
  const language = path?.[0] === 'help' ? helpLanguage() : 'en';
  if (language === undefined) return undefined;
  if (path === undefined || !path.every((word) => /^[a-z][a-z-]*$/.test(word))) return undefined;
  return [language, ...path];
}

/** As the program has it; undefined where only the program can tell. */
function helpLanguage() {
  const { SCRIP_LANG, LC_ALL, LC_MESSAGES, LANG, XDG_CONFIG_HOME } = process.env;
  if (SCRIP_LANG) return ['en', 'es'].find((language) => language === primary(SCRIP_LANG));
  const folder = XDG_CONFIG_HOME?.startsWith('/')
    ? XDG_CONFIG_HOME
    : `${require('node:os').homedir()}/.config`;
  try {
    // A profile may name one.
    if (readFileSync(`${folder}/scrip/config.json`, 'utf8').includes('"lang"')) return undefined;
  } catch {}
  return primary(LC_ALL || LC_MESSAGES || LANG || '') === 'es' ? 'es' : 'en';
}

function primary(tag) {
  return tag.toLowerCase().split(/[-_.@]/)[0];
}

/** Values for a key press: from what is on disk, without loading the program, and never an error. */
async function completed(answer) {
  try {
    return await answer();
  } catch {
    return '';
  }
}

function textPath(words) {
  if (words[0] === 'completion' && words.length === 2 && !words[1].startsWith('-')) return words;
  const said = words.filter((word) => word !== '--all');
  const last = said[said.length - 1];
  const isHelp = last === '--help' || last === '-h';
  if (!isHelp && words[0] !== 'help') return undefined;
  const form = formHere();
  if (form === undefined) return undefined;
  const named = isHelp ? said.slice(0, -1) : said.slice(1);
  return ['help', ...named, said.length < words.length ? `whole-${form}` : form];
}

/** Help is built for the usual width, and for wide terminals; for others the program writes it. */
function formHere() {
  const columns = columnsHere() ?? 80;
  if (columns === 80) return 'index';
  return columns >= 120 ? 'wide' : undefined;
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
    `error[OUTPUT_UNWRITABLE]: Standard output cannot be written (${error.code})\n` +
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

module.exports = { start };
