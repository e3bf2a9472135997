/** `scrip track`: follows an order to its end. */
import type { Command } from 'commander';
import type { WireOrderStatus } from '../../contract/checkout.ts';
import { parseDuration } from '../amount.ts';
import type { Bind } from '../commands.ts';
import type { Context } from '../context.ts';
import { deliveryLines, outcomeError } from '../deliveries.ts';
import { addExamples } from '../examples.ts';
import type { View } from '../output/view.ts';

interface TrackOptions {
  readonly timeout: string;
}

export function register(command: Command, bind: Bind): void {
  command
    .argument('<order_id>', 'from scrip order or scrip orders')
    .option('--timeout <time>', 'how long to wait, such as 90s or 10m; 0s asks once', '10m')
    .action((orderId: string, options: TrackOptions) => {
      const timeoutMs = parseDuration(options.timeout);
      return bind((context) => run(context, orderId, timeoutMs));
    });
  addExamples(command, ['track <order_id>', 'track <order_id> --timeout 90s --json']);
}

async function run(context: Context, orderId: string, timeoutMs: number): Promise<View> {
  const { followOrder } = await import('../../client/follow.ts');
  const { fetch, clock, interrupted, progress, settings } = context;
  const { order } = await followOrder({
    fetch,
    baseUrl: settings.checkoutUrl,
    orderId,
    clock,
    timeoutMs,
    signal: interrupted,
    seen: ({ status }) => progress.step(`Order ${orderId} is ${status}`),
  });
  return trackedView(order);
}

function trackedView(order: WireOrderStatus): View {
  const error = outcomeError(order);
  return {
    kind: 'record',
    record: order,
    lines: [
      ['Order', order.order_id],
      ['Status', order.status],
      ...deliveryLines(order.deliveries ?? []),
    ],
    ...(error === undefined ? {} : { error }),
  };
}
