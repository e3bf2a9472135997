/** `scrip order --cart`: buys a file of gifts in orders of up to ten, each item once. */

import { type BatchResult, holdCart, placeOrders } from '../../api/batch/batch.ts';
import { checkoutMerchant } from '../../api/checkout/merchant.ts';
import type { Merchant } from '../../api/merchant.ts';
import type { WireOrderRequest } from '../../contract/checkout.ts';
import { checkEmail } from '../../domain/address/email.ts';
import { expected } from '../../domain/attempt.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import type { Entry } from '../../domain/journal/journal.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { heldOrders } from '../../domain/product/cart-items.ts';
import { countryFor } from '../browsing/country.ts';
import type { BuyerContext, With } from '../context.ts';
import { checkConsent, isSummaryTold, mayAsk } from '../ordering/consent.ts';
import { askOwnEmail, missingError } from '../ordering/missing-options.ts';
import { withWallet } from '../ordering/wallet-money.ts';
import type { View } from '../output/view.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';
import { silent } from '../terminal/terminal.ts';
import { agreeOnCart, checkMoney, tellLeftOut } from './agreement.ts';
import { readCart } from './cart-file.ts';
import {
  type CartRow,
  cartCatalog,
  checkRows,
  isWrong,
  listsOnce,
  nameProducts,
  readRow,
  settleCountries,
} from './checking.ts';
import { badLinesError, boughtView, linesView, rehearsalView, rehearsed } from './closing.ts';
import { type CartOptions, fileText, listingLine } from './flags.ts';
import { type CheckedCart, identify, type PlannedOrder, planCart } from './planning.ts';
import { followProgress } from './progress.ts';
import { endedLines, type ItemResult, itemResults, lineResults } from './results.ts';

const MAX_LINES = 10_000;
/** Time for a payment in progress to finish after the user stops the cart. */
const FINISH_MS = 5_000;

/**
 * Checks every line, asks once for the whole cart, and buys what was not bought yet.
 * @throws {ScripError} CART_INVALID, AMOUNT_OVER_CAP, FUNDS_TOO_LOW, the policy's refusals, CART_BUSY and
 * errors of `readCart`, before anything is sent; later failures are reported by line
 */
