/** An order without a key may finish one that was begun before: the user is told so. */
import type { WirePartnerOrder } from '../contract/partner-orders.ts';
import type { Intent } from '../domain/journal.ts';
import type { Context } from './context.ts';
import { escapeText } from './output/escape.ts';

interface Resumption {
  readonly isSaid: () => boolean;
  readonly say: (begun: Intent) => void;
}

/** Said once, on stderr; in JSON mode the document says it. */
export function watchResumption({ settings, stderr, progress, tell }: Context): Resumption {
  const state = { isSaid: false };
  return {
    isSaid: () => state.isSaid,
    say: ({ createdAtMs }) => {
      if (!settings.isJson && !state.isSaid) {
        const time = new Date(createdAtMs).toISOString().slice(0, 16).replace('T', ' ');
        progress.done();
        const said = `Finishing the order begun at ${time} UTC; to buy again, use an --idempotency-key of its own.`;
        stderr.write(`${tell(said)}\n`);
      }
      state.isSaid = true;
    },
  };
}

/** Whoever did not name a key may have meant another order. */
export function sayMadeBefore(
  { settings, stderr, progress, tell }: Context,
  { order_id, created_at }: Pick<WirePartnerOrder, 'order_id' | 'created_at'>,
  idempotencyKey: string | undefined,
): void {
  if (settings.isJson) return;
  progress.done();
  const time = new Date(created_at * 1_000).toISOString().slice(0, 16).replace('T', ' ');
  const same =
    idempotencyKey === undefined
      ? 'to order again, use an --idempotency-key of its own.'
      : 'another --idempotency-key makes another order.';
  const said = tell(`This is order ${order_id}, made at ${time} UTC; ${same}`);
  stderr.write(`${escapeText(said)}\n`);
}
