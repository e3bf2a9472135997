/**
 * Tells a shopkeeper what is wrong: once when it begins, each day while it lasts, once when it ends. Every server
 * looks; what they found and told is in the store, and each telling is taken by one of them. No sale waits for it.
 */

import { type Clock, isoOf } from '../domain/clock.ts';
import { ScripError } from '../domain/message/errors.ts';
import { type Message, t, verbatim } from '../domain/message/message.ts';
import {
  ALARM_NAMES,
  ALARMS,
  type AlarmLimits,
  type AlarmName,
  type AlarmPorts,
  type AlarmTrial,
  measured,
  todoOf,
} from '../domain/operator/alarms.ts';
import type { AlarmRecord } from '../domain/operator/operator-records.ts';
import type { Degraded, Readiness } from '../service/http/health.ts';
import { samplesIn } from '../service/http/observation.ts';
import { headersSignedWith } from '../service/webhooks/webhook-signature.ts';
import type { Store, Tables } from '../store/store.ts';

const MINUTE_MS = 60_000;
const LOOK_MS = 30_000;
/** It ends once no server has found it for so long: what comes and goes is told once. */
const GONE_MS = 5 * MINUTE_MS;
/** When a telling that failed, or whose server died, is tried again. */
const RETRY_MS = 5 * MINUTE_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** What no server finds, and none can tell. */
const FORGOTTEN_MS = 2 * DAY_MS;

/** An alarm as one way tells it. */
interface Telling {
  readonly alarm: AlarmName;
  readonly way: string;
  /** What was found, in figures or words. */
  readonly detail: string;
  readonly sinceMs: number;
  /** When a server found it last. */
  readonly seenAtMs: number;
  readonly endedAtMs: number | null;
  readonly toldAtMs: number | null;
  readonly nextAtMs: number;
}

const NAME = 'alarms';

async function tellingsIn({ facts }: Pick<Tables, 'facts'>): Promise<readonly Telling[]> {
  return JSON.parse((await facts.get(NAME)) ?? '[]');
}

async function change(
  store: Store,
  work: (known: readonly Telling[]) => readonly Telling[],
): Promise<void> {
  await store.write(async (tables) => {
    await tables.holds.take('fact alarms');
    await tables.facts.set(NAME, JSON.stringify(work(await tellingsIn(tables))));
  });
}

/** Not one of a later version of the shop, whose servers tell it. */
const isKnown = ({ alarm }: Telling): boolean => alarm in ALARMS;

const isOf = (one: Pick<Telling, 'alarm' | 'way'>, other: typeof one): boolean =>
  one.alarm === other.alarm && one.way === other.way;

interface Notice {
  readonly alarm: AlarmName | 'test';
  readonly event: 'began' | 'lasts' | 'ended' | 'test';
  readonly text: Message;
  /** A telling that is tried again has the same. */
  readonly id: string;
}

/** By name; each throws where it was not taken. */
type Ways = Readonly<Record<string, (notice: Notice) => Promise<void>>>;

interface AlarmOptions {
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  readonly ways: Ways;
  readonly limits: AlarmLimits;
  /** What the parts of this server say of themselves, and its lines of metrics. */
  look(): Promise<Readiness & { readonly lines: readonly string[] }>;
  report(error: unknown): void;
}

type Found = readonly (readonly [AlarmName, string])[];

export function createAlarms(options: AlarmOptions) {
  const { store, clock, look, limits } = options;
  let found: Found = [];
  let nextAtMs = 0;
  return {
    /** What this server found last; null where nothing is wrong. */
    now: (): Degraded => ({
      ...Object.fromEntries(ALARM_NAMES.map((name) => [name, null])),
      ...Object.fromEntries(found.map(([name, detail]) => [name, textOf(name, detail)])),
    }),
    /** Looks and tells, as often as it is due. */
    async watch() {
      if (clock.now() < nextAtMs) return;
      nextAtMs = clock.now() + LOOK_MS;
      found = foundIn(await look(), limits);
      if (found.length === 0 && (await tellingsIn(store.tables)).length === 0) return;
      const due = await takeDue(options, found);
      await Promise.all(due.map((one) => tell(options, one)));
    },
  };
}

