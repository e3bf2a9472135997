/** `scrip sandbox pay`, `cancel`, `refund` and others: simulates events of a partner API order. */

import type { Command } from 'commander';
import { partnerHost } from '../../api/partner/place.ts';
import { commandText } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { isTerminal } from '../../domain/order-states.ts';
import { checkPlainDecimal } from '../amount.ts';
import { addExamples, type Bind } from '../command.ts';
import type { With } from '../context.ts';
import { forOutput } from '../orders/codes.ts';
import { checkPartnerOrderId } from '../orders/order-id.ts';
import type { View } from '../output/view.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';
import { refuseServing } from './operated.ts';

interface PayFlags {
  readonly amount?: string;
  readonly fail?: boolean;
}

const AT_SERVER = t`It asks the sandbox that serves the order: name that with --api-url, or --profile.`;

const ACTIONS = {
  cancel: 'cancel an unpaid order',
  refund: 'refund an order',
  resolve: 'remove what holds an order up',
  close: 'close a partly delivered order',
  clear: 'let a payment pass the compliance check',
} as const;
type Action = keyof typeof ACTIONS;

export function declareSandboxOrders(command: Command, bind: Bind): void {
  const pay = command
    .command('pay')
    .description('simulate the payment of an order on a network the sandbox does not run')
    .argument('<order_id>', 'its id, or the beginning of it')
    .option('--amount <amount>', 'pay only this much, in the coin of the order')
    .option('--fail', 'the payment fails on its network')
    .action((id: string, flags: PayFlags, self: Command) => {
      refuseServing(self, { hint: AT_SERVER });
      if (flags.amount !== undefined) checkPlainDecimal(flags.amount);
      return bind(async (context) => playPayment(context, await meant(context, id, 'pay'), flags));
    });
  addExamples(pay, ['sandbox pay <order_id>', 'sandbox pay <order_id> --amount 0.0001']);
  for (const [name, what] of Object.entries(ACTIONS)) {
    const action = command
      .command(name)
      .description(what)
      .argument('<order_id>', 'its id, or the beginning of it')
      .action((id: string, _flags: unknown, self: Command) => {
        refuseServing(self, { hint: AT_SERVER });
        return bind(async (context) => press(context, await meant(context, id, name), name));
      });
    addExamples(action, [`sandbox ${name} <order_id>`]);
  }
}

/** @throws {ScripError} INPUT_INVALID for an order of the checkout host */
async function meant(
  context: With<'settings' | 'io' | 'parts' | 'keys'>,
  id: string,
  action: string,
): Promise<string> {
  const { orderMeant } = await import('../orders/order-meant.ts');
  return checkPartnerOrderId(await orderMeant(context, id, ['sandbox', action]));
}

async function playPayment(context: ScripContext, orderId: string, flags: PayFlags): Promise<View> {
  const { callPartner } = await import('../../api/partner/partner.ts');
  const { paySandboxOrder } = await import('../../contract/sandbox-orders.ts');
  const { partnerOrderView } = await import('../orders/partner-order.ts');
  try {
    const order = await callPartner(partnerHost(scripDeps(context)), paySandboxOrder, {
      order_id: orderId,
      amount: flags.amount,
      fail: flags.fail,
    });
    const view = await partnerOrderView(order);
    const next = isTerminal({ orderState: order.order_state })
      ? {}
      : { note: commandText`To keep waiting: scrip track ${orderId}` };
    return forOutput(context, { ...next, ...view }, { isRevealed: false });
  } catch (error) {
    throw explained(error, orderId);
  }
}

async function press(context: ScripContext, orderId: string, name: string): Promise<View> {
  const { callPartner } = await import('../../api/partner/partner.ts');
  const { pressSandboxButton } = await import('../../contract/sandbox-orders.ts');
  const { partnerOrderView } = await import('../orders/partner-order.ts');
  // Safe: commands exist only for the keys of ACTIONS.
  const action = name as Action;
  const order = await callPartner(partnerHost(scripDeps(context)), pressSandboxButton, {
    order_id: orderId,
    action,
  });
  return forOutput(context, await partnerOrderView(order), { isRevealed: false });
}

function explained(error: unknown, orderId: string): unknown {
  if (!(error instanceof ScripError) || error.details.detail !== 'PAY_ON_CHAIN') return error;
  return new ScripError(
    'ORDER_NOT_PAYABLE',
    t`This order is paid by a transfer on the sandbox’s chain, not by a simulated one`,
    {
      cause: error,
      hint: commandText`Run: scrip pay ${orderId}`,
    },
  );
}
