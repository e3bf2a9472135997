/** `scrip fetch`: sends a request, and pays for its answer if the host asks for that (x402). */

import type { Command } from 'commander';
import type { Fetched, RequestOffer, RequestTerms } from '../../api/paid-request.ts';
import { checkHeld, heldOf } from '../../api/payment/funds.ts';
import { SETTLE_MS } from '../../api/payment/pay-loop.ts';
import { type PaidRequest, requestName } from '../../domain/journal/paid-request.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t, verbatim } from '../../domain/message/message.ts';
import { usdcText } from '../../domain/policy/policy.ts';
import { parseDuration, parseUsdc } from '../amount.ts';
import { checkKey } from '../batch/flags.ts';
import { addExamples, type Bind } from '../command.ts';
import type { BuyerContext, With } from '../context.ts';
import { agreeOn } from '../ordering/consent.ts';
import { drawSummary, moneyLines } from '../ordering/summary.ts';
import { withWallet } from '../ordering/wallet-money.ts';
import { fetchedRecord, writeAnswer } from '../orders/answer.ts';
import { PRINTED_ALREADY, type RecordView, type View } from '../output/view.ts';
import { addRequestOptions, type RequestFlags, readUrl, typedRequest } from '../parsing/request.ts';
import { scripDeps } from '../scrip-deps.ts';

interface FetchFlags extends RequestFlags {
  readonly output?: string;
  readonly include?: boolean;
  readonly fail?: boolean;
  readonly maxAmount?: string;
  readonly yes?: boolean;
  readonly idempotencyKey?: string;
  readonly timeout?: string;
}

export function register(command: Command, bind: Bind): void {
  addRequestOptions(command.argument('<url>', 'https address; plain http only on this machine'))
    .optionsGroup('Money:')
    .option('--max-amount <amount>', 'maximum to pay in USDC; scripts need it')
    .option('--network <name>', 'network to pay on: solana or base')
    .option('--yes', 'do not ask; needs --max-amount')
    .option('--idempotency-key <key>', 'the same key never pays twice')
    .optionsGroup('The answer:')
    .option('-o, --output <file>', 'write it to this file')
    .option('-i, --include', 'print its status and headers too')
    .option('-f, --fail', 'exit 4 if its status is 400 or more; it is printed all the same')
    .option('--timeout <time>', 'how long to wait for the paid answer (default: 150s)')
    .action((text: string, flags: FetchFlags) => {
      const request = { url: readUrl(text), flags };
      const { maxAmount, idempotencyKey, timeout } = flags;
      const timeMs = timeout === undefined ? undefined : parseDuration(timeout);
      const options = {
        capAtomic: maxAmount === undefined ? undefined : parseUsdc(maxAmount),
        key: idempotencyKey === undefined ? undefined : checkKey(idempotencyKey),
        timeouts: { waitMs: timeMs ?? SETTLE_MS, settleMs: timeMs ?? SETTLE_MS },
      };
      return bind((context) => run(context, request, options));
    });
  addExamples(command, [
    'fetch https://api.example/report --max-amount 0.10',
    'fetch https://api.example/summary -H "Content-Type: application/json" -d @question.json --max-amount 0.05 --idempotency-key summary-7 -o summary.json',
    'fetch https://api.example/report --max-amount 0.10 --json',
  ]);
}

