/**
 * `scrip doctor --bundle`: a report on this installation that can be shared. Each field is chosen, and none is a
 * free text, so that no secret can be in it.
 */

import { receiptFrom } from '../../api/receipt.ts';
import { isLoopbackHost } from '../../domain/address/loopback.ts';
import { isIpAddress } from '../../domain/address/public-address.ts';
import type { Entry } from '../../domain/journal/journal.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import type { BuyerContext } from '../context.ts';
import { readLedger } from '../orders/ledger.ts';
import { toJson } from '../output/json.ts';
import type { View } from '../output/view.ts';
import type { DebugBundle } from '../schemas/machine.ts';
import { SETTINGS } from '../settings/table.ts';
import { settingRecords } from '../settings/view.ts';
import { examine } from './examination.ts';

/** @throws {ScripError} OUTPUT_UNWRITABLE, INTERRUPTED */
export async function bundleView(context: BuyerContext, output: string | undefined): Promise<View> {
  const record = await bundleOf(context);
  const text = toJson(record, 2);
  if (output === undefined) return { kind: 'text', text, record };
  await context.io.writeSecret(output, text);
  return {
    kind: 'record',
    record: { output, bytes: new TextEncoder().encode(text).length },
    lines: [[t`Written to`, output]],
    note: t`It is plain text: review it before you share it.`,
  };
}

async function bundleOf(context: BuyerContext): Promise<DebugBundle> {
  const { footing } = context.system;
  const findings = await examine(context);
  return {
    bundle: 1,
    made_at: new Date(context.parts.clock.now()).toISOString(),
    version: context.version,
    node: footing.nodeVersion,
    platform: footing.platform,
    settings: settingRecords(context.settings).map(({ key, value, source }) => ({
      key,
      value: value === null ? null : shownValue(key, value),
      source,
    })),
    environment: variablesSet(context),
    doctor: {
      ok: findings.every(({ state }) => state !== 'fail'),
      checks: findings.map(({ check, state, code = null }) => ({ check, state, code })),
    },
    journal: await journalSummary(context),
    recent_errors: [...(await context.files.recentErrors())],
  };
}

/** Settings whose values are harmless. Of the others the report says only where they were set. */
const SHOWN: ReadonlySet<string> = new Set(['profile', 'country', 'lang']);

function shownValue(key: string, value: string): string {
  if (SHOWN.has(key)) return value;
  return key.includes('url') && URL.canParse(value) ? hostShown(value) : '(set)';
}

/** Of a remote host only the operator's domain: some put a key into the host name. */
function hostShown(url: string): string {
  const { origin, hostname } = new URL(url);
  const labels = hostname.split('.');
  const isWhole = isLoopbackHost(hostname) || isIpAddress(hostname) || labels.length < 3;
  return isWhole ? origin : origin.replace(hostname, `*.${labels.slice(-2).join('.')}`);
}

/** Variables of others that change what runs, or how it looks. */
const OTHERS = [
  'NODE_OPTIONS',
  'NODE_EXTRA_CA_CERTS',
  'NODE_TLS_REJECT_UNAUTHORIZED',
  'SSL_CERT_FILE',
  ...['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'NO_PROXY'].flatMap((name) => [
    name,
    name.toLowerCase(),
  ]),
  'NO_COLOR',
  'CI',
  'TERM',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_STATE_HOME',
];

/** Returns names only, no values. */
function variablesSet({ system: { footing } }: BuyerContext): string[] {
  const ours = ['SCRIP_PROFILE', ...SETTINGS.map(({ variable }) => variable)];
  return [...ours, ...OTHERS].filter((name) => (footing.variable(name) ?? '') !== '');
}

async function journalSummary(context: BuyerContext): Promise<DebugBundle['journal']> {
  try {
    const { entries, problem } = await readLedger(context);
    return countsOf(entries, problem?.code ?? null);
  } catch (error) {
    if (!(error instanceof ScripError) || error.code === 'INTERRUPTED') throw error;
    return countsOf([], error.code);
  }
}

function countsOf(entries: readonly Entry[], error: string | null): DebugBundle['journal'] {
  const byStatus: Record<string, number> = {};
  for (const entry of entries) {
    const { status } = receiptFrom(entry);
    byStatus[status] = (byStatus[status] ?? 0) + 1;
  }
  const partner = entries.filter(({ intent }) => intent.partner !== undefined).length;
  const at = (entry: Entry | undefined) =>
    entry === undefined ? null : new Date(entry.intent.createdAtMs).toISOString();
  return {
    error,
    purchases: entries.length,
    by_status: byStatus,
    checkout: entries.length - partner,
    partner,
    first_at: at(entries[0]),
    last_at: at(entries.at(-1)),
  };
}
