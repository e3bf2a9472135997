/** Payments are signed in one place: the calls in the source are counted, not trusted. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../src/', import.meta.url));
/**
 * `rails` builds what is signed, and is asked by the one function; `wallet` holds keys, and signs by itself only the
 * statement of the vault's key, which no chain takes; the others are a merchant with keys of its own. None of them decides that a
 * buyer pays.
 */
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

const byFile = (one: Call, other: Call) => one.file.localeCompare(other.file);
const FILE = 'api/payment/authorize.ts';
/** Calls of a signer itself, without a rail; each is argued here. */
const OF_SIGNERS: readonly Call[] = [
  // The text of a sign-in. It begins with the name of the host that was asked, so it is no transaction: in one of Solana its
  // first byte would count 48 signatures or more, which do not fit. On EVM networks it is a personal message (EIP-191).
  { file: 'api/checkout/own-orders.ts', within: 'ownOrders' },
  // Passes on what the function above asks a program's signer, so that waiting for it can be stopped.
  { file: 'api/library/run.ts', within: 'depsOf' },
];

describe('signing', () => {
  it('is asked of the rail by one function', () => {
    const asked = { file: FILE, within: 'authorizePayment' };
    expect(callsOf('sign').toSorted(byFile)).toEqual([asked, ...OF_SIGNERS].toSorted(byFile));
  });

  it('and what it signed is journaled there; a payment found on the chain where it is adopted', () => {
    const calls = callsOf('addAttempt').filter(({ file }) => file.startsWith('api/'));
    expect(calls.toSorted(byFile)).toEqual([
      { file: FILE, within: 'authorizePayment' },
      { file: 'api/recovery/adopt.ts', within: 'adoptPayment' },
      { file: 'api/recovery/adopt.ts', within: 'adoptTransfer' },
    ]);
  });
});
