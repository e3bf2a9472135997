#!/usr/bin/env node
/**
 * Checks the imports of src/ against walls.json, an allow-list: static, dynamic and type imports, packages
 * and built-in modules included. Usage: node scripts/walls.mjs [root]
 *
 * - `rows`: what the files of a folder (or one file) may import. A row adds to those of its parent folders. A
 *   name that ends in / is a folder of src, one in .ts a file, any other a module.
 * - `names`: which files may import a certain name; `*` imports all names.
 * - `debt`: imports that break a rule today. No check reports them; the list only gets shorter.
 * - `limits`: the most that src/ may have of files, lines and splinters. They are raised on purpose only.
 *
 * Also forbidden: circular imports, and importing a command anywhere but in the table of commands.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url));
const { rows, names, debt, limits } = JSON.parse(readFileSync(join(root, 'walls.json'), 'utf8'));

const COMMANDS = 'cli/commands/';
const problems = [];
/** By file: the files of src that it imports. */
const graph = new Map();

const files = readdirSync(join(root, 'src'), { recursive: true })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts'))
  .sort();
const unpaid = new Set(debt);
for (const file of files) graph.set(file, readFile(file));
checkSize();
for (const edge of unpaid) problems.push(`${edge}: no such import; take it out of the debt`);
checkCircles();
checkMap();
for (const problem of problems) console.log(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

/** Checks each import of a file; returns the files of src that it imports. */
function readFile(file) {
  const inside = new Set();
  for (const [name, taken] of importsOf(file)) {
    if (name === undefined) {
      problems.push(`src/${file}: import() needs a literal, or it cannot be checked`);
      continue;
    }
    const isInside = name.startsWith('.');
    const target = isInside ? join(dirname(file), name) : name;
    if (isOwed(file, target)) continue;
    if (isInside) inside.add(target);
    if (!isAllowed(file, target)) {
      problems.push(`src/${file}: may not import ${target} (walls.json)`);
    } else if (isOtherCommand(file, target)) {
      problems.push(`src/${file}: may not import the command ${target}: move what both need`);
    } else {
      for (const one of forbiddenNames(file, target, taken)) {
        problems.push(`src/${file}: may not take ${one} (walls.json)`);
      }
    }
  }
  return inside;
}

/** A splinter is a file of under 40 lines, or one of under 60 that a single file imports. */
function checkSize() {
  const importers = [...graph.values()].flatMap((targets) => [...targets]);
  const houses = files.map((file) => {
    const text = readFileSync(join(root, 'src', file), 'utf8');
    const lines = text.split('\n').length - 1;
    const doors = importers.filter((one) => one === file).length;
    return { lines, code: codeLines(text), folder: dirname(file), doors };
  });
  const sum = (of) => houses.reduce((total, house) => total + of(house), 0);
  const inFolder = (name) => houses.filter(({ folder }) => folder === name).length;
  const measured = {
    files: houses.length,
    lines: sum(({ lines }) => lines),
    code: sum(({ code }) => code),
    'files under 40 lines': sum(({ lines }) => Number(lines < 40)),
    'files under 60 lines with one importer': sum(({ lines, doors }) =>
      Number(lines < 60 && doors === 1),
    ),
    'files in a folder': Math.max(...houses.map(({ folder }) => inFolder(folder))),
    'loose files': inFolder('.'),
  };
  for (const [what, most] of Object.entries(limits ?? {})) {
    if (measured[what] > most)
      problems.push(`src: ${measured[what]} ${what}; ${most} are allowed (walls.json)`);
  }
}

/** Lines that are neither blank nor comment nor import. */
function codeLines(text) {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\/\/.*$/gm, '')
    .replace(/^(import|export)\b[^;]*?\bfrom\s+'[^']+';?$/gms, '')
    .split('\n')
    .filter((line) => line.trim() !== '').length;
}

function isOwed(file, what) {
  const edge = `${file} > ${what}`;
  unpaid.delete(edge);
  return debt.includes(edge);
}

/** The imported names that this file may not use. */
function forbiddenNames(file, target, taken) {
  return Object.keys(names).filter((one) => {
    const [home, name] = one.split(' ');
    const isTaken = home === target && (taken.has(name) || taken.has('*'));
    const mayTake = file === home || names[one].some((taker) => isUnder(file, taker));
    return isTaken && !mayTake && !isOwed(file, one);
  });
}

/** Maps each module specifier (undefined if it is computed) to the names imported from it. */
function importsOf(file) {
  const found = new Map();
  const visit = (node) => {
    const specifier = specifierOf(node);
    if (specifier !== undefined) {
      const name = ts.isStringLiteralLike(specifier) ? specifier.text : undefined;
      found.set(name, new Set([...(found.get(name) ?? []), ...takenBy(node)]));
    }
    ts.forEachChild(node, visit);
  };
  const options = { languageVersion: ts.ScriptTarget.Latest };
  visit(ts.createSourceFile(file, readFileSync(join(root, 'src', file), 'utf8'), options));
  return found;
}

