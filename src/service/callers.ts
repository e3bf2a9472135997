/** Who beside our own sessions may have payments settled, and what each may cost the fee payer. */
import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/errors.ts';
import { t } from '../domain/message.ts';
import { isSameText } from '../domain/same-text.ts';
import type { FeeAllowance } from '../rails/rail.ts';
import type { Store } from '../storage/store.ts';

/** A caller that the operator named. */
export interface NamedCaller {
  readonly name: string;
  /** What it sends as `Authorization: Bearer <token>`. */
  readonly token: string;
  /** Network fees that may be paid for it in a day of UTC. */
  readonly lamportsPerDay: bigint;
}

interface Parts {
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  readonly callers?: readonly NamedCaller[];
  report?(error: unknown): void;
}

/** The allowance of the caller whose token this is; undefined for everyone else. */
export function allowanceFor(
  parts: Parts,
  authorization: string | undefined,
): FeeAllowance | undefined {
  const given = authorization ?? '';
  // Every token is compared to its end, whichever of them it is.
  const named = (parts.callers ?? []).filter(({ token }) => isSameText(given, `Bearer ${token}`));
  const [caller] = named;
  return caller && openAllowance(parts, caller);
}

function openAllowance({ store, clock, report }: Parts, caller: NamedCaller): FeeAllowance {
  return {
    async reserve(messageHash, lamports) {
      const fee = { messageHash, caller: caller.name, day: utcDay(clock.now()), lamports };
      const isReserved = await store.write((tables) => reserve(tables, fee, caller.lamportsPerDay));
      if (!isReserved) report?.(exhausted(caller, fee.day));
      return isReserved;
    },
    release: (messageHash) => store.tables.callerFees.remove(messageHash),
  };
}

interface Fee {
  readonly messageHash: string;
  readonly caller: string;
  readonly day: string;
  readonly lamports: bigint;
}

/** Within one transaction, so that no two requests take the same lamports. */
async function reserve(
  { callerFees, holds }: Pick<Store['tables'], 'callerFees' | 'holds'>,
  fee: Fee,
  budget: bigint,
): Promise<boolean> {
  await holds.take(`caller ${fee.caller}`);
  if (await callerFees.byMessage(fee.messageHash)) return true;
  const today = await callerFees.ofDay(fee.day);
  const spent = today.find(({ caller }) => caller === fee.caller)?.lamports ?? 0n;
  if (spent + fee.lamports > budget) return false;
  await callerFees.insert({ ...fee, lamports: fee.lamports.toString() });
  return true;
}

/** The day that a budget is of, as `2026-01-31`. */
export function utcDay(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}

function exhausted({ name, lamportsPerDay }: NamedCaller, day: string): ScripError {
  return new ScripError(
    'RATE_LIMITED',
    t`The caller ${name} has used its ${lamportsPerDay} lamports for ${day} (UTC)`,
  );
}
