/** `scrip orders`: what this machine bought, by its journal. */
import type { Command } from 'commander';
import { type Entry, type Journal, nextStep } from '../../domain/journal.ts';
import { goodsName } from '../../domain/product.ts';
import { parseDuration } from '../amount.ts';
import { STATUS_TONES } from '../buying/purchase-status.ts';
import { hostName, type Patience, purchaseTools } from '../buying/purchasing.ts';
import { outcomeError, purchaseRecord, receiptOf } from '../buying/receipt.ts';
import type { Bind } from '../commands.ts';
import type { Context } from '../context.ts';
import { addExamples } from '../examples.ts';
import type { ExportFlags } from '../orders/export.ts';
import { addOrderFilters, type OrderFilterFlags, orderFilter } from '../orders/filter.ts';
import { everyEntry, findEntry, isSigned, madePayment, standingOf } from '../orders/ledger.ts';
import { type Column, listView, type View } from '../output/view.ts';
import type { PurchaseRecord } from '../schemas/purchase.ts';
import { isEmbeddedUrl } from '../settings/settings.ts';

interface ResumeOptions {
  readonly all?: boolean;
  readonly timeout?: string;
}

const WHOLE_ID = 'order id, intent id, idempotency key or transaction';
const ANY_ID = `${WHOLE_ID}, or how it begins`;

export function register(command: Command, bind: Bind): void {
  const list = command
    .command('list', { isDefault: true })
    .description('list what was bought, newest first (the default)');
  addOrderFilters(list).action((flags: OrderFilterFlags) =>
    bind((context) => listOrders(context, flags)),
  );
  const resume = command
    .command('resume')
    .description('find out what became of interrupted purchases, and finish those that were paid')
    .argument('[id]', `${ANY_ID}; all unfinished ones without it`)
    .option('--all', 'those that were given up as well')
    .option(
      '--timeout <time>',
      'how long to wait for each: delivery (30s), proof of a payment (150s)',
    )
    .action((id: string | undefined, options: ResumeOptions) => {
      const patience = resumePatience(options.timeout);
      const request = { id, ...patience, isAll: options.all ?? false };
      return bind((context) => resumeOrders(context, request));
    });
  addExamples(command, [
    'orders',
    'orders show <order_id>',
    'orders resume',
    'orders reveal <order_id> --output card.json',
  ]);
  addExamples(list, ['orders', 'orders list --json', 'orders --status completed --since 30d']);
  declareExport(command, bind);
  addExamples(resume, ['orders resume', 'orders resume <intent_id> --timeout 10m']);
  registerLookingBack(command, bind);
}

/** Finding out what became of a payment is what this is for: without a word it takes what that takes. */
function resumePatience(timeout: string | undefined): Patience {
  const waitMs = parseDuration(timeout ?? '30s');
  return { waitMs, settleMs: timeout === undefined ? undefined : waitMs };
}

function declareExport(command: Command, bind: Bind): void {
  const exported = command
    .command('export')
    .description('print purchases for the books, oldest first: what was paid, and what for');
  addOrderFilters(exported)
    .option('--reveal', 'beneficiaries in full; without it they are masked')
    .action((flags: ExportFlags) =>
      bind(async (context) => (await import('../orders/export.ts')).exportOrders(context, flags)),
    );
  addExamples(exported, [
    'orders export > purchases.csv',
    'orders export --since 2026-11-01 --until 2026-11-30 --json',
    'orders export --status completed --host host.example --csv --reveal',
  ]);
}

/** What needs neither chain nor merchant. */
function registerLookingBack(command: Command, bind: Bind): void {
  const load = () => import('../orders/looking-back.ts');
  const show = command
    .command('show')
    .description('show one purchase again; its codes are masked')
    .argument('<id>', ANY_ID)
    .action((id: string) => bind(async (context) => (await load()).showPurchase(context, id)));
  const reveal = command
    .command('reveal')
    .description('print the codes of one purchase, or write them to a new file')
    .argument('<id>', ANY_ID)
    .option('--output <file>', 'a new file for you alone (mode 0600), instead of standard output')
    .action((id: string, { output }: { readonly output?: string }) =>
      bind(async (context) => (await load()).revealPurchase(context, { id, output })),
    );
  const forget = command
    .command('forget')
    .description('remove the codes of one purchase from this machine')
    .argument('<id>', WHOLE_ID)
    .action((id: string) => bind(async (context) => (await load()).forgetPurchase(context, id)));
  addExamples(show, ['orders show <order_id>']);
  addExamples(reveal, [
    'orders reveal <order_id>',
    'orders reveal <order_id> --output card.json',
    "orders reveal <order_id> --json | jq -r '.deliveries[0].voucher_code'",
  ]);
  addExamples(forget, ['orders forget <order_id>']);
}

