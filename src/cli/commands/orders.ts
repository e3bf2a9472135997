/** `scrip orders`: the purchases in this machine's journal. */

import type { Command } from 'commander';
import { receiptFrom } from '../../api/receipt.ts';
import type { Timeouts } from '../../api/timeouts.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Message, t } from '../../domain/message/message.ts';
import { atomic, formatDecimal, parseDecimal } from '../../domain/money/money.ts';
import { priceText } from '../../domain/money/shown-amount.ts';
import { ordersCounted, parseDuration } from '../amount.ts';
import { addExamples, type Bind } from '../command.ts';
import type { BuyerContext } from '../context.ts';
import { isRead, learnedOrders, NOTE, purchaseColumns, WALLET } from '../orders/columns.ts';
import {
  addOrderFilters,
  type ExportFlags,
  type OrderFilterFlags,
  orderFilter,
} from '../orders/export.ts';
import { idLength, isSigned, ownAddress } from '../orders/ledger.ts';
import { purchaseRecord } from '../orders/receipt.ts';
import { listView, type View } from '../output/view.ts';
import type { PurchaseRecord } from '../schemas/purchase.ts';

interface ResumeOptions {
  readonly all?: boolean;
  readonly timeout?: string;
}

const WHOLE_ID =
  'order id, intent id, idempotency key or transaction; at a terminal its beginning is enough';
const ANY_ID = 'order id, intent id, idempotency key or transaction, or its beginning';
const ANY_UNFINISHED =
  'order id, intent id, idempotency key or transaction, or its beginning (default: all unfinished)';

export function register(command: Command, bind: Bind): void {
  const list = command
    .command('list', { isDefault: true })
    .description('list your purchases, newest first (the default)');
  addOrderFilters(list)
    .option('--limit <n>', 'only this many, newest first')
    .action(({ limit, ...flags }: OrderFilterFlags & { readonly limit?: string }) => {
      const most = limit === undefined ? undefined : parseLimit(limit);
      return bind((context) => listOrders(context, flags, most));
    });
  const resume = command
    .command('resume')
    .description('check interrupted purchases and finish the paid ones')
    .argument('[id]', ANY_UNFINISHED)
    .option('--all', 'include abandoned purchases')
    .option('--timeout <time>', 'maximum wait for each: delivery (30s), proof of a payment (150s)')
    .action((id: string | undefined, options: ResumeOptions) => {
      const timeouts = resumeTimeouts(options.timeout);
      const request = { id, ...timeouts, isAll: options.all ?? false };
      return bind(async (context) =>
        (await import('../orders/resuming.ts')).resumeOrders(context, request),
      );
    });
  addExamples(list, ['orders', 'orders list --json', 'orders --status completed --since 30d']);
  declareExport(command, bind);
  addExamples(resume, ['orders resume', 'orders resume <intent_id> --timeout 10m']);
  registerLookingBack(command, bind);
}

/** Without --timeout, an unclear payment is followed for the full default time. */
function resumeTimeouts(timeout: string | undefined): Timeouts {
  const waitMs = parseDuration(timeout ?? '30s');
  return { waitMs, settleMs: timeout === undefined ? undefined : waitMs };
}

function declareExport(command: Command, bind: Bind): void {
  const exported = command
    .command('export')
    .description('export purchases for bookkeeping, oldest first');
  addOrderFilters(exported)
    .option('--reveal', 'show beneficiaries in full (default: masked)')
    .action((flags: ExportFlags) =>
      bind(async (context) => (await import('../orders/export.ts')).exportOrders(context, flags)),
    );
  addExamples(exported, [
    'orders export > purchases.csv',
    'orders export --since 2026-11-01 --until 2026-11-30 --json',
    'orders export --status completed --host host.example --csv --reveal',
  ]);
}

/** Declares the subcommands that read only the journal. */
function registerLookingBack(command: Command, bind: Bind): void {
  const load = () => import('../orders/past-purchase.ts');
  const show = command
    .command('show')
    .description('show one purchase, with its codes masked')
    .argument('[id]', ANY_ID)
    .action((id: string | undefined) =>
      bind(async (context) => {
        const meant = id ?? (await chosen(context, ['orders', 'show']));
        const { showPurchase } = await import('../orders/shown-purchase.ts');
        return showPurchase(context, meant);
      }),
    );
  const refund = command
    .command('refund')
    .description('name the address that refunds of an order go to, once')
    .argument('<id>', ANY_ID)
    .option('--to <address>', 'address that receives them (default: your wallet, after a question)')
    .action((id: string, { to }: { readonly to?: string }) =>
      bind(async (context) =>
        (await import('../orders/shown-refunds.ts')).nameRefundAddress(context, { id, to }),
      ),
    );
  const reveal = command
    .command('reveal')
    .description('print the codes of one purchase, or write them to a new file')
    .argument('[id]', ANY_ID)
    .option(
      '--output <file>',
      'new file that only you can read (mode 0600), instead of standard output',
    )
    .action((id: string | undefined, { output }: { readonly output?: string }) =>
      bind(async (context) => {
        const meant = id ?? (await chosen(context, ['orders', 'reveal']));
        return (await load()).revealPurchase(context, { id: meant, output });
      }),
    );
  const forget = command
    .command('forget')
    .description('remove the codes of one purchase from this machine')
    .argument('[id]', WHOLE_ID)
    .option('--yes', 'do not ask')
    .action((id: string | undefined, { yes = false }: { readonly yes?: boolean }) =>
      bind(async (context) => {
        const meant = id ?? (await chosen(context, ['orders', 'forget']));
        return (await load()).forgetPurchase(context, { id: meant, isAgreed: yes });
      }),
    );
  const recover = command
    .command('recover')
    .description('list what your wallet paid at the checkout host, by signing in with it')
    .option('--reveal', 'also print the codes')
    .action(({ reveal = false }: { readonly reveal?: boolean }) =>
      bind(async (context) =>
        (await import('../orders/recovered.ts')).recoverOrders(context, { isRevealed: reveal }),
      ),
    );
  addExamples(recover, ['orders recover', 'orders recover --reveal --json']);
  addExamples(show, ['orders show <order_id>']);
  addExamples(refund, ['orders refund <order_id>', 'orders refund <order_id> --to <address>']);
  addExamples(reveal, [
    'orders reveal <order_id>',
    'orders reveal <order_id> --output card.json',
    "orders reveal <order_id> --json | jq -r '.deliveries[0].voucher_code'",
  ]);
  addExamples(forget, ['orders forget <order_id>']);
}