function foundIn(
  { checks, degraded, lines }: Awaited<ReturnType<AlarmOptions['look']>>,
  limits: AlarmLimits,
): Found {
  const samples = samplesIn(lines);
  const faults: Readonly<Record<string, unknown>> = { ...checks, ...degraded };
  return ALARM_NAMES.flatMap((name) => {
    const fault = faults[name] ?? 'ok';
    const detail = fault === 'ok' ? measured(name, samples, limits) : String(fault);
    return detail === undefined ? [] : [[name, detail] as const];
  });
}

/** Notes what was found and what is over. Gives what is due, which is this server's until it is due again. */
async function takeDue(
  { store, clock, ways }: AlarmOptions,
  found: Found,
): Promise<readonly Telling[]> {
  const nowMs = clock.now();
  const isFound = ({ toldAtMs, seenAtMs }: Telling) =>
    toldAtMs !== null || nowMs - seenAtMs < LOOK_MS;
  const isDue = (one: Telling) =>
    isKnown(one) && one.way in ways && one.nextAtMs <= nowMs && isFound(one);
  const taken: Telling[] = [];
  await change(store, (known) => {
    const lasting = found.flatMap(([alarm, detail]) =>
      Object.keys(ways).map((way): Telling => {
        const nextAtMs = nowMs + (ALARMS[alarm].afterMinutes ?? 0) * MINUTE_MS;
        const begun = { alarm, way, sinceMs: nowMs, toldAtMs: null, nextAtMs };
        const before = known.find((one) => isOf(one, begun));
        return { ...begun, ...before, detail, seenAtMs: nowMs, endedAtMs: null };
      }),
    );
    const others = known.filter((one) => !lasting.some((other) => isOf(one, other)));
    taken.length = 0;
    return [...lasting, ...others.flatMap((one) => unseen(one, nowMs))].map((one) => {
      if (!isDue(one)) return one;
      taken.push({ ...one, nextAtMs: nowMs + RETRY_MS });
      return { ...one, nextAtMs: nowMs + RETRY_MS };
    });
  });
  return taken;
}

/** What this server does not find, another one may. */
function unseen(one: Telling, nowMs: number): readonly Telling[] {
  const unseenMs = nowMs - one.seenAtMs;
  // Nobody has to hear of the end who did not hear of the beginning.
  if (unseenMs > (one.toldAtMs === null ? GONE_MS : FORGOTTEN_MS)) return [];
  const isOver = one.endedAtMs === null && unseenMs > GONE_MS;
  return [isOver ? { ...one, endedAtMs: nowMs, nextAtMs: nowMs } : one];
}

/** A crash tells it once too often, never not at all. */
async function tell({ store, clock, ways, report }: AlarmOptions, taken: Telling): Promise<void> {
  try {
    await ways[taken.way]?.(noticeOf(taken));
  } catch (error) {
    return report(error);
  }
  const nowMs = clock.now();
  // Unless another server has taken it since.
  const isTaken = (one: Telling) => isOf(one, taken) && one.nextAtMs === taken.nextAtMs;
  const isOver = taken.endedAtMs !== null;
  await change(store, (known) =>
    known
      .filter((one) => !(isTaken(one) && isOver))
      .map((one) => (isTaken(one) ? { ...one, toldAtMs: nowMs, nextAtMs: nowMs + DAY_MS } : one)),
  );
}

function noticeOf({ alarm, way, detail, sinceMs, endedAtMs, toldAtMs }: Telling): Notice {
  const since = isoOf(sinceMs);
  const id = `alarm-${way}-${alarm}-${sinceMs}-${endedAtMs ?? toldAtMs ?? 0}`;
  if (endedAtMs !== null) {
    const text = t`Over, since ${isoOf(endedAtMs)}: ${ALARMS[alarm].means}`;
    return { alarm, id, event: 'ended', text };
  }
  const text = t`${textOf(alarm, detail)}, since ${since}. ${todoOf(alarm)}`;
  return { alarm, id, event: toldAtMs === null ? 'began' : 'lasts', text };
}

