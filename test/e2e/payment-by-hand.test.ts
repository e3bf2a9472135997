/** A payment made with @solana/web3.js from docs/checkout.md, "What a payment looks like", and from nothing else. */
import { readFileSync } from 'node:fs';
import {
  type AccountMeta,
  Connection,
  Keypair,
  PublicKey,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/cli.ts';
import { type ServedSandbox, serveSandbox } from '../support/served-sandbox.ts';

let home: Home;
let sandbox: ServedSandbox;
let productId: string;

beforeAll(async () => {
  home = makeHome();
  sandbox = await serveSandbox(home);
  const reply = await fetch(`${sandbox.url}/v1/catalog?country_code=us&brand_name=Amazon.com`);
  const items = (await reply.json()) as { product_id: string; is_range: boolean }[];
  productId = items.find(({ is_range }) => !is_range)?.product_id ?? '';
});
afterAll(async () => {
  await sandbox.stop();
  home.remove();
});

const page = readFileSync(new URL('../../docs/checkout.md', import.meta.url), 'utf8');
const [, section = ''] = page.split('## What a payment looks like');
const addressesOfPage = [...section.matchAll(/`([1-9A-HJ-NP-Za-km-z]{32,44})`/g)].map(
  ([, address = '']) => new PublicKey(address),
);
const [budget, token, memo, associated] = addressesOfPage as [
  PublicKey,
  PublicKey,
  PublicKey,
  PublicKey,
];

interface Asked {
  readonly accepts: [
    { maxAmountRequired: string; asset: string; payTo: string; extra: { feePayer: string } },
  ];
}

const body = () =>
  JSON.stringify({
    email: 'you@example.com',
    items: [{ product_id: productId, beneficiary_account: 'friend@example.com' }],
  });
const send = (headers: Record<string, string> = {}) =>
  fetch(`${sandbox.url}/v1/orders`, { method: 'POST', headers, body: body() });

const number = (value: bigint, bytes: 4 | 8): Buffer => {
  const data = Buffer.alloc(bytes);
  if (bytes === 4) data.writeUInt32LE(Number(value));
  else data.writeBigUInt64LE(value);
  return data;
};
const instruction = (programId: PublicKey, data: readonly Uint8Array[], keys: AccountMeta[] = []) =>
  new TransactionInstruction({ programId, keys, data: Buffer.concat(data) });
const account = (pubkey: PublicKey, isWritable = false, isSigner = false): AccountMeta => ({
  pubkey,
  isSigner,
  isWritable,
});

/** @param transfer data of the third instruction, and its accounts */
async function pay(buyer: Keypair, isPlain: boolean): Promise<Response> {
  const asked = await send();
  const { accepts } = (await asked.json()) as Asked;
  const [accepted] = accepts;
  const mint = new PublicKey(accepted.asset);
  const accountOf = (owner: PublicKey): PublicKey =>
    PublicKey.findProgramAddressSync(
      [owner.toBytes(), token.toBytes(), mint.toBytes()],
      associated,
    )[0];
  const amount = number(BigInt(accepted.maxAmountRequired), 8);
  const from = account(accountOf(buyer.publicKey), true);
  const to = account(accountOf(new PublicKey(accepted.payTo)), true);
  const owner = account(buyer.publicKey, false, true);
  const transfer = isPlain
    ? instruction(token, [Uint8Array.of(3), amount], [from, to, owner])
    : instruction(
        token,
        [Uint8Array.of(12), amount, Uint8Array.of(6)],
        [from, account(mint), to, owner],
      );
  const { blockhash } = await new Connection(`${sandbox.url}/rpc`).getLatestBlockhash();
  const transaction = new VersionedTransaction(
    new TransactionMessage({
      payerKey: new PublicKey(accepted.extra.feePayer),
      recentBlockhash: blockhash,
      instructions: [
        instruction(budget, [Uint8Array.of(2), number(40_000n, 4)]),
        instruction(budget, [Uint8Array.of(3), number(1n, 8)]),
        transfer,
        instruction(memo, [Buffer.from('by hand')]),
      ],
    }).compileToV0Message(),
  );
  transaction.sign([buyer]);
  const payload = {
    x402Version: 2,
    accepted,
    payload: { transaction: Buffer.from(transaction.serialize()).toString('base64') },
  };
  return send({
    'X-Session-Id': asked.headers.get('X-Session-Id') ?? '',
    'PAYMENT-SIGNATURE': Buffer.from(JSON.stringify(payload)).toString('base64'),
  });
}

async function fundedBuyer(): Promise<Keypair> {
  const buyer = Keypair.generate();
  const params = [buyer.publicKey.toBase58(), { usdc: '100000000' }];
  const call = { jsonrpc: '2.0', id: 1, method: 'sandboxFaucet', params };
  const reply = await fetch(`${sandbox.url}/rpc`, { method: 'POST', body: JSON.stringify(call) });
  expect(await reply.json()).toHaveProperty('result');
  return buyer;
}

it('a payment by the page is taken, and delivered', async () => {
  const paid = await pay(await fundedBuyer(), false);
  const receipt = (await paid.json()) as { order_id: string };
  expect([paid.status, receipt]).toMatchObject([200, { status: 'processing' }]);
  const status = async () =>
    (await (await fetch(`${sandbox.url}/v1/orders/${receipt.order_id}`)).json()) as unknown;
  await expect.poll(status, { timeout: 15_000 }).toMatchObject({ status: 'completed' });
});

it('a plain Transfer is refused as one', async () => {
  const refused = await pay(await fundedBuyer(), true);
  expect([refused.status, await refused.json()]).toMatchObject([
    400,
    { error: 'payment_malformed', message: expect.stringContaining('plain Transfer') },
  ]);
});
