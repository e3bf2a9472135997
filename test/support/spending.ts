/** A spend log on a disk of its own, and what a purchase is measured by. */
import type { Spending } from '../../src/api/payment/measure.ts';
import { isGone, ownMark } from '../../src/disk/process-mark.ts';
import { PLAY_MONEY, type Policy } from '../../src/domain/policy/policy.ts';
import type { SpendLog } from '../../src/domain/policy/spend-log.ts';
import { openSpendLog } from '../../src/records/spend-log-files.ts';

export function spendLogAt(dir: string, payer: string): SpendLog {
  return openSpendLog({ dir, payer, owner: ownMark(), isGone });
}

/** Play money by default: the limits are out of the way. */
export function spendingOf(log: SpendLog, policy: Partial<Policy> = {}): Spending {
  return {
    policy: { ...PLAY_MONEY, ...policy },
    isPlayMoney: true,
    channel: 'unattended',
    log,
    listed: async () => [],
  };
}
