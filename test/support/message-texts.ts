/** Every text of the source that people are told, read from the syntax tree. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));

export interface MessageText {
  /** Values as `{0}`, `{1}`. */
  readonly text: string;
  /** Below src/. */
  readonly file: string;
}

export interface MessageTexts {
  /** Keys of the catalogues: what is tagged, what the parser prints in a help, and tables of plain texts. */
  readonly keys: readonly MessageText[];
  /** What looks like a text of ours and is tagged by nothing: it would stay English. */
  readonly untagged: readonly MessageText[];
}

interface Exception {
  readonly why: string;
  readonly text: RegExp;
  /** Everywhere when left out. */
  readonly file?: RegExp;
}

/** What looks like a text and is told to nobody, or is the same in every language. */
const EXCEPTIONS: readonly Exception[] = [
  {
    why: 'SQL',
    text: /^\s*(?:begin|alter |pragma|savepoint |rollback to |release |create |constraint |insert |primary key|"?page_id|and )/,
    file: /^store\/(?:schema|sql|shared-commit|tables\/chain)/,
  },
  {
    why: 'SQL',
    text: /^(?:listen \{|select |start |-c lock|repeatable read|read committed|fact \{)/,
    file: /^store\/postgres/,
  },
  {
    why: 'proper names',
    text: /^(?:Claude (?:Desktop|Code)|Cursor|VS Code|Codex|Solana JSON-RPC|USD Coin)$/,
  },
  { why: 'a command, as it is typed', text: /^(?: {2}\$ )?scrip (?!is )[^.,;:]*$/ },
  { why: 'a header', text: /^Bearer \{0\}$/ },
  { why: 'units', text: /^\{0\} (?:USDC|SOL|UTC|min|[kMG]B)$/ },
  {
    why: 'names of keys, files and folders',
    text: /^(?:(?:products|brands|wizard|cart|sandbox)[ -]\{0\}.*|\{0\} top-up \{1\}|\{0\}\/Library\/Application Support)$/,
  },
  {
    why: 'names of keys that are derived',
    text: /^(?:ed25519 seed|Bitcoin seed|solana offchain|scrip (?:vault|mark)|scrip: key for .*)$/,
  },
  {
    why: 'names of facts in a store',
    text: /fingerprint$|^chain id$/,
    file: /^store\/ownership/,
  },
  { why: 'how a secret shows itself', text: /^Signer \{ address/ },
  { why: 'refusals of a server, to programs', text: /^/, file: /^domain\/address\/loopback/ },
  { why: 'categories of the catalog', text: /^/, file: /^domain\/product\/categories/ },
  { why: 'names and codes', text: /^/, file: /^domain\/(?:money\/coins|product\/countries)\.ts$/ },
  {
    why: 'meanings of the table, for those who read it',
    text: /^/,
    file: /^domain\/order\/order-transitions/,
  },
  {
    why: 'what the program itself did wrong, as the platform would say it',
    text: /^/,
    file: /^net\/web-shim/,
  },
  { why: 'encodings', text: /^gzip, / },
  { why: 'types of signed data', text: /^address from,/ },
  { why: 'units', text: /^\{0\} ETH$/ },
  { why: 'told when nothing else works', text: /^error\[INTERNAL\]/ },
  {
    why: 'types of JSON',
    text: /^(?:object|string|text or null)$/,
    file: /^records\/(?:journal-records|record-files)/,
  },
  {
    why: 'kept in the journal or by the service, which are in English',
    text: /^/,
    file: /^(?:api\/recovery\/(?:journal-repair|salvage)|rails\/solana\/settlement)\.ts$/,
  },
  {
    why: 'kept in the journal, and told by `inCart`',
    text: /^ and \{0\} more$/,
    file: /^api\/checkout\/checkout-quote/,
  },
  {
    why: 'words that programs decide by',
    text: /^(?:wrong signature|too old|from the future|no id)$/,
  },
  {
    why: 'parts of a payment, which is a bug',
    text: /^/,
    file: /^rails\/solana\/(?:own-)?transfer/,
  },
  {
    why: 'put in the place of other words',
    text: /^[Tt]ype back$/,
    file: /^cli\/wizard\/interview/,
  },
  { why: 'errors of the platform', text: /^(?:no time is left|a line of the stream is too long)$/ },
  { why: 'a warning of a server', text: /^an unknown fault$/ },
];

/** Tagged, and the same in every language. */
const SAME: readonly RegExp[] = [
  // Values and signs alone, units, what is typed.
  /^(?:\P{L}|\{\d+\})*$/u,
  /^\{0\} (?:USDC|SOL|UTC|min|s|[kMG]B)$/,
  /^(?:USDC|SOL|RPC|Solana JSON-RPC|USD Coin)$/,
  /^(?: {2}\$ )?scrip (?!is )[^.,;:]*$/,
  /^ ?--[\w-]+ (?:\{0\}|<[^>]+>)(?: \(\{1\}\))?$/,
];

/** Where nobody is told anything but what an error says. */
const ERRORS_ALONE = /^(?:sandbox|service|shop)\//;

/** Where all that is written is for programs, for agents, or for shells. */
const FOR_PROGRAMS =
  /^cli\/(?:schemas\/|reference\/|completion\/|agents\/guide|output\/(?:csv|json))|^(?:complete\.ts|contract\/(?!codes)|mcp\/|store\/(?:due-work|table))/;

/** Plain texts that are handed to `sentence` where they are told. */
const TABLE = 'contract/codes.ts';

/** Texts by the words that a reader sees; the same text at two places is one. */
export function messageTexts(): MessageTexts {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .toSorted();
  const found = files.map((file) => textsIn(file, readFileSync(`${SRC}${file}`, 'utf8')));
  return {
    keys: distinct(found.flatMap(({ keys }) => keys)),
    untagged: found.flatMap(({ untagged }) => untagged),
  };
}

function distinct(texts: readonly MessageText[]): readonly MessageText[] {
  return [...new Map(texts.toReversed().map((one) => [one.text, one])).values()].toReversed();
}

/** The same of one file's text. */
export function textsIn(file: string, text: string): MessageTexts {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const keys: MessageText[] = [];
  const untagged: MessageText[] = [];
  const visit = (node: ts.Node): void => {
    if (isSkipped(node)) return;
    const said = textOf(node);
    if (said !== undefined) {
      const kind = kindOf(node, said, file);
      if (kind !== undefined) (kind === 'key' ? keys : untagged).push({ text: said, file });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return { keys, untagged };
}

function kindOf(node: ts.Node, text: string, file: string): 'key' | 'untagged' | undefined {
  if (FOR_PROGRAMS.test(file)) return isOfVariables(node) ? 'key' : undefined;
  if (isTagged(node)) return SAME.some((same) => same.test(text)) ? undefined : 'key';
  if (!isTold(node, text, file)) return undefined;
  // A help is looked up as it stands: a text with values in it would not be found.
  const isPlain = !ts.isTemplateExpression(node);
  return (isHelp(node, file) && isPlain) || file === TABLE ? 'key' : 'untagged';
}

/** What the variables of the environment mean stands in a topic as well. */
function isOfVariables(node: ts.Node): boolean {
  if (!ts.isStringLiteral(node) || !isOfField(node)) return false;
  for (let at: ts.Node = node; at.parent; at = at.parent) {
    if (ts.isVariableDeclaration(at)) return at.name.getText() === 'ENVIRONMENT';
  }
  return false;
}

function isTagged({ parent }: ts.Node): boolean {
  return ts.isTaggedTemplateExpression(parent) && TAGS.has(parent.tag.getText());
}

const TAGS: ReadonlySet<string> = new Set(['t', 'commandText']);

/** Files whose texts stand in helps alone. */
const HELP = /^cli\/(?:commands|global-options|command-tree)\.ts$/;
const HELP_CALLS: ReadonlySet<string> = new Set([
  'option',
  'requiredOption',
  'argument',
  'helpOption',
  'helpCommand',
  'version',
  'description',
  'summary',
  'optionsGroup',
  'addHelpText',
]);

/** The parser takes plain texts; they are looked up as they stand (src/cli/help-text.ts). */
function isHelp(node: ts.Node, file: string): boolean {
  if (HELP.test(file)) return true;
  for (let at = node; at.parent && !ts.isFunctionLike(at.parent); at = at.parent) {
    const { parent } = at;
    if (ts.isNewExpression(parent))
      return /^(?:Option|Argument)$/.test(parent.expression.getText());
    if (ts.isCallExpression(parent) && at !== parent.expression) {
      const { expression } = parent;
      const name = ts.isPropertyAccessExpression(expression) ? expression.name : expression;
      return HELP_CALLS.has(name.getText());
    }
    if (ts.isVariableDeclaration(parent)) return HELP_NAME.test(parent.name.getText());
  }
  return false;
}

/** Texts of arguments that several commands take. */
const HELP_NAME = /^(?:WEAK_OK|WHOLE_ID|ANY_ID|ANY_UNFINISHED|NAME|ACTIONS|(?:\w+_)?OPTIONS)$/;

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
  if (ts.isTaggedTemplateExpression(node)) return !TAGS.has(node.tag.getText());
  return ts.isCallExpression(node) && isCallFor(node, NEVER_TOLD);
}

function isCallFor({ expression }: ts.CallExpression, names: readonly string[]): boolean {
  return ts.isIdentifier(expression) && names.includes(expression.text);
}

/** Texts for examples, for bugs, and those that are English on purpose. */
const NEVER_TOLD = ['addExamples', 'assert', 'import', 'verbatim'];

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
  if (file === 'domain/message/exit-codes.ts') return true;
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
