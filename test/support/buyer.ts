/** A buyer put together by hand: the real journal, rail and vault over whatever `Fetch` it is given. */

import { capOf, quote } from '../../src/api/checkout/price-quote.ts';
import type { PurchaseDeps, PurchaseRequest } from '../../src/api/checkout/purchase-deps.ts';
import { call } from '../../src/api/http/call.ts';
import { getCatalog } from '../../src/contract/checkout.ts';
import type { Fetch } from '../../src/contract/fetch.ts';
import { SOLANA_MAINNET, USDC_MINT } from '../../src/contract/x402.ts';
import { watchedDisk } from '../../src/disk/files.ts';
import type { Clock } from '../../src/domain/clock.ts';
import type { ClientPoint } from '../../src/domain/journal/fail-points.ts';
import type { Signer } from '../../src/rails/rail.ts';
import { createSolanaPayer } from '../../src/rails/solana/payer.ts';
import { createSolanaRpc } from '../../src/rails/solana/rpc.ts';
import { openJournal } from '../../src/records/journal-files.ts';
import { createVault } from '../../src/wallet/vault.ts';
import { spendingOf, spendLogAt } from './spending.ts';

export interface BuyerOptions {
  readonly fetch: Fetch;
  /** Address of the service, without a trailing slash; its JSON-RPC is at `/rpc`. */
  readonly baseUrl: string;
  readonly journalDir: string;
  readonly signer: Signer;
  readonly clock: Clock;
  random(length: number): Uint8Array;
  readonly reached?: (point: ClientPoint) => void;
}

export async function buyerTools(options: BuyerOptions): Promise<PurchaseDeps> {
  const { fetch, baseUrl, signer, clock, reached = () => undefined } = options;
  const disk = watchedDisk(reached);
  return {
    fetch,
    checkoutUrl: baseUrl,
    host: baseUrl,
    rail: createSolanaPayer({
      rpc: createSolanaRpc({ url: `${baseUrl}/rpc`, fetch, clock }),
      network: SOLANA_MAINNET,
      mint: USDC_MINT,
    }),
    others: async () => [],
    wallet: signer.address,
    signer,
    journal: openJournal({ dir: options.journalDir, payer: signer.address, disk }),
    spending: spendingOf(spendLogAt(options.journalDir, signer.address)),
    vault: await createVault(signer),
    clock,
    random: (length) => options.random(length),
    waitMs: 60_000,
    failPoint: reached,
  };
}

/** A gift card of 25 dollars for one person, quoted by the service itself. */
export async function quotedRequest(
  { fetch, baseUrl, clock }: Pick<BuyerOptions, 'fetch' | 'baseUrl' | 'clock'>,
  { key, email }: { readonly key: string; readonly email: string },
): Promise<PurchaseRequest> {
  const place = { country_code: 'us', brand_name: 'Amazon.com' };
  const items = await call(fetch, baseUrl, getCatalog, place);
  const item = items.find(({ is_range, face_value_usd }) => !is_range && face_value_usd === 25);
  const productId = item?.product_id ?? '';
  const wanted = { productId, country: 'us', brand: 'Amazon.com' };
  const { priceAtomic, wire } = await quote(
    { fetch, clock, place: { checkoutUrl: baseUrl } },
    wanted,
    async () => items,
  );
  return {
    key,
    body: { email, items: [{ product_id: productId, beneficiary_account: email }] },
    quotedAtomic: priceAtomic,
    capAtomic: capOf(priceAtomic),
    summary: {
      productId,
      productName: wire.product_name ?? '',
      brandName: wire.brand_name,
      countryCode: 'us',
      faceValue: String(wire.face_value ?? ''),
      currency: wire.currency,
      beneficiary: email,
    },
  };
}
