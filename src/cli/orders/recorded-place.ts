/** Finds an order by its typed id, and its host, in the journal. */

import type { MerchantName } from '../../api/merchants.ts';
import { commandText } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { type Entry, merchantOrderId, orderName } from '../../domain/journal.ts';
import { EMBEDDED_URL } from '../../domain/loopback.ts';
import { adapted, type Message, t } from '../../domain/message.ts';
import type { With } from '../context.ts';
import { adaptedRecord } from '../output/local-view.ts';
import type { RecordView } from '../output/view.ts';
import { inSamePlace } from '../same-place.ts';
import type { Settings } from '../settings/table.ts';
import { entryNamed } from './ledger.ts';
import { merchantByForm } from './order-id.ts';

const EMBEDDED = 'embedded:';

export interface NamedOrder {
  /** The id that we print. */
  readonly orderId: string;
  /** The merchant's id, used in requests. */
  readonly merchantId: string;
  /** The merchant that sold it. */
  readonly merchant: MerchantName;
  /** The host as in the journal; undefined for an unknown order. */
  readonly host: string | undefined;
}

/**
 * Returns this machine's order with this id. An unknown id is used as typed: an order can be followed without
 * a wallet or a journal.
 * @throws {ScripError} ORDER_UNKNOWN for a purchase without an order id from the merchant
 */
export async function namedOrder(
  context: With<'settings' | 'parts' | 'keys'>,
  id: string,
): Promise<NamedOrder> {
  const entry = await recordedEntry(context, id);
  if (entry === undefined) {
    return { orderId: id, merchantId: id, merchant: merchantByForm(id), host: undefined };
  }
  const { intent } = entry;
  const merchantId = merchantOrderId(entry) ?? intent.partner?.topUpOf;
  if (merchantId === undefined) throw withoutOrder(entry);
  const merchant = intent.partner === undefined ? 'checkout' : 'partner';
  return { orderId: orderName(intent, merchantId), merchantId, merchant, host: intent.host };
}

function withoutOrder({ intent: { intentId } }: Entry): ScripError {
  const what = t`The merchant has not returned an order for the purchase ${intentId} yet`;
  return new ScripError('ORDER_UNKNOWN', what, {
    hint: commandText`Run: scrip orders resume ${intentId}`,
    details: { intent_id: intentId },
  });
}

/** Undefined for an order that the journal does not have: it can be followed all the same. */
export async function recordedEntry(
  context: With<'settings' | 'parts' | 'keys'>,
  id: string,
): Promise<Entry | undefined> {
  try {
    return await entryNamed(context, id);
  } catch (error) {
    if (!(error instanceof ScripError) || error.code === 'INTERRUPTED') throw error;
    return undefined;
  }
}

/** Returns the settings with the order's recorded host, unless the user selected a host. */
export function atRecordedHost(
  { settings, io }: With<'settings' | 'io'>,
  { host }: Pick<NamedOrder, 'host'>,
): Settings {
  if (!settings.isEmbedded) return settings;
  if (host === undefined || !URL.canParse(host) || host.startsWith(EMBEDDED)) return settings;
  io.progress.step(t`According to the journal, the order is at ${host}`);
  return settingsAt(settings, host) ?? settings;
}

/** For an order at another host than the configured one, adds that host to the commands in the view. */
export function viewAt(configured: Settings, place: Settings, view: RecordView): RecordView {
  if (place === configured) return view;
  const words = ['--checkout-url', place.checkoutUrl];
  const placed = (text: string): string => inSamePlace(text, words);
  const { error } = view;
  return {
    ...adaptedRecord(view, placed),
    ...(error === undefined ? {} : { error: hintedAnew(error, adapted(error.hint, placed)) }),
  };
}

export function hintedAnew(
  { code, sentence, cause, fundsAtRisk, details }: ScripError,
  hint: Message,
) {
  return new ScripError(code, sentence, { cause, hint, fundsAtRisk, details });
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
