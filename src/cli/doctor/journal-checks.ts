/** Checks of the key file, the spending policy and the journal. */

import { isUnordered } from '../../api/payment/payment-tag.ts';
import { unlessInterrupted } from '../../domain/attempt.ts';
import { NO_WALLET, nextStep } from '../../domain/journal/journal.ts';
import type { Survey } from '../../domain/journal/journal-care.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { atomic } from '../../domain/money/money.ts';
import { usdcText } from '../../domain/policy/policy.ts';
import { parsePolicy } from '../../domain/policy/policy-file.ts';
import { historyOf, knownTransactions } from '../../domain/policy/spend-log.ts';
import { DAY_MS } from '../../domain/policy/spending.ts';
import type { Signer } from '../../rails/rail.ts';
import type { BuyerContext, With } from '../context.ts';
import { scripDeps } from '../scrip-deps.ts';
import { type Finding, fail, failedBy, ok, warn } from './finding.ts';

/** Opens the key file with all its checks; signs nothing. */
export async function walletCheck({ settings, keys }: With<'settings' | 'keys'>): Promise<{
  readonly finding: Finding;
  readonly signer: Signer | undefined;
}> {
  try {
    const signer = await keys.wallets.open(settings.keypairPath);
    const { homeDir, keypairPath } = settings;
    const isOwnFolder = keypairPath.toLowerCase().startsWith(`${homeDir.toLowerCase()}\\`);
    // Windows knows no modes: a file is read by those who may read its folder.
    const finding =
      !homeDir.includes('\\') || isOwnFolder
        ? ok('wallet', t`${signer.address}; only you can read its file`)
        : warn(
            'wallet',
            t`${signer.address}; its file is outside your user profile`,
            t`Move it there, or see with icacls who may read it.`,
          );
    return { signer, finding };
  } catch (error) {
    if (error instanceof ScripError && error.code === 'WALLET_MISSING') {
      return { signer: undefined, finding: warn('wallet', error.sentence, error.hint) };
    }
    return { signer: undefined, finding: failedBy('wallet', error) };
  }
}

/** Checks the policy file: one that cannot be read blocks every payment. */
export async function policyCheck({ parts }: With<'parts'>): Promise<Finding> {
  try {
    const { path } = parts.policyFile;
    const text = await parts.policyFile.read();
    if (text === undefined) return ok('policy', t`no file: the defaults apply`);
    const rules = Object.keys(parsePolicy(text, path)).length;
    return ok('policy', t`${path} is valid; rules set: ${rules}`);
  } catch (error) {
    return failedBy('policy', error);
  }
}

/**
 * Checks the journal of this wallet, and those of other wallets that paid from this machine. A damaged
 * journal of another wallet does not block this one.
 */
export async function journalChecks(
  context: With<'parts'>,
  own: string | undefined,
): Promise<readonly Finding[]> {
  try {
    const others = (await context.parts.journalWallets()).filter((address) => address !== own);
    const ownFindings = own === undefined ? [] : await journalCheck(context, own);
    const ofOthers = await Promise.all(others.map((address) => otherJournal(context, address)));
    return [...ownFindings, ...ofOthers.flat()];
  } catch (error) {
    return [failedBy('journal', error)];
  }
}

async function otherJournal(context: With<'parts'>, address: string): Promise<readonly Finding[]> {
  const isWallet = address !== NO_WALLET;
  const fix = isWallet
    ? t`Name that wallet with --keypair, and run the command again.`
    : t`Move its folder aside: the merchant still has the orders.`;
  return (await journalCheck(context, address)).map((finding) => ({
    check: finding.check,
    state: finding.state === 'fail' ? 'warn' : finding.state,
    detail: isWallet
      ? t`The wallet ${address}: ${finding.detail}`
      : t`orders made without a wallet: ${finding.detail}`,
    fix: finding.fix === null ? null : fix,
  }));
}

