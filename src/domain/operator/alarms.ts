/** What wakes a shopkeeper: each alarm, what it means, what to do, and by which metric it is found. */

import type { SendWebhook } from '../address/webhook-address.ts';
import { wordList } from '../message/command-text.ts';
import type { ScripError } from '../message/errors.ts';
import { type Message, t } from '../message/message.ts';

interface AlarmKind {
  /** One sentence, as the documentation shows it. */
  readonly means: Message;
  /** What to do: a sentence, or words before the command that shows more. */
  readonly todo: Message;
  /** Without it a part of the shop says itself what is wrong with it. */
  readonly by?: Measure;
  /** How long it has to last before anyone is told. */
  readonly afterMinutes?: number;
}

interface Measure {
  readonly metric: string;
  /** Wrong on this side of the limit, which the configuration has where it is undefined. */
  readonly side: 'above' | 'below';
  readonly limit?: number | undefined;
  /** Values of a label that count; all do without it. */
  readonly of?: readonly [label: string, ...values: string[]];
}

const above = (metric: string, limit: number, ...of: string[]): Measure => {
  const [label, ...values] = of;
  return { metric, side: 'above', limit, ...(label !== undefined && { of: [label, ...values] }) };
};
const below = (metric: string, limit?: number): Measure => ({ metric, side: 'below', limit });

/** Append-only: monitors match on the names. docs/operate/alarms.md and the rules beside it have each. */
const TABLE = {
  server: {
    means: t`No server of the shop runs`,
    todo: t`Start one, and see in its log why the last one ended.`,
  },
  database: {
    means: t`The database takes no writes`,
    todo: t`See that it runs and its disk has room: scrip serve --check`,
    afterMinutes: 2,
  },
  chain: {
    means: t`The node is away, or a minute behind the chain`,
    todo: t`Ask its provider, or name another node in chain.rpc: scrip serve --check`,
    afterMinutes: 2,
  },
  goods: {
    means: t`Nothing in the catalog can be sold`,
    todo: t`See why the catalog or the rates cannot be read: scrip serve --check`,
    afterMinutes: 2,
  },
  catalog: {
    means: t`The catalog cannot be read; the last good one is sold`,
    todo: t`Correct the file or the feed: scrip serve --check`,
  },
  rates: {
    means: t`Goods are not sold: their rates are missing or stale`,
    todo: t`See that the feed of rates answers: scrip serve --check`,
  },
  facilitator: {
    means: t`The facilitator is away; nothing is sold over x402`,
    todo: t`Ask its operator, or remove chain.facilitator: scrip serve --check`,
    afterMinutes: 2,
  },
  base: {
    means: t`Nothing is sold on Base`,
    todo: t`See whether its node, the fee account or the facilitator fails: scrip serve --check`,
    afterMinutes: 2,
  },
  accounts: {
    means: t`Over 80 % of the receiving accounts are in use`,
    todo: t`Raise accounts.most and accounts.rent_per_day_sol: scrip serve --check`,
  },
  fee_payer: {
    means: t`The fee payer has less SOL than twice its minimum`,
    todo: t`Send it SOL; below the minimum no orders are taken: scrip serve --check`,
    by: below('scrip_fee_payer_sol'),
  },
  fee_account: {
    means: t`The fee account on Base has less ETH than twice its minimum`,
    todo: t`Send it ETH on Base; below the minimum nothing is sold there: scrip serve --check`,
    by: below('scrip_fee_payer_eth'),
  },
  refund_wallet: {
    means: t`The refund wallet has less USDC than one refund may take`,
    todo: t`Send it USDC from the treasury: scrip serve refunds`,
    by: below('scrip_refund_wallet_usdc'),
  },
  held_orders: {
    means: t`Orders are held for a person`,
    todo: t`Release or refuse each: scrip serve orders --state WaitingForManualAction`,
    by: above('scrip_orders', 0, 'state', 'WaitingForManualAction'),
  },
  late_deliveries: {
    means: t`A paid order has waited for its supplier for over five minutes`,
    todo: t`See what the supplier said last: scrip serve orders`,
    by: above('scrip_oldest_waiting_seconds', 300, 'for', 'supplier'),
  },
  supplier: {
    means: t`The supplier failed five times in a row`,
    todo: t`See that it answers and takes the token: scrip serve --check`,
    by: above('scrip_supplier_errors_in_a_row', 4),
  },
  no_goods: {
    means: t`The supplier gave no goods, or no outcome, for a paid line`,
    todo: t`Ask the supplier by the reference of the line: scrip serve orders`,
    by: above('scrip_lines_without_goods', 0, 'fault', 'no_outcome', 'no_goods'),
  },
  duplicate_codes: {
    means: t`The supplier gave a code that another line has`,
    todo: t`Have the supplier give another one: scrip serve orders`,
    by: above('scrip_lines_without_goods', 0, 'fault', 'used_code'),
  },
  refunds: {
    means: t`Refunds are refused by a limit, or wait for a person or for money`,
    todo: t`Approve or pay each, or fill the refund wallet: scrip serve refunds`,
    by: above(
      ...(['scrip_refunds_waiting', 0, 'for'] as const),
      ...['account', 'approval', 'operator', 'limit', 'balance'],
    ),
  },
  late_refunds: {
    means: t`A refund has waited for over a day`,
    todo: t`See what it waits for: scrip serve refunds`,
    by: above('scrip_oldest_waiting_seconds', 86_400, 'for', 'refund'),
  },
  webhooks: {
    means: t`Over ten webhooks failed for hours, or were given up in the last day`,
    todo: t`Tell those whose address fails: scrip serve webhooks --state pending`,
    by: above('scrip_webhooks_failing', 10),
  },
  certificate: {
    means: t`The certificate of public_url is not valid, or ends within 14 days`,
    todo: t`See why the proxy does not renew it.`,
    by: below('scrip_certificate_days', 14),
  },
} as const satisfies Readonly<Record<string, AlarmKind>>;

