/** Tries every part of a shop, and says of each whether it can be used. */

import { SOLANA_MAINNET, USDC_MINT } from '../contract/x402.ts';
import { isLoopbackHost } from '../domain/address/loopback.ts';
import { expected, once } from '../domain/attempt.ts';
import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/message/errors.ts';
import { joined, type Message, t } from '../domain/message/message.ts';
import { atomic, formatSol, parseSol } from '../domain/money/money.ts';
import type { ShopCheck } from '../domain/operator/operator.ts';
import { feePayerOf, settlesNothing } from '../rails/facilitator-http.ts';
import { associatedTokenAddress, isAddress, isOnCurve } from '../rails/solana/address.ts';
import { formatUsdc } from '../rails/terms.ts';
import type { Catalog } from '../service/catalog/catalog.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import { accountLimits, ordersPerDay, shortageOf, useOf } from './accounts.ts';
import { createCatalogVersions, currenciesOf, readGoods } from './catalog.ts';
import { readCodes } from './code-file.ts';
import { onSale } from './goods.ts';
import { checkChain, checkTreasury, checkWebsocket, keepChain } from './nodes.ts';
import { basePlaces, type PartOptions, type ShopParts, shopParts } from './parts.ts';
import type { ShopRates } from './rates.ts';
import { openKey } from './secrets.ts';
import { openShopStore } from './shop-store.ts';

interface Less {
  readonly less: Message;
}

type Try = () => Promise<Message | Less>;
type Tries = Readonly<Record<string, Try>>;

export async function checkShop(options: PartOptions): Promise<readonly ShopCheck[]> {
  const checks: ShopCheck[] = [];
  const shop = shopTries(options);
  const places = basePlaces(options.config);
  const base = places && (await import('./base.ts')).baseTries(options, places, shop);
  // One after another: the lines come in the order of the configuration.
  for (const [part, attempt] of Object.entries({ ...shop.chain, ...base, ...shop.goods })) {
    checks.push(await tryPart(part, attempt));
  }
  return checks;
}

async function tryPart(part: string, attempt: Try): Promise<ShopCheck> {
  try {
    const found = await attempt();
    const isDegraded = 'less' in found;
    return { part, detail: isDegraded ? found.less : found, fault: null, isDegraded };
  } catch (fault) {
    if (!(fault instanceof ScripError)) throw fault;
    return { part, detail: fault.sentence, fault, isDegraded: false };
  }
}

