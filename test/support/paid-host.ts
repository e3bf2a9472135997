/** Hosts whose answers cost a cent: the middlewares of x402's packages (version 2), and one written from version 1. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { createKeyPairSignerFromPrivateKeyBytes } from '@solana/kit';
import { x402Facilitator } from '@x402/core/facilitator';
import type { PaymentPayload, PaymentRequirements, SchemeNetworkServer } from '@x402/core/types';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme as ExactEvmFacilitator } from '@x402/evm/exact/facilitator';
import { ExactEvmScheme as ExactEvmServer } from '@x402/evm/exact/server';
import { ExactEvmSchemeV1 } from '@x402/evm/exact/v1/facilitator';
import { paymentMiddleware as expressMiddleware } from '@x402/express';
import { paymentMiddleware, x402ResourceServer } from '@x402/hono';
import { toFacilitatorSvmSigner } from '@x402/svm';
import { ExactSvmScheme as ExactSvmFacilitator } from '@x402/svm/exact/facilitator';
import { ExactSvmScheme as ExactSvmServer } from '@x402/svm/exact/server';
import { ExactSvmSchemeV1 } from '@x402/svm/exact/v1/facilitator';
import express from 'express';
import { Hono } from 'hono';
import { createWalletClient, http, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import { BASE, SOLANA_MAINNET, USDC_MINT } from '../../src/contract/usdc.ts';
import { atEnd } from './at-end.ts';
import { postJson } from './post-json.ts';
import { USDC } from './usdc.ts';
import { rpc } from './x402-payer.ts';

type Answering = (request: Request) => Response | Promise<Response>;

export interface PaidHost {
  readonly url: string;
  /** Requests that carried a payment. */
  readonly paid: Request[];
}

export const PRICE = '$0.01';
/** Bytes that are no UTF-8, and one that a terminal obeys. */
export const BINARY = Uint8Array.of(0, 255, 254, 27, 91, 50, 74, 10, 200);

/** A payment of x402 in either version, or of MPP. */
export function paymentIn(headers: Headers): string | null {
  const authorization = headers.get('authorization');
  const mpp = authorization?.startsWith('Payment ') ? authorization : null;
  return headers.get('payment-signature') ?? headers.get('x-payment') ?? mpp;
}

