/**
 * Prints notices about a purchase in progress to stderr; in JSON mode the final document has the information.
 */

import type { Notice } from '../../api/scrip.ts';
import { requestIn } from '../../domain/journal/paid-request.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { joined, type Message, t } from '../../domain/message/message.ts';
import type { With } from '../context.ts';
import { clockTime, utcTime } from '../output/instant.ts';
import { sentenceText } from '../output/wrap.ts';

/** Prints each notice once. After "resuming", leaves out "bought before": it means the same. */
export function noticePrinter({ io, settings, parts }: With<'settings' | 'io' | 'parts'>) {
  const told: Told = (atMs) =>
    settings.mayPrompt
      ? clockTime(atMs, { nowMs: parts.clock.now(), lang: settings.lang })
      : utcTime(atMs);
  const state = { isResumed: false, isTold: false };
  const say = (said: Message): void => {
    io.progress.done();
    io.stderr.write(sentenceText(io.localize(said), io.stderr));
  };
  return {
    /** Whether the purchase continues one that an earlier run began. */
    isResumed: () => state.isResumed,
    notify: (notice: Notice): void => {
      const isKnown = state.isTold;
      state.isTold ||= FIRST.has(notice.kind);
      state.isResumed ||= isKeyless(notice);
      if (settings.isJson) return;
      if (notice.kind === 'paying') {
        if (settings.mayPrompt) io.progress.done(t`Order placed ${notice.offer.order.order_id}`);
        return;
      }
      const said = isKnown && ONCE.has(notice.kind) ? undefined : noticeText(notice, told);
      if (said !== undefined) say(said);
    },
  };
}

/** One of these says that an earlier purchase is continued; what follows is not said again. */
const FIRST: ReadonlySet<Notice['kind']> = new Set(['resuming', 'paid-already']);
const ONCE: ReadonlySet<Notice['kind']> = new Set([
  'resuming',
  'made-before',
  'bought-before',
  'paid-before',
]);

/** Whether it continues a purchase although no key names it. */
function isKeyless(notice: Notice): boolean {
  return notice.kind === 'resuming' || (notice.kind === 'paid-already' && notice.key === undefined);
}

/** Writes a time as its reader expects it. */
type Told = (atMs: number) => string;

function noticeText(notice: Exclude<Notice, { readonly kind: 'paying' }>, told: Told): Message {
  switch (notice.kind) {
    case 'resuming':
      if (requestIn(notice.begun) !== undefined) {
        return t`Continuing the request of ${told(notice.begun.createdAtMs)}. To pay for a new one, use another --idempotency-key.`;
      }
      return againText(t`Finishing the order started at ${told(notice.begun.createdAtMs)}.`);
    case 'paid-already': {
      const time = told(notice.begun.createdAtMs);
      return againText(t`Finishing the order started at ${time}, which is already paid.`);
    }
    case 'bought-before':
      return t`Already bought at ${told(notice.bought.createdAtMs)}; nothing was paid this time.`;
    case 'paid-before':
      return t`Already paid, or paid by another run with this key; nothing was paid this time.`;
    case 'made-before': {
      const { order_id, created_at } = notice.order;
      return againText(t`This is order ${order_id}, placed at ${told(created_at * 1_000)}.`);
    }
    case 'looked-after': {
      const { count, left } = notice;
      const parts = [
        ...(count === left ? [] : [t`${count - left} finished now`]),
        ...(left === 0 ? [] : [commandText`${left} still open. Run: scrip orders resume`]),
      ];
      return t`Earlier unfinished purchases: ${joined(parts)}`;
    }
  }
}

/** Without both options, the earlier purchase is continued, or the new one is refused as its duplicate. */
function againText(said: Message): Message {
  const again = t`To buy it again, add --allow-duplicate and a new --idempotency-key.`;
  return joined([said, again], ' ');
}
