/** Payments are signed in one place: the calls in the source are counted, not trusted. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../src/', import.meta.url));
/** They hold keys, build what is signed, or are a merchant with keys of its own; they do not decide that a buyer pays. */
const BELOW = ['rails/', 'wallet/', 'sandbox/', 'service/', 'shop/'];

interface Call {
  readonly file: string;
  /** The named function that it stands in. */
  readonly within: string;
}

function callsOf(name: string): readonly Call[] {
  const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts') && !BELOW.some((folder) => file.startsWith(folder)))
    .flatMap((file) => callsIn(file, name));
}

function callsIn(file: string, name: string): readonly Call[] {
  const text = readFileSync(`${ROOT}${file}`, 'utf8');
  if (!text.includes(name)) return [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const calls: Call[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && nameOf(node.expression) === name) {
      calls.push({ file, within: functionAround(node) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return calls;
}

function nameOf(callee: ts.Expression): string {
  if (ts.isPropertyAccessExpression(callee)) return callee.name.text;
  return ts.isIdentifier(callee) ? callee.text : '';
}

function functionAround(node: ts.Node): string {
  if (ts.isFunctionDeclaration(node)) return node.name?.text ?? '';
  return node.parent === undefined ? '' : functionAround(node.parent);
}

const FILE = 'api/payment/authorize.ts';
/** They have a signer and no rail: the text of a sign-in, which is never a payment, and a signer that is passed on. */
const OF_SIGNERS = ['api/checkout/own-orders.ts', 'api/library/run.ts'];

describe('signing', () => {
  it('is asked of the rail by one function', () => {
    const calls = callsOf('sign').filter(({ file }) => !OF_SIGNERS.includes(file));
    expect(calls).toEqual([{ file: FILE, within: 'authorizePayment' }]);
  });

  it('and what it signed is journaled there; a payment found on the chain where it is adopted', () => {
    const calls = callsOf('addAttempt').filter(({ file }) => file.startsWith('api/'));
    expect(calls.toSorted((one, other) => one.file.localeCompare(other.file))).toEqual([
      { file: FILE, within: 'authorizePayment' },
      { file: 'api/recovery/adopt.ts', within: 'adoptPayment' },
      { file: 'api/recovery/adopt.ts', within: 'adoptTransfer' },
    ]);
  });
});
