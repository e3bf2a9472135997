/** `scrip doctor --bundle`: a report on this installation that can be shared, without secrets. */

import { receiptFrom } from '../../api/receipt.ts';
import { isLoopbackHost } from '../../domain/address/loopback.ts';
import { isIpAddress } from '../../domain/address/public-address.ts';
import type { Entry } from '../../domain/journal/journal.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import type { With } from '../context.ts';
import { readLedger } from '../orders/ledger.ts';
import { toJson } from '../output/json.ts';
import type { View } from '../output/view.ts';
import type { DebugBundle } from '../schemas/machine.ts';
import { SETTINGS } from '../settings/table.ts';
import { settingRecords } from '../settings/view.ts';
import { checkRecord } from './finding.ts';

/**
 * Selects each field, then scrubs the whole report as well.
 * @throws {ScripError} OUTPUT_UNWRITABLE, INTERRUPTED
 */
export async function bundleView(
  context: With<'version' | 'settings' | 'io' | 'parts' | 'keys' | 'files' | 'system'>,
  output: string | undefined,
): Promise<View> {
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

async function bundleOf(
  context: With<'version' | 'settings' | 'io' | 'parts' | 'keys' | 'files' | 'system'>,
): Promise<unknown> {
  const {
    parts: { clock },
    system: { footing },
    version,
  } = context;
  const { home } = await context.system.machine();
  const { examine } = await import('./examination.ts');
  const findings = await examine(context);
  const bundle: DebugBundle = {
    bundle: 1,
    made_at: new Date(clock.now()).toISOString(),
    version,
    node: footing.nodeVersion,
    platform: footing.platform,
    settings: shownSettings(context),
    environment: variablesSet(context),
    doctor: {
      ok: findings.every(({ state }) => state !== 'fail'),
      checks: findings.map(checkRecord),
    },
    journal: await journalSummary(context),
    recent_errors: [...(await context.files.recentErrors())],
  };
  const { made_at, journal, recent_errors, ...rest } = bundle;
  // These are times, counts and codes of our own; scrubbing would take some for ids.
  const shown = Object(scrubbed(rest, { home, hidden: hiddenIn(context) }));
  return { bundle: 1, made_at, ...shown, journal, recent_errors };
}

/** Settings whose values are harmless. Of the others the report says only where they were set. */
const SHOWN: ReadonlySet<string> = new Set(['profile', 'country', 'lang']);

function shownSettings({ settings }: With<'settings'>): DebugBundle['settings'] {
  return settingRecords(settings).map(({ key, value, source }) => ({
    key,
    value: value === null ? null : shownValue(key, value, source),
    source,
  }));
}

function shownValue(key: string, value: string, source: string): string {
  if (SHOWN.has(key) || source === 'default') return value;
  return URL.canParse(value) && key.includes('url') ? hostShown(value) : '(set)';
}

/** For a remote host shows only the operator's domain: some put a key into the host name. */
function hostShown(url: string): string {
  const { origin, hostname } = new URL(url);
  return origin.replace(hostname, operatorOf(hostname));
}

function operatorOf(hostname: string): string {
  if (isLoopbackHost(hostname) || isIpAddress(hostname)) return hostname;
  const labels = hostname.split('.');
  return labels.length > 2 ? `*.${labels.slice(-2).join('.')}` : hostname;
}

/** Values of settings that the text of a check may repeat. */
function hiddenIn({ settings }: With<'settings'>): ReadonlyMap<string, string> {
  const {
    checkoutUrl,
    apiUrl,
    mcpUrl,
    siteUrl,
    rpcUrl,
    witnessRpcUrl = rpcUrl,
    sources,
  } = settings;
  const hosts = [checkoutUrl, apiUrl, mcpUrl, siteUrl, rpcUrl, witnessRpcUrl]
    .map((url) => new URL(url).hostname)
    .map((hostname) => [hostname, operatorOf(hostname)] as const);
  const partner = sources.partnerId === undefined ? [] : [[settings.partnerId, '(set)'] as const];
  return new Map([...hosts, ...partner]);
}

/** Variables of others that change what runs, or how it looks. */
const OTHERS = [
  'NODE_OPTIONS',
  'NODE_EXTRA_CA_CERTS',
  'NODE_TLS_REJECT_UNAUTHORIZED',
  'HTTPS_PROXY',
  'HTTP_PROXY',
  'ALL_PROXY',
  'NO_COLOR',
  'CI',
  'TERM',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_STATE_HOME',
];

/** Returns names only, no values. */
function variablesSet({ system: { footing } }: With<'system'>): string[] {
  const ours = ['SCRIP_PROFILE', ...SETTINGS.map(({ variable }) => variable)];
  return [...ours, ...OTHERS].filter((name) => (footing.variable(name) ?? '') !== '');
}

async function journalSummary(context: With<'parts'>): Promise<DebugBundle['journal']> {
  try {
    const { entries, problem } = await readLedger(context);
    return countsOf(entries, problem?.code ?? null);
  } catch (error) {
    if (!(error instanceof ScripError) || error.code === 'INTERRUPTED') throw error;
    return countsOf([], error.code);
  }
}

function countsOf(entries: readonly Entry[], error: string | null): DebugBundle['journal'] {
  const statuses = entries.map((entry) => receiptFrom(entry).status);
  const byStatus: Record<string, number> = {};
  for (const status of statuses) byStatus[status] = (byStatus[status] ?? 0) + 1;
  const partner = entries.filter(({ intent }) => intent.partner !== undefined).length;
  const times = entries.map(({ intent }) => intent.createdAtMs);
  const iso = (atMs: number | undefined) =>
    atMs === undefined ? null : new Date(atMs).toISOString();
  return {
    error,
    purchases: entries.length,
    by_status: byStatus,
    checkout: entries.length - partner,
    partner,
    first_at: iso(times[0]),
    last_at: iso(times.at(-1)),
  };
}

// Removes personal data from a text: names, places, ids, and what a user owns.

interface Surroundings {
  /** The user's home folder. */
  readonly home: string;
  /** Replacements for certain texts, such as a host with a key in its name. */
  readonly hidden: ReadonlyMap<string, string>;
}

type Rule = readonly [what: RegExp, by: string | ((found: string) => string)];

/** Shorter folder names are too common to identify a user. */
const LEAST_NAME = 3;
const ENDS_SHOWN = 4;

/** Applied in this order: each rule sees the result of the one before. */
function rulesFor({ home, hidden }: Surroundings): readonly Rule[] {
  const name = home.split(/[\\/]/).at(-1) ?? '';
  const own: readonly Rule[] = [
    ...[...hidden].map(([text, shown]) => [literal(text), () => shown] as const),
    ...(home.length > 1 ? [[literal(home), '~'] as const] : []),
    ...(name.length >= LEAST_NAME
      ? [[new RegExp(`(?<=[\\\\/])${escaped(name)}(?![A-Za-z0-9])`, 'g'), '~'] as const]
      : []),
  ];
  return [...own, ...RULES];
}

const RULES: readonly Rule[] = [
  // Home folders of other users too.
  [/(\/home|\/Users|[A-Za-z]:\\Users)[\\/][^\\/\s"']+/g, '~'],
  [/\b(?:https?|wss?):\/\/[^\s"'<>]+/g, originOf],
  [/[^\s"'<>@:,;()]+@[^\s"'<>@,;()]+/g, '<email>'],
  [/\bwhsec_[A-Za-z0-9+/=]+/g, '<secret>'],
  [/\+\d{7,15}\b/g, '<phone>'],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '<id>'],
  // Wallet and mint addresses keep their ends, so that they can be told apart; keys are longer.
  [/(?<![A-Za-z0-9])[1-9A-HJ-NP-Za-km-z]{32,44}(?![A-Za-z0-9])/g, ends],
  // Order and session ids, tokens, hashes, keys: long, and not made of words.
  [/[A-Za-z0-9_+/=-]{20,}/g, (found) => (isWords(found) ? found : '<id>')],
];

/** Shows only the origin: a path, query or user name may hold a key. */
function originOf(address: string): string {
  if (!URL.canParse(address)) return '<address>';
  const { origin, pathname, search, username, hash } = new URL(address);
  const isBare = `${pathname}${search}${hash}${username}` === '/';
  return isBare ? origin : `${origin}/…`;
}

function ends(address: string): string {
  return `${address.slice(0, ENDS_SHOWN)}…${address.slice(-ENDS_SHOWN)}`;
}

/** Names of variables and codes, and paths made of words: no digits, except `=0` or `=1` at the end. */
function isWords(text: string): boolean {
  return (
    !/\d/.test(text.replace(/=[01]$/, '')) &&
    text.split(/[_/=+-]/).every((word) => word.length < 20)
  );
}

function literal(text: string): RegExp {
  return new RegExp(`${escaped(text)}(?![A-Za-z0-9])`, 'g');
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** Returns the value with every text in it scrubbed. Field names are ours and stay. */
export function scrubbed(value: unknown, around: Surroundings): unknown {
  const rules = rulesFor(around);
  const scrub = (part: unknown): unknown => {
    if (typeof part === 'string') return rules.reduce(applied, part);
    if (typeof part !== 'object' || part === null) return part;
    if (Array.isArray(part)) return part.map(scrub);
    return Object.fromEntries(Object.entries(part).map(([name, field]) => [name, scrub(field)]));
  };
  return scrub(value);
}

function applied(text: string, [what, by]: Rule): string {
  return typeof by === 'string'
    ? text.replaceAll(what, by)
    : text.replaceAll(what, (found) => by(found));
}
