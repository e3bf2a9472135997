/** Finds the order that the user means: by id, by the beginning of an id, or chosen from the latest. */

import { receiptFrom } from '../../api/receipt.ts';
import { commandText, wordList } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { orderIdOf } from '../../domain/journal.ts';
import { t } from '../../domain/message.ts';
import { goodsName } from '../../domain/product.ts';
import type { With } from '../context.ts';
import { localMinute } from '../output/instant.ts';
import type { PurchaseRecord } from '../schemas/purchase.ts';
import type { Choice } from '../terminal/ports.ts';
import { findEntry, idLength, isSigned, readLedger } from './ledger.ts';
import { merchantByForm } from './order-id.ts';
import { purchaseRecord } from './receipt.ts';

/** Fits a terminal of 24 lines. */
const MOST_OFFERED = 8;

type Needs = With<'settings' | 'io' | 'parts' | 'keys'>;

/**
 * Returns the full id. An id that is not in the journal is returned as typed: the merchant may know it.
 * @param command the words that need an id, such as `track`
 * @throws {ScripError} INPUT_INVALID if several orders match; USAGE without an id in non-interactive use;
 * ORDER_UNKNOWN if there is none to choose; INTERRUPTED
 */
export async function orderMeant(
  context: Needs,
  id: string | undefined,
  command: readonly string[],
): Promise<string> {
  if (id === undefined) return chosenOrder(context, command);
  if (merchantByForm(id) === 'partner') return id;
  try {
    const entry = await findEntry(context, id);
    return orderIdOf(entry) ?? entry.intent.intentId;
  } catch (error) {
    if (!(error instanceof ScripError) || error.code === 'INTERRUPTED') throw error;
    if (error.code === 'INPUT_INVALID' && 'ids' in error.details) throw error;
    return id;
  }
}

/** Lets the user choose from the latest orders; Enter takes the first. */
async function chosenOrder(context: Needs, command: readonly string[]): Promise<string> {
  const { settings, io } = context;
  if (!settings.mayPrompt) throw noId(command);
  const { entries } = await readLedger(context);
  const latest = entries.filter(isSigned).toReversed().slice(0, MOST_OFFERED);
  if (latest.length === 0) {
    throw new ScripError('ORDER_UNKNOWN', t`Nothing was bought from this machine yet.`);
  }
  const length = idLength(entries);
  const choices = latest.map((entry) =>
    choiceOf(purchaseRecord(receiptFrom(entry)), { length, columns: io.stderr.columns }),
  );
  return io.dialog.pick({
    message: io.localize(t`Which order?`),
    help: io.localize(t`Type to filter · ↑↓ move · Enter selects`),
    narrow: async (text) => {
      const typed = text.trim().toLowerCase();
      const like = choices.filter(({ label, value }) =>
        `${label} ${value}`.toLowerCase().includes(typed),
      );
      const remarks = like.length === 0 ? [io.localize(t`No match for "${text.trim()}"`)] : [];
      return { choices: like, remarks };
    },
    takes: async () => false,
  });
}

/** Columns of the mark before a choice. */
const MARK = 2;

/**
 * The label starts with the product and ends with the beginning of the id, as lists of orders show it; the time
 * is left out where all of it would not fit on a line.
 */
function choiceOf(
  record: PurchaseRecord,
  { length, columns }: { readonly length: number; readonly columns: number },
): Choice {
  const value = record.order_id ?? record.intent_id;
  const [about, id] = [orderAbout(record), value.slice(0, length)];
  const label = `${about}  ${localMinute(record.created_at)}  ${id}`;
  return { value, label: label.length + MARK < columns ? label : `${about}  ${id}` };
}

/** An order in a few words: `Amazon.com 25 USD, completed`. */
export function orderAbout(record: PurchaseRecord): string {
  const { product_name: name, face_value: faceValue, currency, status } = record;
  return `${goodsName({ name, faceValue, currency })}, ${status}`;
}

function noId(command: readonly string[]): ScripError {
  return new ScripError('USAGE', t`Missing required argument 'order_id'`, {
    hint: commandText`Such as: scrip ${wordList(command, ' ')} <order_id>`,
    details: { missing: ['<order_id>'] },
  });
}
