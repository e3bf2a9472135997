/** What a host signs of a purchase: kept by our command line, and read by x402's own package. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createKeyPairSignerFromPrivateKeyBytes } from '@solana/kit';
import { decodePaymentRequiredHeader } from '@x402/core/http';
import {
  decodeSignedOffers,
  extractOffersFromPaymentRequired,
  extractReceiptFromResponse,
  findAcceptsObjectFromSignedOffer,
  type JWSSignedOffer,
  type JWSSignedReceipt,
  verifyOfferSignatureJWS,
  verifyReceiptMatchesOffer,
  verifyReceiptSignatureJWS,
} from '@x402/extensions/offer-receipt';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import { describe, expect, it } from 'vitest';
import { makeHome } from '../support/cli.ts';
import { serveHere } from '../support/served-here.ts';
import { amazonProducts, buy, fundAt, fundedWallet } from '../support/shop.ts';

interface Verified {
  readonly ok: boolean;
  readonly offer: string;
  readonly receipt: string;
  readonly key: object;
  readonly checks: readonly { readonly check: string; readonly state: string }[];
}

const home = makeHome();
const { fixed } = amazonProducts();
const CHECKS = ['offer_signature', 'offer_terms', 'receipt_signature', 'receipt_payment'];
const failedIn = ({ checks }: Pick<Verified, 'checks'>) =>
  checks.filter(({ state }) => state === 'fail').map(({ check }) => check);

describe('a purchase', async () => {
  await fundedWallet(home);
  const { order_id: id } = await buy(home, fixed.product_id, []);
  const shown = await home.json<Verified>(['receipt', id]);

  it('has an offer and a receipt, and both are verified without the host', async () => {
    const verified = await home.json<Verified>(['receipt', 'verify', id]);
    expect(verified).toMatchObject({ ok: true, offer: shown.offer, receipt: shown.receipt });
    expect(verified.checks.map(({ check, state }) => [check, state])).toEqual(
      CHECKS.map((check) => [check, 'pass']),
    );
  });

  it('is verified by somebody else, from the document', async () => {
    const other = makeHome();
    const file = join(other.dir, 'receipt.json');
    writeFileSync(file, JSON.stringify(shown));
    const { status, stdout, stderr } = await other.run(['receipt', 'verify', '--file', file]);
    expect({ status, failed: stdout.includes('FAIL') }).toEqual({ status: 0, failed: false });
    expect(stdout).toMatch(/Result\tWhat .* signed of this payment of [\d.]+ USDC holds/);
    expect(stdout).not.toMatch(/atomic units|[1-9A-HJ-NP-Za-km-z]{80}/);
    const printed = await home.run(['receipt', id]);
    expect(printed.stdout).toMatch(/Network\tSolana\n[\s\S]*Amount\t[\d.]+ USDC\n/);
    expect(stderr).toContain('/.well-known/did.json');
    const host = 'https://shop.example';
    writeFileSync(file, JSON.stringify({ ...shown, host }));
    const foreign = await other.run(['receipt', 'verify', '--file', file]);
    expect(foreign.stderr).toContain(`${host}/.well-known/did.json`);
    expect(foreign.stderr).toContain('hint: Ask who gave you the file');
  });

  it.each([
    ['another amount', { amount_atomic: '1' }, ['offer_terms']],
    ['another recipient', { pay_to: 'x' }, ['offer_terms']],
    ['another payer', { payer: 'x' }, ['receipt_payment']],
    ['another transaction', { transaction: 'x' }, ['receipt_payment']],
    ['another network', { network: 'x' }, ['offer_terms', 'receipt_payment']],
    ['another host', { host: 'https://other.example' }, ['offer_signature', 'receipt_signature']],
    ['a receipt for an offer', { offer: shown.receipt }, ['offer_terms']],
    ['no key', { key: null }, ['offer_signature', 'receipt_signature']],
    [
      'the key of somebody else',
      { key: { kty: 'OKP', crv: 'Ed25519', x: randomBytes(32).toString('base64url') } },
      ['offer_signature', 'receipt_signature'],
    ],
    [
      'a changed signature',
      { receipt: `${shown.receipt.slice(0, -8)}AAAAAAAA` },
      ['receipt_signature'],
    ],
  ])('is not proven with %s', async (_what, change, failed) => {
    const file = join(home.dir, 'changed.json');
    writeFileSync(file, JSON.stringify({ ...shown, ...change }));
    const refused = await home.failure(['receipt', 'verify', '--file', file]);
    expect(refused).toMatchObject({ code: 'RECEIPT_UNPROVEN', status: 4, details: { failed } });
    expect(failedIn(JSON.parse(refused.stdout))).toEqual(failed);
  });

  it('is refused where a file is something else', async () => {
    const file = join(home.dir, 'odd.json');
    writeFileSync(file, '{}');
    const refused = await home.failure(['receipt', 'verify', '--file', file]);
    expect(refused).toMatchObject({ code: 'INPUT_INVALID' });
  });
});

describe('x402’s own package', async () => {
  const sandbox = await serveHere(home);
  const query = 'country_code=mx&brand_name=Amazon.com.mx';
  const listed = await fetch(`${sandbox.url}/v1/catalog?${query}`);
  const products = (await listed.json()) as { product_id: string; is_range: boolean }[];
  const product_id = products.find((one) => one.is_range)?.product_id;
  // Ten pesos: without a setting this client pays no more than a dollar.
  const item = { product_id, product_value: 10, beneficiary_account: 'friend@example.com' };
  const order = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'reference@example.com', items: [item] }),
  };
  const required = async (response: Response) =>
    decodePaymentRequiredHeader(response.headers.get('PAYMENT-REQUIRED') ?? '');

  it('finds an offer for each requirement, and verifies it by the host’s DID document', async () => {
    const asked = await required(await fetch(`${sandbox.url}/v1/orders`, order));
    const offers = extractOffersFromPaymentRequired(asked);
    expect(offers).toHaveLength(asked.accepts.length);
    for (const offer of offers) {
      expect(findAcceptsObjectFromSignedOffer(offer, asked.accepts)).toBeDefined();
      const { resourceUrl } = await verifyOfferSignatureJWS(offer as JWSSignedOffer);
      expect(resourceUrl).toBe(`${sandbox.url}/v1/orders`);
    }
  });

  it('verifies the receipt of its payment', async () => {
    const signer = await createKeyPairSignerFromPrivateKeyBytes(randomBytes(32));
    await fundAt(sandbox.url, signer.address);
    const scheme = new ExactSvmScheme(signer, { rpcUrl: `${sandbox.url}/rpc` });
    const answers: Response[] = [];
    const recorded: typeof fetch = async (...request) => {
      const answer = await fetch(...request);
      answers.push(answer.clone());
      return answer;
    };
    const pay = wrapFetchWithPayment(recorded, new x402Client().register('solana:*', scheme));
    const paid = await pay(`${sandbox.url}/v1/orders`, order);
    const receipt = extractReceiptFromResponse(paid) as JWSSignedReceipt;
    expect(await verifyReceiptSignatureJWS(receipt)).toMatchObject({
      payer: signer.address,
      transaction: expect.stringMatching(/^\w{64,}$/),
    });
    const [first] = answers;
    const offers = first && extractOffersFromPaymentRequired(await required(first));
    const [offer] = decodeSignedOffers(offers ?? []);
    expect(offer && verifyReceiptMatchesOffer(receipt, offer, [signer.address])).toBe(true);
  });

  it('has a shop whose key our command line kept when it paid', async () => {
    const other = makeHome();
    await fundedWallet(other, sandbox.flags);
    const { order_id: id } = await buy(other, fixed.product_id, sandbox.flags);
    const verified = await other.json<Verified>(['receipt', 'verify', id]);
    expect(verified).toMatchObject({ ok: true, key: { kty: 'OKP', crv: 'Ed25519' } });
  });
});
