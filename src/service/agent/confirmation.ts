/** The end of the guided purchase: each session makes one order, however often it is confirmed. */

import type { WireElicitation } from '../../contract/agent.ts';
import { PROBLEM_CODES, type ProblemCode } from '../../contract/codes.ts';
import { topLevelError } from '../../contract/partner-orders.ts';
import { ScripError } from '../../domain/errors.ts';
import { joined, type Message, verbatim } from '../../domain/message.ts';
import { formatDecimal, parseAtomic } from '../../domain/money.ts';
import { awaitsPayment, endedWithoutGoods, isTerminal } from '../../domain/order-states.ts';
import { type OrderingHost, orderRequest } from '../../domain/wizard.ts';
import type { Answers, WrongAnswer } from '../../domain/wizard-step.ts';
import type { PartnerOrderRow } from '../../store/tables/partner-orders.ts';
import type { WizardSessionRow } from '../../store/tables/wizard-sessions.ts';
import { isRefusal } from '../errors.ts';
import { createOrder } from '../partner/creation.ts';
import type { PartnerOrderDeps } from '../partner/order-deps.ts';
import { SESSION_KEY } from '../partner/order-key.ts';

const CHANGE = verbatim('Send the action back to change an answer.');

/** Returns the order that this session made, if any. */
export function orderOf(
  { store }: Pick<PartnerOrderDeps, 'store'>,
  { applicationId, tokenHash }: WizardSessionRow,
): Promise<PartnerOrderRow | undefined> {
  return store.tables.partnerOrders.byIdempotencyKey(applicationId, keyOf(tokenHash));
}

/** Checks and creates the order under the session's key, or returns what is wrong with it. */
export async function confirm(
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
export function completion(order: PartnerOrderRow): WireElicitation {
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

interface TopLevel {
  readonly detail: string;
  readonly moreDetails?: unknown;
}

function wrongOrder({ detail, moreDetails }: TopLevel): WrongAnswer {
  const problems = problemsIn(moreDetails);
  if (problems.length === 0) {
    const said = fieldOf(moreDetails, 'message');
    const error = typeof said === 'string' ? verbatim(`${detail}: ${said}`) : verbatim(detail);
    return { error, fix: fixOf(detail), suggestions: [] };
  }
  const errors = problems.map((code) => `${code}: ${PROBLEM_CODES[code].meaning}`);
  const fixes = problems.map((code) => PROBLEM_CODES[code].remedy);
  return {
    error: verbatim(errors.join('; ')),
    fix: joined([...fixes, CHANGE], ' '),
    suggestions: [],
  };
}

function fixOf(detail: string): Message {
  const fix = FIXES[detail];
  return fix === undefined ? verbatim(`Try again later. ${CHANGE}`) : verbatim(fix);
}

const FIXES: Readonly<Partial<Record<string, string>>> = {
  SUSPENDED_COIN: 'Send the action back and choose another coin.',
  SUSPENDED_NETWORK: 'Send the action back and choose another network.',
};

function problemsIn(moreDetails: unknown): readonly ProblemCode[] {
  const problems = fieldOf(moreDetails, 'problems');
  if (!Array.isArray(problems)) return [];
  return problems.map((entry) => fieldOf(entry, 'problem')).filter(isProblemCode);
}

function isProblemCode(value: unknown): value is ProblemCode {
  return typeof value === 'string' && Object.hasOwn(PROBLEM_CODES, value);
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return Object.fromEntries(Object.entries(value))[name];
}
