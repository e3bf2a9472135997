/** `scrip serve partners`: who may use the shop’s partner API with a secret. */

import type { Command } from 'commander';
import { commandText } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import type {
  PartnerRecord,
  PartnerWithSecret,
  PartnerWithWebhookSecret,
} from '../../domain/operator/operator-records.ts';
import { parseDuration } from '../amount.ts';
import { addExamples, type Bind } from '../command.ts';
import { given, type Line, listView, type RecordView, type View } from '../output/view.ts';
import { checkPartnerId } from '../settings/values.ts';
import { NEW_SHOP, type Opened, onStore, parseCount, parseRange, SHOP } from './operated.ts';

interface AddFlags {
  readonly network: readonly string[];
  readonly ordersPerMinute?: string;
}

interface SetFlags extends AddFlags {
  readonly anyNetwork?: true;
}

interface RotateFlags {
  readonly overlap: string;
  readonly now?: boolean;
  readonly webhookSecret?: boolean;
}

const MOST_ORDERS = 100_000;
const addNetwork = (value: string, known: readonly string[]) => [...known, checkNetwork(value)];

export function declarePartners(command: Command, bind: Bind): void {
  const partners = command
    .command('partners')
    .description('partners of the partner API that have a secret');
  addExamples(partners, [
    'serve partners --config shop.json',
    'serve partners add acme --config shop.json',
  ]);
  const list = partners
    .command('list', { isDefault: true })
    .description('list the partners (the default)')
    .action((_flags: unknown, self: Command) => onStore(bind, SHOP, self, listPartners));
  addExamples(list, ['serve partners list --config shop.json']);
  const add = partners
    .command('add')
    .description('give a partner a secret, and show it once')
    .argument('<partner_id>', 'id of the partner, as it sends it in X-Cr-Application')
    .option(
      '--network <range>',
      'address or network that it may call from; may be repeated (default: any)',
      addNetwork,
      [],
    )
    .option('--orders-per-minute <number>', 'orders that it may make in a minute (default: 30)')
    .action((id: string, { network, ordersPerMinute = 'default' }: AddFlags, self: Command) => {
      const partnerId = checkPartnerId(id);
      const rules = { networks: network, ordersPerMinute: limitOf(ordersPerMinute) };
      return onStore(bind, NEW_SHOP, self, async ({ admin: { log, partners: admin }, command }) => {
        const work = () => admin.add(partnerId, rules);
        return secretView(await log.record('partners.add', partnerId, work), command);
      });
    });
  addExamples(add, [
    'serve partners add acme --config shop.json',
    'serve partners add beta --network 203.0.113.0/24 --orders-per-minute 60 --config shop.json',
  ]);
  const set = partners
    .command('set')
    .description('change what a partner may do; its secret stays')
    .argument('<partner_id>', 'id of the partner, as it sends it in X-Cr-Application')
    .option(
      '--network <range>',
      'address or network that it may call from; may be repeated',
      addNetwork,
      [],
    )
    .option('--any-network', 'let it call from any address')
    .option('--orders-per-minute <number>', 'orders that it may make in a minute, or "default"')
    .action((partnerId: string, flags: SetFlags, self: Command) => {
      const rules = changesOf(flags);
      return onStore(bind, SHOP, self, async ({ admin: { log, partners: admin } }) => {
        const work = () => admin.set(partnerId, rules);
        return changedView(await log.record('partners.set', partnerId, work));
      });
    });
  addExamples(set, [
    'serve partners set acme --orders-per-minute 120 --config shop.json',
    'serve partners set acme --network 203.0.113.0/24 --network 198.51.100.7 --config shop.json',
    'serve partners set acme --any-network --orders-per-minute default --config shop.json',
  ]);
  const rotate = partners
    .command('rotate')
    .description('make a new secret for a partner')
    .argument('<partner_id>', 'id of the partner, as it sends it in X-Cr-Application')
    .option('--overlap <time>', 'how long the secret before stays valid', '24h')
    .option('--now', 'end the secret before at once')
    .option('--webhook-secret', 'change the secret that signs its webhooks, and not the other')
    .action((partnerId: string, flags: RotateFlags, self: Command) => {
      const overlapMs = flags.now === true ? 0 : parseDuration(flags.overlap);
      return onStore(bind, SHOP, self, async ({ admin: { log, partners: admin }, command }) => {
        if (flags.webhookSecret !== true) {
          const work = () => admin.rotate(partnerId, overlapMs);
          return secretView(await log.record('partners.rotate', partnerId, work), command);
        }
        const work = () => admin.rotateWebhookSecret(partnerId, overlapMs);
        return webhookSecretView(await log.record('partners.rotate.webhook', partnerId, work));
      });
    });
  addExamples(rotate, [
    'serve partners rotate acme --config shop.json',
    'serve partners rotate acme --now --config shop.json',
    'serve partners rotate acme --webhook-secret --overlap 72h --config shop.json',
  ]);
  const revoke = partners
    .command('revoke')
    .description('end all secrets of a partner')
    .argument('<partner_id>', 'id of the partner, as it sends it in X-Cr-Application')
    .action((partnerId: string, _flags: unknown, self: Command) =>
      onStore(bind, SHOP, self, async ({ admin: { log, partners: admin } }) => {
        const work = () => admin.revoke(partnerId);
        return revokedView(await log.record('partners.revoke', partnerId, work));
      }),
    );
  addExamples(revoke, ['serve partners revoke acme --config shop.json']);
}

