/** Options that filter this machine's purchases. */

import { type Command, Option } from 'commander';
import type { Clock } from '../../domain/clock.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { PURCHASE_STATUSES, type PurchaseStatus } from '../../domain/purchase-status.ts';
import { INSTANT_HINT, readInstant } from '../parsing/instant.ts';

export interface OrderFilterFlags {
  readonly since?: string;
  readonly until?: string;
  readonly status?: PurchaseStatus;
  readonly host?: string;
  readonly wallet?: string;
}

interface Filtered {
  readonly status: string;
  readonly host: string;
  readonly payer: string;
  /** ISO 8601, UTC. */
  readonly created_at: string;
}

const DAY_MS = 86_400_000;

export function addOrderFilters(command: Command): Command {
  return command
    .option('--since <date>', 'from this day (2026-11-01) or instant, or the last 30d')
    .option('--until <date>', 'up to this day, inclusive, or before this instant')
    .addOption(new Option('--status <status>', 'only with this status').choices(PURCHASE_STATUSES))
    .option(
      '--host <host>',
      'purchases from this host, such as host.example; `embedded` is the sandbox',
    )
    .option(
      '--wallet <address>',
      'purchases paid by this wallet; `no-wallet` for orders made without one',
    );
}

/** Returns a filter for the options. @throws {ScripError} INPUT_INVALID for an invalid date */
export function orderFilter(
  { since, until, status, host, wallet }: OrderFilterFlags,
  clock: Clock,
): (record: Filtered) => boolean {
  const from = since === undefined ? undefined : startOf(since, '--since', clock.now());
  const to = until === undefined ? undefined : endOf(until, clock.now());
  return (record) => {
    const atMs = Date.parse(record.created_at);
    return (
      (from === undefined || atMs >= from) &&
      (to === undefined || atMs < to) &&
      (status === undefined || record.status === status) &&
      (host === undefined || isAt(record.host, host)) &&
      (wallet === undefined || record.payer === wallet)
    );
  };
}

/** Days are UTC days, as in all output. @throws {ScripError} INPUT_INVALID */
export function startOf(text: string, flag: string, nowMs: number): number {
  const instant = readInstant(text);
  if (instant !== undefined) return 'atMs' in instant ? instant.atMs : nowMs - instant.agoMs;
  throw new ScripError('INPUT_INVALID', t`${flag} "${text}" is not a date`, { hint: INSTANT_HINT });
}

/** A day includes all its hours. */
function endOf(text: string, nowMs: number): number {
  const start = startOf(text, '--until', nowMs);
  return /^\d{4}-\d{2}-\d{2}$/.test(text) ? start + DAY_MS : start;
}

function isAt(recorded: string, wanted: string): boolean {
  if (recorded === wanted || recorded.split(':')[0] === wanted) return true;
  return (
    URL.canParse(recorded) && [new URL(recorded).host, new URL(recorded).hostname].includes(wanted)
  );
}
