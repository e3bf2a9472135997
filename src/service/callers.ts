/** Other hosts whose payments the facilitator settles, and how much network fee each may cost. */
import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/errors.ts';
import { t } from '../domain/message.ts';
import { isSameText } from '../domain/same-text.ts';
import type { FeeAllowance } from '../rails/merchant-rail.ts';
import type { Store } from '../store/store.ts';

/** A host that the operator named. */
export interface NamedCaller {
  readonly name: string;
  /** It sends this as `Authorization: Bearer <token>`. */
  readonly token: string;
  /** Network fees paid for it per UTC day. */
  readonly lamportsPerDay: bigint;
}

interface Parts {
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  readonly callers?: readonly NamedCaller[];
  report?(error: unknown): void;
}

/** Returns the fee allowance of the caller with this token; undefined for anyone else. */
export function allowanceFor(
  parts: Parts,
  authorization: string | undefined,
): FeeAllowance | undefined {
  const given = authorization ?? '';
  // Compare every token completely, so timing reveals nothing.
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

/** In one transaction, so two requests cannot reserve the same lamports. */
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

/** The UTC day of a budget, as `2026-01-31`. */
export function utcDay(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}

function exhausted({ name, lamportsPerDay }: NamedCaller, day: string): ScripError {
  return new ScripError(
    'RATE_LIMITED',
    t`The caller ${name} has used its ${lamportsPerDay} lamports for ${day} (UTC)`,
  );
}
