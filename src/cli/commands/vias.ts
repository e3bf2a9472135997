/** `scrip vias`: payment methods of the partner API, one line per coin and network; `scrip vias coins`: the coins alone. */

import type { Command } from 'commander';
import { partnerHost } from '../../api/partner/place.ts';
import type { WirePaymentVia } from '../../contract/partner-market.ts';
import { meantText } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { isOwnNetwork } from '../../domain/payment/payment-means.ts';
import { addExamples, type Bind } from '../command.ts';
import type { BuyerContext } from '../context.ts';
import { listView, type View } from '../output/view.ts';
import type { ViaRow } from '../schemas/purchase.ts';
import { scripDeps } from '../scrip-deps.ts';

export function register(command: Command, bind: Bind): void {
  command
    .option('--coin <ticker>', 'ways to pay in this coin')
    .action(({ coin }: { readonly coin?: string }) => bind((context) => run(context, coin)));
  addExamples(command, ['vias', 'vias coins', 'vias --coin USDC', 'vias --coin BTC --json']);
}

async function run(context: BuyerContext, coin: string | undefined): Promise<View> {
  const { callPartner } = await import('../../api/partner/partner.ts');
  const { getPaymentVias } = await import('../../contract/partner-market.ts');
  const vias = await callPartner(partnerHost(scripDeps(context)), getPaymentVias, {});
  const all = vias.flatMap(rowsOf);
  const records = coin === undefined ? all : all.filter((row) => isCalled(row.coin, coin));
  if (records.length === 0 && coin !== undefined) throw await unknownCoin(coin, all);
  return listView({
    records,
    ...(context.settings.isEmbedded ? { note: SIMULATED } : {}),
    columns: [
      { header: t`VIA`, cell: (row) => row.payment_via, isWhole: true },
      { header: t`COIN`, cell: (row) => row.coin, isWhole: true },
      { header: t`NETWORK`, cell: (row) => row.network ?? '', isWhole: true },
      { header: t`MINIMUM`, cell: (row) => row.threshold ?? '', align: 'right', dropOrder: 3 },
      {
        header: t`SUSPENDED`,
        cell: (row) => (row.is_suspended ? t`yes` : t`no`),
        dropOrder: 2,
      },
      ...(context.settings.isEmbedded ? [PAYMENT] : []),
      { header: t`CONTRACT`, cell: (row) => row.smart_contract?.address ?? '', dropOrder: 1 },
    ],
  });
}

/** How the embedded sandbox is paid. */
const PAYMENT = {
  header: t`PAYMENT`,
  cell: ({ network }: ViaRow) => (isOwnNetwork(network) ? t`test money` : t`simulated`),
  dropOrder: 2,
};

const SIMULATED = t`Sandbox (test money): it simulates payments on every network but Solana.`;

/** A coin without networks has one row. */
function rowsOf({ name, currencies }: WirePaymentVia): readonly ViaRow[] {
  return currencies.flatMap((currency): readonly ViaRow[] => {
    const row = { payment_via: name, coin: currency.name, is_suspended: currency.is_suspended };
    const threshold = currency.threshold ?? null;
    if (currency.networks.length === 0) {
      return [{ ...row, network: null, threshold, chain_id: null, smart_contract: null }];
    }
    return currency.networks.map((network) => ({
      ...row,
      network: network.name,
      threshold: network.threshold ?? threshold,
      chain_id: network.chain_id ?? null,
      smart_contract: network.smart_contract ?? null,
    }));
  });
}

function isCalled(name: string, typed: string): boolean {
  return name.toLowerCase() === typed.toLowerCase();
}

async function unknownCoin(
  typed: string,
  rows: readonly { readonly coin: string }[],
): Promise<ScripError> {
  const { nearest } = await import('../../domain/product/catalog-query.ts');
  const near = nearest([...new Set(rows.map(({ coin }) => coin))], typed, 3);
  return new ScripError('INPUT_INVALID', t`Orders cannot be paid in "${typed}"`, {
    hint: meantText(near, t`Run: scrip vias coins`),
    details: { coin: typed, nearest: near },
  });
}

export function registerCoins(command: Command, bind: Bind): void {
  command.action(() => bind(listCoins));
  addExamples(command, ['vias coins', "vias coins --json | jq -r '.[].name'"]);
}

async function listCoins(context: BuyerContext): Promise<View> {
  const { callPartner } = await import('../../api/partner/partner.ts');
  const { getCurrencies } = await import('../../contract/partner-market.ts');
  const records = await callPartner(partnerHost(scripDeps(context)), getCurrencies, {});
  return listView({
    records,
    learned: { coins: records.map(({ name }) => name) },
    columns: [
      { header: t`COIN`, cell: ({ name }) => name, isWhole: true },
      { header: t`SUSPENDED`, cell: ({ is_suspended }) => (is_suspended ? t`yes` : t`no`) },
    ],
    note: t`Networks and minimums: scrip vias --coin <coin>`,
  });
}
