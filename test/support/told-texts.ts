/** Every text of the source that people are told, read from the syntax tree. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));

export interface ToldText {
  /** Values as `{0}`, `{1}`. */
  readonly text: string;
  /** Below src/. */
  readonly file: string;
}

interface Exception {
  readonly why: string;
  readonly text: RegExp;
  /** Everywhere when left out. */
  readonly file?: RegExp;
}

/** What looks like a text and is told to nobody, or is the same in every language. */
const EXCEPTIONS: readonly Exception[] = [
  { why: 'SQL', text: /^(?:begin|pragma|read only)/, file: /^storage\/sqlite/ },
  {
    why: 'proper names',
    text: /^(?:Claude (?:Desktop|Code)|Cursor|VS Code|Codex|Solana JSON-RPC)$/,
  },
  { why: 'a command, as it is typed', text: /^(?: {2}\$ )?scrip (?!is )[^.,;:]*$/ },
  { why: 'flags, as they are typed', text: /^ ?--[\w-]+ (?:\{0\}|<[^>]+>)(?: \(\{1\}\))?$/ },
  { why: 'a header', text: /^Bearer \{0\}$/ },
  { why: 'units', text: /^\{0\} (?:USDC|SOL|UTC|min|[kMG]B)$/ },
  {
    why: 'part of a sentence that the catalogue has whole',
    text: /^\{0\} in \{1\}$/,
    file: /^client\/cart/,
  },
  { why: 'values alone', text: /^\W*(?:\{\d\}\W*)+$/ },
  {
    why: 'names of keys, files and folders',
    text: /^(?:(?:products|brands|wizard|cart|sandbox)[ -]\{0\}.*|\{0\} top-up \{1\}|\{0\}\/Library\/Application Support)$/,
  },
  {
    why: 'names of keys that are derived',
    text: /^(?:ed25519 seed|solana offchain|scrip (?:vault|mark)|scrip: key for .*)$/,
  },
  { why: 'how a secret shows itself', text: /^Signer \{ address/ },
  { why: 'refusals of a server, to programs', text: /^/, file: /^domain\/own-place/ },
  { why: 'categories of the catalog', text: /^/, file: /^domain\/categories/ },
  {
    why: 'meanings of the table, for those who read it',
    text: /^/,
    file: /^domain\/order-transitions/,
  },
  {
    why: 'what the program itself did wrong, as the platform would say it',
    text: /^/,
    file: /^net\/light-(?:headers|message)/,
  },
  { why: 'encodings', text: /^gzip, / },
  { why: 'told when nothing else works', text: /^error\[INTERNAL\]/ },
  { why: 'types of JSON', text: /^(?:object|string)$/, file: /^storage\/journal-records/ },
];

/** Where nobody is told anything but what an error says. */
const ERRORS_ALONE = /^(?:sandbox|service)\//;

/** Where all that is written is for programs, for agents, or for shells. */
const FOR_PROGRAMS =
  /^cli\/(?:schemas\/|reference\/|messages\/|completion\/|agents\/guide|output\/(?:csv|json))|^(?:complete\.ts|contract\/(?!codes)|mcp\/|storage\/sql\/)/;

/** Errors that are reported and not mended: whoever reads the report reads English. */
const REPORTED = new Set(['INTERNAL', 'RECORD_EXISTS']);

/** Texts by the words that a reader sees; the same text at two places is one. */
export function toldTexts(): readonly ToldText[] {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .toSorted();
  const found = new Map<string, ToldText>();
  for (const file of files) {
    for (const text of textsIn(file)) if (!found.has(text)) found.set(text, { text, file });
  }
  return [...found.values()];
}

function textsIn(file: string): readonly string[] {
  if (FOR_PROGRAMS.test(file)) return [];
  const source = ts.createSourceFile(
    file,
    readFileSync(`${SRC}${file}`, 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (isSkipped(node)) return;
    const text = textOf(node);
    if (text !== undefined && isTold(node, text, file)) texts.push(text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return texts;
}

/** A literal as its reader sees it, with values numbered; undefined for any other node. */
function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  const spans = node.templateSpans.map((span, index) => `{${index}}${span.literal.text}`);
  return `${node.head.text}${spans.join('')}`;
}

function isSkipped(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node))
    return true;
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return true;
  if (ts.isTaggedTemplateExpression(node)) return node.tag.getText() !== 'commandText';
  if (ts.isCallExpression(node)) return isCallFor(node, ['addExamples', 'assert', 'import']);
  return ts.isNewExpression(node) && isReported(node);
}

function isCallFor({ expression }: ts.CallExpression, names: readonly string[]): boolean {
  return ts.isIdentifier(expression) && names.includes(expression.text);
}

function isReported({ expression, arguments: given }: ts.NewExpression): boolean {
  const code = given?.[0];
  return (
    ts.isIdentifier(expression) &&
    expression.text === 'ScripError' &&
    code !== undefined &&
    ts.isStringLiteral(code) &&
    REPORTED.has(code.text)
  );
}

const SENTENCE = /\p{L}{2}.*[\s·].*\p{L}{2}|\p{L}{2,} \{\d|\{\d+\}.* \p{L}{2}|^ \p{L}/su;
const WORD = /\p{L}{2}/u;
/** Of a part of a help. */
const HEADING = /^\p{Lu}[\p{L} ]+:$/u;
/** An option with its value, as it is typed. */
const FLAG = /^--[\w-]+(?: <[^>]+>)?$/;

/** Fields whose words are told, alone as well. */
const FIELDS = new Set([
  'header',
  'title',
  'note',
  'empty',
  'hint',
  'message',
  'summary',
  'what',
  'noun',
  'group',
]);

function isTold(node: ts.Node, text: string, file: string): boolean {
  if (FLAG.test(text) || !WORD.test(text) || isCompared(node) || isKey(node)) return false;
  if (isFlagOfOption(node)) return false;
  if (EXCEPTIONS.some((one) => one.text.test(text) && one.file?.test(file) !== false)) return false;
  if (ERRORS_ALONE.test(file)) return isOfError(node);
  if (SENTENCE.test(text) || HEADING.test(text)) return true;
  if (file === 'domain/exit-codes.ts') return true;
  return isOfField(node) || isLabel(node, text, file) || isFragment(node);
}

function isCompared({ parent }: ts.Node): boolean {
  if (ts.isCaseClause(parent)) return true;
  const { EqualsEqualsEqualsToken, ExclamationEqualsEqualsToken } = ts.SyntaxKind;
  return (
    ts.isBinaryExpression(parent) &&
    [EqualsEqualsEqualsToken, ExclamationEqualsEqualsToken].includes(parent.operatorToken.kind)
  );
}

function isKey(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isElementAccessExpression(parent)) return true;
  return ts.isPropertyAssignment(parent) && parent.name === node;
}

const DECLARING = new Set([
  'option',
  'requiredOption',
  'argument',
  'command',
  'usage',
  'version',
  'helpOption',
  'helpCommand',
]);

/** What is typed comes first, what it is for second. */
function isFlagOfOption(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isNewExpression(parent) && parent.arguments?.[0] === node) {
    return (
      ts.isIdentifier(parent.expression) && /^(?:Option|Argument)$/.test(parent.expression.text)
    );
  }
  if (!ts.isCallExpression(parent) || parent.arguments[0] !== node) return false;
  const { expression } = parent;
  return ts.isPropertyAccessExpression(expression) && DECLARING.has(expression.name.text);
}

