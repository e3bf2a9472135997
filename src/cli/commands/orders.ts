/** `scrip orders`: what this machine bought, by its journal. */
import type { Command } from 'commander';
import { paymentSummary } from '../../client/outcome.ts';
import { ScripError } from '../../domain/errors.ts';
import {
  acceptedOrder,
  currentAttempt,
  type Entry,
  factOf,
  fruitlessEnd,
  isFinished,
  type Journal,
  lastAttempt,
  nextStep,
} from '../../domain/journal.ts';
import type { Signer } from '../../rails/rail.ts';
import { parseDuration } from '../amount.ts';
import type { Bind } from '../commands.ts';
import type { Context } from '../context.ts';
import { addExamples } from '../examples.ts';
import { type Column, listView, type View } from '../output/view.ts';
import { hostName, purchaseTools } from '../purchasing.ts';
import {
  outcomeError,
  type PurchaseStatus,
  purchaseRecord,
  type Receipt,
  receiptOf,
  receiptView,
} from '../receipt.ts';
import { isEmbeddedUrl } from '../settings.ts';

interface ResumeOptions {
  readonly all?: boolean;
  readonly timeout: string;
}

export function register(command: Command, bind: Bind): void {
  const list = command
    .command('list', { isDefault: true })
    .description('list what was bought, newest first (the default)')
    .action(() => bind(listOrders));
  const show = command
    .command('show')
    .description('show one purchase again, with its codes')
    .argument('<id>', 'order id, intent id or idempotency key')
    .action((id: string) => bind((context) => showOrder(context, id)));
  const resume = command
    .command('resume')
    .description('find out what became of interrupted purchases, and finish those that were paid')
    .argument('[id]', 'order id, intent id or idempotency key; all unfinished ones without it')
    .option('--all', 'those that were given up as well')
    .option('--timeout <time>', 'how long to wait for each delivery', '30s')
    .action((id: string | undefined, options: ResumeOptions) => {
      const waitMs = parseDuration(options.timeout);
      return bind((context) => resumeOrders(context, { id, waitMs, isAll: options.all ?? false }));
    });
  addExamples(command, ['orders', 'orders show <order_id>', 'orders resume']);
  addExamples(list, ['orders', 'orders list --json']);
  addExamples(show, ['orders show <order_id>']);
  addExamples(resume, ['orders resume', 'orders resume <intent_id> --timeout 10m']);
}

type PurchaseRow = ReturnType<typeof purchaseRecord>;

