/** `scrip order --cart`: buys a file of gifts in orders of up to ten, each item once. */

import { type BatchResult, holdCart, placeOrders } from '../../api/batch/batch.ts';
import { checkoutMerchant } from '../../api/checkout/merchant.ts';
import type { Merchant } from '../../api/merchant.ts';
import type { WireOrderRequest } from '../../contract/checkout.ts';
import { checkEmail } from '../../domain/address/email.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import type { Entry } from '../../domain/journal/journal.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Message, t } from '../../domain/message/message.ts';
import { heldOrders } from '../../domain/product/cart-items.ts';
import { countryFor, knownCountry } from '../browsing/country.ts';
import type { With } from '../context.ts';
import { isSummaryTold } from '../ordering/consent.ts';
import { askOwnEmail, missingError } from '../ordering/missing-options.ts';
import { withWallet } from '../ordering/wallet-money.ts';
import type { View } from '../output/view.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';
import { silent } from '../terminal/terminal.ts';
import { agreeOnCart, checkAgreement, checkMoney, tellLeftOut } from './agreement.ts';
import { readCart } from './cart-file.ts';
import {
  type BadLine,
  type CartRow,
  cartCatalog,
  checkRows,
  listsOnce,
  nameProducts,
  type ReadLines,
  readRows,
  settleCountries,
} from './checking.ts';
import { badLinesError, boughtView, linesView, rehearsalView, rehearsed } from './closing.ts';
import { type CartOptions, fileText, listingLine } from './flags.ts';
import {
  type CheckedItems,
  identify,
  type PlannedOrder,
  planCart,
  type RowItem,
} from './planning.ts';
import { followProgress } from './progress.ts';
import {
  endedLines,
  type ItemResult,
  itemResults,
  type LineResult,
  lineResults,
} from './results.ts';

const MAX_LINES = 10_000;
/** Time for a payment in progress to finish after the user stops the cart. */
const FINISH_MS = 5_000;

/**
 * Checks every line, asks once for the whole cart, and buys what was not bought yet.
 * @throws {ScripError} CART_INVALID, AMOUNT_OVER_CAP, FUNDS_TOO_LOW, the policy's refusals, CART_BUSY and
 * errors of `readCart`, before anything is sent; later failures are reported by line
 */
export async function orderCart(
  context: ScripContext & With<'keys' | 'files'>,
  options: CartOptions,
): Promise<View> {
  const mayAsk = context.settings.mayPrompt && !options.isAgreed;
  const known = options.email ?? context.settings.email;
  if (known === undefined && !mayAsk) throw missingError(['--email']);
  const scrip = scripDeps(context);
  const [progress, signal] = [silent, lateSignal(context)];
  const openMerchant = () => checkoutMerchant({ ...scrip, progress, signal });
  if (!options.isDryRun) {
    checkAgreement(context, options);
    const { checkMerchant } = await import('../../api/payment/spending.ts');
    await checkMerchant(scrip, openMerchant(), options.key !== undefined);
  }
  const email = checkEmail(known ?? (await askOwnEmail(context)));
  const lines = readCart(await context.io.readText(options.cart), MAX_LINES);
  const isMissing = lines.some(({ entry }) => entry !== undefined && entry.country === undefined);
  const country = await (isMissing && mayAsk ? countryFor : knownCountry)(
    context,
    options.defaults.country,
  );
  const read = await readRows(context, lines, { ...options.defaults, country });
  const merchant = await withWallet(context, isAsking(context, options), async () => {
    const opened = openMerchant();
    await opened.paying();
    return opened;
  });
  const { spending, vault } = await merchant.paying();
  // Asks for the passphrase before any other question.
  await vault();
  const scope = options.key ?? '';
  const buy = () => buyRows(context, merchant, { ...options, email }, { ...read, scope });
  if (options.isDryRun) return buy();
  const { host } = merchant;
  const name = canonicalJson([host, scope]);
  return holdCart({ log: spending.log, clock: scrip.clock, host }, name, buy);
}