function takenBy(node) {
  if (ts.isImportTypeNode(node)) return [leftmost(node.qualifier)?.text ?? '*'];
  const named = ts.isImportDeclaration(node)
    ? node.importClause?.namedBindings
    : ts.isExportDeclaration(node) && node.exportClause;
  const isEach = named && (ts.isNamedImports(named) || ts.isNamedExports(named));
  return isEach ? named.elements.map((one) => (one.propertyName ?? one.name).text) : ['*'];
}

function leftmost(name) {
  return name !== undefined && ts.isQualifiedName(name) ? leftmost(name.left) : name;
}

function specifierOf(node) {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isExternalModuleReference(node)) return node.expression;
  if (ts.isImportTypeNode(node)) return node.argument.literal;
  const isCall = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
  return isCall ? node.arguments[0] : undefined;
}

function isAllowed(file, target) {
  const isFile = target.endsWith('.ts') || target.endsWith('.json');
  const home = file.includes('/') ? `${file.split('/')[0]}/` : file;
  const names = Object.keys(rows)
    .filter((row) => isUnder(file, row))
    .flatMap((row) => rows[row]);
  return [home, ...names].some((name) =>
    isFile ? isUnder(target, name) : target === name || target.startsWith(`${name}/`),
  );
}

function isUnder(file, name) {
  return name.endsWith('/') ? file.startsWith(name) : file === name;
}

/** Commands are reached through the table cli/commands.ts; a folder in commands/ is one command. */
function isOtherCommand(file, target) {
  if (!file.startsWith('cli/') || !target.startsWith(COMMANDS)) return false;
  const verbOf = (path) => path.slice(COMMANDS.length).split(/\/|\.ts$/)[0];
  if (file.startsWith(COMMANDS)) return verbOf(file) !== verbOf(target);
  return file !== 'cli/commands.ts';
}

/** Reports at most one circle per file: where many meet, removing one import often opens all of them. */
function checkCircles() {
  trim();
  const told = new Set();
  for (const [file, targets] of graph) {
    for (const target of targets) {
      if (told.has(file) || told.has(target)) continue;
      const back = pathBetween(target, file);
      if (back === undefined) continue;
      for (const one of back) told.add(one);
      problems.push(`src/${file}: circle of imports: ${[file, ...back].join(' > ')}`);
    }
  }
}

/** Removes files that cannot be in a circle: they import no remaining file, or none imports them. */
function trim() {
  let size;
  do {
    size = graph.size;
    const imported = new Set([...graph.values()].flatMap((targets) => [...targets]));
    for (const [file, targets] of graph) {
      const isLeft = [...targets].some((target) => graph.has(target)) && imported.has(file);
      if (!isLeft) graph.delete(file);
    }
  } while (graph.size < size);
}

/** Returns the shortest path, both ends included. */
function pathBetween(from, to) {
  const paths = [[from]];
  const seen = new Set([from]);
  for (const path of paths) {
    const last = path.at(-1);
    if (last === to) return path;
    for (const next of graph.get(last) ?? []) {
      if (seen.has(next)) continue;
      seen.add(next);
      paths.push([...path, next]);
    }
  }
  return undefined;
}

/** The table in AGENTS.md must repeat the rows of each folder, without built-in modules. */
function checkMap() {
  const map = readFileSync(join(root, 'AGENTS.md'), 'utf8');
  for (const home of new Set(Object.keys(rows).map((row) => row.replace(/\/.*/, '/')))) {
    const under = Object.keys(rows).filter((row) => isUnder(row, home));
    const names = new Set(under.flatMap((row) => rows[row]).filter((name) => !/^node:/.test(name)));
    const cell = [...names].map((name) => name.replace(/\/$/, '')).join(', ') || 'nothing';
    const told = map.match(new RegExp(`^\\| ${home.replace(/\/$/, '')} \\|.*\\| (.*?) +\\|$`, 'm'));
    if (told === null && !home.endsWith('/')) continue;
    if (told?.[1] !== cell) problems.push(`AGENTS.md: what ${home} may import is: ${cell}`);
  }
  const layers = layersOf();
  const picture = new RegExp(layers.map((layer) => `^${layer}(?: {2,}.*)?$`).join('\\n'), 'm');
  if (!picture.test(map))
    problems.push(`AGENTS.md: the layers, top first, are: ${layers.join(' / ')}`);
}

/** Lines such as `api · service`, from the top: a folder stands above every folder that it may import. */
function layersOf() {
  const homeOf = (name) => name.slice(0, name.indexOf('/'));
  const homes = [
    ...new Set(
      Object.keys(rows)
        .filter((row) => row.includes('/'))
        .map(homeOf),
    ),
  ];
  const below = (home) =>
    Object.keys(rows)
      .filter((row) => isUnder(row, `${home}/`))
      .flatMap((row) => rows[row].map(homeOf))
      .filter((name) => homes.includes(name) && name !== home);
  const height = (home) => 1 + Math.max(-1, ...below(home).map(height));
  const layers = [];
  for (const home of homes) {
    const at = height(home);
    layers[at] = [...(layers[at] ?? []), home];
  }
  return layers.map((layer) => layer.join(' · ')).toReversed();
}
