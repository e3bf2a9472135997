/** Finds the order that the user means, by an id, its beginning or a choice; and its host, in the journal. */

import { checkoutHostName } from '../../api/checkout/merchant.ts';
import { type MerchantName, sellerOf } from '../../api/merchants.ts';
import { receiptFrom } from '../../api/receipt.ts';
import { EMBEDDED_URL } from '../../domain/address/loopback.ts';
import { expected, unlessInterrupted } from '../../domain/attempt.ts';
import { type Entry, merchantOrderId, orderIdOf, orderName } from '../../domain/journal/journal.ts';
import { requestIn } from '../../domain/journal/paid-request.ts';
import { commandText, wordList } from '../../domain/message/command-text.ts';
import { remade, ScripError } from '../../domain/message/errors.ts';
import { adapted, joined, type Message, t } from '../../domain/message/message.ts';
import { goodsName } from '../../domain/product/product.ts';
import type { BuyerContext, With } from '../context.ts';
import { localMinute } from '../output/instant.ts';
import { adaptedRecord } from '../output/local-view.ts';
import type { RecordView } from '../output/view.ts';
import { inSamePlace } from '../same-place.ts';
import type { PurchaseRecord } from '../schemas/purchase.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';
import type { Settings } from '../settings/settings.ts';
import type { Choice } from '../terminal/ports.ts';
import {
  findEntry,
  idLength,
  isSigned,
  merchantByForm,
  readLedger,
  recordedEntry,
} from './ledger.ts';
import { purchaseRecord } from './receipt.ts';

/** Fits a terminal of 24 lines. */
const MOST_OFFERED = 8;

/**
 * Returns the full id. An id that is not in the journal is returned as typed: the merchant may know it.
 * @param command the words that need an id, such as `track`
 * @throws {ScripError} INPUT_INVALID if several orders match; USAGE without an id in non-interactive use;
 * ORDER_UNKNOWN if there is none to choose; INTERRUPTED
 */
export async function orderMeant(
  context: BuyerContext,
  id: string | undefined,
  command: readonly string[],
): Promise<string> {
  if (id === undefined) return chosenOrder(context, command);
  if (merchantByForm(id) === 'partner') return id;
  return findEntry(context, id).then(
    (entry) => orderIdOf(entry) ?? entry.intent.intentId,
    unlessInterrupted((error) => {
      if (error.code === 'INPUT_INVALID' && 'ids' in error.details) throw error;
      return id;
    }),
  );
}

/** Lets the user choose from the latest orders; Enter takes the first. */
async function chosenOrder(context: BuyerContext, command: readonly string[]): Promise<string> {
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
  const { product_name: name, face_value: faceValue, currency, status } = record;
  const value = record.order_id ?? record.intent_id;
  const about = `${goodsName({ name, faceValue, currency })}, ${status}`;
  const id = value.slice(0, length);
  const label = `${about}  ${localMinute(record.created_at)}  ${id}`;
  return { value, label: label.length + MARK < columns ? label : `${about}  ${id}` };
}

function noId(command: readonly string[]): ScripError {
  return new ScripError('USAGE', t`Missing required argument 'order_id'`, {
    hint: commandText`Such as: scrip ${wordList(command, ' ')} <order_id>`,
    details: { missing: ['<order_id>'] },
  });
}

const EMBEDDED = 'embedded:';

/**
 * Returns this machine's order with this id. An unknown id is used as typed: an order can be followed without
 * a wallet or a journal.
 * @returns `orderId` as we print it, `merchantId` as requests name it, the host as in the journal, if it has the order
 * @throws {ScripError} ORDER_UNKNOWN for a purchase without an order id from the merchant
 */
export async function namedOrder(context: BuyerContext, id: string) {
  const entry = await recordedEntry(context, id);
  if (entry === undefined) {
    return { orderId: id, merchantId: id, merchant: merchantByForm(id), host: undefined };
  }
  const { intent } = entry;
  const merchantId = merchantOrderId(entry) ?? intent.partner?.topUpOf;
  if (merchantId === undefined) {
    const { intentId } = intent;
    const what = t`The merchant has not returned an order for the purchase ${intentId} yet`;
    throw new ScripError('ORDER_UNKNOWN', what, {
      hint: commandText`Run: scrip orders resume ${intentId}`,
      details: { intent_id: intentId },
    });
  }
  const merchant: MerchantName = intent.partner === undefined ? 'checkout' : 'partner';
  return { orderId: orderName(intent, merchantId), merchantId, merchant, host: intent.host };
}

