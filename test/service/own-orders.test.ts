/** Signing in with a wallet: who gets the orders, and what is no sign-in. */
import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { SIGN_IN_HEADER, signInText } from '../../src/contract/sign-in.ts';
import { decodeHeader, encodeHeader, PAYMENT_REQUIRED_HEADER } from '../../src/contract/x402.ts';
import { signerFromSeed, solanaSignIn } from '../../src/rails/solana/ed25519.ts';
import { BASE_URL, checkoutHost, type Host } from '../support/checkout-host.ts';

const PATH = '/v1/orders';
const wallet = signerFromSeed(randomBytes(32));
const stranger = signerFromSeed(randomBytes(32));

let host: Host;
beforeEach(async () => {
  host = await checkoutHost();
});

async function challenge() {
  const response = await host.get(PATH);
  expect(response.status).toBe(402);
  const required = decodeHeader(response.headers.get(PAYMENT_REQUIRED_HEADER) ?? '') as {
    readonly extensions: Record<string, { info: Info; supportedChains: { chainId: string }[] }>;
  };
  expect(required).toEqual(await response.json());
  const { info, supportedChains } = required.extensions['sign-in-with-x'] ?? {};
  if (!info || !supportedChains?.[0]) throw new Error('no sign-in is offered');
  return { ...info, chainId: supportedChains[0].chainId, type: 'ed25519' };
}

type Info = {
  domain: string;
  uri: string;
  version: '1';
  nonce: string;
  issuedAt: string;
  expirationTime: string;
};
type Unsigned = Awaited<ReturnType<typeof challenge>>;

async function signed(unsigned: Unsigned, signer = wallet, claimed = signer.address) {
  const proof = { ...unsigned, address: claimed };
  const text = signInText(proof, 'Solana');
  return { ...proof, signature: solanaSignIn.encode(await signer.sign(Buffer.from(text))) };
}

const signIn = (proof: unknown) => host.get(PATH, { [SIGN_IN_HEADER]: encodeHeader(proof) });

describe('a sign-in', () => {
  it('is for this host, this path and five minutes', async () => {
    const { domain, uri, issuedAt, expirationTime } = await challenge();
    expect({ domain, uri }).toEqual({ domain: new URL(BASE_URL).host, uri: BASE_URL + PATH });
    expect(Date.parse(expirationTime) - Date.parse(issuedAt)).toBe(300_000);
  });

  it('shows a wallet without orders none, once', async () => {
    const proof = await signed(await challenge());
    const response = await signIn(proof);
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toEqual({ orders: [] });
    const again = await signIn(proof);
    expect(again.status).toBe(402);
    expect(await again.json()).toMatchObject({ error: 'sign_in_invalid', accepts: [] });
  });

  it('holds until its time is over', async () => {
    const [early, late] = [await signed(await challenge()), await signed(await challenge())];
    host.clock.advance(299_999);
    expect((await signIn(early)).status).toBe(200);
    host.clock.advance(1);
    expect((await signIn(late)).status).toBe(402);
  });

  it.each<[string, (own: Unsigned) => Promise<unknown>]>([
    ['no proof at all', async () => 'x'],
    ['nothing but text', async () => ({})],
    ['the address of another wallet', (own) => signed(own, stranger, wallet.address)],
    ['another host', (own) => signed({ ...own, domain: 'evil.example' })],
    [
      'an address of another host',
      (own) => signed({ ...own, uri: 'https://evil.example/v1/orders' }),
    ],
    ['an address that is none', (own) => signed({ ...own, uri: 'x' })],
    ['another algorithm', (own) => signed({ ...own, type: 'eip191' })],
    ['a network that the host is not paid on', (own) => signed({ ...own, chainId: 'eip155:1' })],
    ['a nonce of its own', (own) => signed({ ...own, nonce: randomBytes(16).toString('hex') })],
    ['a later instant', (own) => signed({ ...own, issuedAt: '2100-01-01T00:00:00.000Z' })],
    ['an end that is over', (own) => signed({ ...own, expirationTime: own.issuedAt })],
    ['an end that is no time', (own) => signed({ ...own, expirationTime: 'x' })],
    ['a changed statement', async (own) => ({ ...(await signed(own)), statement: 'x' })],
    ['a signature that is none', async (own) => ({ ...(await signed(own)), signature: '0OIl' })],
  ])('is none with %s', async (_what, proofOf) => {
    const response = await signIn(await proofOf(await challenge()));
    expect(response.status).toBe(402);
    expect(await response.json()).toMatchObject({ error: 'sign_in_invalid' });
  });
});
