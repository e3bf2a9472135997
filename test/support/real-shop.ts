/** A shop with real parts: chain, rates and supplier are processes of their own. */

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseUsdc } from '../../src/cli/amount.ts';
import { SOLANA_MAINNET, USDC_MINT } from '../../src/contract/x402.ts';
import { systemClock } from '../../src/net/clock.ts';
import { createHttpFetch } from '../../src/net/fetch.ts';
import { evmSigner } from '../../src/rails/evm/secp256k1.ts';
import { signerFromSeed } from '../../src/rails/solana/ed25519.ts';
import { createSolanaPayer } from '../../src/rails/solana/payer.ts';
import { createSolanaRpc } from '../../src/rails/solana/rpc.ts';
import { createKeyFile } from '../../src/wallet/key-file.ts';
import type { Home } from './cli.ts';
import { secretOf } from './evm-payment.ts';
import { freePort } from './free-ports.ts';
import { newKey } from './new-key.ts';
import { tagOf } from './rails.ts';
import { type ServedSandbox, served, serveSandbox } from './served-sandbox.ts';
import { fundAt } from './shop.ts';

export const PRODUCT = '0b7c2f1e-5d0a-4c8e-9f0f-3a5f6d1c2b01';
/** A beneficiary for whom the supplier sells nothing. */
export const REFUSED = 'refused@example.com';
export const GOODS = {
  brands: [
    {
      brand_name: 'Eckladen',
      country_code: 'de',
      category: 'retail',
      products: [{ product_id: PRODUCT, face_value: '20' }],
    },
  ],
};

/** A feed whose rates are always new. */
const RATES = `
const { createServer } = require('node:http');
createServer((request, response) => response.end(JSON.stringify({
  as_of: new Date().toISOString(), units_per_usd: { EUR: '0.8' },
}))).listen(0, '127.0.0.1', function () { console.log('http://127.0.0.1:' + this.address().port); });
`;

interface Purchase {
  readonly reference: string;
  readonly voucher: { readonly voucher_code: string };
}

/** A shop that a command starts. */
export interface OneShop {
  readonly configFile: string;
  /** Point a command at the shop and its chain. */
  flags(): readonly string[];
  /** @param env of the process, beside the home's */
  open(env?: Readonly<Record<string, string>>): Promise<ServedSandbox>;
}

export interface RealShop extends OneShop {
  readonly chain: ServedSandbox;
  readonly treasury: string;
  readonly feePayer: string;
  /** Address that refunds are sent from. */
  readonly refundWallet: string;
  /** Sends USDC to an address of the chain, from a wallet of its own. */
  transfer(to: string, usdc: string): Promise<void>;
  /** Another shop on the same chain: records in PostgreSQL, goods from a file of codes. */
  beside(database: string, codes: readonly string[]): Promise<OneShop>;
  /** What the supplier has sold. */
  purchases(): readonly Purchase[];
  stop(): Promise<void>;
}

