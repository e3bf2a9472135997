/** Hosts of MPP whose answers cost a cent: `mppx` with the Solana Foundation's method, or with its own for EVM. */
import { randomBytes } from 'node:crypto';
import { createKeyPairSignerFromPrivateKeyBytes } from '@solana/kit';
import { solana } from '@solana/mpp/server';
import { evm, Mppx } from 'mppx/server';
import { USDC_MINT } from '../../src/contract/usdc.ts';
import { onBase, type PaidHost, payee, serveAnswers } from './paid-host.ts';
import { USDC } from './usdc.ts';
import { rpc } from './x402-payer.ts';

const secretKey = randomBytes(32).toString('hex');

/** Each answer is another one. */
const report = () => Response.json({ report: 'fine', at: randomBytes(8).toString('hex') });

interface Priced {
  readonly status: number;
  readonly challenge?: Response;
  withReceipt?(response: Response): Response;
}

function answered({ challenge, withReceipt }: Priced): Response {
  return withReceipt?.(report()) ?? challenge ?? new Response('no answer', { status: 500 });
}

interface Terms {
  /** What the host asks to have in the payment's memo. */
  readonly externalId?: string;
  /** Whether the payer pays the fee of the network. */
  readonly isPayerCharged?: boolean;
  readonly splits?: Parameters<typeof solana.charge>[0]['splits'];
}

/** Who takes USDC on Solana, sends what payers sign, and pays the fee. @param remembers as for `serveAnswers` */
export async function mppOnSolana(
  url: string,
  { externalId, isPayerCharged = false, splits }: Terms = {},
  remembers = false,
): Promise<PaidHost> {
  const signer = await createKeyPairSignerFromPrivateKeyBytes(randomBytes(32));
  await rpc(url, 'sandboxFaucet', [signer.address, { usdc: '0', lamports: '1000000000' }]);
  const method = solana.charge({
    ...{ recipient: await payee(url), currency: USDC_MINT, decimals: 6, rpcUrl: `${url}/rpc` },
    ...(isPayerCharged ? {} : { signer }),
    ...(splits === undefined ? {} : { splits }),
  });
  const mppx = Mppx.create({ methods: [method], secretKey, realm: 'api.example' });
  const price = { amount: '10000', currency: USDC_MINT, ...(externalId ? { externalId } : {}) };
  return serveAnswers(
    async (request) => answered((await mppx.charge(price)(request)) as Priced),
    remembers,
  );
}

/** Who takes USDC on Base, by MPP and, as mppx always does, by x402 as well. */
export async function mppOnBase(url: string): Promise<PaidHost> {
  const { facilitator, payTo } = await onBase(url);
  const method = evm.charge({
    ...{ currency: USDC, chainId: 8453, decimals: 6, recipient: payTo as `0x${string}` },
    authorization: { name: 'USD Coin', version: '2' },
    x402: { facilitator: facilitator as never },
  });
  const mppx = Mppx.create({ methods: [method], secretKey, realm: 'api.example' });
  return serveAnswers(async (request) =>
    answered((await mppx.charge({ amount: '0.01' })(request)) as Priced),
  );
}