export type AlarmName = keyof typeof TABLE;

export const ALARMS: Readonly<Record<AlarmName, AlarmKind>> = TABLE;
// Safe: these are the keys of the table.
export const ALARM_NAMES = Object.keys(TABLE) as AlarmName[];

/** The same with the configuration’s path, which ends the command. */
export function todoOf(alarm: AlarmName, config = 'shop.json'): Message {
  const { todo } = ALARMS[alarm];
  const isSentence = String(todo).endsWith('.');
  return isSentence ? todo : t`${todo} ${wordList(['--config', config], ' ').own}`;
}

/** Limits that the configuration has. */
export type AlarmLimits = Readonly<Partial<Record<AlarmName, number>>>;

/** Of `/metrics`. */
interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The figures that are wrong; undefined where none is, or none is known. */
export function measured(
  name: AlarmName,
  samples: readonly Sample[],
  limits: AlarmLimits,
): string | undefined {
  const { by } = ALARMS[name];
  const limit = by?.limit ?? limits[name];
  if (by === undefined || limit === undefined) return undefined;
  const [label = '', ...values] = by.of ?? [];
  const wrong = samples.filter(
    ({ name: metric, labels, value }) =>
      metric === by.metric &&
      (label === '' || values.includes(labels[label] ?? '')) &&
      (by.side === 'above' ? value > limit : value < limit),
  );
  const texts = wrong.map(({ labels, value }) => [...Object.values(labels), value].join(' '));
  const named = by.limit === undefined ? ` < ${limit}` : '';
  return texts.length === 0 ? undefined : `${texts.join(', ')}${named}`;
}

/** What came of a trial by a way of telling. */
export interface AlarmTrial {
  readonly way: string;
  readonly failure: ScripError | undefined;
}

/** What telling and looking reach outside. */
export interface AlarmPorts {
  /** To an address of the operator. */
  readonly post: SendWebhook;
  /**
   * @param mail `server` is an `smtp://` or `smtps://` address
   * @throws {ScripError} NETWORK_UNREACHABLE
   */
  sendMail(mail: {
    readonly server: string;
    readonly from: string;
    readonly to: readonly string[];
    readonly subject: string;
    readonly text: string;
  }): Promise<void>;
  /** Undefined where nothing answers; the past for one that clients refuse. */
  certificateEndsAtMs(url: string, nowMs: number): Promise<number | undefined>;
}
