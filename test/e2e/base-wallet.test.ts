/** docs/use/wallet.md, Solana or Base: which network pays, who signs for it, and what is never signed. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPublicClient, http } from 'viem';
import { base } from 'viem/chains';
import { describe, expect, it } from 'vitest';
import { BASE, SOLANA_MAINNET } from '../../src/contract/usdc.ts';
import { type Home, makeHome } from '../support/cli.ts';
import { evmAccount, keyOf } from '../support/live-evm.ts';
import { serveHere } from '../support/served-here.ts';
import { amazonProducts, buy, markPlay, orderOf } from '../support/shop.ts';
import { USDC, USDC_ABI } from '../support/usdc.ts';

const sandbox = await serveHere(makeHome());
const chain = createPublicClient({ chain: base, transport: http(`${sandbox.url}/rpc/base`) });
const { product_id: productId } = amazonProducts().fixed;
const FUNDS = 100_000_000n;

const heldBy = (address: string): Promise<bigint> =>
  chain.readContract({
    ...{ address: USDC, abi: USDC_ABI, functionName: 'balanceOf' },
    args: [address as `0x${string}`],
  });

interface Made {
  readonly address: string;
  readonly base_address: string;
}

const fundOn = (home: Home, network: string, more: readonly string[] = []) =>
  home.json(['wallet', 'fund', '--network', network, ...sandbox.flags, ...more]);

describe('a wallet with both keys', () => {
  it('pays on Base where only that holds USDC, then on Solana, or on the network that is named', async () => {
    const home = makeHome();
    const made = await home.json<Made>(['wallet', 'new']);
    await fundOn(home, 'base');
    const first = await buy(home, productId, sandbox.flags);
    expect(first).toMatchObject({ status: 'completed', network: BASE });
    expect(await heldBy(made.base_address)).toBe(FUNDS - BigInt(first.amount_atomic));
    await fundOn(home, 'solana');
    expect(await buy(home, productId, sandbox.flags)).toMatchObject({ network: SOLANA_MAINNET });
    const named = await buy(home, productId, [...sandbox.flags, '--network', 'base']);
    expect(named).toMatchObject({ network: BASE });
    const env = { SCRIP_NETWORK: 'base' };
    expect(await buy(home, productId, sandbox.flags, { env })).toMatchObject({ network: BASE });
    expect(await heldBy(made.base_address)).toBe(FUNDS - 3n * BigInt(first.amount_atomic));
  });
});

/** A signing program on viem, which writes down what it is asked for. */
function signerOf(home: Home, name: string): string {
  const path = join(home.dir, 'signer.mjs');
  const accounts = import.meta.resolve('viem/accounts');
  const program = `#!${process.execPath}
    import { appendFileSync, readFileSync } from 'node:fs';
    import { privateKeyToAccount } from '${accounts}';
    const account = privateKeyToAccount('${keyOf(name)}');
    const sign = async () => {
      const { message } = JSON.parse(readFileSync(0, 'utf8'));
      const data = JSON.parse(Buffer.from(message, 'base64').toString());
      appendFileSync('${path}.log', JSON.stringify(data) + '\\n');
      return account.signTypedData(data);
    };
    console.log(process.argv.at(-1) === 'sign' ? await sign() : account.address);
  `;
  writeFileSync(path, program, { mode: 0o755 });
  return path;
}

describe('a signing program with an address of Base', () => {
  it('gets typed data, and pays there without a network being named', async () => {
    const home = makeHome();
    const { address } = evmAccount('signing program');
    const path = signerOf(home, 'signing program');
    markPlay(home, address);
    await fundOn(home, 'base', ['--signer-command', path]);
    const bought = await buy(home, productId, [...sandbox.flags, '--signer-command', path]);
    expect(bought).toMatchObject({ status: 'completed', network: BASE, payer: address });
    const lines = readFileSync(`${path}.log`, 'utf8').trim().split('\n');
    const asked = lines.map((line) => JSON.parse(line));
    const payments = asked.filter(({ primaryType }) => primaryType !== 'Statement');
    expect(payments).toMatchObject([
      {
        primaryType: 'TransferWithAuthorization',
        domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: USDC },
        message: { from: address, value: bought.amount_atomic },
      },
    ]);
    const { validBefore } = payments[0].message;
    expect(Number(validBefore) * 1_000 - Date.now()).toBeLessThanOrEqual(300_000);
    expect(asked.length - payments.length).toBeGreaterThan(0);
  });
});

describe('a wallet for real money', () => {
  it('never signs for a sandbox’s Base, whatever the policy allows', async () => {
    const home = makeHome();
    const key = join(home.dir, 'real.hex');
    writeFileSync(key, `${keyOf('real money')}\n`, { mode: 0o600 });
    const keypair = ['--keypair', join(home.dir, 'real.json')];
    await home.json(['wallet', 'import', key, ...keypair]);
    await fundOn(home, 'base', keypair);
    const folder = join(home.dir, '.config', 'scrip');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const hosts = { [new URL(sandbox.url).host]: { payTo: 'any' } };
    const policy = { hosts, nonInteractive: { enabled: true, perOrder: '50' } };
    writeFileSync(join(folder, 'policy.json'), JSON.stringify(policy), { mode: 0o600 });
    const words = [...sandbox.flags, ...keypair, '--base-rpc-url', `${sandbox.url}/rpc/base`];
    const refused = await home.failure(
      orderOf(productId, [...words, '--idempotency-key', 'real-1']),
    );
    expect(refused).toMatchObject({ code: 'WALLET_PROFILE_MISMATCH', funds_at_risk: 'none' });
    expect(refused.message).toContain('valid on the real Base too');
    expect(await heldBy(evmAccount('real money').address)).toBe(FUNDS);
  });
});

it('without a key for the network that is named, nothing is signed and the way to one is told', async () => {
  const home = makeHome();
  writeFileSync(join(home.dir, 'id.hex'), `${keyOf('only Base')}\n`, { mode: 0o600 });
  await home.json(['wallet', 'import', join(home.dir, 'id.hex')]);
  markPlay(home, evmAccount('only Base').address);
  const words = [...sandbox.flags, '--network', 'solana'];
  const refused = await home.failure(orderOf(productId, words));
  expect(refused).toMatchObject({
    ...{ code: 'WALLET_MISSING', funds_at_risk: 'none' },
    message: 'The wallet has no key for Solana',
    hint: 'Import one: scrip wallet import <file>',
  });
});
