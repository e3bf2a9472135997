/** `scrip wallet`: the key that pays, and its balance. */

import type { Command } from 'commander';
import { namespaceOf, SOLANA_MAINNET } from '../../contract/usdc.ts';
import { checkNetwork } from '../../domain/address/base-address.ts';
import { expected } from '../../domain/attempt.ts';
import { t, verbatim } from '../../domain/message/message.ts';
import { type Atomic, atomic, formatSol, parseSol } from '../../domain/money/money.ts';
import { heldText } from '../../domain/money/shown-amount.ts';
import { formatUsdc, parseUsdc } from '../amount.ts';
import { addExamples, addOptions, type Bind, type FlagsOf } from '../command.ts';
import type { BuyerContext } from '../context.ts';
import { declareImport } from '../keys/wallet-import.ts';
import {
  declareKeys,
  declareMark,
  openWallet,
  PLAY_MONEY,
  walletView,
} from '../keys/wallet-keys.ts';
import type { Line, RecordView, View } from '../output/view.ts';
import type { BalanceRecord } from '../schemas/machine.ts';
import { checkMayBeFunded, checkWalletFits } from '../settings/settings.ts';

const FUND_OPTIONS = {
  '--network <name>': { what: 'which of the wallet’s keys', choices: ['solana', 'base'] },
  '--usdc <amount>': ['USDC to add', PLAY_MONEY.usdc],
  '--sol <amount>': ['SOL to add', PLAY_MONEY.sol],
} as const;

export function register(command: Command, bind: Bind): void {
  declareKeys(command, bind);
  declareImport(command, bind);
  declareAddress(command, bind);
  declareBalance(command, bind);
  declareFund(command, bind);
  declareMark(command, bind);
}

function declareAddress(command: Command, bind: Bind): void {
  const address = command
    .command('address')
    .description('print the address that pays')
    .action(() =>
      bind(async (context) => walletView(context, (await openWallet(context)).address)),
    );
  addExamples(address, ['wallet address', 'wallet address --json | jq -r .address']);
}

function declareBalance(command: Command, bind: Bind): void {
  const balance = command
    .command('balance', { isDefault: true })
    .description('show the wallet’s balance on the chain (the default)')
    .action(() =>
      bind(async (context) => balanceView(context, (await openWallet(context)).address)),
    );
  addExamples(balance, ['wallet balance', 'wallet balance --rpc-url http://127.0.0.1:4020/rpc']);
}

function declareFund(command: Command, bind: Bind): void {
  const fund = addOptions(command.command('fund'), FUND_OPTIONS)
    .description('add test money to the wallet (sandbox only)')
    .action((options: FlagsOf<typeof FUND_OPTIONS>) =>
      bind((context) => addFunds(context, options)),
    );
  addExamples(fund, ['wallet fund', 'wallet fund --usdc 250 --sol 0']);
}

async function addFunds(
  context: BuyerContext,
  options: FlagsOf<typeof FUND_OPTIONS>,
): Promise<View> {
  const amounts = { usdcAtomic: parseUsdc(options.usdc), lamports: parseSol(options.sol) };
  checkWalletFits(context.settings);
  checkMayBeFunded(context.settings);
  const { address } = await openWallet(context);
  const { network } = options;
  const owner =
    network === undefined ? address : (await context.parts.payer(checkNetwork(network))).address;
  await context.keys.fund(owner, amounts);
  const view = await balanceView(context, address);
  return (await context.parts.playMarks.has(address)) ? view : { ...view, note: UNMARKED };
}

/** The network of the wallet's first key. */
async function firstNetwork({ settings, keys }: BuyerContext) {
  const [first] = await keys.wallets.namespaces(settings.keypairPath);
  const networks = Object.keys(settings.rpcs);
  return networks.find((network) => namespaceOf(network) === first) ?? SOLANA_MAINNET;
}

const UNMARKED = t`The wallet is not marked as test money, so the rules for real money apply. If it holds only test money: scrip wallet mark-play`;

/** What the wallet holds on the other networks that it has a key for. */
async function otherBalances({ settings, parts, keys: { wallets } }: BuyerContext, shown: string) {
  const namespaces = await wallets.namespaces(settings.keypairPath);
  const networks = Object.keys(settings.rpcs).filter(
    (network) => network !== shown && namespaces.includes(namespaceOf(network)),
  );
  return Promise.all(
    networks.map(async (network) => {
      const [rail, { address }] = await Promise.all([parts.rail(network), parts.payer(network)]);
      const held = await rail.balances(address).catch(expected(() => undefined));
      const record = {
        ...{ network, address, coin: rail.coin },
        usdc: held === undefined ? null : formatUsdc(held.usdcAtomic ?? atomic(0n)),
        coin_atomic: held === undefined ? null : String(held.coinAtomic),
      };
      return { name: rail.name, record };
    }),
  );
}

function ofSolana(sol: Atomic, usdc: Atomic | null) {
  return { has_usdc_account: usdc !== null, sol: formatSol(sol), lamports: String(sol) };
}

/** Shows only a balance that the chain returned: an unreachable RPC is an error, not a zero. */
async function balanceView(context: BuyerContext, owner: string): Promise<RecordView> {
  const { moneyOf, moneyText } = await import('../settings/config-change.ts');
  const money = await moneyOf(context, context.settings);
  const rail = await context.parts.rail(await firstNetwork(context));
  const { address, coinAtomic: sol, usdcAtomic } = await rail.balances(owner);
  const usdc = usdcAtomic ?? atomic(0n);
  const others = await otherBalances(context, rail.network);
  const linesWith = (held: string): readonly Line[] => [
    [t`Address`, address],
    [t`USDC`, held],
    [verbatim(rail.coin), formatSol(sol)],
    ...others.flatMap(({ name, record }): readonly Line[] => [
      [t`On ${name}`, record.address],
      [t`USDC there`, record.usdc ?? t`unknown: the network cannot be reached`],
    ]),
    [t`Money`, moneyText(money)],
  ];
  return {
    kind: 'record',
    record: {
      address,
      network: rail.network,
      money,
      ...(others.length === 0 ? {} : { others: others.map(({ record }) => record) }),
      usdc: formatUsdc(usdc),
      usdc_atomic: String(usdc),
      ...(rail.coin === 'SOL' ? ofSolana(sol, usdcAtomic) : {}),
    } satisfies BalanceRecord,
    lines: linesWith(formatUsdc(usdc)),
    screen: [linesWith(heldText(formatUsdc(usdc), 'USDC'))],
  };
}
