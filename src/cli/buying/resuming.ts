/** An order without a key may finish one that was begun before: the user is told so. */

import type { WirePartnerOrder } from '../../contract/partner-orders.ts';
import type { Intent } from '../../domain/journal.ts';
import { t } from '../../domain/message.ts';
import type { Context } from '../context.ts';
import { escapeText } from '../output/escape.ts';

interface Resumption {
  readonly isSaid: () => boolean;
  readonly say: (begun: Intent) => void;
  /** To whoever was not told that already. */
  readonly sayAlreadyBought: (bought: Intent) => void;
}

/** Said once, on stderr; in JSON mode the document says it. */
export function watchResumption({
  settings,
  io: { stderr, progress, localize },
}: Context): Resumption {
  const state = { isSaid: false };
  return {
    isSaid: () => state.isSaid,
    say: ({ createdAtMs }) => {
      if (!settings.isJson && !state.isSaid) {
        progress.done();
        const said = t`Finishing the order begun at ${timeText(createdAtMs)} UTC; to buy again, use an --idempotency-key of its own.`;
        stderr.write(`${localize(said)}\n`);
      }
      state.isSaid = true;
    },
    sayAlreadyBought: ({ createdAtMs }) => {
      if (settings.isJson || state.isSaid) return;
      progress.done();
      const said = t`Bought before, on ${timeText(createdAtMs)} UTC: nothing was paid now.`;
      stderr.write(`${localize(said)}\n`);
    },
  };
}

function timeText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
}

/** The order was paid, and not by this run. In JSON mode the document says it. */
export function sayPaidBefore({ settings, io: { stderr, progress, localize } }: Context): void {
  if (settings.isJson) return;
  progress.done();
  stderr.write(
    `${localize(t`Paid before, or by another run with this key: nothing was paid now.`)}\n`,
  );
}

/** Whoever did not name a key may have meant another order. */
export function sayMadeBefore(
  { settings, io: { stderr, progress, localize } }: Context,
  { order_id, created_at }: Pick<WirePartnerOrder, 'order_id' | 'created_at'>,
  idempotencyKey: string | undefined,
): void {
  if (settings.isJson) return;
  progress.done();
  const time = timeText(created_at * 1_000);
  const same =
    idempotencyKey === undefined
      ? t`to order again, use an --idempotency-key of its own.`
      : t`another --idempotency-key makes another order.`;
  const said = localize(t`This is order ${order_id}, made at ${time} UTC; ${same}`);
  stderr.write(`${escapeText(said)}\n`);
}
