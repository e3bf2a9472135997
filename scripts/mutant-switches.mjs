/**
 * Writes all mutants of one source file into one text: each is a branch that `$m(number)` chooses while it
 * runs, so that a file is read once for all of its mutants. Types, texts and numbers are not changed.
 */
import ts from 'typescript';

const SWAPPED = new Map(
  Object.entries({
    '<': ['<=', '>='],
    '<=': ['<', '>'],
    '>': ['>=', '<='],
    '>=': ['>', '<'],
    '===': ['!=='],
    '!==': ['==='],
    '+': ['-'],
    '-': ['+'],
    '*': ['/'],
    '/': ['*'],
    '%': ['*'],
    '+=': ['-='],
    '-=': ['+='],
  }),
);
/** Of these the condition that they are decides, so that their opposite is no mutant of its own. */
const OPPOSITES = new Set(['!==', '===', '>=', '<=', '>', '<']);
/** Where tests end a process: they are no part of what it does. */
const OF_TESTS = /^[\w.]*\bfailPoint(\?\.)?\(/;
const EMPTY = new Set(["''", '0', '0n', '{}', '[]', 'undefined', 'null']);
const JOINTS = new Set(['&&', '||', '??']);
const METHODS = new Map(
  Object.entries({
    some: 'every',
    every: 'some',
    min: 'max',
    max: 'min',
    find: 'findLast',
    findLast: 'find',
    startsWith: 'endsWith',
    endsWith: 'startsWith',
  }),
);
/** What gives back what it was called on, but for some of it or in another order. */
const LEFT_OUT = new Set(['filter', 'toSorted', 'toReversed']);

/** Returns the text with its switches, and the mutants: their line, and what each makes of what. */
export function switched(path, text) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  const mutants = [];

  const raw = (node) => text.slice(node.getStart(source), node.end);
  const add = (node, to) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
    mutants.push({ id: mutants.length + 1, line: line + 1, from: short(raw(node)), to: short(to) });
    return mutants.length;
  };

  const emit = (node) => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node)) return raw(node);
    if (OF_TESTS.test(raw(node)) && !ts.isSourceFile(node) && isCallOf(node)) return raw(node);
    if (isRemovable(node)) {
      const isExpression = ts.isExpressionStatement(node);
      const id = add(node, 'nothing');
      const inner = weave(node);
      return isExpression
        ? `$m(${id}) || (${inner.replace(/;$/, '')});`
        : `if (!$m(${id})) ${inner}`;
    }
    // A condition that is decided is still asked: what it does besides goes on.
    const isAsked = (to) => isCondition(node) && (to === 'true' || to === 'false');
    const branch = (to) => (isAsked(to) ? `((${raw(node)}), ${to})` : `(${to})`);
    const forms = formsOf(node, raw).map((to) => `$m(${add(node, to)}) ? ${branch(to)} : `);
    return forms.length === 0 ? weave(node) : `(${forms.join('')}(${weave(node)}))`;
  };

  const weave = (node) => {
    let at = node.getStart(source);
    let out = '';
    node.forEachChild((child) => {
      out += text.slice(at, child.getStart(source)) + emit(child);
      at = child.end;
    });
    return out + text.slice(at, node.end);
  };

  const code = text.slice(0, source.getStart(source)) + weave(source);
  return { code, mutants };
}

function isCallOf(node) {
  return ts.isCallExpression(ts.isExpressionStatement(node) ? node.expression : node);
}

function short(text) {
  return text.replace(/\s+/g, ' ').slice(0, 110);
}

/** A statement that may be left out. An `if` without its only `throw` is the one whose condition is false. */
function isRemovable(node) {
  if (ts.isThrowStatement(node)) return !ts.isIfStatement(node.parent);
  if (!ts.isExpressionStatement(node)) return false;
  const { expression } = node;
  return !(
    ts.isCallExpression(expression) && expression.expression.kind === ts.SyntaxKind.SuperKeyword
  );
}

function formsOf(node, raw) {
  if (!ts.isExpression(node) || isInsideChain(node)) return [];
  const whole = isLoop(node.parent, node) ? ['false'] : isCondition(node) ? ['true', 'false'] : [];
  return [...new Set([...whole, ...ownForms(node, raw)])].filter((form) => form !== raw(node));
}

function ownForms(node, raw) {
  if (node.kind === ts.SyntaxKind.TrueKeyword) return ['false'];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return ['true'];
  if (ts.isPrefixUnaryExpression(node)) {
    const isNot = node.operator === ts.SyntaxKind.ExclamationToken && !isCondition(node);
    return isNot ? [raw(node.operand)] : [];
  }
  if (ts.isBinaryExpression(node)) return ofBinary(node, raw);
  return ts.isCallExpression(node) ? ofCall(node, raw) : [];
}

function ofBinary(node, raw) {
  const [left, right] = [raw(node.left), raw(node.right)];
  const operator = raw(node.operatorToken);
  // `?? ''` is there for the types alone: what it is for is seen where it is all that there is.
  if (operator === '??' && EMPTY.has(right)) return [right];
  if (JOINTS.has(operator)) return [left, right];
  if (
    [node.left, node.right].some(
      (side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side),
    )
  ) {
    return operator === '+' ? [] : equalities(node, operator, left, right);
  }
  return equalities(node, operator, left, right);
}

function equalities(node, operator, left, right) {
  const others = SWAPPED.get(operator) ?? [];
  const kept = isCondition(node)
    ? others.filter((other) => !(OPPOSITES.has(other) && isOpposite(operator, other)))
    : others;
  return isLoopStep(node) ? [] : kept.map((other) => `${left} ${other} ${right}`);
}

function isOpposite(operator, other) {
  return SWAPPED.get(operator)?.at(-1) === other;
}

function ofCall(node, raw) {
  const { expression: callee } = node;
  if (node.questionDotToken !== undefined) return ['undefined'];
  if (!ts.isPropertyAccessExpression(callee)) return [];
  const name = callee.name.text;
  if (LEFT_OUT.has(name)) return [raw(callee.expression)];
  const other = METHODS.get(name);
  const isOfNumbers = other === 'min' || other === 'max';
  if (other === undefined || (isOfNumbers && raw(callee.expression) !== 'Math')) return [];
  const at = callee.name.getStart() - node.getStart();
  return [raw(node).slice(0, at) + other + raw(node).slice(at + name.length)];
}

function isCondition(node) {
  const { parent } = node;
  if (ts.isParenthesizedExpression(parent)) return isCondition(parent);
  return (
    (ts.isIfStatement(parent) && parent.expression === node) ||
    (ts.isConditionalExpression(parent) && parent.condition === node)
  );
}

/** A loop whose condition is always true ends by itself at best: it is only made never to run. */
function isLoop(parent, node) {
  if (ts.isForStatement(parent)) return parent.condition === node;
  return (ts.isWhileStatement(parent) || ts.isDoStatement(parent)) && parent.expression === node;
}

function isLoopStep(node) {
  return ts.isForStatement(node.parent) && node.parent.incrementor === node;
}

/** `a?.b().c`: in brackets, `a?.b()` would no longer end the chain when there is no `a`. */
function isInsideChain(node) {
  return (
    ts.isOptionalChain(node) && ts.isOptionalChain(node.parent) && node.parent.expression === node
  );
}
