/**
 * Asks the user to confirm a payment through a form of the client (MCP elicitation). Without the form, no
 * payment.
 */

import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { NO_REFUND_ADDRESS, type PaymentQuote } from '../api/partner/pay-terms.ts';
import type { Clock } from '../domain/clock.ts';
import { commandText } from '../domain/command-text.ts';
import { ScripError } from '../domain/errors.ts';
import { verbatim } from '../domain/message.ts';
import { formatDecimal } from '../domain/money.ts';
import { escapeText } from '../domain/visible-text.ts';

/** No answer within this time counts as No. */
const CONFIRM_TIMEOUT_MS = 60_000;
/** The SDK's own timeout ignores our Clock, so it is set to the longest possible. */
const SDK_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * Checks that the client can show a form to its user.
 * @throws {ScripError} CONFIRMATION_REQUIRED when it cannot
 */
export function checkConfirmable(server: Server, orderId: string): void {
  const elicitation = server.getClientCapabilities()?.elicitation;
  // A client that names no elicitation mode supports forms (2025-06-18); one that names only `url` does not.
  const hasForms =
    elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
  if (hasForms) return;
  throw new ScripError(
    'CONFIRMATION_REQUIRED',
    verbatim('This client cannot ask its user, so nothing was paid'),
    {
      hint: commandText`Ask the user to run in a terminal: scrip pay ${orderId}`,
      details: { order_id: orderId },
    },
  );
}

interface Asking {
  readonly server: Server;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly signal: AbortSignal;
  /** The tool call that asks: over HTTP the question goes out on that call's stream. */
  readonly relatedRequestId: string | number;
}

/** Asks the user. @throws {ScripError} DECLINED for any answer but yes, and without an answer in time */
export async function confirmPayment(quote: PaymentQuote, asking: Asking): Promise<void> {
  const answer = await inTime(quote, asking).catch((cause: unknown) => {
    throw declined(quote, 'The question was not answered; nothing was paid', cause);
  });
  if (answer.action === 'accept' && answer.content?.pay === true) return;
  throw declined(quote, 'The user declined; nothing was paid');
}

/** Cancels the question when the time is up, so that the client closes its form. */
async function inTime(quote: PaymentQuote, asking: Asking) {
  const [late, answered] = [new AbortController(), new AbortController()];
  asking.clock.sleep(CONFIRM_TIMEOUT_MS, answered.signal).then(
    () => late.abort(new ScripError('DECLINED', verbatim('There was no answer in time'))),
    () => undefined,
  );
  try {
    return await put(quote, { ...asking, signal: AbortSignal.any([asking.signal, late.signal]) });
  } finally {
    answered.abort();
  }
}

function put(quote: PaymentQuote, { server, signal, relatedRequestId }: Omit<Asking, 'clock'>) {
  return server.elicitInput(
    {
      mode: 'form',
      message: questionText(quote),
      requestedSchema: {
        type: 'object',
        properties: {
          pay: {
            type: 'boolean',
            title: 'Pay this order',
            description: 'Yes sends the money; it cannot be taken back.',
          },
        },
        required: ['pay'],
      },
    },
    { timeout: SDK_TIMEOUT_MS, signal, relatedRequestId },
  );
}

function questionText(quote: PaymentQuote): string {
  const { amountAtomic, decimals, coin, network, payTo, order, refundsTo } = quote;
  const { recipients = [], emails = [] } = quote;
  return [
    `Pay ${formatDecimal(amountAtomic, decimals)} ${coin} from your wallet?`,
    `Asset: ${coin}`,
    `Network: ${network}`,
    `Recipient: ${payTo}`,
    `Order: ${order.order_id}`,
    ...recipients.map((recipient) => `For: ${recipient}`),
    ...emails.map((email) => `E-mail of the order: ${email}`),
    `Refunds to: ${refundsTo ?? NO_REFUND_ADDRESS}`,
  ]
    .map((line) => escapeText(line, 300))
    .join('\n');
}

function declined({ order }: PaymentQuote, message: string, cause?: unknown): ScripError {
  return new ScripError('DECLINED', verbatim(message), {
    cause,
    hint: commandText`Do not ask again unless the user says so. In a terminal: scrip pay ${order.order_id}`,
    details: { order_id: order.order_id },
  });
}
