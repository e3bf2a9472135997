/** `scrip wallet`: the key that pays, and what it holds. */
import type { Command } from 'commander';
import { ScripError } from '../../domain/errors.ts';
import { atomic } from '../../domain/money.ts';
import { formatSol, formatUsdc, parseSol, parseUsdc } from '../amount.ts';
import type { Bind } from '../commands.ts';
import type { Context } from '../context.ts';
import { addExamples } from '../examples.ts';
import type { RecordView, View } from '../output/view.ts';
import { checkWalletFits } from '../settings.ts';

interface FundOptions {
  readonly usdc: string;
  readonly sol: string;
}

export function register(command: Command, bind: Bind): void {
  declareNew(command, bind);
  declareImport(command, bind);
  declareAddress(command, bind);
  declareBalance(command, bind);
  declareFund(command, bind);
  addExamples(command, ['wallet new', 'wallet fund --usdc 100', 'wallet balance --json']);
}

function declareNew(command: Command, bind: Bind): void {
  const made = command
    .command('new')
    .description('make a key file; one that is there is never overwritten')
    .action(() => bind(create));
  addExamples(made, ['wallet new', 'wallet new --keypair ~/keys/shop.json']);
}

function declareImport(command: Command, bind: Bind): void {
  const imported = command
    .command('import')
    .description('copy a key file of the Solana CLI')
    .argument('<file>', 'key file to copy')
    .action((file: string) => bind((context) => importKey(context, file)));
  addExamples(imported, ['wallet import ~/.config/solana/id.json']);
}

function declareAddress(command: Command, bind: Bind): void {
  const address = command
    .command('address')
    .description('print the address that pays')
    .action(() => bind(showAddress));
  addExamples(address, ['wallet address', 'wallet address --json | jq -r .address']);
}

function declareBalance(command: Command, bind: Bind): void {
  const balance = command
    .command('balance')
    .description('show what the wallet holds, by the chain')
    .action(() => bind(showBalance));
  addExamples(balance, ['wallet balance', 'wallet balance --rpc-url http://127.0.0.1:4020/rpc']);
}

function declareFund(command: Command, bind: Bind): void {
  const fund = command
    .command('fund')
    .description('put play money into the wallet (sandbox only)')
    .option('--usdc <amount>', 'USDC to add', '100')
    .option('--sol <amount>', 'SOL to add', '1')
    .action((options: FundOptions) => bind((context) => addFunds(context, options)));
  addExamples(fund, ['wallet fund', 'wallet fund --usdc 250 --sol 0']);
}

async function create(context: Context): Promise<View> {
  const path = keyFile(context);
  const address = await context.wallets.create(path);
  const { isSandboxKey } = context.settings;
  const next = isSandboxKey ? 'Next: scrip wallet fund' : 'Next: scrip wallet balance';
  return { ...walletView(address, path), note: next };
}

async function importKey(context: Context, file: string): Promise<View> {
  const path = keyFile(context);
  return walletView(await context.wallets.import(path, file).catch(misnamed), path);
}

/** The file that is missing is one that was named, and not one to be made. */
function misnamed(error: unknown): never {
  if (!(error instanceof ScripError) || error.code !== 'WALLET_MISSING') throw error;
  const { code, message } = error;
  throw new ScripError(code, message, { cause: error, hint: 'Check the path of the key file.' });
}

async function showAddress(context: Context): Promise<View> {
  const path = keyFile(context);
  const { address } = await context.wallets.open(path);
  return walletView(address, path);
}

async function showBalance(context: Context): Promise<View> {
  const { address } = await context.wallets.open(keyFile(context));
  return balanceView(context, address);
}

async function addFunds(context: Context, options: FundOptions): Promise<View> {
  const amounts = { usdcAtomic: parseUsdc(options.usdc), lamports: parseSol(options.sol) };
  const { address } = await context.wallets.open(keyFile(context));
  await context.fund(address, amounts);
  return balanceView(context, address);
}

/** @throws {ScripError} WALLET_PROFILE_MISMATCH before the file is touched */
function keyFile({ settings }: Context): string {
  checkWalletFits(settings);
  return settings.keypairPath;
}

function walletView(address: string, keypair: string): RecordView {
  return {
    kind: 'record',
    record: { address, keypair },
    lines: [
      ['Address', address],
      ['Key file', keypair],
    ],
  };
}

/** A balance is shown only when the chain told it: a host that is down is an error, not a zero. */
async function balanceView(context: Context, owner: string): Promise<RecordView> {
  const rail = await context.rail();
  const { address, lamports, usdcAtomic } = await rail.balances(owner);
  const usdc = usdcAtomic ?? atomic(0n);
  const sol = atomic(lamports);
  return {
    kind: 'record',
    record: {
      address,
      network: rail.network,
      usdc: formatUsdc(usdc),
      usdc_atomic: String(usdc),
      has_usdc_account: usdcAtomic !== null,
      sol: formatSol(sol),
      lamports: String(sol),
    },
    lines: [
      ['Address', address],
      ['USDC', formatUsdc(usdc)],
      ['SOL', formatSol(sol)],
    ],
  };
}
