/** Buying in USDC on Base, in the built-in sandbox, as a new user does. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Home, makeHome } from '../support/cli.ts';

const BASE = 'eip155:8453';
const WORDS = ['order', 'amazon', '25', '--country', 'us', '--to', 'friend@example.com'];
const AGREED = ['--yes', '--max-amount', '26', '--json'];

async function json(home: Home, words: readonly string[]) {
  const { stdout, stderr } = await home.run(words);
  return JSON.parse(stdout === '' ? stderr : stdout);
}

async function walletOnBase(): Promise<Home> {
  const home = makeHome();
  await home.run(['wallet', 'new']);
  await home.run(['wallet', 'fund', '--network', 'base']);
  return home;
}

it('is delivered, and a key never pays twice', async () => {
  const home = await walletOnBase();
  const keyed = [...WORDS, '--network', 'base', '--idempotency-key', 'gift-1', ...AGREED];
  const bought = await json(home, keyed);
  expect(bought).toMatchObject({ status: 'completed', network: BASE, amount: '25.25' });
  expect((await json(home, keyed)).order_id).toBe(bought.order_id);
  const { usdc, others } = await json(home, ['wallet', 'balance', '--json']);
  expect({ usdc, others }).toMatchObject({
    usdc: '0.00',
    others: [{ network: BASE, usdc: '74.75' }],
  });
});

it('is chosen where the wallet holds nothing on Solana, and kept by a setting', async () => {
  const home = await walletOnBase();
  expect(await json(home, [...WORDS, ...AGREED])).toMatchObject({ network: BASE });
  await home.run(['wallet', 'fund', '--network', 'solana']);
  const others = [...WORDS.slice(0, -1), 'other@example.com', ...AGREED];
  expect(await json(home, others)).toMatchObject({ network: expect.stringContaining('solana:') });
  const third = [...WORDS.slice(0, -1), 'third@example.com', ...AGREED];
  const { stdout } = await home.run(third, { env: { SCRIP_NETWORK: 'base' } });
  expect(JSON.parse(stdout)).toMatchObject({ network: BASE });
});

it('without a key for it is refused, with the way to one', async () => {
  const home = makeHome();
  await home.run(['wallet', 'new']);
  const wallets = join(home.dir, '.local/share/scrip/wallets');
  rmSync(join(wallets, 'sandbox.evm.key'));
  const { error } = await json(home, [...WORDS, '--network', 'base', ...AGREED]);
  expect(error).toMatchObject({ code: 'WALLET_MISSING' });
  expect(error.hint).toContain('scrip wallet new --network base');
  expect((await home.run(['wallet', 'new', '--network', 'base'])).status).toBe(0);
  expect(readdirSync(wallets)).toEqual(['sandbox.evm.key', 'sandbox.json']);
});

it('pays no order of the partner API, which is refused before it is made, with what does work', async () => {
  const home = await walletOnBase();
  const means = ['--via', 'partner', '--coin', 'USDC', '--network', 'Base', '--pay'];
  const refused = await home.failure([...WORDS, ...means, '--yes', '--max-amount', '26']);
  expect(refused).toMatchObject({
    code: 'USAGE',
    hint: expect.stringMatching(/USDC or SOL on Solana.*leave out --via, --coin and --pay/),
  });
  const { status } = await home.run([...WORDS, '--network', 'base', ...AGREED]);
  expect(status).toBe(0);
});

it('is found again on the chain by a repair of its records', async () => {
  const home = await walletOnBase();
  const env = { SCRIP_FINAL_SLOTS: '2' };
  const { stdout } = await home.run([...WORDS, '--network', 'base', ...AGREED], { env });
  const { transaction } = JSON.parse(stdout);
  const journal = join(home.dir, '.local/state/scrip/journal');
  const files = readdirSync(journal, { recursive: true, encoding: 'utf8' });
  const goods = files.find((name) => name.endsWith('-goods.rec')) ?? '';
  writeFileSync(join(journal, goods), 'damaged');
  const repaired = await home.run(['doctor', '--repair', '--json'], { env });
  expect(repaired.status).toBe(0);
  const [order] = await json(home, ['orders', '--json']);
  expect(order).toMatchObject({ status: 'completed', network: BASE, transaction });
});
