/** Where an order of this machine is, when the user names no host: the journal knows. */
import { ScripError } from '../../domain/errors.ts';
import type { Context } from '../context.ts';
import { EMBEDDED_URL } from '../settings/settings.ts';
import { orderIdOf, readLedger } from './ledger.ts';

const EMBEDDED = 'embedded:';

/** The context, at the host that the order was bought from; unchanged where a host was named. */
export async function atRecordedHost(context: Context, orderId: string): Promise<Context> {
  const { settings } = context;
  if (!settings.isEmbedded) return context;
  const host = await recordedHost(context, orderId);
  if (host === undefined || !URL.canParse(host) || host.startsWith(EMBEDDED)) return context;
  context.progress.step(`The order is at ${host}, by the journal`);
  return contextAt(context, host) ?? context;
}

/**
 * The context at a host of the journal: an origin, or `embedded:<profile>`; undefined for the
 * embedded service of another profile.
 */
export function contextAt(context: Context, host: string): Context | undefined {
  const { settings } = context;
  if (host.startsWith(EMBEDDED) && host !== `${EMBEDDED}${settings.profile}`) return undefined;
  const isEmbedded = host.startsWith(EMBEDDED);
  const url = isEmbedded ? EMBEDDED_URL : host;
  return { ...context, settings: { ...settings, isEmbedded, checkoutUrl: url, apiUrl: url } };
}

/** An order can be followed without a journal. */
async function recordedHost(context: Context, orderId: string): Promise<string | undefined> {
  try {
    const { entries } = await readLedger(context);
    return entries.find((entry) => orderIdOf(entry) === orderId)?.intent.host;
  } catch (error) {
    if (error instanceof ScripError) return undefined;
    throw error;
  }
}