/** The order that is chosen from a list, for a command without an id. */
async function chosen(context: BuyerContext, command: readonly string[]): Promise<string> {
  const { orderMeant } = await import('../orders/order-meant.ts');
  return orderMeant(context, undefined, command);
}

/** @throws {ScripError} INPUT_INVALID */
function parseLimit(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new ScripError('INPUT_INVALID', t`--limit "${text}" is not a whole number of at least 1`);
}

async function listOrders(
  context: BuyerContext,
  flags: OrderFilterFlags,
  limit: number | undefined,
): Promise<View> {
  const isWanted = orderFilter(flags, context.parts.clock);
  const { askedLedger, unaskedNotes } = await import('../orders/asked-orders.ts');
  const { entries, problem, told, unasked } = await askedLedger(context);
  const found = entries
    .filter(isSigned)
    .map((entry) => purchaseRecord(receiptFrom(entry, told.get(entry.intent.intentId))))
    .filter(isWanted)
    .toReversed();
  const records = found.slice(0, limit);
  if (records.length === 0 && problem !== undefined) throw problem;
  const open = found.filter(({ status }) => status === 'unknown').length;
  const note = [
    totalsText(found, records.length),
    ...(open === 0 ? [] : [commandText`Outcome unknown: ${open}. Run: scrip orders resume`]),
    ...unaskedNotes(unasked),
  ];
  return listView({
    records,
    learned: learnedOrders(records),
    columns: await columnsFor(context, records, idLength(entries)),
    empty:
      Object.keys(flags).length === 0
        ? t`Nothing was bought from this machine yet.`
        : t`No purchase on this machine matches.`,
    ...(found.length === 0 ? {} : { note }),
    ...(problem === undefined ? {} : { error: problem }),
  });
}

/** The number of purchases and the amounts paid per coin: of all matches, not just those shown. */
function totalsText(found: readonly PurchaseRecord[], shown: number): Message {
  const back = sumsOf(found, ({ refunded }) => refunded ?? null);
  const paid = sumsOf(found, ({ amount }) => amount);
  for (const [coin, sum] of back) paid.set(coin, (paid.get(coin) ?? 0n) - sum);
  const count = ordersCounted(found.length);
  const most = shown < found.length ? t`${count}; showing the newest ${shown}` : t`${count}`;
  if (paid.size === 0) return t`${most}.`;
  return back.size === 0
    ? t`${most}. Paid: ${sumsText(paid)}.`
    : t`${most}. Paid: ${sumsText(paid)}, without ${sumsText(back)} that came back.`;
}

/** Sums per coin, in units of 10^-TOTAL_DECIMALS. */
function sumsOf(
  found: readonly PurchaseRecord[],
  amountOf: (record: PurchaseRecord) => string | null,
): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const record of found) {
    const amount = amountOf(record);
    if (amount === null) continue;
    const sum = (sums.get(record.coin) ?? 0n) + parseDecimal(amount, TOTAL_DECIMALS);
    sums.set(record.coin, sum);
  }
  return sums;
}

function sumsText(sums: ReadonlyMap<string, bigint>): string {
  return [...sums]
    .map(
      ([coin, sum]) => `${priceText(formatDecimal(atomic(sum), TOTAL_DECIMALS, 2), coin)} ${coin}`,
    )
    .join(', ');
}

/** Decimals of the coin with the smallest unit. */
const TOTAL_DECIMALS = 9;

async function columnsFor(
  context: BuyerContext,
  records: readonly PurchaseRecord[],
  length: number,
) {
  const own = records.length === 0 ? undefined : await ownAddress(context);
  return [
    ...purchaseColumns(length, isRead(context)),
    ...(records.some(({ note }) => note !== null) ? [NOTE] : []),
    ...(records.some(({ payer }) => payer !== own) ? [WALLET] : []),
  ];
}
