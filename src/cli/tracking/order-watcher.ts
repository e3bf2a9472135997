/** Prints changes of orders that are followed at once, and runs the delivery actions. */
import { ScripError } from '../../domain/errors.ts';
import { type Said, t } from '../../domain/message.ts';
import { hasPaymentNews, purchaseStatus, stateMeaning } from '../../domain/order-states.ts';
import type { With } from '../context.ts';
import { localSaid } from '../i18n/localize.ts';
import { isGrowing, recordLine, rowText } from '../output/fields.ts';
import type { TrackedOrder } from '../schemas/purchase.ts';
import { type DeliveredOrder, type OnDelivery, tellDelivered } from './on-delivery.ts';

/** The last known state of an order. */
export interface Followed {
  readonly record: TrackedOrder;
  /** Why it is no success; undefined once delivered. */
  readonly error: ScripError | undefined;
  /** Undefined if the order could never be read. */
  readonly delivered: DeliveredOrder | undefined;
}

export interface Watcher {
  /** Prints the order if it has changed. */
  seen(record: TrackedOrder): void;
  /** Prints an order whose merchant cannot be asked now, unless its state was printed. */
  unanswered(record: TrackedOrder): void;
  /** Prints the final state, and runs the delivery actions. */
  ended(followed: Followed): Followed;
  /** Resolves when all delivery actions are done. */
  told(): Promise<void>;
  /** The first of the user's commands that failed. */
  failure(): ScripError | undefined;
}

export function createWatcher(
  context: With<'settings' | 'io' | 'system'>,
  onDelivery: OnDelivery,
): Watcher {
  const {
    settings,
    io: { stdout, stderr },
  } = context;
  const last = new Map<string, string>();
  const failures: ScripError[] = [];
  // One at a time: the output of parallel commands would mix.
  let telling: Promise<void> = Promise.resolve();
  const localize = async (delivered: DeliveredOrder): Promise<void> => {
    try {
      await tellDelivered(context, onDelivery, delivered);
    } catch (error) {
      if (!(error instanceof ScripError) || error.code !== 'EXEC_FAILED') throw error;
      failures.push(error);
      if (!settings.isJson) stderr.write(rowText([context.io.localize(error.sentence)], stderr));
    }
  };
  const seen = (record: TrackedOrder): void => {
    const { order_id, payment_state, error, ended } = record;
    const { output } = settings;
    const isText = output.format !== 'ndjson';
    // Several of the merchant's states may be one in words.
    const status = isText ? localSaid(statusText(record), context.io.localize) : record.status;
    const standing = [status, isText ? '' : payment_state, ended, ended ? error : null].join(' ');
    if (last.get(order_id) === standing) return;
    last.set(order_id, standing);
    if (!isText) stdout.write(recordLine(record, output));
    else if (isGrowing(output)) stdout.write(rowText(cellsOf(record, status), stdout));
  };
  return {
    seen,
    unanswered: (record) => last.has(record.order_id) || seen(record),
    ended(followed) {
      const { delivered, error } = followed;
      seen(followed.record);
      if (delivered !== undefined && error === undefined)
        telling = telling.then(() => localize(delivered));
      return followed;
    },
    told: () => telling,
    failure: () => failures[0],
  };
}

/** The word of `scrip orders`, and what it means for an order that is paid apart. */
export function statusText({ status, payment_state, host, surface }: TrackedOrder): Said {
  if (surface === 'checkout' || payment_state === null) {
    return status === 'unknown' ? t`${status} (no answer from ${host})` : status;
  }
  const states = { orderState: status, paymentState: payment_state };
  const payment = hasPaymentNews(states) ? stateMeaning('payment', payment_state) : undefined;
  return t`${purchaseStatus(states)} (${payment ?? stateMeaning('order', status) ?? status})`;
}

function cellsOf(record: TrackedOrder, state: string) {
  const { at, order_id, status, product_name, error, refunds = [] } = record;
  return [
    at.slice(11, 19),
    order_id,
    state,
    product_name,
    ...(error === null || status !== 'unknown' ? [] : [error]),
    ...refunds.map(({ amount, coin, state, proof }) => `${amount} ${coin}: ${proof ?? state}`),
  ];
}
