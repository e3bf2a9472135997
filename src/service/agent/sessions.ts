/** Sessions of the guided purchase: opened, found again by their token, and moved on once per answer. */
import type { Clock } from '../../domain/clock.ts';
import type { Answers } from '../../domain/wizard-step.ts';
import type { Store } from '../../storage/store.ts';
import type { WizardSessionRow } from '../../storage/wizard-sessions.ts';
import { sha256Hex } from '../digest.ts';
import { type Refusal, refuse } from '../errors.ts';

/** 256 random bits. */
const TOKEN_BYTES = 32;
/** Ours: how long a repeated confirmation still finds its order, long after the session is over. */
const KEPT_MS = 60 * 60_000;

export interface SessionLimits {
  /** How long a session waits for the next answer. */
  readonly wizardIdleMs: number;
  /** Sessions that one client may have open at once. */
  readonly wizardSessions: number;
}

export interface SessionDeps {
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  random(length: number): Uint8Array;
  readonly limits: SessionLimits;
}

/** Who opens a session, and the partner id that its order is made under. */
export type Opener = Pick<WizardSessionRow, 'client' | 'applicationId'>;

export interface OpenSession {
  readonly row: WizardSessionRow;
  /** What the client sends with every answer. */
  readonly token: string;
}

/** A new session, or a refusal while the client has too many of them open. */
export async function openSession(
  { store, clock, random, limits }: SessionDeps,
  opener: Opener,
  answers: Answers,
): Promise<OpenSession | Refusal> {
  const nowMs = clock.now();
  const token = base64url(random(TOKEN_BYTES));
  const row: WizardSessionRow = {
    ...opener,
    tokenHash: await sha256Hex(token),
    answers: JSON.stringify(answers),
    version: 0,
    createdAtMs: nowMs,
    lastUsedAtMs: nowMs,
  };
  return store.write(async ({ wizardSessions, holds }) => {
    await holds.take(`client ${opener.client}`);
    await wizardSessions.forget(nowMs - Math.max(KEPT_MS, limits.wizardIdleMs));
    const live = await wizardSessions.usedSince(opener.client, nowMs - limits.wizardIdleMs);
    const [oldest] = live;
    if (oldest && live.length >= limits.wizardSessions) {
      return tooMany(limits, oldest.lastUsedAtMs + limits.wizardIdleMs - nowMs);
    }
    await wizardSessions.insert(row);
    return { row, token };
  });
}

function tooMany({ wizardSessions }: SessionLimits, waitMs: number): Refusal {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return refuse(
    'rate_limited',
    `${wizardSessions} purchases of yours are open; go on with one of them, or come back in ${seconds} s.`,
    { headers: { 'Retry-After': String(seconds) } },
  );
}

/** The session of a token, to the client that opened it; to everybody else there is none. */
export async function findSession(
  { store }: Pick<SessionDeps, 'store'>,
  token: string,
  client: string,
): Promise<WizardSessionRow | undefined> {
  const row = await store.tables.wizardSessions.byToken(await sha256Hex(token));
  return row?.client === client ? row : undefined;
}

export function isExpired(
  { clock, limits }: Pick<SessionDeps, 'clock' | 'limits'>,
  { lastUsedAtMs }: WizardSessionRow,
): boolean {
  return lastUsedAtMs + limits.wizardIdleMs <= clock.now();
}

/** Keeps the answers and starts the idle time anew; false when another request was first. */
export function saveSession(
  { store, clock }: Pick<SessionDeps, 'store' | 'clock'>,
  row: WizardSessionRow,
  answers: Answers,
): Promise<boolean> {
  const after = {
    answers: JSON.stringify(answers),
    lastUsedAtMs: clock.now(),
    version: row.version + 1,
  };
  return store.write(({ wizardSessions }) => wizardSessions.update(row, after));
}

export function answersOf({ answers }: WizardSessionRow): Answers {
  return JSON.parse(answers);
}

function base64url(bytes: Uint8Array): string {
  const base64 = btoa(String.fromCharCode(...bytes));
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