const COLUMNS: readonly Column<PurchaseRow>[] = [
  { header: 'ORDER', cell: (row) => row.order_id ?? row.intent_id, isWhole: true },
  { header: 'STATUS', cell: (row) => row.status },
  { header: 'PRODUCT', cell: (row) => row.product_name, usefulWidth: 18 },
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

async function listOrders(context: Context): Promise<View> {
  const records = (await everyEntry(context))
    .filter(isSigned)
    .map((entry) => purchaseRecord(standingOf(entry)));
  const open = records.filter(({ status }) => status === 'unknown').length;
  return listView({
    records: records.toReversed(),
    columns: COLUMNS,
    empty: 'Nothing was bought from this machine yet.',
    ...(open === 0 ? {} : { note: `${open} of unknown outcome. Run: scrip orders resume` }),
  });
}

async function showOrder(context: Context, id: string): Promise<View> {
  const { journal, signer } = await openBooks(context);
  const entry = await findEntry(journal, id);
  const goods = factOf(entry, 'goods');
  if (goods === undefined) return showUndelivered(entry);
  if (entry.intent.partner !== undefined) return showPartnerOrder(context, signer, goods.sealed);
  const { readOrder } = await import('../../client/purchase.ts');
  const vault = await context.vault(signer);
  const { deliveries = [] } = readOrder(vault.open(goods.sealed));
  return receiptView({ ...standingOf(entry), deliveries });
}

async function showPartnerOrder(context: Context, signer: Signer, sealed: string): Promise<View> {
  const { readPartnerOrder } = await import('../../client/partner-journal.ts');
  const { partnerOrderView } = await import('../partner-view.ts');
  return partnerOrderView(readPartnerOrder((await context.vault(signer)).open(sealed)));
}

/** With what a merchant needs to find the payment, where there is one to be found. */
async function showUndelivered(entry: Entry): Promise<View> {
  const view = receiptView({ ...standingOf(entry), deliveries: [] });
  const attempt = currentAttempt(entry);
  if (attempt === undefined) return view;
  const { bundleOf } = await import('../../client/outcome.ts');
  const bundle = await bundleOf({ entry, attempt });
  return {
    ...view,
    record: { ...purchaseRecord(standingOf(entry)), deliveries: [], bundle },
    lines: [
      ...view.lines,
      ...Object.entries(bundle).map(([name, value]) => [name, String(value ?? '')] as const),
    ],
    ...(isFinished(entry)
      ? {}
      : { note: `To finish it: scrip orders resume ${entry.intent.intentId}` }),
  };
}

interface ResumeRequest {
  readonly id: string | undefined;
  readonly isAll: boolean;
  readonly waitMs: number;
}

async function resumeOrders(context: Context, request: ResumeRequest): Promise<View> {
  const tools = await purchaseTools(context, request.waitMs);
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
  const { partnerHostName } = await import('../partner-purchasing.ts');
  const host = partnerHostName(context.settings);
  const mine = chosen.filter(({ intent }) => intent.partner && intent.host === host);
  if (mine.length === 0) return [];
  const { finishPartnerOrder } = await import('../partner-following.ts');
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
  return (await journal.all()).filter((entry) => open.includes(nextStep(entry)));
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

/** On a machine without a wallet nothing was bought yet. */
async function everyEntry(context: Context): Promise<readonly Entry[]> {
  try {
    return await (await openBooks(context)).journal.all();
  } catch (error) {
    if (error instanceof ScripError && error.code === 'WALLET_MISSING') return [];
    throw error;
  }
}

/** Reading the journal needs no payment: the wallet may be of another host. */
async function openBooks(context: Context) {
  const signer = await context.wallets.open(context.settings.keypairPath);
  return { signer, journal: await context.journal(signer) };
}

async function findEntry(journal: Journal, id: string): Promise<Entry> {
  const entries = await journal.all();
  const found = entries.find(
    (entry) => orderIdOf(entry) === id || entry.intent.intentId === id || entry.intent.key === id,
  );
  if (found) return found;
  throw new ScripError('ORDER_UNKNOWN', `this wallet has no purchase "${id}"`);
}

/** Signed for, or made at the merchant and still to be paid. */
function isSigned(entry: Entry): boolean {
  return entry.attempts.length > 0 || factOf(entry, 'created') !== undefined;
}

function orderIdOf(entry: Entry): string | undefined {
  return acceptedOrder(entry)?.orderId ?? factOf(entry, 'created')?.orderId;
}

function standingOf(entry: Entry): Omit<Receipt, 'deliveries'> {
  const attempt = currentAttempt(entry) ?? lastAttempt(entry);
  return {
    intent: entry.intent,
    status: statusOf(entry),
    orderId: orderIdOf(entry) ?? null,
    payment: attempt === undefined ? null : paymentSummary(entry, attempt),
  };
}

function statusOf(entry: Entry): PurchaseStatus {
  const goods = factOf(entry, 'goods');
  if (goods !== undefined) return goods.status;
  const isTopUp = entry.intent.partner?.topUpOf !== undefined;
  if (isTopUp && factOf(entry, 'landed') !== undefined) return 'completed';
  const statuses = {
    challenge: 'unpaid',
    finished: fruitlessEnd(entry) ?? 'unpaid',
    settle: 'unknown',
    follow: 'processing',
    attention: 'attention',
  } as const;
  return statuses[nextStep(entry)];
}