async function journalCheck({ parts }: With<'parts'>, payer: string): Promise<readonly Finding[]> {
  try {
    const care = await parts.journalCare(payer);
    return surveyFindings(await care.survey());
  } catch (error) {
    return [failedBy('journal', error)];
  }
}

/**
 * Compares a day of the outgoing transfers on each of the wallet's networks with the journal. Transfers without an entry
 * may mean that entries were removed. Returns nothing of what cannot be read: other checks report that.
 */
export async function strayCheck(
  context: BuyerContext,
  signer: Signer,
): Promise<readonly Finding[]> {
  const { parts } = context;
  const unread = unlessInterrupted(() => undefined);
  const entries = await parts
    .journal(signer)
    .then((journal) => journal.all())
    .catch(unread);
  if (entries === undefined) return [];
  const { otherRails } = await import('../../api/paying.ts');
  const every = { network: '', isChecked: false } as const;
  const rails = (await otherRails(scripDeps(context), every).catch(unread)) ?? [];
  const read = await Promise.all(
    rails.map(async ({ rail, address }) => {
      const nowMs = (await rail.timeMs().catch(unread)) ?? parts.clock.now();
      const span = { sinceMs: nowMs - DAY_MS, nowMs, known: knownTransactions(entries) };
      const outflows = (await rail.outflows(address, span).catch(unread)) ?? [];
      return historyOf({ entries, held: [], outflows, nowMs }).spent;
    }),
  );
  const strays = read.flat().filter(({ merchant }) => merchant === undefined);
  if (strays.length === 0) return [];
  const sum = atomic(strays.reduce((total, { amountAtomic }) => total + amountAtomic, 0n));
  const detail = t`payments on the chain in the last 24 hours that it lacks: ${strays.length}, of ${usdcText(sum)} USDC`;
  return [warn('journal', detail, REMOVED)];
}

const REMOVED = t`They may come from another folder, machine or program. If entries were removed, run: scrip doctor --repair`;
const UNKNOWN = t`They are in: scrip orders. To find their orders: scrip doctor --repair --checkout-url <address of the host>`;
const REPAIR = t`scrip signs nothing until the repair is done. Run: scrip doctor --repair`;

function surveyFindings({ whole, damaged, ...state }: Survey): readonly Finding[] {
  if (state.isRepairPending) {
    return [
      fail('journal', t`a repair is running or was interrupted`, {
        code: 'JOURNAL_UNUSABLE',
        fix: REPAIR,
      }),
    ];
  }
  if (damaged.length > 0) {
    const detail = t`damaged records: ${damaged.length} of ${damaged.length + whole.length}: ${damaged[0]?.problem ?? ''}`;
    return [fail('journal', detail, { code: 'JOURNAL_UNUSABLE', fix: REPAIR })];
  }
  if (state.spendLogProblem !== null) {
    return [fail('journal', state.spendLogProblem, { code: 'JOURNAL_UNUSABLE', fix: REPAIR })];
  }
  const steps = whole.map(nextStep);
  const open = steps.filter((step) => step === 'settle' || step === 'follow').length;
  const stuck = whole.filter((entry) => nextStep(entry) === 'attention');
  const unknown = stuck.filter(isUnordered).length;
  const undelivered = stuck.filter((entry) => !isUnordered(entry));
  return [
    ok(
      'journal',
      whole.length === 1
        ? t`1 purchase recorded, undamaged`
        : t`${whole.length} purchases recorded, none damaged`,
    ),
    ...(open === 0
      ? []
      : [warn('purchases', t`${open} are unfinished`, t`Run: scrip orders resume`)]),
    ...(unknown === 0
      ? []
      : [warn('purchases', t`payments of unknown purchases: ${unknown}`, UNKNOWN)]),
    ...undelivered.map(({ intent }) =>
      warn(
        'purchases',
        t`${intent.intentId} was paid and not delivered`,
        commandText`Send the merchant the output of: scrip orders show ${intent.intentId}`,
      ),
    ),
  ];
}
