/** Moves orders on: what requests recorded and did not finish is taken up here. */
import { deliverDue, retryDelayMs } from './delivery.ts';
import type { Limits, ServiceOptions } from './options.ts';
import { advanceSettlement } from './settlement.ts';
import type { VoucherVault } from './voucher-vault.ts';

type Parts = ServiceOptions & { readonly limits: Limits; readonly vault: VoucherVault };

/** When a settlement that stays undecided is looked at again; a new process starts at once. */
interface Patience {
  readonly attempts: number;
  readonly nextAtMs: number;
}

export function createTick(parts: Parts): () => Promise<void> {
  const waiting = new Map<string, Patience>();
  let running: Promise<void> | undefined;
  return () => {
    running ??= run(parts, waiting).finally(() => {
      running = undefined;
    });
    return running;
  };
}

async function run(parts: Parts, waiting: Map<string, Patience>): Promise<void> {
  await settleUndecided(parts, waiting);
  await deliverDue(parts, parts.limits.perTick);
}

async function settleUndecided(parts: Parts, waiting: Map<string, Patience>): Promise<void> {
  const { store, clock, limits } = parts;
  for (const row of await store.tables.settlements.undecided(limits.perTick)) {
    const { attempts, nextAtMs } = waiting.get(row.messageHash) ?? { attempts: 0, nextAtMs: 0 };
    if (nextAtMs > clock.now()) continue;
    const { row: after } = await advanceSettlement(parts, row);
    if (after.state === 'submitting') {
      const nextAttemptAtMs = clock.now() + retryDelayMs(attempts + 1);
      waiting.set(row.messageHash, { attempts: attempts + 1, nextAtMs: nextAttemptAtMs });
    } else {
      waiting.delete(row.messageHash);
    }
  }
}
