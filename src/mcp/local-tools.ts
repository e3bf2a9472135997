/** The tool server on the user's own machine: wraps texts from outside, hides codes, pays only if allowed. */

import { z } from 'zod';
import type { PaymentQuote } from '../api/partner/pay-terms.ts';
import { partnerOrder } from '../contract/partner-orders.ts';
import { commandText } from '../domain/message/command-text.ts';
import { ScripError } from '../domain/message/errors.ts';
import { verbatim } from '../domain/message/message.ts';
import { capFor } from '../domain/money/cap.ts';
import { formatDecimal } from '../domain/money/money.ts';
import type { ToolServerOptions } from './server.ts';
import {
  type Disclosure,
  describeTool,
  disclosed,
  readInput,
  type Tool,
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
  options: LocalToolOptions & Pick<ToolServerOptions, 'backend' | 'version'>,
): Omit<ToolServerOptions, 'clock' | 'ended'> {
  const { areCodesShown, backend, version } = options;
  const disclosure = { isGuarded: true, areCodesShown };
  return { tools: localTools(options), disclosure, backend, version };
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
    ...describeTool('payOrder', { input, output, hints }),
    async run(args, { backend, signal, confirm, checkConfirmable }) {
      const { order_id: orderId, max_amount: most } = readInput(input, args);
      const pay = backend.local?.pay;
      if (pay === undefined) {
        throw new ScripError('ORDER_NOT_PAYABLE', verbatim('This server is not allowed to pay'));
      }
      checkConfirmable(orderId);
      const agree = async (quote: PaymentQuote): Promise<void> => {
        checkQuote(quote, most);
        await confirm(quote);
      };
      return { result: render(await pay(orderId, agree, signal)) };
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
