/** Every text of the source that has values in it, and those of them that propose a command. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { COMMANDS } from '../../src/cli/commands.ts';
import {
  commandText,
  type OwnText,
  ownText,
  wordList,
} from '../../src/domain/message/command-text.ts';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));

/** What is written about commands, and holds no value but our own names. */
const OWN_ALONE = /^cli\/(?:reference|schemas|i18n)\/|^cli\/topics\.ts/;
/** A fix that answers a question of the wizard: what is typed there is no command. */
const ANSWERS = /^(?:domain\/wizard|service\/agent\/)/;

const VERBS = COMMANDS.map(({ verb }) => verb).join('|');
const COMMAND = new RegExp(
  `(?<![\\w-])scrip (?:--[a-z]|(?:${VERBS})\\b|\\{\\d)|\\b[Rr]un: |^--[a-z][\\w-]*[ =]\\{0\\}$`,
);
const HINTS = /^(?:hint|fix)$/;

export interface Template {
  readonly place: string;
  /** Values as `{0}`, `{1}`. */
  readonly text: string;
  readonly parts: readonly string[];
  readonly values: readonly ts.Expression[];
}

export interface CommandTexts {
  /** Made by `commandText`. */
  readonly made: readonly Template[];
  /** Those that ought to be, and are not. */
  readonly unmade: readonly string[];
  /** What is handed to `ownText`. */
  readonly own: readonly string[];
}

export function commandTexts(): CommandTexts {
  const made: Template[] = [];
  const unmade: string[] = [];
  const own = new Set<string>();
  for (const file of readdirSync(SRC, { recursive: true, encoding: 'utf8' }).toSorted()) {
    if (!file.endsWith('.ts') || OWN_ALONE.test(file)) continue;
    const found = textsIn(file, readFileSync(`${SRC}${file}`, 'utf8'));
    made.push(...found.made);
    unmade.push(...found.unmade);
    for (const text of found.own) own.add(text);
  }
  return { made, unmade, own: [...own] };
}

/** The same of one file's text. */
export function textsIn(file: string, source: string): CommandTexts {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const found = { made: [] as Template[], unmade: [] as string[], own: [] as string[] };
  const visit = (node: ts.Node): void => {
    if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'commandText') {
      if (ts.isTemplateExpression(node.template)) found.made.push(templateOf(file, node.template));
    } else if (isUnmade(node, file)) found.unmade.push(`${file}: ${node.getText()}`);
    if (isCallOf(node, 'ownText')) found.own.push(`${file}: ${node.arguments[0]?.getText()}`);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

function templateOf(file: string, node: ts.TemplateExpression): Template {
  const parts = [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)];
  const values = node.templateSpans.map(({ expression }) => expression);
  return { place: `${file}: ${node.getText()}`, text: textOf(parts), parts, values };
}

const textOf = (parts: readonly string[]): string =>
  parts.reduce((text, part, at) => `${text}${at === 0 ? '' : `{${at - 1}}`}${part}`, '');

/** A text with values that is a command or a hint, put together without `commandText`. */
function isUnmade(node: ts.Node, file: string): boolean {
  if (ts.isTemplateExpression(node)) {
    if (ts.isTaggedTemplateExpression(node.parent)) return false;
    const { text } = templateOf(file, node);
    return COMMAND.test(text) || (isHint(node) && !ANSWERS.test(file));
  }
  const isSum = ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken;
  return isSum && (COMMAND.test(node.getText()) || isHint(node));
}

/** Whether it becomes a hint as it is: nothing but choices and brackets stand between. */
function isHint(node: ts.Node): boolean {
  for (let at = node.parent; at !== undefined; at = at.parent) {
    if (ts.isPropertyAssignment(at) || ts.isVariableDeclaration(at))
      return HINTS.test(at.name.getText());
    if (ts.isBlock(at) || ts.isFunctionLike(at)) return false;
  }
  return false;
}

function isCallOf(node: ts.Node, name: string): node is ts.CallExpression {
  return ts.isCallExpression(node) && node.expression.getText() === name;
}

/** The text with this for every value that is not our own. */
export function rendered({ parts, values }: Template, hostile: string): string {
  const given = values.map((value): string | OwnText => {
    if (isCallOf(value, 'ownText')) return ownText('OWN');
    if (!isCallOf(value, 'wordList')) return hostile;
    const between = value.arguments[1];
    const separator = between && ts.isStringLiteral(between) ? between.text : ', ';
    return wordList([hostile, hostile], separator);
  });
  return String(commandText(Object.assign([...parts], { raw: parts }), ...given));
}
