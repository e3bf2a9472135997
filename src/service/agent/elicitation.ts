/** The guided purchase over HTTP: the wizard, with its state stored under a token. */

import type { WireElicitation, WireElicitationRequest } from '../../contract/agent.ts';
import { ScripError } from '../../domain/errors.ts';
import { verbatim } from '../../domain/message.ts';
import {
  advance,
  ask,
  type OrderingHost,
  type Question,
  type Reply,
  type WizardInput,
} from '../../domain/wizard.ts';
import type { Answers, WrongAnswer } from '../../domain/wizard-step.ts';
import type { WizardSessionRow } from '../../store/tables/wizard-sessions.ts';
import { isRefusal, type Refusal } from '../errors.ts';
import { canonicalTag } from '../partner/localise.ts';
import type { PartnerOrderDeps } from '../partner/order-deps.ts';
import { completion, confirm, orderOf } from './confirmation.ts';
import {
  answersOf,
  findSession,
  isExpired,
  type Opener,
  openSession,
  type SessionLimits,
  saveSession,
} from './sessions.ts';

/** Ours: a country has hundreds of brands, and an agent reads every word. */
const MOST_OPTIONS = 50;

const START = 'Start again: send an empty object.';

export type Elicitation = PartnerOrderDeps & {
  readonly host: OrderingHost;
  readonly limits: SessionLimits;
};

/**
 * Answers one request of the guided purchase.
 * @throws {ScripError} MERCHANT_ERROR, CHAIN_UNREACHABLE; the session is then unchanged
 */
export async function elicit(
  parts: Elicitation,
  request: WireElicitationRequest,
  opener: Opener,
): Promise<WireElicitation | Refusal> {
  const { session_token: token } = request;
  if (token === undefined) return begin(parts, request, opener);
  const row = await findSession(parts, token, opener.client);
  if (!row) return refused('This session_token is unknown.', START);
  // Check this first: a confirmed purchase always gets the same answer.
  const order = await orderOf(parts, row);
  if (order) return completion(order);
  if (isExpired(parts, row)) {
    return refused(
      `The session expired after ${parts.limits.wizardIdleMs / 60_000} minutes without an answer.`,
      START,
    );
  }
  return goOn(parts, request, { row, token });
}

async function begin(
  parts: Elicitation,
  { answer, action, lang }: WireElicitationRequest,
  opener: Opener,
): Promise<WireElicitation | Refusal> {
  if (answer !== undefined || action !== undefined) {
    return refused(
      'The session_token is missing.',
      `Send the session_token of the first response. ${START}`,
    );
  }
  const answers = inLanguage({}, lang);
  const session = await openSession(parts, opener, answers);
  if (isRefusal(session)) return session;
  return questionView(await ask(parts.host, answers), session.token);
}

interface Session {
  readonly row: WizardSessionRow;
  readonly token: string;
}

async function goOn(
  parts: Elicitation,
  { answer, action, lang }: WireElicitationRequest,
  session: Session,
): Promise<WireElicitation> {
  const answers = inLanguage(answersOf(session.row), lang);
  if (answer !== undefined && action !== undefined) {
    const fix = verbatim('Send either an answer or the action back.');
    return wrongView(parts, session, answers, {
      error: verbatim('The request has both an answer and an action.'),
      fix,
    });
  }
  const reply = await step(parts, answers, { answer, action });
  if (!(await isKept(parts, session, reply))) {
    return wrongView(parts, session, await currentAnswers(parts, session), {
      error: verbatim('Another request of this session was answered first.'),
      fix: verbatim('Check previous_answers, then answer the current question.'),
    });
  }
  if (reply.kind === 'continue') return questionView(reply, session.token);
  if (reply.kind === 'error') return wrongView(parts, session, answers, reply);
  return finish(parts, session, answers);
}

/** Ours: the questions are in English; an invalid language is ignored. */
function inLanguage(answers: Answers, lang: string | undefined): Answers {
  const tag = lang === undefined ? undefined : canonicalTag(lang);
  return tag === undefined ? answers : { ...answers, lang: tag };
}

/** A request with neither answer nor action repeats the question. */
function step(
  { host }: Elicitation,
  answers: Answers,
  { answer, action }: Pick<WireElicitationRequest, 'answer' | 'action'>,
): Promise<Reply> {
  if (answer === undefined && action === undefined) return ask(host, answers);
  const input: WizardInput = answer === undefined ? { action: 'back' } : { answer };
  return advance(host, answers, input);
}

/** Two parallel confirmations change no answer, so both succeed and return the same order. */
async function isKept(
  parts: Elicitation,
  { row }: Session,
  { kind, answers }: Reply,
): Promise<boolean> {
  if (await saveSession(parts, row, answers)) return true;
  if (kind !== 'complete') return false;
  const now = await parts.store.tables.wizardSessions.byToken(row.tokenHash);
  return now?.answers === row.answers;
}

async function currentAnswers({ store }: Elicitation, { row }: Session): Promise<Answers> {
  return answersOf((await store.tables.wizardSessions.byToken(row.tokenHash)) ?? row);
}

async function finish(
  parts: Elicitation,
  session: Session,
  answers: Answers,
): Promise<WireElicitation> {
  const outcome = await orWrong(() => confirm(parts, parts.host, session.row, answers));
  if ('error' in outcome) return wrongView(parts, session, answers, outcome);
  return completion(outcome);
}

/** The chosen product may have left the catalog. */
async function orWrong<T>(work: () => Promise<T>): Promise<T | WrongAnswer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ScripError) || error.code !== 'PRODUCT_UNKNOWN') throw error;
    const fix = verbatim('Send the action back and choose another amount or brand.');
    return { error: error.sentence, fix, suggestions: [] };
  }
}

/** Includes the open question beside the error, so the client need not ask for it again. */
async function wrongView(
  { host }: Elicitation,
  { token }: Session,
  answers: Answers,
  { error, fix, suggestions = [] }: Partial<WrongAnswer> & Pick<WrongAnswer, 'error' | 'fix'>,
): Promise<WireElicitation> {
  return {
    ...questionView(await ask(host, answers), token),
    status: 'error',
    error: String(error),
    fix: String(fix),
    ...(suggestions.length > 0 && { suggestions: [...suggestions] }),
  };
}

function questionView(
  { question, expectedFormat, options, answers }: Question,
  token: string,
): WireElicitation {
  return {
    status: 'continue',
    session_token: token,
    question: String(question),
    expected_format: String(expectedFormat),
    ...(options.length > 0 && { options: options.slice(0, MOST_OPTIONS) }),
    previous_answers: { ...answers },
  };
}

function refused(error: string, fix: string): WireElicitation {
  return { status: 'error', error, fix };
}
