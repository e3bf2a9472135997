/** Sessions of the guided purchase: opens them, finds them by token, and saves each answer once. */
import type { Answers } from '../../domain/wizard/wizard-step.ts';
import type { WizardSessionRow } from '../../store/tables/wizard-sessions.ts';
import { SINGLE } from '../../store/writes.ts';
import { sha256Hex } from '../digest.ts';
import { type Refusal, refuse } from '../http/replies.ts';
import type { Limits } from '../options.ts';
import type { PartnerOrderDeps } from '../partner/order-deps.ts';

/** 256 random bits. */
const TOKEN_BYTES = 32;
/** Ours: how long a repeated confirmation still finds its order, long after the session expired. */
const KEPT_MS = 60 * 60_000;

/** The client that opens a session, and the partner id of its order. */
export type Opener = Pick<WizardSessionRow, 'client' | 'applicationId'>;

export interface OpenSession {
  readonly row: WizardSessionRow;
  /** The client sends it with every answer. */
  readonly token: string;
}

/** Opens a session, or refuses if the client has too many open. */
export async function openSession(
  { store, clock, random, limits }: PartnerOrderDeps,
  opener: Opener,
  answers: Answers,
): Promise<OpenSession | Refusal> {
  const nowMs = clock.now();
  const token = Buffer.from(random(TOKEN_BYTES)).toString('base64url');
  const row: WizardSessionRow = {
    ...opener,
    tokenHash: sha256Hex(token),
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

function tooMany({ wizardSessions }: Limits, waitMs: number): Refusal {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return refuse(
    'rate_limited',
    `You have ${wizardSessions} open purchases; continue one of them, or try again in ${seconds} s.`,
    { headers: { 'Retry-After': String(seconds) } },
  );
}

/** Returns the session of a token, only to the client that opened it. */
export async function findSession(
  { store }: PartnerOrderDeps,
  token: string,
  client: string,
): Promise<WizardSessionRow | undefined> {
  const row = await store.tables.wizardSessions.byToken(sha256Hex(token));
  return row?.client === client ? row : undefined;
}

export function isExpired(
  { clock, limits }: PartnerOrderDeps,
  { lastUsedAtMs }: WizardSessionRow,
): boolean {
  return lastUsedAtMs + limits.wizardIdleMs <= clock.now();
}

/** Saves the answers and restarts the idle time; false if another request was first. */
export function saveSession(
  { store, clock }: PartnerOrderDeps,
  row: WizardSessionRow,
  answers: Answers,
): Promise<boolean> {
  const after = {
    answers: JSON.stringify(answers),
    lastUsedAtMs: clock.now(),
    version: row.version + 1,
  };
  return store.write(({ wizardSessions }) => wizardSessions.update(row, after), SINGLE);
}

export function answersOf({ answers }: WizardSessionRow): Answers {
  return JSON.parse(answers);
}
