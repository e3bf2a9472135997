/** The guided purchase in forms of the client: the wizard’s questions, answered by the user and not by a model. */
import type { WireElicitation, WireElicitationRequest } from '../contract/agent.ts';
import { ScripError } from '../domain/message/errors.ts';
import { escapeText, verbatim } from '../domain/message/message.ts';
import type { Asking, Question } from './asking.ts';

/** Sends one request to the wizard. */
type Say = (request: WireElicitationRequest) => Promise<WireElicitation>;

/** A session of the wizard ends after this time without an answer. */
const ANSWER_MS = 10 * 60_000;
const MAX_TEXT = 1_000;
const MAX_SUGGESTIONS = 10;

/**
 * Returns the wizard's last reply. A tool that runs again has the wizard repeat its question, so answers are
 * said once.
 * @throws {ScripError} CONFIRMATION_REQUIRED without forms; DECLINED if the user closes one
 */
export async function askInForms(
  first: WireElicitationRequest,
  { hasForms, memory, ask }: Asking,
  say: Say,
): Promise<WireElicitation> {
  if (!hasForms) throw withoutForms();
  let notice = memory?.notice ?? '';
  let reply = await say(memory?.token === undefined ? first : { session_token: memory.token });
  for (;;) {
    const { session_token: token, question } = reply;
    if (typeof token !== 'string' || question === undefined) return reply;
    const { action, content = {} } = await ask({
      ...formOf(reply, notice),
      withinMs: ANSWER_MS,
      memory: { token, notice },
    });
    if (action !== 'accept') throw closed();
    const isBack = content.back === true;
    const answer = isBack ? { action: 'back' as const } : { answer: String(content.answer ?? '') };
    reply = await say({ session_token: token, ...answer });
    notice = [reply.error, reply.fix].filter(Boolean).join(' ');
  }
}

function formOf(
  { question = '', expected_format = '', options = [], suggestions = options }: WireElicitation,
  notice: string,
): Pick<Question, 'message' | 'requestedSchema'> {
  const some = suggestions.slice(0, MAX_SUGGESTIONS).join(', ');
  const lines = [notice, question].filter(Boolean);
  const format = [expected_format, some && `Such as: ${some}`].filter(Boolean);
  return {
    message: lines.map((line) => escapeText(line, MAX_TEXT)).join('\n'),
    requestedSchema: {
      type: 'object',
      properties: {
        answer: {
          type: 'string',
          title: 'Answer',
          description: escapeText(format.join('. '), MAX_TEXT),
        },
        back: { type: 'boolean', title: 'Back to the question before', default: false },
      },
    },
  };
}

function withoutForms(): ScripError {
  return new ScripError('CONFIRMATION_REQUIRED', verbatim('This client cannot ask its user'), {
    hint: verbatim('Leave out ask_user, and put the questions to the user yourself.'),
  });
}

function closed(): ScripError {
  return new ScripError('DECLINED', verbatim('The user closed the form; no order was made'), {
    hint: verbatim('Do not ask again unless the user says so.'),
  });
}
