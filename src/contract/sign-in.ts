/**
 * The x402 extension `sign-in-with-x`: a wallet proves itself by a signed text (x402
 * `specs/extensions/sign-in-with-x.md`; CAIP-122, EIP-4361). Ours: it lists the orders that the wallet paid.
 */
import { z } from 'zod';
import { endpoint, type Infer, lazy } from './endpoint.ts';
import { object } from './object.ts';

export const SIGN_IN = 'sign-in-with-x';
export const SIGN_IN_HEADER = 'SIGN-IN-WITH-X';

const text = (most: number) => z.string().max(most);
const info = lazy(() => ({
  domain: text(255),
  uri: text(2_048),
  version: z.literal('1'),
  nonce: z.string().regex(/^[0-9A-Za-z]{8,128}$/, 'letters and digits'),
  issuedAt: text(40),
  /** Shown by wallets, so of printable characters alone. */
  statement: z
    .string()
    .regex(/^[ -~]{0,300}$/, 'printable')
    .optional(),
  expirationTime: text(40).optional(),
  notBefore: text(40).optional(),
  requestId: text(128).optional(),
  resources: z.array(text(2_048)).max(8).optional(),
}));

const chain = lazy(() => z.object({ chainId: text(64), type: text(16) }));

/** The extension's entry in a 402. */
export const signInOffer = lazy(() =>
  z.object({ info: z.object(info()), supportedChains: z.array(chain()).min(1).max(16) }),
);
export type SignInOffer = Infer<typeof signInOffer>;

/** The decoded header. */
export const signInProof = lazy(() =>
  z.object({ ...info(), ...chain().shape, address: text(128), signature: text(256) }),
);
export type SignInProof = Infer<typeof signInProof>;

/**
 * The text that the wallet signs.
 * @param account what the network's wallets are called: `Solana`, `Ethereum`
 */
export function signInText(
  proof: Omit<SignInProof, 'type' | 'signature'>,
  account: string,
): string {
  const { domain, address, statement, resources = [] } = proof;
  const optional = (label: string, value: string | undefined) =>
    value === undefined ? [] : [`${label}: ${value}`];
  return [
    `${domain} wants you to sign in with your ${account} account:`,
    ...[address, ''],
    ...(statement ? [statement, ''] : []),
    `URI: ${proof.uri}`,
    `Version: ${proof.version}`,
    `Chain ID: ${proof.chainId.split(':')[1]}`,
    `Nonce: ${proof.nonce}`,
    `Issued At: ${proof.issuedAt}`,
    ...optional('Expiration Time', proof.expirationTime),
    ...optional('Not Before', proof.notBefore),
    ...optional('Request ID', proof.requestId),
    ...(resources.length === 0 ? [] : ['Resources:', ...resources.map((one) => `- ${one}`)]),
  ].join('\n');
}

/** Ours: an order that the wallet paid; its codes are at `GET /v1/orders/{order_id}`. */
export const ownOrder = object(() => ({
  order_id: z.string(),
  status: z.string(),
  created_at: z.string(),
  network: z.string(),
  transaction: z.string().nullable(),
  amount_atomic: z
    .string()
    .regex(/^\d{1,20}$/)
    .optional()
    .describe('of USDC'),
  products: z.array(z.string()),
}));
export type OwnOrder = Infer<typeof ownOrder>;

export const getOwnOrders = endpoint({
  name: 'getOwnOrders',
  method: 'GET',
  path: '/v1/orders',
  summary: 'Orders that the signed-in wallet paid, newest first (sign-in-with-x)',
  input: object(() => ({})),
  output: object(() => ({ orders: z.array(ownOrder()) })),
});