async function listPartners({ admin, command }: Opened): Promise<View> {
  return listView<PartnerRecord>({
    records: await admin.partners.list(),
    columns: [
      { header: t`PARTNER`, cell: ({ partner_id }) => partner_id, isWhole: true },
      { header: t`STATUS`, cell: ({ state }) => state },
      { header: t`NETWORKS`, cell: networksText },
      { header: t`ORDERS/MINUTE`, cell: ordersText, align: 'right' },
      { header: t`OLD SECRET UNTIL`, cell: (row) => row.former_secret_until ?? '', dropOrder: 1 },
      { header: t`ADDED`, cell: ({ created_at }) => created_at, dropOrder: 0 },
    ],
    empty: commandText`No partner has a secret. Add one: ${command('partners', 'add', 'acme')}`,
  });
}

function secretView(record: PartnerWithSecret, command: Opened['command']): RecordView {
  const { partner_id, secret, webhook_secret, former_secret_until: until } = record;
  return {
    ...partnerView(record, [
      [t`Secret`, secret],
      [t`Webhook secret`, webhook_secret],
      ...given(t`Old secret valid until`, until),
      ...ruleLines(record),
    ]),
    title: t`Store the secret now: it is not shown again`,
    note: t`The partner sends it as Authorization: Bearer, beside X-Cr-Application.`,
    ifLost: {
      hint: commandText`Make another one: ${command('partners', 'rotate', partner_id, '--now')}`,
      fundsAtRisk: 'none',
    },
  };
}

function webhookSecretView(record: PartnerWithWebhookSecret): RecordView {
  const { webhook_secret, former_webhook_secret_until: until } = record;
  return {
    ...partnerView(record, [
      [t`Webhook secret`, webhook_secret],
      ...given(t`Old one signs too until`, until),
    ]),
    title: t`Give the partner its new webhook secret now: it is not shown again`,
    note: t`Webhooks have a signature of each: a receiver accepts one that it knows.`,
  };
}

function changedView(record: PartnerRecord): RecordView {
  return {
    ...partnerView(record, ruleLines(record)),
    title: t`The partner is changed; its secret stays`,
    note: t`Every server of the shop knows it within a second.`,
  };
}

function revokedView(record: PartnerRecord): RecordView {
  return {
    ...partnerView(record, [[t`Revoked`, record.revoked_at ?? '']]),
    title: t`The partner is revoked`,
    note: t`Every server of the shop refuses it within a second.`,
  };
}

function partnerView(record: PartnerRecord, lines: readonly Line[]) {
  return { kind: 'record', record, lines: [[t`Partner`, record.partner_id], ...lines] } as const;
}

function ruleLines(record: PartnerRecord): readonly Line[] {
  return [
    [t`Networks`, networksText(record)],
    [t`Orders a minute`, ordersText(record)],
  ];
}

function networksText({ networks }: PartnerRecord) {
  return networks.length === 0 ? t`any` : networks.join(' ');
}

function ordersText({ orders_per_minute }: PartnerRecord) {
  return orders_per_minute === null ? t`default` : String(orders_per_minute);
}

/** What `set` was asked to change. @throws {ScripError} USAGE, INPUT_INVALID */
function changesOf({ network, anyNetwork, ordersPerMinute }: SetFlags) {
  if (anyNetwork === true && network.length > 0) {
    throw new ScripError('USAGE', t`--network and --any-network exclude each other`, {
      hint: t`Type one of them.`,
    });
  }
  const isOfNetworks = anyNetwork === true || network.length > 0;
  if (!isOfNetworks && ordersPerMinute === undefined) {
    throw new ScripError('USAGE', t`Nothing to change was named`, {
      hint: t`Add --network, --any-network or --orders-per-minute.`,
    });
  }
  return {
    ...(isOfNetworks ? { networks: network } : {}),
    ...(ordersPerMinute === undefined ? {} : { ordersPerMinute: limitOf(ordersPerMinute) }),
  };
}

function limitOf(text: string): number | null {
  if (text === 'default') return null;
  return parseCount(text, { flag: '--orders-per-minute', most: MOST_ORDERS });
}

/** Callers over IPv6 are known by their network of 64 bits. @throws {ScripError} INPUT_INVALID */
function checkNetwork(text: string): string {
  const [, bits = '128'] = parseRange(text, '--network').split('/');
  if (!text.includes(':') || Number(bits) <= 64) return text;
  throw new ScripError('INPUT_INVALID', t`${text} is smaller than an IPv6 network of 64 bits`, {
    hint: t`Name the network of the address, such as 2001:db8::/64.`,
  });
}
