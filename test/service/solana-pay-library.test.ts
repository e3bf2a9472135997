/** Both links of a payment page, read and paid by the library of Solana Pay, which wallets and tills are built with. */
import { Connection, Keypair, type PublicKey, type Transaction } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WirePartnerOrder } from '../../src/contract/partner-orders.ts';
import { type Listening, listen } from '../../src/service/http/node.ts';
import { ENGINES } from '../support/engines.ts';
import { type PartnerSandbox, partnerSandbox } from '../support/partner-sandbox.ts';

interface Transfer {
  readonly recipient: PublicKey;
  /** A `BigNumber`. */
  readonly amount: { toString(): string };
  readonly splToken: PublicKey;
  readonly reference: readonly PublicKey[];
}
interface Library {
  parseURL(url: string): Transfer & { readonly link?: URL };
  createTransfer(connection: Connection, sender: PublicKey, fields: Transfer): Promise<Transaction>;
  fetchTransaction(connection: Connection, account: PublicKey, link: string): Promise<Transaction>;
  findReference(
    connection: Connection,
    reference: PublicKey,
  ): Promise<{ readonly signature: string }>;
  validateTransfer(connection: Connection, id: string, fields: Transfer): Promise<unknown>;
}
/** By its name, so that types are checked also where it is not installed. */
const NAME: string = '@solana/pay';
const pay: Library = await import(NAME);

const BASE = 'https://shop.example';
describe.each(ENGINES)('on %s', (engine) => {
  let host: PartnerSandbox;
  let listening: Listening;
  let connection: Connection;
  beforeAll(async () => {
    host = await partnerSandbox({ baseUrl: BASE, engine });
    const { handle, follow } = host.current();
    listening = await listen({ handler: handle, follow, port: 0, host: '127.0.0.1' });
    connection = new Connection(`${listening.url}/rpc`, 'confirmed');
  });
  afterAll(async () => {
    await host.close();
    await listening.close();
  });

  const fund = (owner: PublicKey, usdcAtomic: bigint, lamports: bigint) =>
    host.current().fund(owner.toBase58(), { usdcAtomic, lamports });

  /** What the page offers to wallets: a transfer, and a transaction to sign. */
  async function offered({ order_id }: WirePartnerOrder) {
    const page = await (await host.get(await host.pagePath(order_id))).text();
    const links = [...page.matchAll(/href="(solana:[^"]+)"/g)].map(([, link = '']) =>
      pay.parseURL(link.replaceAll('&amp;', '&')),
    );
    const transfer = links.find(({ link }) => link === undefined);
    const link = links.find((one) => one.link !== undefined)?.link;
    if (transfer === undefined || link === undefined)
      throw new Error('the page has not both links');
    return { transfer, link: link.href.replace(BASE, listening.url) };
  }

  /** A till looks for the payment by its reference, and holds it against what it asked for. */
  async function expectFound(order: WirePartnerOrder, transfer: Transfer): Promise<void> {
    const [reference] = transfer.reference;
    if (reference === undefined) throw new Error('the link has no reference');
    // Until it is confirmed.
    await host.pass(3_000);
    const { signature } = await pay.findReference(connection, reference);
    await pay.validateTransfer(connection, signature, transfer);
    expect(await host.read(order.order_id)).toMatchObject({
      order_state: 'Done',
      payment_transactions: [signature],
    });
  }

  describe('the library of Solana Pay', () => {
    it('reads the transfer: the address, the amount in USDC, one reference', async () => {
      const order = await host.create();
      const { transfer } = await offered(order);
      expect(transfer.recipient.toBase58()).toBe(order.wallet_address);
      expect(transfer.amount.toString()).toBe(order.coin_amount);
      expect(transfer.reference).toHaveLength(1);
    });

    it('pays by the transaction request without any SOL, and finds the payment', async () => {
      const wallet = Keypair.generate();
      await fund(wallet.publicKey, 100_000_000n, 0n);
      const order = await host.create();
      const { transfer, link } = await offered(order);
      const transaction = await pay.fetchTransaction(connection, wallet.publicKey, link);
      transaction.partialSign(wallet);
      await connection.sendRawTransaction(transaction.serialize());
      await expectFound(order, transfer);
    });

    it('pays by the transfer request, and finds the payment', async () => {
      const wallet = Keypair.generate();
      await fund(wallet.publicKey, 100_000_000n, 10_000_000n);
      const order = await host.create();
      const { transfer } = await offered(order);
      const transaction = await pay.createTransfer(connection, wallet.publicKey, transfer);
      transaction.partialSign(wallet);
      await connection.sendRawTransaction(transaction.serialize());
      await expectFound(order, transfer);
    });
  });
});
