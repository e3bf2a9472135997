/** `scrip open`: opens the page to redeem an order's code, or its payment's explorer page. */

import { type Command, Option } from 'commander';
import { receiptFrom } from '../../api/receipt.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { escapeText, t } from '../../domain/message/message.ts';
import { addExamples, addOptions, type Bind, type FlagsOf } from '../command.ts';
import type { BuyerContext, With } from '../context.ts';
import { findEntry } from '../orders/ledger.ts';
import { redemptionUrls } from '../orders/past-purchase.ts';
import { explorerUrl } from '../output/link.ts';
import type { View } from '../output/view.ts';
import type { OpenedPage } from '../schemas/purchase.ts';

const OPTIONS = {
  '--tx': 'the page of its payment in the explorer of the chain',
  '--item <n>': ['which item to redeem', '1'],
  '--print': 'print the address without opening it',
  '--yes': 'do not ask',
} as const;

type OpenFlags = FlagsOf<typeof OPTIONS>;

export function register(command: Command, bind: Bind): void {
  addOptions(command, OPTIONS)
    .argument(
      '[order_id]',
      'order id or its beginning, from scrip orders; a terminal offers the latest',
    )
    .addOption(new Option('--redeem', 'the page where its code is redeemed').hideHelp())
    .action((id: string | undefined, flags: OpenFlags) =>
      bind((context) => run(context, id, flags)),
    );
  addExamples(command, [
    'open <order_id>',
    'open <order_id> --print',
    'open <order_id> --item 2 --yes',
    'open <order_id> --tx',
  ]);
}

async function run(
  context: BuyerContext,
  typed: string | undefined,
  flags: OpenFlags,
): Promise<View> {
  const { tx = false, print = false, yes = false } = flags;
  if (!print && !yes && !context.settings.mayPrompt) {
    throw new ScripError('USAGE', t`Opening it needs a confirmation, and there is no terminal`, {
      hint: t`Add --print for the address, or --yes to open it.`,
    });
  }
  const { orderMeant } = await import('../orders/order-meant.ts');
  const id = await orderMeant(context, typed, ['open']);
  const kind = tx ? 'transaction' : 'redemption';
  const url = checkAddress(
    tx ? await payment(context, id) : await redemption(context, id, flags),
    id,
  );
  if (!print) await open(context, url, yes);
  const record: OpenedPage = {
    order_id: id,
    kind,
    host: url.hostname,
    url: url.href,
    opened: !print,
  };
  if (print) return { kind: 'text', text: `${escapeText(url.href)}\n`, record };
  return { kind: 'record', record, lines: [[t`Opened`, url.hostname]] };
}

/** Shows the host first, in its ASCII form, then asks on a terminal. */
async function open(
  { io, system }: With<'io' | 'system'>,
  url: URL,
  isAgreed: boolean,
): Promise<void> {
  io.stderr.write(`host: ${escapeText(url.hostname)}\n`);
  if (!isAgreed && !(await io.prompter.confirm(t`Open it in your browser?`))) {
    throw new ScripError('DECLINED', t`You declined; nothing was opened`);
  }
  if (await system.openAddress(url.href)) return;
  throw new ScripError('OPENER_FAILED', t`${url.hostname} could not be opened`);
}

/** Returns the explorer's page. @throws {ScripError} LINK_MISSING */
async function payment(context: BuyerContext, id: string): Promise<string> {
  const { payment, intent } = receiptFrom(await findEntry(context, id));
  const transaction = payment?.transaction ?? null;
  const url = explorerUrl(intent.host, transaction);
  if (url !== undefined) return url;
  throw new ScripError(
    'LINK_MISSING',
    transaction === null
      ? t`This machine knows no transaction of the order ${id}`
      : t`The order was paid on a sandbox chain, which has no explorer`,
    {
      hint: commandText`The sandbox has its own chain, without an explorer. Run: scrip orders show ${id}`,
    },
  );
}

/**
 * Returns the redemption page.
 * @throws {ScripError} LINK_MISSING, INPUT_INVALID and the codes of `scrip orders reveal`
 */
async function redemption(context: BuyerContext, id: string, { item }: OpenFlags): Promise<string> {
  if (!/^[1-9]\d{0,3}$/.test(item)) {
    throw new ScripError('INPUT_INVALID', t`--item "${item}" is not a whole number of at least 1`);
  }
  const urls = await redemptionUrls(context, id);
  const url = urls[Number(item) - 1];
  if (url !== undefined && url !== '') return url;
  throw new ScripError('LINK_MISSING', t`Item ${item} of ${id} has no web page to redeem it on`, {
    hint: commandText`Run: scrip orders reveal ${id}`,
  });
}

/** Opens only plain https URLs from a merchant. @throws {ScripError} LINK_UNSAFE */
function checkAddress(text: string, id: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' && url.username === '' && url.password === '') return url;
  throw new ScripError(
    'LINK_UNSAFE',
    t`The address is not a plain https:// address, so it was not opened`,
    {
      hint: commandText`Check the delivery with scrip orders reveal ${id}, and ask the merchant.`,
    },
  );
}
