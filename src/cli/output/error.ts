/** Prints an error: for people its code, message and hint in two lines; for scripts one JSON object. */

import { CODES, ScripError } from '../../domain/message/errors.ts';
import { escapeText, t } from '../../domain/message/message.ts';
import { inEnglish, type Localize } from '../i18n/localize.ts';
import type { ErrorDocument } from '../schemas/program.ts';
import type { OutputStream } from '../terminal/ports.ts';
import { toJson } from './json.ts';
import { paintFor } from './paint.ts';
import { besideLabel, wrapWords } from './wrap.ts';

interface ErrorStyle {
  readonly isJson: boolean;
  readonly isVerbose: boolean;
  /** The user's language; JSON errors are always in English. */
  readonly localize?: Localize;
  /** Adds the options to the hint's commands that reach the same host. */
  readonly placed?: (hint: string) => string;
}

/** Returns the text for stderr. */
export async function renderError(
  error: ScripError,
  style: ErrorStyle,
  stderr: Pick<OutputStream, 'hasColor' | 'isTerminal' | 'columns'>,
): Promise<string> {
  const { localize = inEnglish, placed = (hint) => hint } = style;
  if (style.isJson)
    return toJson({ error: { ...errorRecord(error), hint: placed(String(error.hint)) } });
  const { red } = await paintFor(stderr);
  const columns = stderr.isTerminal ? stderr.columns : Number.POSITIVE_INFINITY;
  const head = `error[${error.code}]:`;
  const [first = '', ...rest] = wrapWords(
    `${head} ${escapeText(localize(error.sentence))}`,
    columns,
  );
  const lines = [`${red(head)}${first.slice(head.length)}`, ...rest];
  const hint = localize(error.hint);
  if (hint !== '') lines.push(...hintLines(localize(t`hint:`), placed(hint), columns));
  if (style.isVerbose) lines.push(...causes(error, localize));
  return `${lines.join('\n')}\n`;
}

/** A hint of several lines keeps its line breaks. */
function hintLines(label: string, hint: string, columns: number): readonly string[] {
  const margin = label.length + 1;
  return hint.split('\n').flatMap((line, index) => {
    const [first = '', ...rest] = besideLabel(escapeText(line), { margin, columns });
    return [(index === 0 ? label : '').padEnd(margin) + first, ...rest];
  });
}

function errorRecord(error: ScripError): ErrorDocument['error'] {
  return {
    code: error.code,
    message: error.message,
    hint: String(error.hint),
    exit: error.exit,
    funds_at_risk: error.fundsAtRisk,
    retryable: error.retryable,
    details: { ...error.details },
  };
}

/** The underlying causes, outermost first: names and messages, never stacks or values. */
function causes(error: ScripError, localize: Localize): readonly string[] {
  const lines: string[] = [];
  let cause: unknown = error.cause;
  // A cause may point back to an error above it.
  while (cause instanceof Error && lines.length < 5) {
    lines.push(`${localize(t`cause:`)} ${escapeText(`${cause.name}: ${saidBy(cause, localize)}`)}`);
    cause = cause.cause;
  }
  return lines;
}

function saidBy(cause: Error, localize: Localize): string {
  return cause instanceof ScripError ? localize(cause.sentence) : cause.message;
}

export function errorRecords() {
  return Object.entries(CODES).map(([code, { exit, retryable, fundsAtRisk, hint }]) => ({
    code,
    exit,
    retryable,
    funds_at_risk: fundsAtRisk,
    hint,
  }));
}