async function run(
  context: BuyerContext,
  typed: { readonly url: string; readonly flags: FetchFlags },
  options: Omit<RequestTerms, 'agree'>,
): Promise<View> {
  const { settings } = context;
  const { yes = false, output, include, fail } = typed.flags;
  const isAsked = settings.mayPrompt && !yes;
  if (!isAsked && options.capAtomic === undefined) {
    throw new ScripError('TERMINAL_REQUIRED', t`A payment without a question needs --max-amount`, {
      hint: t`Add --max-amount: the most to pay for the answer, in USDC.`,
      details: { missing: ['--max-amount'] },
    });
  }
  const { fetchPaid } = await import('../../api/paid-request.ts');
  const request = await typedRequest(context, typed.url, typed.flags);
  const agree = isAsked ? (offer: RequestOffer) => ask(context, request, offer) : async () => {};
  const fetched = await withWallet(context, isAsked, () =>
    fetchPaid(scripDeps(context), request, { ...options, agree }),
  );
  context.io.progress.done();
  const isRaw = settings.output.format === 'text' && settings.output.fields === undefined;
  const file = output === '-' ? undefined : output;
  if (isRaw || file !== undefined) {
    await writeAnswer(context, fetched.answer, { file, include }).catch(kept(fetched));
  }
  const view = {
    ...{ ...PRINTED_ALREADY, ...lostHint(fetched), ...paidNote(context, fetched) },
    written: () => written(fetched, fail),
  };
  return isRaw ? view : { ...view, record: fetchedRecord(fetched, file), isWritten: false };
}

/** Once the answer is out. @throws {ScripError} */
async function written({ answer, bought }: Fetched, fails = false): Promise<void> {
  if (bought?.error !== undefined) throw bought.error;
  await bought?.handOver();
  if (!fails || answer.status < 400) return;
  throw new ScripError('MERCHANT_REFUSED', t`The host answered ${answer.status}`, {
    details: { status: answer.status },
    fundsAtRisk: bought === undefined ? 'none' : 'spent',
  });
}

/** What was paid: a terminal has seen it, and JSON has it. */
function paidNote({ io }: With<'io'>, { bought }: Fetched): Pick<RecordView, 'note'> {
  if (!bought?.payment) return {};
  const { amountAtomic, transaction } = bought.payment;
  const amount = `${usdcText(amountAtomic)} USDC`;
  if (bought.isPaidBefore) {
    return {
      note: t`Nothing was paid this time: ${amount} was paid before, and this answer was kept`,
    };
  }
  if (io.stderr.isTerminal) return {};
  const host = new URL(bought.intent.host).host;
  return { note: t`Paid ${amount} to ${host} in ${transaction ?? ''}` };
}

/** What to do where the paid answer could not be written. */
function lostHint({ bought }: Fetched): Pick<RecordView, 'ifLost'> {
  if (bought === undefined) return {};
  const hint = commandText`The answer is kept. Run the same again, or: scrip orders reveal ${bought.intent.intentId}`;
  return { ifLost: { hint, fundsAtRisk: 'spent' } };
}

function kept(fetched: Fetched): (cause: unknown) => never {
  return (cause) => {
    const { ifLost } = lostHint(fetched);
    if (!(cause instanceof ScripError) || ifLost === undefined) throw cause;
    throw new ScripError(cause.code, cause.sentence, { cause, details: cause.details, ...ifLost });
  };
}

/** Shows what is asked for, and asks. @throws {ScripError} DECLINED, FUNDS_TOO_LOW, INTERRUPTED */
async function ask(
  { io }: With<'io'>,
  request: PaidRequest,
  { amountAtomic, payTo, purchase, room }: RequestOffer,
): Promise<void> {
  const { rail, spending } = purchase;
  io.progress.done();
  const heldAtomic = await heldOf(purchase, 'USDC');
  const text = usdcText(amountAtomic);
  const { decimals } = rail.usdc;
  checkHeld(purchase, heldAtomic, { coin: 'USDC', text, decimals, atomic: amountAtomic });
  const price = { text, decimals, atomic: amountAtomic, capAtomic: amountAtomic };
  const offer = { coin: 'USDC', network: rail.network };
  const { isPlayMoney } = spending;
  const lines = [
    [t`Host`, purchase.host],
    ...moneyLines({ offer, price, heldAtomic, room, isPaid: true, isPlayMoney }),
    [t`To`, t`${payTo} on ${rail.name}`],
  ] as const;
  const question = t`Pay ${`${text} USDC`}?`;
  io.stderr.write(
    await drawSummary({ title: verbatim(requestName(request)), lines }, io, question),
  );
  const declined = { message: t`You declined; nothing was paid` };
  await agreeOn({ io }, { question, amountText: text, isLarge: room.isLarge }, declined);
}
