/** `scrip receipt`: what the host signed of a purchase, and whether that holds; without asking the host. */

import type { Command } from 'commander';
import {
  checkEvidence,
  type Evidence,
  evidenceAmount,
  evidenceOf,
  readSigningKey,
} from '../../api/checkout/evidence.ts';
import { getDidDocument } from '../../contract/offer-receipt.ts';
import { networkTitle } from '../../contract/usdc.ts';
import { parseJson } from '../../domain/attempt.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { addExamples, type Bind } from '../command.ts';
import type { BuyerContext } from '../context.ts';
import { findEntry } from '../orders/ledger.ts';
import { orderMeant, settingsAt } from '../orders/order-meant.ts';
import { checkLines, given, type Line, type RecordView } from '../output/view.ts';
import { signedReceipt } from '../schemas/purchase.ts';

const ANY_ID = 'order id, intent id, idempotency key or transaction, or its beginning';

export function register(command: Command, bind: Bind): void {
  const show = command
    .command('show', { isDefault: true })
    .description(
      'print what the host signed of a purchase, with --json for others to verify (the default)',
    )
    .argument('[id]', ANY_ID)
    .action((id: string | undefined) =>
      bind(async (context) => {
        const evidence = await evidenceFor(context, id, 'show');
        const { offer, receipt, transaction } = evidence;
        const longIds = [offer, receipt, transaction].filter((one) => one !== null);
        return { kind: 'record', record: evidence, lines: evidenceLines(evidence), longIds };
      }),
    );
  const verify = command
    .command('verify')
    .description('check the signatures of an offer and a receipt against the payment, offline')
    .argument('[id]', ANY_ID)
    .option(
      '--file <file>',
      'what scrip receipt show --json printed, here or elsewhere; - is stdin',
    )
    .action((id: string | undefined, { file }: { readonly file?: string }) =>
      bind(async (context) =>
        verifiedView(
          file === undefined
            ? await evidenceFor(context, id, 'verify')
            : evidenceIn(await context.io.readText(file), file),
          file !== undefined,
        ),
      ),
    );
  addExamples(show, ['receipt show <order_id>', 'receipt show <order_id> --json > receipt.json']);
  addExamples(verify, ['receipt verify <order_id>', 'receipt verify --file receipt.json']);
}

/** @throws {ScripError} ORDER_UNKNOWN; RECEIPT_UNPROVEN if the host signed nothing */
async function evidenceFor(
  context: BuyerContext,
  id: string | undefined,
  verb: 'show' | 'verify',
): Promise<Evidence> {
  const meant = await orderMeant(context, id, ['receipt', verb]);
  const entry = await findEntry(context, meant);
  const evidence = evidenceOf(entry);
  const signed = evidence?.receipt ?? evidence?.offer;
  if (evidence === undefined || signed === null || signed === undefined) {
    throw new ScripError(
      'RECEIPT_UNPROVEN',
      t`This machine has nothing that the host signed of the purchase ${meant}`,
      {
        hint: commandText`The payment itself is proof on the chain: scrip orders show ${meant}`,
      },
    );
  }
  if (evidence.key !== null) return evidence;
  // The host never answered the payment, or not with its key: ask for that now.
  const place = settingsAt(context.settings, evidence.host);
  const key = place && (await readSigningKey(context.parts, place.checkoutUrl, signed));
  return { ...evidence, key: key ?? null };
}

/** @throws {ScripError} INPUT_INVALID */
function evidenceIn(text: string, file: string): Evidence {
  const read = signedReceipt().safeParse(parseJson(text));
  if (read.success) return read.data;
  throw new ScripError('INPUT_INVALID', t`${file} is not what scrip receipt show --json prints`);
}

function evidenceLines(evidence: Evidence): readonly Line[] {
  return [
    [t`Host`, evidence.host],
    [t`Network`, networkTitle(evidence.network)],
    [t`Paid by`, evidence.payer],
    [t`Paid to`, evidence.pay_to],
    [t`Amount`, amountOf(evidence)],
    ...given(t`Transaction`, evidence.transaction),
    ...given(t`Signed offer`, evidence.offer),
    ...given(t`Signed receipt`, evidence.receipt),
  ];
}

const amountOf = ({ amount_atomic: amount, ...evidence }: Evidence) =>
  evidenceAmount({ ...evidence, amount });

/** @param isGiven whether the evidence came from a file, and the host's key with it */
function verifiedView(evidence: Evidence, isGiven: boolean): RecordView {
  const checks = checkEvidence(evidence);
  const failed = checks.filter(({ state }) => state === 'fail').map(({ check }) => check);
  const { host } = evidence;
  const holds = t`What ${host} signed of this payment of ${amountOf(evidence)} holds`;
  const keys = /^https?:/.test(host) && URL.canParse(host) ? new URL(host).origin : '';
  return {
    kind: 'record',
    record: {
      ok: failed.length === 0,
      ...evidence,
      checks: checks.map((one) => ({ ...one, detail: String(one.detail) })),
    },
    lines: [...checkLines(checks), ...(failed.length === 0 ? [[t`Result`, holds] as const] : [])],
    ...(isGiven && {
      note: t`The key is the one in the file. Compare it with the host’s own: ${keys}${getDidDocument.path}`,
    }),
    ...(failed.length > 0 && {
      error: new ScripError(
        'RECEIPT_UNPROVEN',
        t`${failed.length} of ${checks.length} checks fail: ${failed.join(', ')}`,
        {
          details: { failed },
          ...(isGiven && { hint: t`Ask who gave you the file for the one that was exported.` }),
        },
      ),
    }),
  };
}
