/** `scrip wallet`: the key that pays, and its balance. */

import type { Command } from 'commander';
import { t } from '../../domain/message/message.ts';
import { atomic, formatSol, parseSol } from '../../domain/money/money.ts';
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
  await context.keys.fund(address, amounts);
  const view = await balanceView(context, address);
  return (await context.parts.playMarks.has(address)) ? view : { ...view, note: UNMARKED };
}

const UNMARKED = t`The wallet is not marked as test money, so the rules for real money apply. If it holds only test money: scrip wallet mark-play`;

/** Shows only a balance that the chain returned: an unreachable RPC is an error, not a zero. */
async function balanceView(context: BuyerContext, owner: string): Promise<RecordView> {
  const { moneyOf, moneyText } = await import('../settings/config-change.ts');
  const money = await moneyOf(context, context.settings);
  const rail = await context.parts.rail();
  const { address, coinAtomic: sol, usdcAtomic } = await rail.balances(owner);
  const usdc = usdcAtomic ?? atomic(0n);
  const linesWith = (held: string): readonly Line[] => [
    [t`Address`, address],
    [t`USDC`, held],
    [t`SOL`, formatSol(sol)],
    [t`Money`, moneyText(money)],
  ];
  return {
    kind: 'record',
    record: {
      address,
      network: rail.network,
      money,
      usdc: formatUsdc(usdc),
      usdc_atomic: String(usdc),
      has_usdc_account: usdcAtomic !== null,
      sol: formatSol(sol),
      lamports: String(sol),
    } satisfies BalanceRecord,
    lines: linesWith(formatUsdc(usdc)),
    screen: [linesWith(heldText(formatUsdc(usdc), 'USDC'))],
  };
}
