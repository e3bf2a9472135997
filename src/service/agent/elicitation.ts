/** The guided purchase over HTTP: the wizard, with its state stored under a token. */

import type { WireElicitation, WireElicitationRequest } from '../../contract/agent.ts';
import { PROBLEM_CODES, type ProblemCode } from '../../contract/codes.ts';
import { topLevelError, type WireTopLevelError } from '../../contract/partner-orders.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { joined, type Message, verbatim } from '../../domain/message/message.ts';
import { formatDecimal, parseAtomic } from '../../domain/money/money.ts';
import { awaitsPayment, endedWithoutGoods, isTerminal } from '../../domain/order/order-states.ts';
import {
  advance,
  ask,
  type OrderingHost,
  orderRequest,
  type Question,
  type Reply,
  type WizardInput,
} from '../../domain/wizard/wizard.ts';
import type { Answers, WrongAnswer } from '../../domain/wizard/wizard-step.ts';
import type { PartnerOrderRow } from '../../store/tables/partner-orders.ts';
import type { WizardSessionRow } from '../../store/tables/wizard-sessions.ts';
import { isRefusal, type Refusal } from '../http/replies.ts';
import { canonicalTag } from '../partner/catalog/views.ts';
import type { PartnerOrderDeps } from '../partner/order-deps.ts';
import { createOrder } from '../partner/orders/creation.ts';
import { SESSION_KEY } from '../partner/orders/order-key.ts';
import {
  answersOf,
  findSession,
  isExpired,
  type Opener,
  type OpenSession,
  openSession,
  saveSession,
} from './sessions.ts';

/** Ours: a country has hundreds of brands, and an agent reads every word. */
const MOST_OPTIONS = 50;

const START = 'Start again: send an empty object.';

export type Elicitation = PartnerOrderDeps & {
  readonly host: OrderingHost;
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

async function goOn(
  parts: Elicitation,
  { answer, action, lang }: WireElicitationRequest,
  session: OpenSession,
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
  { row }: OpenSession,
  { kind, answers }: Reply,
): Promise<boolean> {
  if (await saveSession(parts, row, answers)) return true;
  if (kind !== 'complete') return false;
  const now = await parts.store.tables.wizardSessions.byToken(row.tokenHash);
  return now?.answers === row.answers;
}

async function currentAnswers({ store }: Elicitation, { row }: OpenSession): Promise<Answers> {
  return answersOf((await store.tables.wizardSessions.byToken(row.tokenHash)) ?? row);
}

async function finish(
  parts: Elicitation,
  session: OpenSession,
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
  { token }: OpenSession,
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

// The end of the guided purchase: each session makes one order, however often it is confirmed.

const CHANGE = verbatim('Send the action back to change an answer.');

/** Returns the order that this session made, if any. */
function orderOf(
  { store }: PartnerOrderDeps,
  { applicationId, tokenHash }: WizardSessionRow,
): Promise<PartnerOrderRow | undefined> {
  return store.tables.partnerOrders.byIdempotencyKey(applicationId, keyOf(tokenHash));
}

/** Checks and creates the order under the session's key, or returns what is wrong with it. */
async function confirm(
  deps: PartnerOrderDeps,
  host: OrderingHost,
  session: WizardSessionRow,
  answers: Answers,
): Promise<PartnerOrderRow | WrongAnswer> {
  const asker = {
    applicationId: session.applicationId,
    idempotencyKey: keyOf(session.tokenHash),
    isOnce: true,
    // A token of 256 random bits cannot be guessed, so any address may repeat it.
    maker: null,
    caller: '',
  };
  const reply = await createOrder(deps, await orderRequest(host, answers), asker);
  const order = await orderOf(deps, session);
  if (order) return order;
  if (isRefusal(reply)) return { error: verbatim(reply.message), fix: CHANGE, suggestions: [] };
  const problem = topLevelError().safeParse(await reply.json());
  if (problem.success) return wrongOrder(problem.data);
  throw new ScripError('INTERNAL', verbatim('an order was made and is not found under its key'));
}

/** Where and how much to pay, and how to follow the order (interface: response when complete). */
function completion(order: PartnerOrderRow): WireElicitation {
  const coinAmount = formatDecimal(parseAtomic(order.coinAmountAtomic), order.decimals);
  const { walletAddress, coin, network, orderId, applicationId } = order;
  const address = walletAddress ?? '';
  const call = `call GET /v5/orders/${orderId} (header X-Cr-Application: ${applicationId})`;
  return {
    status: 'complete',
    next_step: awaitsPayment(order)
      ? `Send exactly ${coinAmount} ${coin} on ${network ?? ''} to ${address} before ` +
        `${new Date(order.windowEndsAtMs).toISOString()}. Then ${call} ` +
        'every 30 seconds until order_state is Done.'
      : afterPayment(order, call),
    payment_details: {
      walletAddress: address,
      coinSymbol: coin,
      coinAmount,
      network: network ?? '',
    },
  };
}

/** For an order that needs no payment: never asks to pay it. */
function afterPayment({ orderState }: PartnerOrderRow, call: string): string {
  if (endedWithoutGoods({ orderState })) {
    return `This order is ${orderState}: send no money. ${START_ANEW}`;
  }
  const end = isTerminal({ orderState });
  return end
    ? `This order is ${orderState}: send no money. To read its codes, ${call}.`
    : `This order is ${orderState}: send no money again. Now ${call} every 30 seconds until order_state is Done.`;
}

const START_ANEW = 'To buy, start again: send an empty object.';

const keyOf = (tokenHash: string): string => SESSION_KEY + tokenHash;

function wrongOrder({ detail, moreDetails, problems = [] }: WireTopLevelError): WrongAnswer {
  const known = problems.map(({ problem }) => problem).filter(isProblemCode);
  if (known.length === 0) {
    const isSaid =
      typeof moreDetails === 'object' && moreDetails !== null && 'message' in moreDetails;
    const error = isSaid ? verbatim(`${detail}: ${moreDetails.message}`) : verbatim(detail);
    return { error, fix: fixOf(detail), suggestions: [] };
  }
  const errors = known.map((code) => `${code}: ${PROBLEM_CODES[code].meaning}`);
  const fixes = known.map((code) => PROBLEM_CODES[code].remedy);
  return {
    error: verbatim(errors.join('; ')),
    fix: joined([...fixes, CHANGE], ' '),
    suggestions: [],
  };
}

function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(PROBLEM_CODES, code);
}

function fixOf(detail: string): Message {
  const fix = FIXES[detail];
  return fix === undefined ? verbatim(`Try again later. ${CHANGE}`) : verbatim(fix);
}

const FIXES: Readonly<Partial<Record<string, string>>> = {
  SUSPENDED_COIN: 'Send the action back and choose another coin.',
  SUSPENDED_NETWORK: 'Send the action back and choose another network.',
};
