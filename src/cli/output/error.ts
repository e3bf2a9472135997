/** How a failure is told: its code, what happened, what to do in two lines for people, one JSON object for scripts. */
import type { ScripError } from '../../domain/errors.ts';
import { asWritten, type Tell, tellingCommands } from '../messages/translate.ts';
import type { ErrorDocument } from '../schemas/program.ts';
import type { OutputStream } from '../terminal/ports.ts';
import { escapeText } from './escape.ts';
import { toJson } from './json.ts';
import { paintFor } from './paint.ts';

interface ErrorStyle {
  readonly isJson: boolean;
  readonly isVerbose: boolean;
  /** The user's language; an object for scripts is in English whatever it is. */
  readonly tell?: Tell;
  /** Makes the hint's commands reach what this one reached. */
  readonly placed?: Tell;
}

/** Text for stderr. */
export async function renderError(
  error: ScripError,
  style: ErrorStyle,
  stderr: Pick<OutputStream, 'hasColor'>,
): Promise<string> {
  const { tell = asWritten, placed = asWritten } = style;
  if (style.isJson) return toJson({ error: { ...errorRecord(error), hint: placed(error.hint) } });
  const { red } = await paintFor(stderr);
  const lines = [`${red(`error[${error.code}]:`)} ${escapeText(tell(error.message))}`];
  if (error.hint !== '')
    lines.push(`${tell('hint:')} ${escapeText(placed(tellingCommands(tell)(error.hint)))}`);
  if (style.isVerbose) lines.push(...causes(error, tell));
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
function causes(error: ScripError, tell: Tell): readonly string[] {
  const lines: string[] = [];
  let cause: unknown = error.cause;
  // A cause may point back at an error above it.
  while (cause instanceof Error && lines.length < 5) {
    lines.push(`${tell('cause:')} ${escapeText(`${cause.name}: ${tell(cause.message)}`)}`);
    cause = cause.cause;
  }
  return lines;
}