const COLUMNS: readonly Column<PurchaseRecord>[] = [
  { header: 'ORDER', cell: (row) => row.order_id ?? row.intent_id, isWhole: true },
  { header: 'STATUS', cell: (row) => row.status, tone: (row) => STATUS_TONES[row.status] },
  { header: 'PRODUCT', cell: nameOf, usefulWidth: 18 },
  {
    header: 'PAID',
    cell: (row) => row.amount ?? '',
    // Without its column, the coin is said where it is not the usual one.
    narrow: ({ amount, coin }) =>
      coin === 'USDC' || !amount ? (amount ?? '') : `${amount} ${coin}`,
    align: 'right',
  },
  { header: 'COIN', cell: (row) => row.coin, dropOrder: 1 },
  {
    header: 'WHEN',
    cell: (row) => row.created_at.slice(0, 16).replace('T', ' '),
    narrow: (row) => row.created_at.slice(5, 16).replace('T', ' '),
    dropOrder: 2,
  },
];

function nameOf({ product_name: name, face_value: faceValue, currency }: PurchaseRecord): string {
  return goodsName({ name, faceValue, currency });
}

const NOTE: Column<PurchaseRecord> = {
  header: 'NOTE',
  cell: ({ note }) => note ?? '',
  dropOrder: 3,
};

async function listOrders(context: Context, flags: OrderFilterFlags): Promise<View> {
  const isWanted = orderFilter(flags, context.clock);
  const records = (await everyEntry(context))
    .filter(isSigned)
    .map((entry) => purchaseRecord(standingOf(entry)))
    .filter(isWanted);
  const open = records.filter(({ status }) => status === 'unknown').length;
  return listView({
    records: records.toReversed(),
    learned: { orders: records.toReversed().flatMap(({ order_id }) => order_id ?? []) },
    columns: records.some(({ note }) => note !== null) ? [...COLUMNS, NOTE] : COLUMNS,
    empty:
      Object.keys(flags).length === 0
        ? 'Nothing was bought from this machine yet.'
        : 'No purchase of this machine is like that.',
    ...(open === 0 ? {} : { note: `${open} of unknown outcome. Run: scrip orders resume` }),
  });
}

interface ResumeRequest extends Patience {
  readonly id: string | undefined;
  readonly isAll: boolean;
}

async function resumeOrders(context: Context, request: ResumeRequest): Promise<View> {
  const tools = await purchaseTools(context, request);
  const { resume } = await import('../../client/purchase.ts');
  const chosen = await chooseEntries(tools.journal, request);
  const here = chosen.filter(({ intent }) => intent.host === tools.host && !intent.partner);
  const finished = await resumePartnerOrders(context, chosen, request.waitMs);
  const outcomes = [];
  // One after the other: each may wait for the chain, and the log stays readable.
  for (const entry of here) outcomes.push(await resume(tools, entry));
  const errors = outcomes.flatMap((outcome) => outcomeError(outcome) ?? []);
  const [error] = errors.filter(({ fundsAtRisk }) => fundsAtRisk !== 'none');
  return {
    ...listView({
      records: [
        ...outcomes.map((outcome) => ({
          ...purchaseRecord(receiptOf(outcome)),
          deliveries: receiptOf(outcome).deliveries,
        })),
        ...finished,
      ],
      columns: COLUMNS,
      empty: 'Nothing is left to be finished here.',
      ...elsewhereNote(context, chosen),
    }),
    ...(error === undefined ? {} : { error }),
  };
}

/** Orders of the partner API: transfers are settled, goods are kept, nothing is signed. */
async function resumePartnerOrders(context: Context, chosen: readonly Entry[], waitMs: number) {
  const { partnerHostName } = await import('../partner/purchasing.ts');
  const host = partnerHostName(context.settings);
  const mine = chosen.filter(({ intent }) => intent.partner && intent.host === host);
  if (mine.length === 0) return [];
  const { finishPartnerOrder } = await import('../partner/following.ts');
  const records = [];
  for (const { intent } of mine) {
    const fresh = await finishPartnerOrder(context, intent, waitMs);
    records.push({ ...purchaseRecord(standingOf(fresh.entry)), deliveries: fresh.deliveries });
  }
  return records;
}

async function chooseEntries(
  journal: Journal,
  { id, isAll }: ResumeRequest,
): Promise<readonly Entry[]> {
  if (id !== undefined) return [await findEntry(journal, id)];
  const open: readonly string[] = isAll ? ['settle', 'follow', 'attention'] : ['settle', 'follow'];
  return (await journal.all()).filter(
    (entry) => open.includes(nextStep(entry)) || isTransferOpen(entry),
  );
}

/** Its goods came on the merchant's word, before the chain had made the payment final. */
function isTransferOpen(entry: Entry): boolean {
  return entry.intent.partner !== undefined && madePayment(entry) === 'unknown';
}

/** A purchase is pinned to its host: another one cannot finish it. */
function elsewhereNote(
  { settings }: Context,
  entries: readonly Entry[],
): { readonly note?: string; readonly empty?: string } {
  const hosts = new Set(entries.map(({ intent }) => intent.host));
  hosts.delete(hostName(settings));
  if (!isEmbeddedUrl(settings.apiUrl)) hosts.delete(new URL(settings.apiUrl).origin);
  if (hosts.size === 0) return {};
  const flags = [...hosts].map((host) =>
    host.startsWith('embedded:') ? `--profile ${host.slice(9)}` : `--checkout-url ${host}`,
  );
  const note = `Some belong to other hosts; run the same with ${flags.join(', or ')}`;
  return { note, empty: note };
}