/** Everything but the shop itself is running when the promise resolves. */
export async function prepareShop(home: Home): Promise<RealShop> {
  // The shop keeps its address over a restart.
  const port = await freePort();
  const shopUrl = `http://127.0.0.1:${port}`;
  const at = (name: string) => join(home.dir, name);
  const secrets = { TOKEN: randomBytes(16).toString('hex'), BACK: randomBytes(16).toString('hex') };
  const [chain, rates, supplier] = await Promise.all([
    serveSandbox(home, ['--chain-only', '--data', 'chain']),
    started(home, ['-e', RATES], {}),
    started(home, [SUPPLIER], {
      SUPPLIER_TOKEN: secrets.TOKEN,
      CALLBACK_TOKEN: secrets.BACK,
      PORT: '0',
      LEDGER: at('purchases.jsonl'),
      DECIDE_AFTER: '2',
      REFUSE: REFUSED,
      SHOP_URL: shopUrl,
    }),
  ]);
  const rpcUrl = `${chain.url}/rpc`;
  const feePayer = newKey();
  createKeyFile(at('fee-payer.json'), feePayer);
  const treasury = newKey().address;
  const give = (address: string, usdc: string) => fundAt(chain.url, address, usdc, '1');
  await give(feePayer.address, '0');
  await give(treasury, '1');
  const refundWallet = newKey();
  createKeyFile(at('refunds.json'), refundWallet);
  const buyer = signerFromSeed(new Uint8Array(randomBytes(32)));
  for (const { address } of [refundWallet, buyer]) await give(address, '500');
  const writeSecret = (name: string, text: string) =>
    writeFileSync(at(name), `${text}\n`, { mode: 0o600 });
  writeSecret('seed', randomBytes(32).toString('hex'));
  writeSecret('token', secrets.TOKEN);
  writeSecret('back', secrets.BACK);
  writeSecret('rpc', rpcUrl);
  writeFileSync(at('goods.json'), JSON.stringify(GOODS));
  const config = {
    data_dir: 'shop',
    master_seed: { file: 'seed' },
    listen: { port },
    chain: {
      rpc: { file: 'rpc' },
      witness_rpc: { file: 'rpc' },
      fee_payer: { file: 'fee-payer.json' },
      treasury,
    },
    catalog: { file: 'goods.json' },
    refunds: { wallet: { file: 'refunds.json' } },
    rates: { url: rates.url },
    supplier: {
      kind: 'http',
      url: supplier.url,
      token: { file: 'token' },
      callback_token: { file: 'back' },
    },
  };
  const shopOf = (configFile: string, url: string, content: object): OneShop => {
    writeFileSync(at(configFile), JSON.stringify(content));
    return {
      configFile,
      flags: () => ['--checkout-url', url, '--api-url', url, '--rpc-url', rpcUrl],
      open: (env = {}) =>
        served(home.start(['serve', '--config', configFile, '--json'], { env }), true),
    };
  };
  return {
    ...shopOf('shop.json', shopUrl, config),
    chain,
    treasury,
    feePayer: feePayer.address,
    refundWallet: refundWallet.address,
    async transfer(to, usdc) {
      const rpc = createSolanaRpc({
        ...{ url: rpcUrl, fetch: createHttpFetch({}), clock: systemClock },
      });
      const rail = createSolanaPayer({ rpc, network: SOLANA_MAINNET, mint: USDC_MINT });
      const asset = rail.asset({ coin: 'USDC', network: 'Solana' });
      if (asset === undefined) throw new Error('USDC is not on the chain');
      const terms = { asset, payTo: to, amountAtomic: parseUsdc(usdc), tag: tagOf(1) };
      await rail.send(
        await rail.sign({ way: 'direct', ...terms, signer: buyer, mayOpenAccount: false }),
      );
    },
    async beside(database, codes) {
      const otherPort = await freePort();
      writeSecret('other-seed', randomBytes(32).toString('hex'));
      writeSecret('database', database);
      const lines = codes.map((code) => ({
        product_id: PRODUCT,
        face_value: '20',
        voucher_code: code,
      }));
      writeSecret('codes.jsonl', lines.map((line) => JSON.stringify(line)).join('\n'));
      return shopOf('other.json', `http://127.0.0.1:${otherPort}`, {
        ...config,
        data_dir: 'other',
        database: { file: 'database' },
        master_seed: { file: 'other-seed' },
        listen: { port: otherPort },
        supplier: { kind: 'codes', file: 'codes.jsonl' },
      });
    },
    purchases: () =>
      existsSync(at('purchases.jsonl'))
        ? readFileSync(at('purchases.jsonl'), 'utf8')
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line))
        : [],
    async stop() {
      await Promise.all([chain.stop(), rates.stop(), supplier.stop()]);
    },
  };
}

/** A shop's configuration with Base in it: its accounts there are those of the names (`secretOf`). */
export function withBase(
  home: Home,
  configFile: string,
  rpcUrl: string,
  more: object = {},
): object {
  const at = (name: string) => join(home.dir, name);
  const secret = (name: string, text: string) => {
    writeFileSync(at(name), `${text}\n`, { mode: 0o600 });
    return { file: name };
  };
  const hexOf = (name: string) => secretOf(name).toString('hex');
  const config = JSON.parse(readFileSync(at(configFile), 'utf8'));
  const base = {
    rpc: secret('base-rpc', rpcUrl),
    witness_rpc: { file: 'base-rpc' },
    fee_account: secret('base-fees.hex', hexOf('fees')),
    treasury: evmSigner(secretOf('base treasury')).address,
  };
  const base_wallet = secret('base-refunds.hex', `0x${hexOf('base refunds')}`);
  return {
    ...{ ...config, chain: { ...config.chain, base: { ...base, ...more } } },
    refunds: { ...config.refunds, approve_above_usdc: '100', base_wallet },
  };
}

const SUPPLIER = join(import.meta.dirname, '../../docs/operate/sample-supplier.mjs');

function started(
  home: Home,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ServedSandbox> {
  const child: ChildProcess = spawn(process.execPath, args, {
    cwd: home.dir,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  return served(child);
}