function textOf(alarm: AlarmName, detail: string): Message {
  return t`${ALARMS[alarm].means} (${verbatim(detail)})`;
}

// Ways of telling.

/** Where alarms are told, beside the log. */
export interface AlarmPlaces {
  readonly webhook: { readonly url: string; readonly secret: string } | undefined;
  readonly mail:
    | { readonly server: string; readonly from: string; readonly to: readonly string[] }
    | undefined;
}

/** A line of the server's log. */
export function logWay(report: (error: unknown) => void): Ways {
  return {
    async log({ text, id: subject }) {
      report(new ScripError('SHOP_ALARM', text, { details: { subject } }));
    },
  };
}

/** What the configuration names. */
export function waysOf(
  { webhook, mail, shopName }: AlarmPlaces & { readonly shopName: string },
  { post, sendMail, now }: Pick<AlarmPorts, 'post' | 'sendMail'> & Pick<Clock, 'now'>,
): Ways {
  return {
    ...(webhook && {
      async webhook({ alarm, event, text, id }) {
        const atMs = now();
        const data = { shop: shopName, alarm, text: String(text) };
        const body = JSON.stringify({ type: `alarm.${event}`, timestamp: isoOf(atMs), data });
        const headers = headersSignedWith([webhook.secret], { id, body, atMs });
        const posted = await post({ url: webhook.url, headers, body });
        const said = 'status' in posted ? `HTTP_${posted.status}` : posted.failure;
        if (/^HTTP_2/.test(said)) return;
        throw new ScripError('WEBHOOK_NOT_TAKEN', t`The alarms’ webhook was not taken: ${said}`);
      },
    }),
    ...(mail && {
      mail: ({ alarm, event, text }) =>
        sendMail({ ...mail, subject: `${shopName}: ${alarm} (${event})`, text: `${text}\n` }),
    }),
  };
}

/** Sends a trial by each. */
export function tryWays(ways: Ways, nowMs: number): Promise<readonly AlarmTrial[]> {
  const text = t`A trial: this is how the shop tells its alarms`;
  const notice: Notice = { alarm: 'test', event: 'test', text, id: `alarm-test-${nowMs}` };
  const failureOf = (error: unknown) => {
    if (error instanceof ScripError) return error;
    throw error;
  };
  return Promise.all(
    Object.entries(ways).map(async ([way, tell]) => ({
      way,
      failure: await tell(notice).then(() => undefined, failureOf),
    })),
  );
}

/** What is wrong now, for the operator's command. */
export async function listAlarms(tables: Tables, nowMs: number): Promise<readonly AlarmRecord[]> {
  const known = (await tellingsIn(tables)).filter(isKnown);
  const lasting = known.filter(({ way, endedAtMs }) => way === 'log' && endedAtMs === null);
  const found = lasting.map(recordOf);
  // A server that looks writes it (`watchWrites`).
  const lookedAt = await tables.facts.get('ready');
  if (nowMs - Number(lookedAt ?? 0) < GONE_MS) return found;
  const sinceMs = Number(lookedAt ?? nowMs);
  return [recordOf({ alarm: 'server', sinceMs, detail: '', toldAtMs: null }), ...found];
}

function recordOf({
  alarm,
  sinceMs,
  detail,
  toldAtMs,
}: Pick<Telling, 'alarm' | 'sinceMs' | 'detail' | 'toldAtMs'>): AlarmRecord {
  const told_at = toldAtMs === null ? null : isoOf(toldAtMs);
  return {
    ...{ alarm, since: isoOf(sinceMs), means: String(ALARMS[alarm].means), found: detail },
    ...{ todo: String(todoOf(alarm)), told_at },
  };
}
