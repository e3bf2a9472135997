/** The file with the answers of an unfinished purchase. */

import { ScripError } from '../../domain/errors.ts';
import { type Message, t } from '../../domain/message.ts';
import { ANSWER_KEYS, type AnswerKey, type Answers } from '../../domain/wizard-step.ts';

const VERSION = 1;
/** No answer is longer: an e-mail address has at most 254 characters. */
const MAX_ANSWER = 300;

export function draftText(answers: Answers): string {
  return `${JSON.stringify({ version: VERSION, answers })}\n`;
}

/**
 * Parses the answers; the wizard validates each again.
 * @throws {ScripError} DRAFT_INVALID for anything that this program does not write
 */
export function parseDraft(text: string): Answers {
  const root = fieldsOf(parseJson(text), t`the document`);
  const strange = Object.keys(root).find((key) => key !== 'version' && key !== 'answers');
  if (strange !== undefined) throw invalid(t`it has an unknown field`);
  if (root.version !== VERSION) throw invalid(t`it was written by another version of scrip`);
  const answers = Object.entries(fieldsOf(root.answers, t`answers`));
  return Object.fromEntries(answers.map(([key, value]) => [keyOf(key), answerOf(value)]));
}

function keyOf(name: string): AnswerKey {
  const key = ANSWER_KEYS.find((known) => known === name);
  if (key === undefined) throw invalid(t`it answers a question that the wizard does not ask`);
  return key;
}

function answerOf(value: unknown): string {
  if (typeof value !== 'string') throw invalid(t`an answer is not text`);
  if (value.length > MAX_ANSWER) throw invalid(t`an answer is too long`);
  return value;
}

function fieldsOf(value: unknown, what: Message): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw invalid(t`${what} is not an object`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid(t`it is not JSON`, cause);
  }
}

function invalid(why: Message, cause?: unknown): ScripError {
  return new ScripError('DRAFT_INVALID', t`The saved answers cannot be read: ${why}`, { cause });
}