export async function orderCart(context: BuyerContext, options: CartOptions): Promise<View> {
  const isAsked = mayAsk(context, options);
  const known = options.email ?? context.settings.email;
  if (known === undefined && !isAsked) throw missingError(['--email']);
  const scrip = scripDeps(context);
  const [progress, signal] = [silent, lateSignal(context)];
  const openMerchant = () => checkoutMerchant({ ...scrip, progress, signal });
  if (!options.isDryRun) {
    const { isAgreed, budgetAtomic } = options;
    const isUnlimited = budgetAtomic === undefined;
    checkConsent(context, { isAgreed, isUnlimited, limitFlag: '--max-total' });
    const { checkMerchant } = await import('../../api/payment/spending.ts');
    await checkMerchant(scrip, openMerchant(), options.scope !== '');
  }
  const email = checkEmail(known ?? (await askOwnEmail(context)));
  const lines = readCart(await context.io.readText(options.cart), MAX_LINES);
  const isMissing = lines.some(({ entry }) => entry !== undefined && entry.country === undefined);
  const { country: typed = context.settings.countryCode } = options.defaults;
  const country = isMissing && isAsked ? await countryFor(context, typed) : typed;
  const rows = await Promise.all(
    lines.map((line) => readRow(context, line, { ...options.defaults, country })),
  );
  const merchant = await withWallet(context, isAsked && !options.isDryRun, async () => {
    const opened = openMerchant();
    await opened.paying();
    return opened;
  });
  const { spending, vault } = await merchant.paying();
  // Asks for the passphrase before any other question.
  await vault();
  const buy = () => buyRows(context, merchant, { ...options, email }, rows);
  if (options.isDryRun) return buy();
  const { host } = merchant;
  const name = canonicalJson([host, options.scope]);
  return holdCart({ log: spending.log, clock: scrip.clock, host }, name, buy);
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

async function buyRows(
  context: BuyerContext,
  merchant: CartMerchant,
  options: AgreedOptions,
  read: readonly CartRow[],
): Promise<View> {
  const checked = await checkCart(context, merchant, options, read);
  const { rows } = checked;
  const bad = lineResults(rows.filter(isWrong), new Map());
  const { isAgreed } = options;
  const [file, whole] = [fileText(options), listingLine(options)];
  if (bad.length > 0 && !options.skipsInvalid) {
    const error = badLinesError(bad, file);
    // In JSON mode only the error is printed; otherwise the wrong lines too.
    if (context.settings.isJson) throw error;
    return linesView(bad, { isRevealed: false, error, whole });
  }
  const nowMs = context.parts.clock.now();
  const orders = await planCart(checked, { ...options, host: merchant.host, nowMs });
  if (options.isDryRun) {
    // A dry run tells below what it would buy that the wallet holds too little.
    const shortage = await checkMoney(context, merchant, orders).then(
      () => undefined,
      expected((error) => error, 'FUNDS_TOO_LOW'),
    );
    return rehearsalView(lineResults(rows, rehearsed(orders)), { orders, shortage, whole });
  }
  const isOpen = orders.some(({ isHeld }) => !isHeld);
  const lines = isOpen && isSummaryTold(context, isAgreed) ? bad : [];
  const left = await tellLeftOut(context, lines, { file, whole });
  const means = await withWallet(context, mayAsk(context, options), () =>
    checkMoney(context, merchant, orders),
  );
  if (means !== undefined)
    await agreeOnCart(context, { rows, orders, ...left }, { isAgreed, means });
  const results = await placeAll(context, merchant, { orders, rows }, options);
  return boughtView(context, lineResults(rows, results), {
    // As of a single order: JSON has the codes.
    isRevealed: options.isRevealed || context.settings.isJson,
    waitMs: options.timeouts.waitMs,
    orders,
  });
}

async function checkCart(
  context: ScripContext,
  merchant: CartMerchant,
  options: AgreedOptions,
  read: readonly CartRow[],
): Promise<CheckedCart> {
  const { host } = merchant;
  const { journal } = await merchant.paying();
  const entries = await journal.all();
  if (!options.allowsDuplicate) refuseUnexplained(entries, host);
  const before = heldOrders(entries, { scope: options.scope, host });
  const listOf = listsOnce();
  const catalog = cartCatalog(context, listOf);
  const rows = await identify(await nameProducts(context, read, { held: before, catalog }));
  const wanted = new Set(rows.flatMap(({ ids }) => ids));
  const held = before.filter((order) => order.items.some((id) => wanted.has(id)));
  const isHeld = new Set(held.flatMap((order) => order.items));
  // Of a wrong line too: the catalog may find more problems.
  const open = rows.filter((row) =>
    isWrong(row)
      ? row.isNamed && row.productId !== undefined
      : row.ids.some((id) => !isHeld.has(id)),
  );
  const progress = followProgress(context, {
    total: open.length,
    unit: t`lines`,
    what: t`Checking`,
  });
  const checked = await checkRows(context, open, { listOf, onChecked: () => progress(1) });
  context.io.progress.done();
  const all = rows.map((row) => checked.get(row.number) ?? row);
  const settled = options.allowsOtherCountry
    ? all
    : await settleCountries(context, all, {
        isAsked: mayAsk(context, options) && !options.isDryRun,
      });
  return { rows: settled, held, entries };
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

/** Returns results by item id. */
async function placeAll(
  context: With<'io' | 'parts'>,
  merchant: CartMerchant,
  { orders, rows }: Pick<CheckedCart, 'rows'> & { readonly orders: readonly PlannedOrder[] },
  { concurrency }: CartOptions,
): Promise<ReadonlyMap<string, ItemResult>> {
  const total = orders.reduce((count, order) => count + order.items.length, 0);
  const progress = followProgress(context, { total, unit: t`items`, what: t`Buying` });
  const rowOf = new Map(rows.flatMap((row) => row.ids.map((id) => [id, row] as const)));
  const { policy } = (await merchant.paying()).spending;
  const { signal: stop, clock } = context.parts;
  const settled = await placeOrders(merchant, orders, {
    ...{ stop, clock },
    // The policy also limits concurrent payments.
    concurrency: Math.max(1, Math.min(concurrency, policy.maxOpenIntents)),
    onResult: (index, result) => {
      const order = orders[index];
      if (order === undefined) return;
      const ended = new Set(order.items.flatMap((id) => rowOf.get(id) ?? []));
      progress(order.items.length, endedLines([...ended], itemResults(order, result)));
    },
  });
  context.io.progress.done();
  const left: BatchResult = { kind: 'left', cause: undefined };
  return new Map(orders.flatMap((order, at) => [...itemResults(order, settled[at] ?? left)]));
}