/** Serves until the end. @param remembers whether the same payment gets the same answer again, as a cache gives it */
export async function serveAnswers(answer: Answering, remembers = false): Promise<PaidHost> {
  const paid: Request[] = [];
  const known = new Map<string, Response>();
  const fetch: Answering = async (request) => {
    const { headers } = request;
    const payment = paymentIn(headers);
    if (payment !== null) paid.push(request.clone());
    const again = known.get(payment ?? '');
    if (again !== undefined) return again.clone();
    const given = await answer(request);
    if (remembers && payment !== null && given.ok) known.set(payment, given.clone());
    return given;
  };
  const server = serve({ fetch, port: 0, hostname: '127.0.0.1' });
  await once(server, 'listening');
  atEnd(() => {
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, paid };
}

/** An owner who can be paid. */
export async function payee(url: string): Promise<string> {
  const { address } = await createKeyPairSignerFromPrivateKeyBytes(randomBytes(32));
  await rpc(url, 'sandboxFaucet', [address, { usdc: '1', lamports: '0' }]);
  return address;
}

/** What the hosts sell. */
function shelf(): Hono {
  const app = new Hono();
  app.get('/report', (context) =>
    context.json({ report: 'fine', at: randomBytes(8).toString('hex') }),
  );
  app.get('/binary', () => new Response(BINARY, { headers: { 'content-type': 'image/x-odd' } }));
  app.get('/empty', (context) => context.body(null, 204));
  app.post('/echo', async (context) => context.text(`${await context.req.text()}!`));
  app.get('/moved', (context) => context.redirect('https://elsewhere.example/'));
  app.get('/missing', (context) => context.text('no such page', 404));
  app.get('/large', () => new Response('x'.repeat(16 * 1024 * 1024)));
  app.get('/free', (context) => context.text('for nothing'));
  app.get('/bad', (context) => context.text('bad request', 400));
  return app;
}

type Version = 1 | 2;

/** A network to be paid on, with the packages' own facilitator for both versions. */
interface Chain {
  readonly facilitator: x402Facilitator;
  readonly payTo: string;
  readonly network: PaymentRequirements['network'];
  readonly v1Name: string;
  readonly server: SchemeNetworkServer;
  /** As version 1 has it, in its requirement. */
  readonly asset: string;
  readonly extra: Readonly<Record<string, string>>;
}

// The packages' types know only networks of version 2.
const v1 = (name: string) => [name as PaymentRequirements['network']];

export async function onSolana(sandboxUrl: string): Promise<Chain> {
  const signer = await createKeyPairSignerFromPrivateKeyBytes(randomBytes(32));
  await rpc(sandboxUrl, 'sandboxFaucet', [signer.address, { usdc: '0', lamports: '1000000000' }]);
  const svm = toFacilitatorSvmSigner(signer, { defaultRpcUrl: `${sandboxUrl}/rpc` });
  const facilitator = new x402Facilitator()
    .register([SOLANA_MAINNET], new ExactSvmFacilitator(svm))
    .registerV1(v1('solana'), new ExactSvmSchemeV1(svm));
  return {
    facilitator,
    payTo: await payee(sandboxUrl),
    network: SOLANA_MAINNET,
    v1Name: 'solana',
    server: new ExactSvmServer(),
    asset: USDC_MINT,
    extra: { feePayer: signer.address },
  };
}

export async function onBase(sandboxUrl: string): Promise<Chain> {
  const account = privateKeyToAccount(`0x${randomBytes(32).toString('hex')}`);
  const url = `${sandboxUrl}/rpc/base`;
  await postJson(url, {
    ...{ jsonrpc: '2.0', id: 1, method: 'sandboxFaucet' },
    params: [account.address, { usdc: '0', wei: String(10n ** 18n) }],
  });
  const wallet = createWalletClient({ account, chain: base, transport: http(url) });
  const client = wallet.extend(publicActions);
  const evm = toFacilitatorEvmSigner({ ...client, address: account.address } as never);
  const facilitator = new x402Facilitator()
    .register(BASE, new ExactEvmFacilitator(evm))
    .registerV1(v1('base'), new ExactEvmSchemeV1(evm));
  // It takes its account's nonce anew for each payment: two at once would get the same one.
  const settle = facilitator.settle.bind(facilitator);
  let last: Promise<unknown> = Promise.resolve();
  facilitator.settle = (...given) => {
    const settled = last.then(() => settle(...given));
    last = settled.catch(() => undefined);
    return settled;
  };
  return {
    facilitator,
    payTo: privateKeyToAccount(`0x${randomBytes(32).toString('hex')}`).address,
    network: BASE,
    v1Name: 'base',
    server: new ExactEvmServer(),
    asset: USDC,
    extra: { name: 'USD Coin', version: '2' },
  };
}

/** A host of a version on a chain. @param remembers as for `serveAnswers` */
export function paidHost(version: Version, chain: Chain, remembers = false): Promise<PaidHost> {
  return version === 1 ? v1Host(chain, remembers) : referenceHost([chain], remembers);
}

/** What the middlewares of version 2 are given: the routes that cost money; the payer chooses the chain. */
function termsOn(chains: readonly Chain[]) {
  const of = ({ network }: { readonly network: string }): x402Facilitator => {
    const chain = chains.find((one) => one.network === network);
    if (chain === undefined) throw new Error(`no chain ${network}`);
    return chain.facilitator;
  };
  const resources = new x402ResourceServer({
    getSupported: async () => ({
      kinds: chains.map(({ network, extra }) => ({
        ...{ x402Version: 2, scheme: 'exact', network, extra },
      })),
      extensions: [],
      signers: {},
    }),
    verify: (payload, requirements) => of(requirements).verify(payload, requirements),
    settle: (payload, requirements) => of(requirements).settle(payload, requirements),
  });
  for (const { network, server } of chains) resources.register(network, server);
  const accepts = chains.map(({ network, payTo }) => ({
    ...({ scheme: 'exact', price: PRICE } as const),
    ...{ network, payTo },
  }));
  const sold = ['GET /report', 'GET /binary', 'GET /empty', 'POST /echo', 'GET /moved'];
  const paths = [...sold, 'GET /missing', 'GET /large'];
  return { routes: Object.fromEntries(paths.map((path) => [path, { accepts }])), resources };
}

/** The middleware of @x402/hono at its defaults. */
export function referenceHost(chains: readonly Chain[], remembers = false): Promise<PaidHost> {
  const { routes, resources } = termsOn(chains);
  const app = new Hono();
  app.use(paymentMiddleware(routes, resources));
  app.route('/', shelf());
  return serveAnswers((request) => app.fetch(request), remembers);
}

/** The middleware of @x402/express at its defaults, and some of what the others sell. */
export async function expressHost(chain: Chain): Promise<PaidHost> {
  const { routes, resources } = termsOn([chain]);
  const paid: Request[] = [];
  const app = express();
  app.use((request, _response, next) => {
    const payment = request.header('payment-signature');
    const headers = { 'payment-signature': payment ?? '', 'x-own': request.header('x-own') ?? '' };
    if (payment !== undefined) paid.push(new Request('http://express.invalid', { headers }));
    next();
  });
  app.use(expressMiddleware(routes, resources));
  app.get('/report', (_request, response) => {
    response.json({ report: 'fine', at: randomBytes(8).toString('hex') });
  });
  app.get('/binary', (_request, response) => {
    response.type('image/x-odd').send(Buffer.from(BINARY));
  });
  app.post('/echo', express.text({ type: () => true }), (request, response) => {
    response.type('text').send(`${request.body}!`);
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => {
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, paid };
}

/** As version 1 describes it: requirements in the body, `X-PAYMENT`, `X-PAYMENT-RESPONSE`. */
function v1Host(chain: Chain, remembers: boolean): Promise<PaidHost> {
  const { facilitator, v1Name, payTo, asset, extra } = chain;
  const requirementOf = (resource: string) => ({
    scheme: 'exact',
    network: v1Name,
    maxAmountRequired: '10000',
    resource,
    description: 'a page',
    mimeType: 'application/json',
    payTo,
    maxTimeoutSeconds: 60,
    asset,
    extra,
  });
  const app = shelf();
  return serveAnswers(async (request) => {
    const requirement = requirementOf(request.url);
    const refuse = (error: string) =>
      Response.json({ x402Version: 1, error, accepts: [requirement] }, { status: 402 });
    const header = request.headers.get('x-payment');
    if (header === null) return refuse('X-PAYMENT header is required');
    const payload = JSON.parse(Buffer.from(header, 'base64').toString()) as PaymentPayload;
    const required = requirement as unknown as PaymentRequirements;
    const { isValid, invalidReason } = await facilitator.verify(payload, required);
    if (!isValid) return refuse(invalidReason ?? 'invalid');
    const answer = await app.fetch(request);
    const settled = await facilitator.settle(payload, required);
    if (!settled.success) return refuse(settled.errorReason ?? 'unsettled');
    const headers = new Headers(answer.headers);
    headers.set('X-PAYMENT-RESPONSE', Buffer.from(JSON.stringify(settled)).toString('base64'));
    return new Response(answer.body, { status: answer.status, headers });
  }, remembers);
}
