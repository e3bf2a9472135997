/** `scrip track`: follows an order of either side of the merchant to its end. */
import { type Command, Option } from 'commander';
import type { FollowMode } from '../../client/follow-stream.ts';
import type { WireOrderStatus } from '../../contract/checkout.ts';
import { ScripError } from '../../domain/errors.ts';
import { parseDuration } from '../amount.ts';
import { forOutput } from '../codes.ts';
import type { Bind } from '../commands.ts';
import type { Context } from '../context.ts';
import { deliveryLines, outcomeError } from '../deliveries.ts';
import { addExamples } from '../examples.ts';
import { recordLine } from '../output/fields.ts';
import type { View } from '../output/view.ts';

interface TrackFlags {
  readonly timeout: string;
  readonly reveal?: boolean;
  readonly follow?: FollowMode;
}

interface TrackOptions {
  readonly orderId: string;
  readonly timeoutMs: number;
  /** Undefined prints the last state alone. */
  readonly follow: FollowMode | undefined;
}

export function register(command: Command, bind: Bind): void {
  command
    .argument('<order_id>', 'from scrip order or scrip orders')
    .addOption(
      new Option(
        '--follow <way>',
        'how to follow an order of the partner API; with --json or --ndjson, a line for each change',
      ).choices(['sse', 'poll', 'auto']),
    )
    .option('--timeout <time>', 'how long to wait, such as 90s or 10m; 0s asks once', '10m')
    .option('--reveal', 'print the code in a pipe as well; without it, masked there')
    .action((orderId: string, { timeout, follow, reveal = false }: TrackFlags) => {
      const timeoutMs = parseDuration(timeout);
      return bind(async (context) => {
        const view = await run(context, { orderId, timeoutMs, follow });
        return forOutput(context, view, { isRevealed: reveal });
      });
    });
  addExamples(command, [
    'track <order_id>',
    'track <order_id> --timeout 90s --json',
    'track <order_id> --follow sse --timeout 30m --json',
  ]);
}

/** Orders of the partner API are UUIDs; those of the checkout host are not. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

async function run(context: Context, options: TrackOptions): Promise<View> {
  const { orderId, timeoutMs, follow } = options;
  const { output } = context.settings;
  const isWritten =
    output.format === 'ndjson' || (output.format === 'json' && follow !== undefined);
  const { atRecordedHost } = await import('../recorded-place.ts');
  const there = await atRecordedHost(context, orderId);
  if (!UUID.test(orderId)) return trackCheckout(there, options, isWritten);
  const { followedView } = await import('../partner-following.ts');
  return followedView(there, { orderId, timeoutMs, mode: follow ?? 'auto', isWritten });
}

/** The checkout host has no stream: it is asked every 5 to 10 seconds. */
async function trackCheckout(
  context: Context,
  { orderId, timeoutMs }: TrackOptions,
  isWritten: boolean,
): Promise<View> {
  const { followOrder } = await import('../../client/follow.ts');
  const { fetch, clock, interrupted, progress, settings, stdout } = context;
  const state = { last: '' };
  const { order } = await followOrder({
    fetch,
    baseUrl: settings.checkoutUrl,
    orderId,
    clock,
    timeoutMs,
    signal: interrupted,
    seen: (read) => {
      const line = recordLine(read, settings.output);
      if (isWritten && line !== state.last) stdout.write(line);
      state.last = line;
      progress.step(`Order ${orderId} is ${read.status}`);
    },
  });
  await keepGoods(context, order);
  return { ...trackedView(order), isWritten };
}

/** Into the journal, where the purchase is of this machine; following needs neither wallet nor journal. */
async function keepGoods(context: Context, order: WireOrderStatus): Promise<void> {
  if (order.status !== 'completed') return;
  const [{ acceptedOrder, factOf }, { hostName }] = await Promise.all([
    import('../../domain/journal.ts'),
    import('../purchasing.ts'),
  ]);
  const { settings, wallets } = context;
  try {
    const signer = await wallets.open(settings.keypairPath);
    const journal = await context.journal(signer);
    const entry = (await journal.all()).find(
      (candidate) =>
        candidate.intent.host === hostName(settings) &&
        acceptedOrder(candidate)?.orderId === order.order_id,
    );
    const attempt = entry && acceptedOrder(entry)?.attempt;
    if (entry === undefined || attempt === undefined || factOf(entry, 'goods')) return;
    const sealed = (await context.vault(signer)).seal(JSON.stringify(order));
    await journal.addFact(entry.intent, { fact: 'goods', attempt, status: 'completed', sealed });
  } catch (error) {
    if (!(error instanceof ScripError)) throw error;
  }
}

function trackedView(order: WireOrderStatus) {
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
  } as const;
}
