/** `scrip serve`: a shop with real parts, from a configuration file, and its operator's commands. */

import type { Command } from 'commander';
import { ScripError } from '../../domain/message/errors.ts';
import { joined, t, verbatim } from '../../domain/message/message.ts';
import type { ShopCheck } from '../../domain/operator/operator.ts';
import { addExamples, addOptions, type Bind, type FlagsOf } from '../command.ts';
import type { With } from '../context.ts';
import { toJson } from '../output/json.ts';
import type { RecordView, View } from '../output/view.ts';
import type { ServedShopRecord, ShopCheckRecord } from '../schemas/serve.ts';
import {
  declareAlarms,
  declareBooks,
  declareCatalogVersions,
  declareLog,
  declareStock,
  declareWebhooks,
} from '../serving/desk-commands.ts';
import { LOG_FORMS, type LogForm } from '../serving/fault-log.ts';
import { configOf, HOW_TO_STOP, SHOP, untilStopped } from '../serving/operated.ts';
import { declareOrderDesk } from '../serving/order-desk-commands.ts';
import { declareOrderList } from '../serving/order-list-commands.ts';
import { declarePartners } from '../serving/partner-commands.ts';
import { declarePersons } from '../serving/person-commands.ts';
import { declareRefunds } from '../serving/refund-commands.ts';
import { declareSales } from '../serving/sales-commands.ts';

const OPTIONS = {
  '--config <file>': 'configuration of the shop (docs/operate/shop.md)',
  '--check': 'try every part of the shop and stop',
  '--config-schema': 'print the JSON Schema of the configuration and stop',
  '--as <name>': 'who acts, for the log of a subcommand (default: the system’s user)',
  '--reason <text>': 'why, for the log of a subcommand',
  '--log <form>': {
    what: 'form of the log on stderr: text, or one JSON object a line',
    choices: LOG_FORMS,
    usual: 'text',
  },
} as const;

export function register(command: Command, bind: Bind): void {
  addOptions(command, OPTIONS).action((flags: FlagsOf<typeof OPTIONS>, self: Command) =>
    bind((context) => run(context, flags, self)),
  );
  declareOrderList(command, bind);
  declareLog(command, bind);
  declareAlarms(command, bind);
  declareOrderDesk(command, bind);
  declareBooks(command, bind);
  declareSales(command, bind);
  declareCatalogVersions(command, bind);
  declareStock(command, bind);
  declarePartners(command, bind);
  declarePersons(command, bind);
  declareRefunds(command, bind);
  declareWebhooks(command, bind, SHOP);
  addExamples(command, [
    'serve --config shop.json --check',
    'serve --config shop.json',
    'serve --config-schema',
  ]);
}

async function run(
  context: With<'parts' | 'serving'>,
  { configSchema, check, log }: FlagsOf<typeof OPTIONS>,
  self: Command,
): Promise<View> {
  const { serving } = context;
  if (configSchema) {
    const record = await serving.shopSchema();
    return { kind: 'text', text: toJson(record, 2), record };
  }
  const config = configOf(self);
  return check ? checkedView(await serving.checkShop(config)) : serve(context, config, log);
}

async function serve(
  context: With<'parts' | 'serving'>,
  config: string,
  log: LogForm,
): Promise<RecordView> {
  const served = await context.serving.serveShop(config, log);
  const { url, publicUrl, feePayer, treasury, base, database, close } = served;
  return {
    kind: 'record',
    record: {
      listening: url,
      checkout_url: publicUrl,
      api_url: publicUrl,
      mcp_url: publicUrl,
      fee_payer: feePayer,
      treasury,
      ...(base && { base: { fee_account: base.feeAccount, treasury: base.treasury } }),
      database,
    } satisfies ServedShopRecord,
    title: t`The shop is open`,
    lines: [
      [t`Listening on`, url],
      [t`Checkout host`, publicUrl],
      [t`Partner API`, publicUrl],
      [t`Tools for agents`, `${publicUrl}/mcp`],
      [t`Fee payer`, feePayer],
      [t`Treasury`, treasury],
      ...(base === undefined
        ? []
        : [
            [t`Fee account on Base`, base.feeAccount] as const,
            [t`Treasury on Base`, base.treasury] as const,
          ]),
      [t`Database`, database],
    ],
    note: HOW_TO_STOP,
    after: untilStopped(context, close),
  };
}

function checkedView(checks: readonly ShopCheck[]): RecordView {
  const error = errorOf(checks);
  return {
    kind: 'record',
    record: {
      ok: error === undefined,
      checks: checks.map(({ part, detail, fault, isDegraded }) => ({
        part,
        ok: fault === null,
        degraded: isDegraded,
        detail: String(detail),
      })),
    } satisfies ShopCheckRecord,
    lines: checks.map((check) => [
      verbatim(check.part),
      t`${MARKS[toneOf(check)]}  ${check.detail}`,
    ]),
    tones: Object.fromEntries(checks.map((check) => [check.part, toneOf(check)])),
    ...(error === undefined ? {} : { error }),
  };
}

const MARKS = { good: 'ok', open: 'LESS', bad: 'FAIL' } as const;

function toneOf({ fault, isDegraded }: ShopCheck): keyof typeof MARKS {
  if (fault !== null) return 'bad';
  return isDegraded ? 'open' : 'good';
}

const AWAY = 4;

/** A database that is away ends other commands as one that cannot be used. */
function isAway({ exit, details }: ScripError): boolean {
  return exit === AWAY || details.isAway === true;
}

/**
 * Returns one error for all failed parts. Parts that the operator must correct take precedence over
 * unreachable ones.
 */
function errorOf(checks: readonly ShopCheck[]): ScripError | undefined {
  const faults = checks.flatMap(({ fault }) => fault ?? []);
  const [first] = faults;
  if (first === undefined) return undefined;
  const worst = faults.find((fault) => !isAway(fault));
  const failed = checks.filter(({ fault }) => fault !== null).map(({ part }) => verbatim(part));
  const message = t`The shop cannot be opened: ${joined(failed, t`, `)} failed`;
  const { hint } = worst ?? first;
  return new ScripError(worst === undefined ? 'MERCHANT_ERROR' : 'INPUT_INVALID', message, {
    hint,
  });
}