/** Whether a missing wallet or missing money may be asked about. */
function isAsking(
  { settings }: With<'settings'>,
  { isAgreed, isDryRun }: Pick<CartOptions, 'isAgreed' | 'isDryRun'>,
): boolean {
  return settings.mayPrompt && !isAgreed && !isDryRun;
}

/** Aborts a few seconds after the user interrupts, so that payments in progress can finish. */
function lateSignal({ parts: { signal, clock } }: With<'parts'>): AbortSignal {
  const late = new AbortController();
  const end = (): void => {
    const stop = () => late.abort(signal.reason);
    clock.sleep(FINISH_MS).then(stop, stop);
  };
  if (signal.aborted) late.abort(signal.reason);
  else signal.addEventListener('abort', end, { once: true });
  return late.signal;
}

type CartMerchant = Merchant<WireOrderRequest>;
type AgreedOptions = CartOptions & { readonly email: string };

interface Rows extends ReadLines {
  readonly scope: string;
}

/** A cart whose lines are checked. */
interface Checked extends CheckedItems {
  readonly items: readonly RowItem[];
  readonly bad: readonly BadLine[];
}

async function buyRows(
  context: ScripContext & With<'keys'>,
  merchant: CartMerchant,
  options: AgreedOptions,
  read: Rows,
): Promise<View> {
  const checked = await checkCart(context, merchant, options, read);
  const unbought = lineResults({ ...checked, results: new Map() });
  const bad = unbought.filter(({ status }) => status === 'invalid');
  const { isAgreed } = options;
  const [file, whole] = [fileText(options), listingLine(options)];
  if (bad.length > 0 && !options.skipsInvalid) return refusal(context, bad, { file, whole });
  const nowMs = context.parts.clock.now();
  const wanted = { ...options, scope: read.scope, host: merchant.host, nowMs };
  const plan = { ...checked, orders: await planCart(checked, wanted) };
  if (options.isDryRun) {
    const shortage = await shortageOf(checkMoney(context, merchant, plan.orders));
    return rehearsalView(lineResults({ ...plan, results: rehearsed(plan.orders) }), {
      orders: plan.orders,
      shortage,
      whole,
    });
  }
  const isOpen = plan.orders.some(({ isHeld }) => !isHeld);
  const isTold = isOpen && isSummaryTold(context, isAgreed);
  const lines = isTold ? bad : [];
  const above = await tellLeftOut(context, { lines, file, whole });
  const means = await withWallet(context, isAsking(context, options), () =>
    checkMoney(context, merchant, plan.orders),
  );
  if (means !== undefined) await agreeOnCart(context, plan, { isAgreed, means, above });
  const results = await placeAll(context, merchant, plan, options);
  const told = lineResults({ ...plan, results });
  return boughtView(context, told, {
    // As of a single order: JSON has the codes.
    isRevealed: options.isRevealed || context.settings.isJson,
    waitMs: options.timeouts.waitMs,
    orders: plan.orders,
  });
}

/** The error if the wallet holds too little, which a dry run tells below what it would buy. */
function shortageOf(checking: Promise<unknown>): Promise<ScripError | undefined> {
  return checking.then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof ScripError && error.code === 'FUNDS_TOO_LOW') return error;
      throw error;
    },
  );
}