/** Within the arguments of an error; its details are for programs. */
function isOfError(node: ts.Node): boolean {
  for (let at = node; at.parent; at = at.parent) {
    const { parent } = at;
    if (ts.isPropertyAssignment(parent) && parent.name.getText() === 'details') return false;
    if (ts.isNewExpression(parent)) {
      return parent.expression.getText() === 'ScripError' && parent.arguments?.[0] !== at;
    }
    if (ts.isFunctionLike(parent)) return false;
  }
  return false;
}

function isOfField(node: ts.Node): boolean {
  const { parent } = ts.isTaggedTemplateExpression(node.parent) ? node.parent : node;
  return ts.isPropertyAssignment(parent) && FIELDS.has(parent.name.getText());
}

/** The first of a pair, as records have them: `['Order', id]`. */
function isLabel(node: ts.Node, text: string, file: string): boolean {
  const { parent } = node;
  if (!file.startsWith('cli/') || !/^\p{Lu}[\p{Ll}-]+/u.test(text)) return false;
  // A label that depends: `isRange ? 'Range' : 'Value'`.
  if (ts.isConditionalExpression(parent) && parent.condition !== node) return true;
  if (ts.isArrayLiteralExpression(parent))
    return parent.elements[0] === node && parent.elements.length === 2;
  return (
    ts.isCallExpression(parent) && parent.arguments[0] === node && isCallFor(parent, ['optional'])
  );
}

/** One of two words within a sentence: `${isOver ? 'above' : 'below'} the quote`. */
function isFragment(node: ts.Node): boolean {
  const { parent } = node;
  if (!ts.isConditionalExpression(parent) || parent.condition === node) return false;
  let at: ts.Node = parent;
  while (ts.isConditionalExpression(at.parent) || ts.isParenthesizedExpression(at.parent))
    at = at.parent;
  return ts.isTemplateSpan(at.parent);
}
