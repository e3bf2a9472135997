/** A payment made with @solana/web3.js from docs/inside/checkout.md, "What a payment looks like", and from nothing else. */
import { readFileSync } from 'node:fs';
import {
  Connection,
  Keypair,
  PublicKey,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { expect, it } from 'vitest';
import { makeHome } from '../support/cli.ts';
import { serveHere } from '../support/served-here.ts';
import { fundAt } from '../support/shop.ts';

const home = makeHome();
const sandbox = await serveHere(home);
const reply = await fetch(`${sandbox.url}/v1/catalog?country_code=us&brand_name=Amazon.com`);
const items = (await reply.json()) as { product_id: string; is_range: boolean }[];
const productId = items.find(({ is_range }) => !is_range)?.product_id ?? '';

const page = readFileSync(new URL('../../docs/inside/checkout.md', import.meta.url), 'utf8');
const [, section = ''] = page.split('## What a payment looks like');
interface Layout {
  readonly program: PublicKey;
  /** Bytes, and names of values with their widths. */
  readonly data: readonly string[];
  /** Names of accounts, with their marks. */
  readonly accounts: readonly string[];
}

const wordsIn = (text: string): readonly string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);
const boundOf = (name: string): bigint => {
  const [, most = ''] = new RegExp(`\\| \`${name}\` \\|[^|]*at most ([\\d,]+)`).exec(section) ?? [];
  return BigInt(most.replaceAll(',', ''));
};
const ROW = /^ *\| \d[^|]*\| `(\w{32,44})` \|[^|]*\|([^|]*)\|([^|]*)\|$/gm;
const layouts: readonly Layout[] = [...section.matchAll(ROW)].map(
  ([, program = '', data = '', accounts = '']) => ({
    program: new PublicKey(program),
    data: wordsIn(data),
    accounts: wordsIn(accounts),
  }),
);
const [, , checked] = layouts as [Layout, Layout, Layout];
const [, plainData = '', plainAccounts = ''] =
  /A plain `Transfer` \(([^,]*), accounts ([^)]*)\)/.exec(section) ?? [];
const plain: Layout = {
  ...checked,
  data: wordsIn(plainData),
  accounts: wordsIn(plainAccounts),
};
const associated = new PublicKey(/derived by the program\s+`(\w+)`/.exec(section)?.[1] ?? '');
const template = /`(\{"x402Version".*?\}\})`/s.exec(section)?.[1] ?? '';
/** The greatest price of a unit where the most units are asked for. */
const [, lamports = ''] = /at most ([\d,]+) lamports for all units/.exec(section) ?? [];
const PRICE = (BigInt(lamports.replaceAll(',', '')) * 1_000_000n) / boundOf('units');

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

type Values = Readonly<Record<string, bigint | string>>;

/** One word of the page: a byte, or the value of a name. */
function bytesOf(word: string, values: Values): Buffer {
  if (/^[0-9a-f]{2}$/.test(word)) return Buffer.from(word, 'hex');
  const [name = '', width] = word.split(':');
  const value = values[name];
  if (value === undefined) throw new Error(`the page does not say what ${word} is`);
  const data = Buffer.alloc(8);
  data.writeBigUInt64LE(typeof value === 'bigint' ? value : 0n);
  if (width === 'u32') return data.subarray(0, 4);
  return width === 'u64' ? data : Buffer.from(String(value));
}

function instructionOf(
  { program: programId, data, accounts }: Layout,
  values: Values,
  keys: Readonly<Record<string, PublicKey>>,
): TransactionInstruction {
  return new TransactionInstruction({
    programId,
    data: Buffer.concat(data.map((word) => bytesOf(word, values))),
    keys: accounts.map((word) => {
      const [name = '', mark] = word.split(':');
      const pubkey = keys[name];
      if (!pubkey) throw new Error(`the page does not say what ${word} is`);
      return { pubkey, isWritable: mark === 'writable', isSigner: mark === 'signer' };
    }),
  });
}

/** @param transfer what stands in the place of the third instruction */
async function pay(buyer: Keypair, transfer: Layout): Promise<Response> {
  const asked = await send();
  const { accepts } = (await asked.json()) as Asked;
  const [accepted] = accepts;
  const asset = new PublicKey(accepted.asset);
  const accountOf = (owner: PublicKey): PublicKey =>
    PublicKey.findProgramAddressSync(
      [owner.toBytes(), checked.program.toBytes(), asset.toBytes()],
      associated,
    )[0];
  const amount = BigInt(accepted.maxAmountRequired);
  const values = { units: boundOf('units'), price: PRICE, amount, text: 'by hand' };
  const owner = buyer.publicKey;
  const to = accountOf(new PublicKey(accepted.payTo));
  const keys = { from: accountOf(owner), asset, to, owner };
  const { blockhash } = await new Connection(`${sandbox.url}/rpc`).getLatestBlockhash();
  const transaction = new VersionedTransaction(
    new TransactionMessage({
      payerKey: new PublicKey(accepted.extra.feePayer),
      recentBlockhash: blockhash,
      instructions: layouts.map((layout) =>
        instructionOf(layout === checked ? transfer : layout, values, keys),
      ),
    }).compileToV0Message(),
  );
  transaction.sign([buyer]);
  const payload = template
    .replace('<accepts[0]>', JSON.stringify(accepted))
    .replace(
      '<base64 of the transaction>',
      Buffer.from(transaction.serialize()).toString('base64'),
    );
  return send({
    'X-Session-Id': asked.headers.get('X-Session-Id') ?? '',
    'PAYMENT-SIGNATURE': Buffer.from(payload).toString('base64'),
  });
}

async function fundedBuyer(): Promise<Keypair> {
  const buyer = Keypair.generate();
  await fundAt(sandbox.url, buyer.publicKey.toBase58(), '100');
  return buyer;
}

it('a payment by the page is taken, and delivered', async () => {
  const paid = await pay(await fundedBuyer(), checked);
  const receipt = (await paid.json()) as { order_id: string };
  expect([paid.status, receipt]).toMatchObject([200, { status: 'processing' }]);
  const status = async () =>
    (await (await fetch(`${sandbox.url}/v1/orders/${receipt.order_id}`)).json()) as unknown;
  await expect.poll(status).toMatchObject({ status: 'completed' });
});

it('a plain Transfer is refused as one', async () => {
  const refused = await pay(await fundedBuyer(), plain);
  expect([refused.status, await refused.json()]).toMatchObject([
    400,
    { error: 'payment_malformed', message: expect.stringContaining('plain Transfer') },
  ]);
});