async function checkCart(
  context: ScripContext,
  merchant: CartMerchant,
  options: AgreedOptions,
  { rows, doubtful, bad, scope }: Rows,
): Promise<Checked> {
  const { host } = merchant;
  const { journal } = await merchant.paying();
  const entries = await journal.all();
  if (!options.allowsDuplicate) refuseUnexplained(entries, host);
  const before = heldOrders(entries, { scope, host });
  const listOf = listsOnce();
  const catalog = cartCatalog(context, listOf);
  const named = await nameProducts(context, [...rows, ...doubtful], { held: before, catalog });
  const wrong = new Set(bad.map(({ number }) => number));
  const isWrong = ({ number }: CartRow) => wrong.has(number);
  const items = await identify(named.rows.filter((row) => !isWrong(row)));
  const wanted = new Set(items.map(({ id }) => id));
  const held = before.filter((order) => order.items.some((id) => wanted.has(id)));
  const isHeld = new Set(held.flatMap((order) => order.items));
  const open = items.filter(({ id }) => !isHeld.has(id));
  const openRows = [...new Set(open.map(({ row }) => row)), ...named.rows.filter(isWrong)];
  const progress = followProgress(context, {
    total: openRows.length,
    unit: t`lines`,
    what: t`Checking`,
  });
  const all = await checkRows(context, openRows, { listOf, onChecked: () => progress(1) });
  context.io.progress.done();
  const offers = new Map([...all.offers].filter(([row]) => !isWrong(row)));
  const read = { offers, bad: all.bad };
  const mayAsk = !options.isAgreed && !options.isDryRun;
  const checked = options.allowsOtherCountry
    ? read
    : await settleCountries(context, read, { mayAsk });
  const allBad = [...bad, ...named.bad, ...checked.bad];
  return { items, offers: checked.offers, bad: allBad, open, held, entries };
}

/**
 * Refuses if the chain has a payment whose record is lost: it may belong to this cart.
 * @throws {ScripError} JOURNAL_UNUSABLE
 */
function refuseUnexplained(entries: readonly Entry[], host: string): void {
  const lost = entries.find(({ intent }) => intent.host === host && intent.body === '');
  if (lost === undefined) return;
  throw new ScripError(
    'JOURNAL_UNUSABLE',
    t`A payment of this wallet lost its record and may belong to this cart; nothing was sent`,
    {
      hint: commandText`See scrip orders show ${lost.intent.intentId}. If it was for something else, add --allow-duplicate.`,
      details: { intent_id: lost.intent.intentId },
    },
  );
}

/** In JSON mode only the error is printed; otherwise the wrong lines too. */
function refusal(
  { settings }: With<'settings'>,
  bad: readonly LineResult[],
  { file, whole }: { readonly file: Message; readonly whole: Message | undefined },
): View {
  const error = badLinesError(bad, file);
  if (settings.isJson) throw error;
  return linesView(bad, { isRevealed: false, error, whole });
}

/** Returns results by item id. */
async function placeAll(
  context: With<'io' | 'parts'>,
  merchant: CartMerchant,
  { orders, items }: Pick<Checked, 'items'> & { readonly orders: readonly PlannedOrder[] },
  { concurrency }: CartOptions,
): Promise<ReadonlyMap<string, ItemResult>> {
  const rows = new Map(items.map(({ id, row }) => [id, row]));
  const total = orders.reduce((count, order) => count + order.items.length, 0);
  const progress = followProgress(context, { total, unit: t`items`, what: t`Buying` });
  const { policy } = (await merchant.paying()).spending;
  const { signal: stop, clock } = context.parts;
  const settled = await placeOrders(merchant, orders, {
    ...{ stop, clock },
    // The policy also limits concurrent payments.
    concurrency: Math.max(1, Math.min(concurrency, policy.maxOpenIntents)),
    onResult: (index, result) => {
      const order = orders[index];
      if (order === undefined) return;
      progress(order.items.length, endedLines(order, itemResults(order, result), rows));
    },
  });
  context.io.progress.done();
  const left: BatchResult = { kind: 'left', cause: undefined };
  return new Map(
    orders.flatMap((order, at) => {
      const results = itemResults(order, settled[at] ?? left);
      return order.items.flatMap((id, place) => {
        const result = results[place];
        return result === undefined ? [] : [[id, result] as const];
      });
    }),
  );
}
