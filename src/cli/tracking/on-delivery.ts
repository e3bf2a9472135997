/** What happens on this machine while an order is followed: a person is told how to pay it and how it moves on; on delivery the bell rings and the user's command runs. */

import type { Command } from 'commander';
import { asProgress } from '../../api/following.ts';
import type { OrderSnapshot } from '../../api/merchant.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { awaitsPayment, isSimulated } from '../../domain/order/order-states.ts';
import type { BuyerContext, With } from '../context.ts';
import { maskCodes } from '../orders/codes.ts';
import type { PaymentWindow } from '../orders/payment-window.ts';
import { toJson } from '../output/json.ts';
import { splitWords } from '../parsing/words.ts';

export interface DeliveryFlags {
  readonly bell?: boolean;
  readonly exec?: string;
  readonly reveal?: boolean;
}

export interface OnDelivery {
  readonly isBellRung: boolean;
  /** The program and its arguments; undefined runs nothing. */
  readonly command: readonly string[] | undefined;
  /** Whether the command gets the codes. */
  readonly isRevealed: boolean;
}

/** A delivered order, with the merchant's document. */
export interface DeliveredOrder {
  readonly orderId: string;
  /** The merchant's own state: `completed`, `Done`. */
  readonly state: string;
  readonly order: unknown;
}

const BELL = '\u0007';
/** More time than any notification takes. */
const TIMEOUT_MS = 60_000;

export function addDeliveryOptions(command: Command): Command {
  return command
    .option('--bell', 'ring the terminal’s bell on delivery')
    .option(
      '--exec <command>',
      'run a command on delivery, without a shell; its standard input is the order as JSON (docs/use/tracking.md)',
    );
}

/** Reads the options. @throws {ScripError} INPUT_INVALID for a command that cannot be split into words */
export function readOnDelivery({ bell, exec, reveal }: DeliveryFlags): OnDelivery {
  return {
    isBellRung: bell ?? false,
    command: exec === undefined ? undefined : splitWords(exec, '--exec'),
    isRevealed: reveal ?? false,
  };
}

/**
 * Rings the bell and runs the user's command.
 * @throws {ScripError} EXEC_FAILED: the order is delivered all the same
 */
export async function tellDelivered(
  { settings, io: { stderr }, system }: BuyerContext,
  { isBellRung, command, isRevealed }: OnDelivery,
  { orderId, state, order }: DeliveredOrder,
): Promise<void> {
  if (isBellRung && stderr.isTerminal && !settings.isJson) stderr.write(BELL);
  if (command === undefined) return;
  const ended = await system.runProgram({
    command,
    input: toJson(isRevealed ? order : maskCodes(order)),
    variables: { SCRIP_ORDER_ID: orderId, SCRIP_ORDER_STATE: state },
    isHeard: !settings.isJson,
    timeoutMs: TIMEOUT_MS,
  });
  if ('status' in ended && ended.status === 0) return;
  const why = 'failure' in ended ? ended.failure : t`it ended with status ${ended.status}`;
  throw new ScripError(
    'EXEC_FAILED',
    t`Order ${orderId} is delivered, but the command of --exec failed: ${why}`,
    { details: { order_id: orderId, ...ended } },
  );
}

export function toldWhileFollowed(
  context: With<'settings' | 'io'>,
  {
    orderId,
    window,
    isWaiting,
  }: {
    readonly orderId: string;
    readonly window: PaymentWindow;
    /** Otherwise the order is printed at once, and says how it is paid. */
    readonly isWaiting: boolean;
  },
) {
  const { settings, io } = context;
  const progress = asProgress(io, orderId);
  const isRead = isWaiting && io.stderr.isTerminal && settings.output.format === 'text';
  // One text after the other: the way to pay may have a picture, which is drawn later.
  let telling: Promise<void> = Promise.resolve();
  let isAtStart = true;
  return {
    seen: (snapshot: OrderSnapshot): void => {
      if (isAtStart && isRead) telling = toldHowToPay(context, snapshot, window);
      isAtStart = false;
      telling = telling.then(() => progress.seen(snapshot));
    },
    reconnecting: progress.reconnecting,
    unanswered: progress.unanswered,
    /** Resolves when everything so far is on the screen. */
    settled: () => telling,
  };
}

async function toldHowToPay(
  context: With<'io'>,
  { document }: OrderSnapshot,
  window: PaymentWindow,
): Promise<void> {
  if (document.form !== 'partner') return;
  const { order } = document;
  if (!awaitsPayment({ orderState: order.order_state })) return;
  const [{ partnerOrderView }, { showPayment }] = await Promise.all([
    import('../orders/partner-order.ts'),
    import('../ordering/payment-elsewhere.ts'),
  ]);
  await showPayment(context, await partnerOrderView(order, undefined, window), isSimulated(order));
}
