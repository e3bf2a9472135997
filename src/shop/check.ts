/** Tries every part of a shop, and says of each whether it can be used. */

import { USDC_MINT } from '../contract/x402.ts';
import { ScripError } from '../domain/errors.ts';
import { type Message, t } from '../domain/message.ts';
import { atomic } from '../domain/money.ts';
import { associatedTokenAddress } from '../rails/solana/address.ts';
import { formatUsdc } from '../rails/solana/terms.ts';
import { openStore } from '../storage/open.ts';
import { checkCatalog } from './catalog-source.ts';
import { checkChain, checkTreasury } from './chain-checks.ts';
import { readCodes } from './code-file.ts';
import { lamportsOf, type PartOptions, type ShopParts, shopParts } from './parts.ts';
import { openKey } from './secrets.ts';
import { openShopStore } from './shop-store.ts';

export interface PartCheck {
  readonly part: string;
  /** What was found. */
  readonly detail: Message;
  /** Why the part cannot be used; null where it can. */
  readonly fault: ScripError | null;
}

type Try = () => Promise<Message>;

export async function checkShop(options: PartOptions): Promise<readonly PartCheck[]> {
  const checks: PartCheck[] = [];
  // One after another: the lines come in the order of the configuration.
  for (const [part, attempt] of Object.entries(tries(options))) {
    checks.push(await tryPart(part, attempt));
  }
  return checks;
}

async function tryPart(part: string, attempt: Try): Promise<PartCheck> {
  try {
    return { part, detail: await attempt(), fault: null };
  } catch (fault) {
    if (!(fault instanceof ScripError)) throw fault;
    return { part, detail: fault.sentence, fault };
  }
}

function tries(options: PartOptions): Readonly<Record<string, Try>> {
  const { config, sources, clock } = options;
  const parts = shopParts(options);
  return {
    'master seed': async () => {
      parts.draw();
      return t`can be read`;
    },
    database: async () => {
      const { store } = await openShopStore(parts);
      try {
        await store.tables.facts.set('checked', String(clock.now()));
        return t`can be written`;
      } finally {
        await store.close();
      }
    },
    chain: async () =>
      t`finalized height ${await checkChain({ rpc: parts.rpc(), witness: parts.witness() })}`,
    'fee payer': async () => {
      const feePayer = parts.feePayer();
      await openKey(feePayer);
      const { address } = feePayer;
      const lamports = await parts.rpc().balance(address);
      const floor = lamportsOf(config.chain.fee_payer_floor_sol);
      if (lamports >= floor) return t`${address} has ${lamports} lamports`;
      throw new ScripError(
        'INPUT_INVALID',
        t`${address} has ${lamports} lamports, less than its minimum of ${floor}`,
      );
    },
    treasury: async () => {
      await checkTreasury(parts.rpc(), config.chain.treasury);
      return t`${config.chain.treasury} can be paid to`;
    },
    ...(config.refunds === undefined ? {} : { 'refund wallet': () => checkRefundWallet(parts) }),
    catalog: async () => {
      const { countries } = checkCatalog(await parts.readCatalog());
      return t`valid, sold in ${countries.filter(({ isSold }) => isSold).length} countries`;
    },
    rates: async () => {
      const rates = parts.rates();
      await rates.refresh();
      const ageMs = rates.ageMs();
      if (ageMs === null) return t`US dollars alone: there is no feed`;
      const seconds = Math.round(ageMs / 1_000);
      if (rates.isFresh) return t`${seconds} seconds old`;
      throw new ScripError('MERCHANT_ERROR', t`${seconds} seconds old, which is too old`);
    },
    supplier: async () => {
      const { supplier } = config;
      if (supplier.kind === 'codes') {
        return t`${readCodes(sources.resolvePath(supplier.file)).length} codes, given ones included`;
      }
      await askForFirst(options);
      return t`answers`;
    },
  };
}

/** It may be empty: refunds then wait until it is filled. */
async function checkRefundWallet(parts: ShopParts): Promise<Message> {
  const wallet = parts.refundWallet();
  if (wallet) await openKey(wallet);
  const address = wallet?.address ?? '';
  const rpc = parts.rpc();
  const balance = await rpc.tokenAccountBalance(associatedTokenAddress(address, USDC_MINT));
  if (balance !== null) return t`${address} has ${formatUsdc(atomic(balance))}`;
  throw new ScripError('INPUT_INVALID', t`The refund wallet ${address} has no USDC account`, {
    hint: t`Send it the USDC that refunds are to be paid from.`,
  });
}

/** Asks for the stock of the first product; whether there is any does not matter. */
async function askForFirst(options: PartOptions): Promise<void> {
  const parts = shopParts(options);
  const catalog = checkCatalog(await parts.readCatalog());
  const [product] = catalog.countries.flatMap(({ code }) => catalog.products(code));
  const store = await openStore(':memory:');
  try {
    if (product === undefined) return;
    const { denomination } = product;
    const faceValue = denomination.isRange ? denomination.min : denomination.faceValue;
    const goods = { product, faceValue, beneficiary: '' };
    await parts.supplier(store, parts.draw()).check(goods);
  } finally {
    await store.close();
  }
}
