/** Which order is meant by an id as it is typed, and where it is: the journal knows. */

import type { MerchantName } from '../../api/merchants.ts';
import { commandText } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { type Entry, merchantOrderId, orderName } from '../../domain/journal.ts';
import { EMBEDDED_URL } from '../../domain/loopback.ts';
import { adapted, type Message, t } from '../../domain/message.ts';
import type { With } from '../context.ts';
import type { RecordView } from '../output/view.ts';
import { inSamePlace } from '../same-place.ts';
import type { Settings } from '../settings/shape.ts';
import { entryNamed } from './ledger.ts';
import { merchantByForm } from './order-id.ts';

const EMBEDDED = 'embedded:';

export interface NamedOrder {
  /** What it is called here. */
  readonly orderId: string;
  /** What the merchant calls it: requests name it so. */
  readonly merchantId: string;
  /** Who sells it. */
  readonly merchant: MerchantName;
  /** As the journal names it; undefined of an order that it does not know. */
  readonly host: string | undefined;
}

/**
 * The order of this machine that has such an id. Any other is asked for as it was typed: an order can
 * be followed without a wallet and without a journal.
 * @throws {ScripError} ORDER_UNKNOWN for a purchase that the merchant has named no order for
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

async function recordedEntry(
  context: With<'settings' | 'parts' | 'keys'>,
  id: string,
): Promise<Entry | undefined> {
  try {
    return await entryNamed(context, id);
  } catch (error) {
    if (error instanceof ScripError) return undefined;
    throw error;
  }
}

/** The settings, at the host that the order was bought from; the same where the user named a host. */
export function atRecordedHost(
  { settings, io }: With<'settings' | 'io'>,
  { host }: Pick<NamedOrder, 'host'>,
): Settings {
  if (!settings.isEmbedded) return settings;
  if (host === undefined || !URL.canParse(host) || host.startsWith(EMBEDDED)) return settings;
  io.progress.step(t`According to the journal, the order is at ${host}`);
  return settingsAt(settings, host) ?? settings;
}

/** What an order is told with at a place other than the configured one: its commands name that place. */
export function viewAt(configured: Settings, place: Settings, view: RecordView): RecordView {
  if (place === configured) return view;
  const words = ['--checkout-url', place.checkoutUrl];
  const placed = (text: string): string => inSamePlace(text, words);
  const { note, error } = view;
  return {
    ...view,
    ...(note === undefined ? {} : { note: adapted(note, placed) }),
    ...(error === undefined ? {} : { error: hintedAnew(error, adapted(error.hint, placed)) }),
  };
}

function hintedAnew({ code, sentence, cause, fundsAtRisk, details }: ScripError, hint: Message) {
  return new ScripError(code, sentence, { cause, hint, fundsAtRisk, details });
}

/**
 * The settings at a host of the journal: an origin, or `embedded:<profile>`; undefined for the
 * embedded service of another profile.
 */
export function settingsAt(settings: Settings, host: string): Settings | undefined {
  if (host.startsWith(EMBEDDED) && host !== `${EMBEDDED}${settings.profile}`) return undefined;
  const isEmbedded = host.startsWith(EMBEDDED);
  const url = isEmbedded ? EMBEDDED_URL : host;
  return { ...settings, isEmbedded, checkoutUrl: url, apiUrl: url };
}
