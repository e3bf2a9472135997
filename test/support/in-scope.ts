/** Runs a script of the program with names of its own in place of globals; compiled once for all command lines. */
import { Script } from 'node:vm';
import type { Scope } from './own-node.ts';

const NAMES = [
  'process',
  'globalThis',
  'global',
  'console',
  'Date',
  'setTimeout',
  'setInterval',
  'setImmediate',
] as const satisfies readonly (keyof Scope)[];
/** What the program puts others in place of. */
const REPLACED = ['Headers', 'Request', 'Response'] as const;
// Node loads its own when they are first asked for, and tells so in a global.
for (const name of REPLACED) Reflect.get(globalThis, name);

type Compiled = (scope: Scope) => unknown;
const compiled = new Map<string, Compiled>();

/** The value of an expression whose free names are those of the scope; line numbers stay. */
export function inScope(scope: Scope, file: string, source: string): unknown {
  const known = compiled.get(file) ?? compile(file, source);
  compiled.set(file, known);
  return known(scope);
}

function compile(file: string, source: string): Compiled {
  const [, strict = '', text = ''] = /^("use strict";)?([\s\S]*?);?\s*$/.exec(source) ?? [];
  const replaced = REPLACED.map((name) => `${name}=scope.globalThis.${name}`).join();
  const setters = REPLACED.map((name) => `${name}:(value)=>{${name}=value}`).join();
  const head = `(function(scope){${strict}const {${NAMES.join()}}=scope;let ${replaced};scope.replacing({${setters}});return `;
  return new Script(`${head}${text}\n})`, { filename: file }).runInThisContext() as Compiled;
}
