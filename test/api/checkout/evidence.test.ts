import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { checkEvidence, offerOf, readSigningKey } from '../../../src/api/checkout/evidence.ts';
import type { PaymentRequired } from '../../../src/contract/x402.ts';
import { jsonReply } from '../../support/scripted-fetch.ts';

const DID = 'did:web:shop.example';
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A text signed as other hosts sign: by an algorithm of RFC 7518 or RFC 8812. */
function signedBy(alg: string, curve: string, payload: object, kid = `${DID}#1`) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: curve });
  const text = `${part({ alg, kid })}.${part(payload)}`;
  const signature = sign('sha256', Buffer.from(text), {
    key: privateKey,
    dsaEncoding: 'ieee-p1363',
  });
  const { kty = '', crv = '', x = '', y = '' } = publicKey.export({ format: 'jwk' });
  return { jws: `${text}.${signature.toString('base64url')}`, key: { kty, crv, x, y } };
}

const PAYMENT = {
  host: 'https://shop.example',
  network: 'eip155:8453',
  payer: '0xAbC0000000000000000000000000000000000001',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  pay_to: '0x0000000000000000000000000000000000000002',
  amount_atomic: '10000',
  transaction: null,
};
const RECEIPT = {
  version: 1,
  network: 'eip155:8453',
  resourceUrl: 'https://shop.example/paid',
  payer: PAYMENT.payer.toLowerCase(),
  issuedAt: 1_703_123_456,
};

const statesOf = (evidence: Parameters<typeof checkEvidence>[0]) =>
  checkEvidence(evidence).map(({ state }) => state);

describe('a receipt of another host', () => {
  it.each([
    ['ES256', 'P-256'],
    ['ES256K', 'secp256k1'],
  ])('is verified by %s', (alg, curve) => {
    const { jws: receipt, key } = signedBy(alg, curve, RECEIPT);
    const evidence = { ...PAYMENT, offer: null, receipt, key };
    expect(statesOf(evidence)).toEqual(['skipped', 'skipped', 'pass', 'pass']);
  });

  it('is not proven by a key that names no host, or another one', () => {
    for (const kid of [
      'did:key:z6Mk',
      'did:web:evil.example#1',
      'did:web:shop.example.evil#1',
      '',
    ]) {
      const { jws: receipt, key } = signedBy('ES256', 'P-256', RECEIPT, kid);
      const evidence = { ...PAYMENT, offer: null, receipt, key };
      expect(statesOf(evidence)).toEqual(['skipped', 'skipped', 'fail', 'pass']);
    }
  });

  it('is not proven by an algorithm that its key is not for', () => {
    const { jws: receipt, key } = signedBy('EdDSA', 'P-256', RECEIPT);
    const evidence = { ...PAYMENT, offer: null, receipt, key };
    expect(statesOf(evidence)[2]).toBe('fail');
  });
});

describe('the offer of a requirement', () => {
  const requirement = {
    scheme: 'exact',
    network: 'eip155:8453',
    amount: '10000',
    asset: PAYMENT.asset,
    payTo: PAYMENT.pay_to,
  } as const;
  const offered = (...offers: readonly unknown[]): PaymentRequired => ({
    x402Version: 2,
    accepts: [requirement],
    extensions: { 'offer-receipt': { info: { offers } } },
  });
  const jws = (change: object) => ({
    format: 'jws',
    signature: `${part({})}.${part({ version: 1, resourceUrl: 'x', ...requirement, ...change })}.`,
  });

  it('is found by its terms, not by its place', () => {
    const [other, own] = [jws({ amount: '1' }), jws({ asset: PAYMENT.asset.toLowerCase() })];
    expect(offerOf(offered(other, own), requirement)).toBe(own.signature);
  });

  it.each([
    ['none is signed', []],
    ['another amount', [jws({ amount: '1' })]],
    ['another recipient', [jws({ payTo: PAYMENT.asset })]],
    ['another network', [jws({ network: 'eip155:1' })]],
    ['another asset', [jws({ asset: PAYMENT.pay_to })]],
    ['another form', [{ format: 'eip712', signature: '0x' }, 7, null]],
  ])('is none: %s', (_what, offers) => {
    expect(offerOf(offered(...offers), requirement)).toBeUndefined();
  });
});

describe('the key of a host', () => {
  const { jws, key } = signedBy('ES256', 'P-256', RECEIPT);
  const read = (document: unknown, baseUrl = 'https://shop.example', text = jws) => {
    const asked: string[] = [];
    const fetch = async (url: string) => {
      asked.push(url);
      return jsonReply(document === undefined ? 404 : 200, document ?? {});
    };
    return readSigningKey({ fetch, signal: undefined }, baseUrl, text).then((found) => ({
      found,
      asked,
    }));
  };
  const document = { id: DID, verificationMethod: [{ id: `${DID}#1`, publicKeyJwk: key }] };

  it('is read from its DID document', async () => {
    expect(await read(document)).toEqual({
      found: key,
      asked: ['https://shop.example/.well-known/did.json'],
    });
  });

  it('is under its path for a host that is reached there', async () => {
    const { jws: text } = signedBy('ES256', 'P-256', RECEIPT, `${DID}:eu#1`);
    const { asked } = await read(document, 'https://shop.example/eu', text);
    expect(asked).toEqual(['https://shop.example/eu/did.json']);
  });

  it.each([
    ['the document is absent', undefined],
    ['it has no such key', { id: DID, verificationMethod: [] }],
  ])('is unknown where %s', async (_what, absent) => {
    expect((await read(absent)).found).toBeUndefined();
  });

  it('is not asked for at another host than the one that was paid', async () => {
    expect(await read(document, 'https://evil.example')).toEqual({ found: undefined, asked: [] });
  });
});
