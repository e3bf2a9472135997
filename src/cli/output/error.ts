/** How a failure is told: its code, what happened, what to do in two lines for people, one JSON object for scripts. */
import type { ScripError } from '../../domain/errors.ts';
import type { OutputStream } from '../context.ts';
import type { ErrorDocument } from '../schemas/program.ts';
import { escapeText } from './escape.ts';
import { toJson } from './json.ts';
import { paintFor } from './paint.ts';

interface ErrorStyle {
  readonly isJson: boolean;
  readonly isVerbose: boolean;
}

/** Text for stderr. */
export async function renderError(
  error: ScripError,
  style: ErrorStyle,
  stderr: Pick<OutputStream, 'hasColor'>,
): Promise<string> {
  if (style.isJson) return toJson({ error: errorRecord(error) });
  const { red } = await paintFor(stderr);
  const lines = [`${red(`error[${error.code}]:`)} ${escapeText(error.message)}`];
  if (error.hint !== '') lines.push(`hint: ${escapeText(error.hint)}`);
  if (style.isVerbose) lines.push(...causes(error));
  return `${lines.join('\n')}\n`;
}

function errorRecord(error: ScripError): ErrorDocument['error'] {
  return {
    code: error.code,
    message: error.message,
    hint: error.hint,
    exit: error.exit,
    funds_at_risk: error.fundsAtRisk,
    retryable: error.retryable,
    details: { ...error.details },
  };
}

/** What lies under the error, outermost first: names and messages, never stacks or values. */
function causes(error: ScripError): readonly string[] {
  const lines: string[] = [];
  let cause: unknown = error.cause;
  // A cause may point back at an error above it.
  while (cause instanceof Error && lines.length < 5) {
    lines.push(`cause: ${escapeText(`${cause.name}: ${cause.message}`)}`);
    cause = cause.cause;
  }
  return lines;
}
