/** The tool server on the user's own machine: wraps texts from outside, hides codes, pays only if allowed. */

import { z } from 'zod';
import { NO_REFUND_ADDRESS, type PaymentQuote } from '../api/partner/pay-terms.ts';
import { partnerOrder } from '../contract/partner-orders.ts';
import { commandText } from '../domain/message/command-text.ts';
import { ScripError } from '../domain/message/errors.ts';
import { escapeText, verbatim } from '../domain/message/message.ts';
import { capFor } from '../domain/money/cap.ts';
import { formatDecimal } from '../domain/money/money.ts';
import type { Question } from './asking.ts';
import type { ToolServerOptions } from './server.ts';
import {
  type Disclosure,
  describeTool,
  disclosed,
  PAY_ORDER,
  readInput,
  type Tool,
  type ToolCall,
  wireTools,
} from './tools.ts';

export interface LocalToolOptions {
  /** Whether to offer the tool `payOrder`. */
  readonly mayPay: boolean;
  readonly areCodesShown: boolean;
}

export function localTools({ mayPay, areCodesShown }: LocalToolOptions): readonly Tool[] {
  const disclosure = { isGuarded: true, areCodesShown };
  return [...wireTools(disclosure), ...(mayPay ? [payTool(disclosure)] : [])];
}

/** The options of a server with these tools. */
export function localServer(
  options: LocalToolOptions & Pick<ToolServerOptions, 'backend' | 'version' | 'stateKey'>,
): Omit<ToolServerOptions, 'clock' | 'ended'> {
  const { areCodesShown, backend, version, stateKey } = options;
  const disclosure = { isGuarded: true, areCodesShown };
  return { tools: localTools(options), disclosure, backend, version, stateKey };
}

// `payOrder` (ours): pays an order from the local wallet after the user has confirmed it.

/** Takes no address and no network: both come from the order, and the journal checks them. */
const payInput = () =>
  z.strictObject({
    order_id: z.uuid().describe('From createOrder, or from next_step of purchaseElicitation'),
    max_amount: z
      .string()
      .regex(/^(0|[1-9]\d{0,14})(\.\d{1,18})?$/, 'a plain decimal number, such as 25 or 25.50')
      .describe('The most that may be paid, in the coin of the order'),
  });

export function payTool(disclosure: Disclosure): Tool {
  const input = payInput();
  const { output, render } = disclosed(
    z.object({ order: partnerOrder(), transactions: z.array(z.string()) }),
    disclosure,
  );
  const hints = { readOnly: false, idempotent: true, destructive: true };
  return {
    ...describeTool(PAY_ORDER, { input, output, hints }),
    async run(args, call) {
      const { order_id: orderId, max_amount: most } = readInput(input, args);
      const pay = call.backend.local?.pay;
      if (pay === undefined) {
        throw new ScripError('ORDER_NOT_PAYABLE', verbatim('This server is not allowed to pay'));
      }
      const agree = async (quote: PaymentQuote): Promise<void> => {
        checkQuote(quote, most);
        const { local } = call.backend;
        if (local === undefined || (await local.mayPayAlone(quote))) return;
        if (call.hasForms) await confirmPayment(quote, call);
        else await local.approve(orderId, questionText(quote));
      };
      return { result: render(await pay(orderId, agree, call)) };
    },
  };
}

/**
 * Checks the price against the maximum.
 * @throws {ScripError} AMOUNT_OVER_CAP, or REQUIREMENT_UNACCEPTABLE if the recipient has no token account yet
 */
function checkQuote(quote: PaymentQuote, most: string): void {
  const { amountAtomic, decimals, coin, openingCost } = quote;
  const amount = formatDecimal(amountAtomic, decimals);
  capFor({ priceAtomic: amountAtomic, decimals }, most, () => ({
    message: verbatim(`The order costs ${amount} ${coin}, more than max_amount ${most}`),
    hint: verbatim('Ask the user whether the higher amount is right, then raise max_amount.'),
    details: { amount, max_amount: most },
  }));
  if (openingCost !== null) {
    throw new ScripError(
      'REQUIREMENT_UNACCEPTABLE',
      verbatim('The recipient has no token account yet, and opening it costs extra'),
      { hint: commandText`The user can pay it in a terminal: scrip pay ${quote.order.order_id}` },
    );
  }
}

// The question before a payment: in a form of the client, or else of a person at a terminal.

/** No answer within this time counts as No. */
const CONFIRM_TIMEOUT_MS = 60_000;

/** Asks the user. @throws {ScripError} DECLINED for any answer but yes, and without an answer in time */
async function confirmPayment(quote: PaymentQuote, { ask }: ToolCall): Promise<void> {
  const question = {
    message: questionText(quote),
    withinMs: CONFIRM_TIMEOUT_MS,
    requestedSchema: YES_OR_NO,
  };
  const answer = await ask(question).catch((cause: unknown) => {
    throw declined(quote, 'The question was not answered; nothing was paid', cause);
  });
  if (answer.action === 'accept' && answer.content?.pay === true) return;
  throw declined(quote, 'The user declined; nothing was paid');
}

const YES_OR_NO: Question['requestedSchema'] = {
  type: 'object',
  properties: {
    pay: {
      type: 'boolean',
      title: 'Pay this order',
      description: 'Yes sends the money; it cannot be taken back.',
    },
  },
  required: ['pay'],
};

function questionText(quote: PaymentQuote): string {
  const { amountAtomic, decimals, coin, network, payTo, order, refundsTo } = quote;
  const { recipients = [], emails = [], product, ordered = [] } = quote;
  const more = ordered.length > 1 ? ` and ${ordered.length - 1} more` : '';
  return [
    `Pay ${formatDecimal(amountAtomic, decimals)} ${coin} from your wallet?`,
    ...(product ? [`Product: ${product}${more}`] : []),
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
