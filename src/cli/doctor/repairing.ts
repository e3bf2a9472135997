/** `scrip doctor --repair`: rebuilds the journal, then resumes the restored purchases. */

import type { Merchant } from '../../api/merchant.ts';
import type { RepairReport } from '../../api/recovery/journal-repair.ts';
import type { Timeouts } from '../../api/timeouts.ts';
import { unlessInterrupted } from '../../domain/attempt.ts';
import { nextStep } from '../../domain/journal/journal.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import type { PayingRail } from '../../rails/rail.ts';
import type { BuyerContext } from '../context.ts';
import { scripDeps } from '../scrip-deps.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** How long to wait for each restored purchase. */
const REPAIR_TIMEOUTS: Timeouts = { waitMs: 30_000, settleMs: undefined };

/**
 * Rebuilds the journal and resumes the restored purchases.
 * @throws {ScripError} WALLET_MISSING and other codes of the key file, CHAIN_UNREACHABLE, JOURNAL_UNUSABLE,
 * INTERRUPTED: the journal is then unchanged
 */
export async function repair(context: BuyerContext) {
  const { checkoutMerchant, purchaseDeps } = await import('../../api/checkout/merchant.ts');
  const scrip = scripDeps(context);
  const merchant = checkoutMerchant(scrip);
  const deps = await purchaseDeps(scrip, await merchant.paying(), REPAIR_TIMEOUTS);
  const { repairJournal } = await import('../../api/recovery/journal-repair.ts');
  const { joinedRail } = await import('../../api/recovery/joined-rail.ts');
  const payer = deps.wallet;
  const care = await context.parts.journalCare(payer);
  const rail = joinedRail(
    { rail: deps.rail, address: deps.signer.address },
    await usedRails(await deps.others()),
  );
  const { ownOrders } = await import('../../api/checkout/own-orders.ts');
  const report = await repairJournal({
    ...{ ...deps, rail, care, payer },
    ownOrders: () => ownOrders(scrip).catch(unlessInterrupted(() => [])),
  });
  const resumed = await resumeRestored(merchant, report.restoredKeys);
  return {
    findings: [...reportFindings(report), ...resumed],
    record: {
      kept: report.kept,
      aside: report.aside,
      is_history_whole: report.isHistoryWhole,
      entries: report.lines.map(({ intentId, outcome, detail }) => ({
        intent_id: intentId,
        outcome,
        detail,
      })),
    },
  };
}

/** The rails that hold money of the wallet, or have seen a payment. */
async function usedRails(others: readonly PayingRail[]): Promise<readonly PayingRail[]> {
  const used: PayingRail[] = [];
  for (const { rail, address } of others) {
    const { usdcAtomic } = await rail.balances(address);
    const isUsed = async () => {
      const query = { known: new Set<string>(), mostReads: 1, isTip: true };
      return (await rail.ownPayments(address, query)).payments.length > 0;
    };
    if ((usdcAtomic ?? 0n) > 0n || (await isUsed())) used.push({ rail, address });
  }
  return used;
}

function reportFindings({ kept, lines, aside, isHistoryWhole }: RepairReport): readonly Finding[] {
  const count = (outcome: RepairReport['lines'][number]['outcome']): number =>
    lines.filter((line) => line.outcome === outcome).length;
  const strange = lines.filter(({ outcome }) => outcome === 'found on the chain');
  return [
    ok('repair', t`${kept} entries kept, ${count('restored')} restored`),
    ...(aside === null ? [] : [ok('repair', t`the old records are in ${aside}`)]),
    ...strange.map(({ intentId, detail }) =>
      warn(
        'repair',
        t`no record explains the payment ${detail}`,
        commandText`See its details: scrip orders show ${intentId}`,
      ),
    ),
    ...(isHistoryWhole
      ? []
      : [
          warn(
            'repair',
            t`the wallet has more history than scrip reads`,
            t`Older payments may be missing: name an RPC that keeps all of it with --rpc-url.`,
          ),
        ]),
  ];
}

/** Resumes purchases as `orders resume` does: signs nothing. */
async function resumeRestored(
  merchant: Merchant,
  keys: readonly string[],
): Promise<readonly Finding[]> {
  const { journal } = await merchant.paying();
  const findings: Finding[] = [];
  for (const key of keys) {
    const entry = await journal.byKey(key);
    if (entry === undefined || !merchant.sells(entry.intent)) continue;
    if (!['settle', 'follow'].includes(nextStep(entry))) continue;
    const error = await outcomeOf(
      async () => (await merchant.finish(entry, REPAIR_TIMEOUTS)).error,
    );
    const { intentId } = entry.intent;
    findings.push(
      error === undefined
        ? ok('repair', t`${intentId} is delivered`)
        : fail('repair', t`${intentId}: ${error.sentence}`, { code: error.code, fix: error.hint }),
    );
  }
  return findings;
}

async function outcomeOf(
  ask: () => Promise<ScripError | undefined>,
): Promise<ScripError | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ScripError && error.code !== 'INTERRUPTED') return error;
    throw error;
  }
}
