/**
 * Adopts payments of a key that another journal made: records them as this purchase's payment instead of
 * signing another.
 */

import type { WirePartnerOrder } from '../../contract/partner-orders.ts';
import { type Attempt, type Entry, type Intent, nextNumber } from '../../domain/journal/journal.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import type { OwnPayment } from '../../rails/rail.ts';
import type { PurchaseDeps } from '../checkout/purchase-deps.ts';
import {
  entryForTransfer,
  type OrderJournal,
  readOrderJournal,
  transferTerms,
} from '../partner/partner-journal.ts';
import { usedBefore } from '../payment/intent.ts';
import type { KeyWatch } from '../payment/payment-tag.ts';
import { attemptOf } from './salvage.ts';

/**
 * Journals a payment of this key that has landed, or is about to, without this journal knowing; undefined if
 * there is none.
 * @throws {ScripError} IDEMPOTENCY_KEY_REUSED, PAID_ELSEWHERE, and what `KeyWatch.look` throws
 */
export async function adoptPayment(
  deps: Pick<PurchaseDeps, 'journal' | 'vault' | 'progress'>,
  entry: Entry,
  watch: KeyWatch,
): Promise<Attempt | undefined> {
  const { intent } = entry;
  const found = (await watch.look(intent)).find(({ isTagged }) => isTagged);
  if (found === undefined) return undefined;
  const { payment, rail } = found;
  if (found.recovered !== undefined) throw usedBefore(intent.key, found.recovered);
  if (payment.isDirect) throw paidElsewhere(intent, payment);
  const { transactionId: transaction, slot, isFinal } = payment;
  deps.progress?.step(t`This key already paid in ${transaction}; finishing that purchase`);
  const number = nextNumber(entry);
  const attempt = {
    ...attemptOf({ ...deps, rail }, payment, intent, number),
    foundIn: transaction,
  };
  const standing = await deps.journal.addAttempt(intent, attempt);
  if (isFinal && standing.messageHash === attempt.messageHash) {
    await deps.journal.addFact(intent, { fact: 'landed', attempt: number, transaction, slot });
  }
  return standing;
}

type AdoptDeps = Pick<PurchaseDeps, 'journal' | 'clock' | 'rail' | 'progress'>;

/**
 * The same for a partner API order: a transfer from this wallet to the order's address is recorded in this
 * journal, even if another journal made it. Undefined if there is none.
 * @throws {ScripError} PAID_ELSEWHERE when the key has paid for another order, and what `KeyWatch.look`
 * throws
 */
export async function adoptTransfers(
  deps: AdoptDeps,
  watch: KeyWatch,
  { main, created }: Pick<OrderJournal, 'main' | 'created'>,
): Promise<Attempt | undefined> {
  if (main === undefined || created === undefined) return undefined;
  const strays = await watch.look(main.intent);
  const own = strays.filter(({ payment }) => isFor(deps, created, payment));
  const elsewhere = strays.find(({ isTagged }) => isTagged);
  if (elsewhere !== undefined && own.length === 0) {
    throw paidElsewhere(main.intent, elsewhere.payment);
  }
  let adopted: Attempt | undefined;
  // Oldest first. A payment that is not final is settled before the next is checked.
  for (const { payment } of own.toReversed()) {
    adopted = await adoptTransfer(deps, { order: created, host: main.intent.host }, payment);
    if (!payment.isFinal) return adopted;
  }
  return adopted;
}

/** Whether the payment went to the order's address; each order has its own. */
function isFor(
  { rail }: Pick<AdoptDeps, 'rail'>,
  { wallet_address: address = '', coin }: WirePartnerOrder,
  { destination, asset }: OwnPayment,
): boolean {
  const isSameCoin = (coin === rail.coin) === (asset === rail.coin);
  return isSameCoin && destination === rail.recipientAccount(address, asset);
}

async function adoptTransfer(
  { journal, clock, progress }: AdoptDeps,
  { order, host }: { readonly order: WirePartnerOrder; readonly host: string },
  payment: OwnPayment,
): Promise<Attempt> {
  const { transactionId: transaction, amountAtomic, slot, isFinal, signed, asset } = payment;
  progress?.step(t`This order was already paid in ${transaction}; finishing that payment`);
  const { order_id, wallet_address: payTo = '' } = order;
  const orderJournal = await readOrderJournal(journal, host, order_id);
  const entry = await entryForTransfer(journal, orderJournal, { amountAtomic, nowMs: clock.now() });
  const number = nextNumber(entry);
  const standing = await journal.addAttempt(entry.intent, {
    ...signed,
    number,
    ...transferTerms(order, { amountAtomic, asset, payTo }),
    createdAtMs: clock.now(),
    foundIn: transaction,
  });
  if (standing.messageHash !== signed.messageHash) return standing;
  const known = { attempt: number, transaction };
  await journal.addFact(entry.intent, { fact: 'accepted', ...known, orderId: order_id });
  if (isFinal) await journal.addFact(entry.intent, { fact: 'landed', ...known, slot });
  return standing;
}

/** Returns the error for a key that has paid for an order out of this machine's reach. */
export function paidElsewhere(
  { key, intentId }: Intent,
  { transactionId }: OwnPayment,
): ScripError {
  return new ScripError(
    'PAID_ELSEWHERE',
    t`The key "${key}" has already paid for another order, in ${transactionId}; nothing was signed this time`,
    { details: { intent_id: intentId, idempotency_key: key, transaction: transactionId } },
  );
}
