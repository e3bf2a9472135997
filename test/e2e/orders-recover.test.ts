/** A lost disk: the key alone shows what it paid; x402's own package signs in, and verifies how we do. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createKeyPairSignerFromPrivateKeyBytes } from '@solana/kit';
import {
  createSIWxPayload,
  encodeSIWxHeader,
  parseSIWxHeader,
  type SIWxExtension,
  type SIWxSigner,
  type SupportedChain,
  verifySIWxSignature,
} from '@x402/extensions/sign-in-with-x';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { BASE, SOLANA_MAINNET } from '../../src/contract/usdc.ts';
import { hostThat } from '../support/at-end.ts';
import { makeHome } from '../support/cli.ts';
import { serveHere } from '../support/served-here.ts';
import { amazonProducts, buy, type OrderDocument } from '../support/shop.ts';

const sandbox = await serveHere(makeHome(), true);
const { product_id: productId } = amazonProducts().fixed;

interface Doctor {
  readonly checks: readonly { readonly detail: string }[];
  readonly repair: { readonly entries: readonly { readonly outcome: string }[] };
}

interface Recovered {
  readonly order_id: string;
  readonly network: string;
  readonly amount_atomic?: string;
  readonly deliveries?: readonly { readonly voucher_code: string }[];
}

describe('a wallet on a new machine', async () => {
  const home = makeHome();
  const made = await home.json<{ address: string; base_address: string }>(['wallet', 'new']);
  const paid: OrderDocument[] = [];
  for (const network of ['solana', 'base']) {
    await home.json(['wallet', 'fund', '--network', network, ...sandbox.flags]);
    paid.push(await buy(home, productId, ['--network', network, ...sandbox.flags]));
  }
  rmSync(join(home.dir, '.local', 'state'), { recursive: true });

  it('is shown what each of its keys paid, with the codes where it wants them', async () => {
    expect(await home.json(['orders'])).toEqual([]);
    const listed = await home.json<Recovered[]>(['orders', 'recover', ...sandbox.flags]);
    expect(listed.map(({ order_id, network }) => [order_id, network])).toEqual([
      [paid[1]?.order_id, BASE],
      [paid[0]?.order_id, SOLANA_MAINNET],
    ]);
    expect(listed[0]).not.toHaveProperty('deliveries');
    expect(listed[0]?.amount_atomic).toBe(paid[1]?.amount_atomic);
    const table = await home.run(['orders', 'recover', '--reveal', ...sandbox.flags]);
    expect(table.stdout).toMatch(/\t10.10 USDC\tTEST-\S+\t\S+\t/);
    const words = ['orders', 'recover', '--reveal', ...sandbox.flags];
    const revealed = await home.json<Recovered[]>(words);
    for (const { deliveries } of revealed) {
      expect(deliveries?.[0]?.voucher_code).toMatch(/^TEST-/);
    }
  });

  it('has them in its journal again after a repair, whichever host was asked before', async () => {
    const { checks } = await home.json<Doctor>(['doctor', ...sandbox.flags]);
    expect(checks.map(({ detail }) => detail)).toContainEqual(
      expect.stringMatching(/that it lacks: 2, of 20\.20 USDC/),
    );
    const id = paid[1]?.order_id ?? '';
    expect(await home.failure(['orders', 'reveal', id])).toMatchObject({
      code: 'ORDER_UNKNOWN',
      hint: expect.stringContaining('scrip orders recover'),
    });
    const other = await hostThat((_request, response) => response.writeHead(404).end());
    const nodes = [...sandbox.flags.slice(2), '--base-rpc-url', `${sandbox.url}/rpc/base`];
    const elsewhere = ['--checkout-url', other, ...nodes];
    const repaired = async (flags: readonly string[]) => {
      const { repair, checks } = await home.json<Doctor>(['doctor', '--repair', ...flags]);
      return {
        outcomes: repair.entries.map(({ outcome }) => outcome),
        told: JSON.stringify(checks),
      };
    };
    let told = '';
    // Only what is final counts.
    while (!told.includes('payments of unknown purchases: 2'))
      ({ told } = await repaired(elsewhere));
    const [unknown] = await home.json<{ intent_id: string }[]>(['orders']);
    const resumed = ['orders', 'resume', unknown?.intent_id ?? '', ...elsewhere];
    expect(await home.failure(resumed)).toMatchObject({
      code: 'ATTENTION_NEEDED',
      message: expect.stringContaining('Only the transaction'),
      hint: expect.stringMatching(/scrip doctor --repair .*--checkout-url <address of the host>$/),
    });
    const again = await repaired(sandbox.flags);
    expect(again.outcomes).toEqual(['restored', 'restored']);
    expect(again.told).not.toMatch(/not delivered|unknown purchases/);
    expect((await repaired(sandbox.flags)).outcomes).toEqual([]);
    for (const { order_id, deliveries } of paid) {
      const words = ['orders', 'reveal', order_id ?? '', ...sandbox.flags];
      expect((await home.json<OrderDocument>(words)).deliveries[0]?.voucher_code).toBe(
        deliveries[0]?.voucher_code,
      );
    }
  });

  it('is shown nothing of other wallets', async () => {
    const other = makeHome();
    await other.json(['wallet', 'new']);
    expect(await other.json(['orders', 'recover', ...sandbox.flags])).toEqual([]);
    const { stdout, stderr } = await other.run(['orders', 'recover', ...sandbox.flags]);
    expect({ stdout, stderr }).toEqual({ stdout: '', stderr: expect.stringContaining('No order') });
  });

  it('signs as x402’s own package verifies it, and only for the host that asks', async () => {
    const told: string[] = [];
    let domain: string | undefined;
    const server = createServer(async (request, response) => {
      const proof = request.headers['sign-in-with-x'];
      if (typeof proof === 'string') {
        told.push(proof);
        response.end('{"orders": []}');
        return;
      }
      const asked = await fetch(`${sandbox.url}/v1/orders`);
      const text = JSON.stringify(await asked.json());
      const own = request.headers.host ?? '';
      const [, port = ''] = own.split(':');
      const here = text.replaceAll(new URL(sandbox.url).port, port);
      response.statusCode = 402;
      response.end(domain === undefined ? here : here.replaceAll(own, domain));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const words = ['orders', 'recover', '--checkout-url', url];
    expect(await home.json(words)).toEqual([]);
    const payers = await Promise.all(
      told.map(async (header) => verifySIWxSignature(parseSIWxHeader(header))),
    );
    expect(payers).toEqual([
      { isValid: true, payer: made.address },
      { isValid: true, payer: made.base_address },
    ]);
    domain = 'bank.example';
    expect(await home.failure(words)).toMatchObject({ code: 'SIGN_IN_UNSUPPORTED', status: 4 });
    expect(told).toHaveLength(2);
    server.close();
  });
});

describe('x402’s own client', () => {
  it.each([
    [SOLANA_MAINNET, () => createKeyPairSignerFromPrivateKeyBytes(randomBytes(32))],
    [BASE, async () => privateKeyToAccount(generatePrivateKey())],
  ])('signs in with a key for %s', async (network, keyOf) => {
    const url = `${sandbox.url}/v1/orders`;
    const asked = (await (await fetch(url)).json()) as {
      readonly extensions: Readonly<Record<string, SIWxExtension>>;
    };
    const { info, supportedChains } = asked.extensions['sign-in-with-x'] as SIWxExtension;
    const chain = supportedChains.find(({ chainId }) => chainId === network);
    const signer = (await keyOf()) as SIWxSigner;
    const proof = await createSIWxPayload({ ...info, ...(chain as SupportedChain) }, signer, url);
    const headers = { 'sign-in-with-x': encodeSIWxHeader(proof) };
    const response = await fetch(url, { headers });
    expect(await response.json()).toEqual({ orders: [] });
    expect(response.status).toBe(200);
  });
});
