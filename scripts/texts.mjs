// Writes every help text and completion script into dist/texts: bin/scrip.js prints them without loading the
// program.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const COLUMNS = 80;
const WIDE = 120;
const TEXT = { output: { format: 'text' } };

/** Writes the texts of all commands. @param options of the bundle */
export async function writeTexts(options, version) {
  const program = await loadProgram(options);
  const { runProgram, buildTree, LANGUAGES, TOPICS, localizer } = program;
  const tree = await buildTree(version, async () => undefined);
  for (const language of LANGUAGES) {
    const localize = await localizer(language);
    const run = (words, host) =>
      runProgram(words, { ...host, version, localize: async () => localize });
    for (const words of pathsOf(tree)) {
      await writeHelp(run, [...words, '--help'], [language, 'help', ...words]);
    }
    for (const { name } of TOPICS) {
      await writeHelp(run, ['help', name], [language, 'help', name]);
    }
  }
  writeValues(program, tree);
  // Completion scripts are English in every language: shells store them in files.
  const run = (words, host) => runProgram(words, { ...host, version });
  for (const shell of ['bash', 'zsh', 'fish']) {
    await write(run, ['completion', shell], ['en', 'completion', shell]);
  }
}

/**
 * Writes the completion values that depend on no merchant: one per line, with its description after a tab.
 */
function writeValues(program, tree) {
  const { listCountries, COINS, FAULT_BEGINNINGS, createSandboxMarket, describedCommands } =
    program;
  const values = {
    // The third column marks countries in which the embedded service sells.
    countries: listCountries().map(
      ({ code, name, isSold }) => `${code}\t${name}${isSold ? '\tsold' : ''}`,
    ),
    coins: COINS.map(({ name, title }) => `${name}\t${title}`),
    networks: COINS.flatMap((coin) => coin.networks.map(({ name }) => `${coin.name}\t${name}`)),
    ways: createSandboxMarket().vias.map(({ name }) => name),
    faults: FAULT_BEGINNINGS,
    fields: [...program.fieldsByCommand()].map((line) => line.flat().join('\t')),
    schema: describedCommands(),
    tree: [JSON.stringify(program.describeTree(tree))],
  };
  mkdirSync(join(root, 'dist', 'texts', 'values'), { recursive: true });
  for (const [name, lines] of Object.entries(values)) {
    writeFileSync(join(root, 'dist', 'texts', 'values', name), `${lines.join('\n')}\n`);
  }
}

/** Writes docs/commands.md and the manual page; a test checks that they match the commands. */
export async function writeReference(options, version) {
  const program = await loadProgram(options);
  const tree = await program.buildTree(version, async () => undefined);
  const guide = program.describeProgram(tree, version);
  writeFileSync(join(root, 'docs', 'commands.md'), program.commandsMarkdown(guide));
  writeFileSync(join(root, 'docs', 'scrip.1'), program.manPage(guide));
}

/** Bundles the parts that produce texts into a temporary module and imports it. */
async function loadProgram(options) {
  const file = join(tmpdir(), `scrip-texts-${process.pid}`, 'program.mjs');
  try {
    await build({
      ...options,
      entryPoints: undefined,
      stdin: { contents: ENTRY, resolveDir: root, loader: 'ts' },
      splitting: false,
      outdir: undefined,
      outfile: file,
      // Bundled CommonJS calls `require` for Node's built-in modules.
      banner: {
        js: "import{createRequire as createRequire_}from'node:module';const require=createRequire_(import.meta.url);",
      },
    });
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(dirname(file), { recursive: true, force: true });
  }
}

const ENTRY = `
export { buildTree } from './src/cli/command-tree.ts';
export { runProgram } from './src/cli/program.ts';
export { LANGUAGES } from './src/cli/i18n/localize.ts';
export { localizer } from './src/cli/i18n/localize.ts';
export { TOPICS } from './src/cli/topics.ts';
export { describeProgram } from './src/cli/agents/guide.ts';
export { commandsMarkdown } from './src/cli/reference/markdown.ts';
export { listCountries } from './src/domain/product/countries.ts';
export { COINS } from './src/domain/money/coins.ts';
export { createSandboxMarket } from './src/sandbox/market.ts';
export { describeTree } from './src/cli/completion/tree.ts';
export { FAULT_BEGINNINGS } from './src/sandbox/faults/fault-spec.ts';
export { describedCommands, fieldsByCommand } from './src/cli/schemas/table.ts';
export { manPage } from './src/cli/reference/markdown.ts';
`;

/** Returns the words of every command, the program itself first. */
function pathsOf(command, words = []) {
  return [words, ...command.commands.flatMap((child) => pathsOf(child, [...words, child.name()]))];
}

/** Writes help for 80 columns and for wide terminals. */
async function writeHelp(run, words, path) {
  for (const [form, columns] of [
    ['index', COLUMNS],
    ['wide', WIDE],
  ]) {
    writeText([...path, form], await textOf(run, words, columns));
  }
}

async function write(run, words, path) {
  writeText(path, await textOf(run, words, COLUMNS));
}

function writeText(path, text) {
  const file = join(root, 'dist', 'texts', ...path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

async function textOf(run, words, columns) {
  const said = { out: '', error: '' };
  const stream = (name) => ({
    write: (text) => {
      said[name] += text;
    },
    isTerminal: false,
    columns,
    hasColor: false,
  });
  const host = {
    stdout: stream('out'),
    stderr: stream('error'),
    // Help and completion scripts read nothing from the machine.
    open: async () => ({
      settings: TEXT,
      io: { progress: { done() {} } },
      parts: { clock: { now: () => 0 } },
    }),
  };
  const exit = await run(words, host);
  if (exit !== 0) throw new Error(`scrip ${words.join(' ')} ended with ${exit}: ${said.error}`);
  return said.out;
}
