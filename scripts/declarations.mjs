// Writes dist/library.js, which `import` and `require` of the package load, and dist/library.d.ts, the public
// types in one file without imports.
import { readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import ts from 'typescript';

const SOURCE = 'src/api/library/public.ts';
/** Of the error codes: what they name stands in the one file published. */
const IMPORT = /^import type \{ [^}]+ \} from '\.\.\/\.\.\/domain\/message\/errors\.ts';\n/m;

/** Loads the library from the command line's chunks, with the same loader. */
const ENTRY = `import { fileURLToPath } from 'node:url';
import { createLoader } from '../bin/load.js';

const dist = fileURLToPath(new URL('../dist', import.meta.url));
export const { createScrip, ScripError } = createLoader(dist).load('library.js');
`;

const VALUES = `
export declare const ScripError: ScripErrorClass;
export declare const createScrip: CreateScrip;
`;

/** @param options of the bundle */
export async function writeLibrary(options, root) {
  const codes = await codesOf(options);
  const union = `type Code = ${codes.map((code) => `'${code}'`).join(' | ')};\n`;
  // For callers whose own TypeScript libraries lack `Symbol.asyncDispose`.
  const head = '/// <reference lib="esnext.disposable" />\n';
  writeFileSync(`${root}dist/library.d.ts`, head + union + declarationsOf(root) + VALUES);
  writeFileSync(`${root}dist/library.js`, ENTRY);
}

function declarationsOf(root) {
  const text = readFileSync(`${root}${SOURCE}`, 'utf8');
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(text, {
    fileName: SOURCE,
    reportDiagnostics: true,
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.NodeNext },
  });
  const alone = outputText.replace(IMPORT, '');
  if (/^import /m.test(alone)) throw new Error(`${SOURCE} imports more than codes`);
  if (diagnostics.length === 0) return alone;
  throw new Error(diagnostics.map(({ messageText }) => String(messageText)).join('\n'));
}

async function codesOf(options) {
  const { outputFiles } = await build({
    ...options,
    entryPoints: { errors: 'src/domain/message/errors.ts' },
    splitting: false,
    write: false,
  });
  const { CODES } = await import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`
  );
  return Object.keys(CODES);
}