function shopTries(options: PartOptions) {
  const { config, sources, clock } = options;
  const parts = shopParts(options);
  const inStore = async <Found>(work: (store: Store) => Promise<Found>): Promise<Found> => {
    const { store } = await openShopStore(parts);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  const goods = once(() =>
    readGoods(parts.catalogSource(), {
      newest: () => inStore((store) => createCatalogVersions({ store, clock }).newest()),
    }),
  );
  const { facilitator } = config.chain;
  const chain: Tries = {
    'master seed': async () => {
      parts.draw();
      return t`can be read`;
    },
    database: () =>
      inStore(async ({ tables }) => {
        await tables.facts.set('checked', String(clock.now()));
        return t`can be written`;
      }),
    ...proxyMissing(config.listen),
    chain: async () => {
      const rpc = parts.rpc();
      const height = await checkChain({ rpc, witness: parts.witness() });
      await inStore((store) => keepChain(store, rpc));
      return t`finalized height ${height}`;
    },
    ...(config.chain.subscriptions === 0 ? {} : { websocket: () => tryWebsocket(options, parts) }),
    'fee payer': async () => {
      const feePayer = parts.feePayer();
      await openKey(feePayer);
      const { address } = feePayer;
      const lamports = await parts.rpc().balance(address);
      const floor = parseSol(config.chain.fee_payer_floor_sol);
      if (lamports >= floor) return t`${address} has ${formatSol(lamports)} SOL`;
      throw new ScripError(
        'INPUT_INVALID',
        t`${address} has ${formatSol(lamports)} SOL, less than its minimum of ${formatSol(floor)}`,
      );
    },
    ...(facilitator === undefined ? {} : { facilitator: () => checkFacilitator(parts) }),
    treasury: async () => {
      await checkTreasury(parts.rpc(), config.chain.treasury);
      return t`${config.chain.treasury} can be paid to`;
    },
    accounts: () => inStore((store) => checkAccounts(options, store)),
    ...(config.refunds === undefined ? {} : { 'refund wallet': () => checkRefundWallet(parts) }),
  };
  const goodsTries: Tries = {
    catalog: async () => {
      const { catalog, fault } = await goods();
      const { countries } = catalog;
      const sold = countries.filter(({ isSold }) => isSold).length;
      const valid = sold === 1 ? t`valid, sold in 1 country` : t`valid, sold in ${sold} countries`;
      if (fault === undefined) return valid;
      // One that the operator has to correct is no matter of patience.
      if (fault.exit !== AWAY) throw fault;
      return { less: t`${fault.sentence}; the last good one is used: ${valid}` };
    },
    rates: async () =>
      checkRates(
        parts.rates(),
        await goods().then(
          ({ catalog }) => catalog,
          () => undefined,
        ),
        clock,
      ),
    ...(config.alarms.webhook || config.alarms.mail ? { alarms: async () => tellable(parts) } : {}),
    supplier: async () => {
      const { supplier } = config;
      if (supplier.kind === 'codes') {
        return t`${readCodes(sources.resolvePath(supplier.file)).length} codes, given ones included`;
      }
      await askForFirst(parts, (await goods()).catalog);
      return t`answers`;
    },
  };
  return { chain, goods: goodsTries, inStore, rpc: parts.rpc };
}

function tellable(parts: ShopParts): Message {
  parts.alarms();
  return t`can be read; scrip serve alarms --test sends a trial`;
}

const AWAY = 4;

/** How many accounts orders may have at a time, and how many orders that is a day. */
async function checkAccounts(
  { config, clock }: PartOptions,
  { tables }: Store,
): Promise<Message | Less> {
  const use = useOf(
    await tables.receivingAccounts.open(SOLANA_MAINNET),
    accountLimits(config),
    clock.now(),
  );
  const { paid, unpaid } = ordersPerDay(use, config.limits.payment_window_minutes * 60_000);
  const carries = t`${use.limit} at a time carry ${paid} paid orders of the partner API a day, ${unpaid} if none is paid`;
  const shortage = shortageOf(use);
  return shortage === null ? carries : { less: t`${shortage}; ${carries}` };
}

/** Where clients reach the shop elsewhere than it listens, something is between, and no proxy is named. */
function proxyMissing(listen: PartOptions['config']['listen']): Tries {
  const { host, port, public_url: url, trusted_proxies } = listen;
  if (url === undefined || trusted_proxies.length > 0) return {};
  const named = new URL(url);
  const isLocal = isLoopbackHost(named.hostname) && isLoopbackHost(host);
  // The shop itself speaks no https.
  if (isLocal && named.protocol === 'http:' && Number(named.port || 80) === port) return {};
  const less = t`listen.trusted_proxies is empty: a proxy between ${url} and the shop makes all buyers share one limit, and one on this machine opens /metrics to everyone`;
  return { 'public url': async () => ({ less }) };
}

/** A feed that is away is a fault only if nothing can be sold without it, as while the shop runs. */
async function checkRates(
  rates: ShopRates,
  goods: Catalog | undefined,
  clock: Pick<Clock, 'now'>,
): Promise<Message | Less> {
  const away = await rates.refresh().then(
    () => undefined,
    expected((error) => error),
  );
  const currencies = goods === undefined ? [] : currenciesOf(goods);
  const catalog = { currencies, isFresh: true, readAtMs: clock.now() };
  const { isSelling, degraded } = onSale({ catalog, rates });
  const less = [away?.sentence ?? [], degraded.rates ?? []].flat();
  if (less.length === 0) return ratesText(rates, clock);
  if (isSelling) return { less: joined(less, t`; `) };
  throw away ?? new ScripError('MERCHANT_ERROR', joined(less, t`; `));
}

function ratesText({ asOfMs }: ShopRates, { now }: Pick<Clock, 'now'>): Message {
  if (asOfMs === null) return t`US dollars alone: there is no feed`;
  return t`${Math.round((now() - asOfMs) / 1_000)} seconds old`;
}

/** Payments are found without it too, so its absence is a fault only where the operator names one. */
async function tryWebsocket({ config, clock }: PartOptions, parts: ShopParts): Promise<Message> {
  const { treasury, websocket } = config.chain;
  const place = parts.websocket();
  try {
    await checkWebsocket(place, associatedTokenAddress(treasury, USDC_MINT), clock);
    return t`reports changes of accounts`;
  } catch (error) {
    if (websocket !== undefined || !(error instanceof ScripError)) throw error;
    return t`none, so payments are found by polling alone: ${error.sentence}`;
  }
}

const FACILITATOR_HINT = t`Check chain.facilitator, or remove it: then the shop’s fee payer settles payments itself.`;

/** It has to pay for payments on our chain, with SOL of its own. */
async function checkFacilitator(parts: ShopParts): Promise<Message> {
  const said = await parts
    .facilitator()
    ?.supported()
    .catch(
      expected((cause) => {
        throw new ScripError(cause.code, cause.sentence, { hint: FACILITATOR_HINT, cause });
      }),
    );
  const feePayer = said && feePayerOf(said, SOLANA_MAINNET);
  if (feePayer === undefined) throw new ScripError('INPUT_INVALID', settlesNothing(SOLANA_MAINNET));
  if (!isAddress(feePayer) || !isOnCurve(feePayer)) {
    throw new ScripError('INPUT_INVALID', t`names the fee payer "${feePayer}", which cannot sign`);
  }
  const lamports = await parts.rpc().balance(feePayer);
  if (lamports > 0n) return t`pays fees from ${feePayer}, which has ${formatSol(lamports)} SOL`;
  throw new ScripError('INPUT_INVALID', t`Its fee payer ${feePayer} has no SOL`);
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
async function askForFirst(parts: ShopParts, catalog: Catalog): Promise<void> {
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