/** Returns the settings with the order's recorded host, unless the user selected a host. */
export function atRecordedHost(
  { settings, io }: With<'settings' | 'io'>,
  { host }: { readonly host: string | undefined },
): Settings {
  if (!settings.isEmbedded) return settings;
  if (host === undefined || !URL.canParse(host) || host.startsWith(EMBEDDED)) return settings;
  io.progress.step(t`According to the journal, the order is at ${host}`);
  return settingsAt(settings, host) ?? settings;
}

/** For an order at another host than the configured one, adds that host to the commands in the view. */
export function viewAt(configured: Settings, place: Settings, view: RecordView): RecordView {
  return place === configured ? view : withWords(view, ['--checkout-url', place.checkoutUrl]);
}

function withWords({ error, ...view }: RecordView, words: readonly string[]): RecordView {
  const shown = adaptedRecord(view, (text) => inSamePlace(text, words));
  return { ...shown, ...(error && { error: placed(error, words) }) };
}

function placed(error: ScripError, words: readonly string[]): ScripError {
  return remade(error, { hint: adapted(error.hint, (hint) => inSamePlace(hint, words)) });
}

/** The options that name the host of a purchase; none for the configured one. */
export function hostWords(
  settings: Settings,
  { intent }: Pick<Entry, 'intent'>,
): readonly string[] {
  const { host } = intent;
  const isHere = host === checkoutHostName(settings) || host === new URL(settings.apiUrl).origin;
  if (isHere || requestIn(intent) !== undefined) return [];
  return host.startsWith(EMBEDDED)
    ? ['--profile', host.slice(EMBEDDED.length)]
    : ['--checkout-url', host];
}

/** Adds the host of a purchase to the commands of its view, or of the error instead. */
export async function atHostOf(
  { settings }: With<'settings'>,
  entry: Entry,
  work: () => Promise<RecordView>,
): Promise<RecordView> {
  const words = hostWords(settings, entry);
  const view = await work().catch(
    expected((error) => {
      throw placed(error, words);
    }),
  );
  return withWords(view, words);
}

/**
 * Returns the settings for a host of the journal: an origin, or `embedded:<profile>`. Undefined for the
 * embedded service of another profile.
 */
export function settingsAt(settings: Settings, host: string): Settings | undefined {
  if (host.startsWith(EMBEDDED) && host !== `${EMBEDDED}${settings.profile}`) return undefined;
  const isEmbedded = host.startsWith(EMBEDDED);
  const url = isEmbedded ? EMBEDDED_URL : host;
  return { ...settings, isEmbedded, checkoutUrl: url, apiUrl: url };
}

/** The options that name the hosts of these purchases, for a sentence; undefined if all are of the configured one. */
export function optionsFor(
  settings: Settings,
  purchases: readonly Pick<Entry, 'intent'>[],
): Message | undefined {
  const flags = new Map(
    purchases.map((one) => hostWords(settings, one)).map((words) => [words.join(' '), words]),
  );
  flags.delete('');
  const named = [...flags.values()].map((words) => commandText`${wordList(words, ' ')}`);
  return named.length === 0 ? undefined : joined(named, t`, or `);
}

/** The merchant of a journaled purchase and its id there; undefined if this profile does not reach it. */
export async function atSeller(context: ScripContext, entry: Entry) {
  const settings = settingsAt(context.settings, entry.intent.host);
  const orderId = merchantOrderId(entry) ?? entry.intent.partner?.topUpOf;
  if (settings === undefined || orderId === undefined) return undefined;
  const deps = scripDeps({ ...context, settings });
  const merchant = await sellerOf(deps, entry.intent);
  return merchant && { deps, merchant, orderId };
}
