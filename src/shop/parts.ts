/** The parts of a shop, made from its configuration; each reads its secrets when it is asked for. */

import { join } from 'node:path';
import type { Fetch } from '../contract/fetch.ts';
import { readNamed } from '../disk/user-files.ts';
import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/message/errors.ts';
import { type Message, t } from '../domain/message/message.ts';
import { createFacilitatorClient } from '../rails/facilitator-http.ts';
import { type AccountNewsOptions, websocketUrlOf } from '../rails/solana/account-news.ts';
import { createSolanaRpc } from '../rails/solana/rpc.ts';
import type { Catalog } from '../service/catalog/catalog.ts';
import type { Store, Tables } from '../store/store.ts';
import { codeLedger, countCodes, createCodeFile } from './code-file.ts';
import { type Host, readFeed } from './feed.ts';
import { createHttpSupplier, type HttpSupplierOptions, httpLedger } from './http-supplier.ts';
import { createShopRates } from './rates.ts';
import {
  type Draw,
  readMasterSeed,
  readSecret,
  readSigner,
  type SecretSources,
} from './secrets.ts';
import type { KeyPlace, SecretPlace, ShopConfig } from './shop-config.ts';
import { stockAsked, stockOfCodes } from './stock.ts';

export interface PartOptions {
  readonly config: ShopConfig;
  readonly sources: SecretSources;
  readonly fetch: Fetch;
  /** Connects websockets as `fetch` connects requests: through a proxy. */
  readonly socketAgent?: AccountNewsOptions['agent'];
  readonly clock: Clock;
}

/** What the configuration says of Base. */
export interface BasePlaces {
  readonly config: NonNullable<ShopConfig['chain']['base']>;
  /** Undefined where the operator pays refunds. */
  readonly refundWallet: KeyPlace | undefined;
}

/** Undefined where the shop takes nothing on Base. */
export function basePlaces({ chain, refunds }: ShopConfig): BasePlaces | undefined {
  return chain.base && { config: chain.base, refundWallet: refunds?.base_wallet };
}

type HttpSupplierPlace = Extract<ShopConfig['supplier'], { readonly kind: 'http' }>;

const FEED_TIMEOUT_MS = 20_000;

export function shopParts(made: PartOptions) {
  const { config, sources, fetch, socketAgent: agent, clock } = made;
  const { chain, supplier } = config;
  const secret = (place: SecretPlace, what: Message) => readSecret(place, what, sources);
  const optional = (place: SecretPlace | undefined, what: Message) =>
    place === undefined ? undefined : secret(place, what);
  const feedHost = (token: SecretPlace | undefined, what: Message): Host => ({
    fetch,
    token: optional(token, what),
    timeoutMs: FEED_TIMEOUT_MS,
  });
  const rpcAt = (place: SecretPlace, what: Message) =>
    createSolanaRpc({ url: httpUrl(secret(place, what), what), fetch, clock });
  const rpcName = t`address of the RPC`;
  const codesOf = (file: string, draw: Draw) => ({
    path: sources.resolvePath(file),
    key: draw('codes'),
  });
  const httpOf = ({ url, token, timeout_seconds }: HttpSupplierPlace): HttpSupplierOptions => ({
    url: url.replace(/\/+$/, ''),
    host: {
      fetch,
      token: secret(token, t`supplier’s token`),
      timeoutMs: timeout_seconds * 1_000,
    },
  });
  const dataFile = (name: string) => join(sources.resolvePath(config.data_dir), name);
  return {
    draw: () => readMasterSeed(config.master_seed, sources),
    feePayer: () => readSigner(chain.fee_payer, t`fee payer’s key`, sources),
    /** Undefined where the fee payer pays for buyers' payments. */
    facilitator: () => chain.facilitator && facilitatorAt(chain.facilitator, made),
    /** Wallet that refunds are sent from; undefined where the operator pays them. */
    refundWallet() {
      if (config.refunds === undefined) return undefined;
      const wallet = readSigner(config.refunds.wallet, t`refund wallet’s key`, sources);
      const others = [
        readSigner(chain.fee_payer, t`fee payer’s key`, sources).address,
        chain.treasury,
      ];
      if (!others.includes(wallet.address)) return wallet;
      throw new ScripError(
        'INPUT_INVALID',
        t`The refund wallet ${wallet.address} is also the fee payer or the treasury; it must be a wallet of its own`,
      );
    },
    rpc: () => rpcAt(chain.rpc, rpcName),
    witness: () => chain.witness_rpc && rpcAt(chain.witness_rpc, t`address of the second RPC`),
    /** Address of the RPC's websocket, and what connects to it. */
    websocket() {
      const named = optional(chain.websocket, t`address of the websocket`);
      const url = named ?? websocketUrlOf(httpUrl(secret(chain.rpc, rpcName), rpcName));
      if (hasProtocol(url, /^wss?:$/)) return { url, agent };
      throw new ScripError('INPUT_INVALID', t`The address of the websocket is not a ws address`);
    },
    /** Address of the store, and what of the configuration names it. */
    database() {
      const { database: place } = config;
      if (place === undefined) return { address: dataFile('shop.db'), named: t`data_dir` };
      return {
        address: secret(place, t`address of the database`),
        named:
          place.env === undefined ? t`the file ${place.file ?? ''}` : t`the variable ${place.env}`,
      };
    },
    catalogSource: () => ({
      refreshMs: config.catalog.refresh_seconds * 1_000,
      async read() {
        const { file, url = '', token } = config.catalog;
        if (file !== undefined) return readNamed(sources.resolvePath(file)) ?? '';
        return readFeed(feedHost(token, t`catalog token`), url);
      },
    }),
    rates() {
      const { rates } = config;
      if (rates === undefined) return createShopRates();
      return createShopRates({
        host: feedHost(rates.token, t`rates token`),
        url: rates.url,
        refreshMs: rates.refresh_seconds * 1_000,
        maxAgeMs: rates.max_age_seconds * 1_000,
        clock,
      });
    },
    supplier: (store: Store, draw: Draw) =>
      supplier.kind === 'codes'
        ? createCodeFile({ ...codesOf(supplier.file, draw), store })
        : createHttpSupplier(httpOf(supplier)),
    /** What the supplier has left of what the catalog sells. */
    async stock(catalog: Catalog, { facts }: Tables, draw: Draw) {
      if (supplier.kind === 'http')
        return stockAsked(catalog, createHttpSupplier(httpOf(supplier)));
      const counts = await countCodes(codesOf(supplier.file, draw), facts);
      return stockOfCodes(catalog, counts);
    },
    /** What the supplier says that it sold. */
    supplierLedger: ({ facts }: Tables, draw: Draw) =>
      supplier.kind === 'codes'
        ? codeLedger(codesOf(supplier.file, draw), facts)
        : httpLedger(httpOf(supplier), clock),
    /** Where alarms are told, beside the log. */
    alarms() {
      const { webhook, mail } = config.alarms;
      const name = t`address of the alarms’ webhook`;
      return {
        shopName: config.name ?? new URL(config.listen.public_url ?? 'http://shop').host,
        webhook: webhook && {
          url: httpUrl(secret(webhook.url, name), name),
          secret: hookSecret(secret(webhook.secret, t`secret of the alarms’ webhook`)),
        },
        mail: mail && { ...mail, server: mailServer(secret(mail.server, t`mail server`)) },
      };
    },
    /** Undefined where the supplier does not call back. */
    callbackToken: () =>
      supplier.kind === 'http'
        ? optional(supplier.callback_token, t`supplier’s callback token`)
        : undefined,
  };
}

export type ShopParts = ReturnType<typeof shopParts>;

/** @throws {ScripError} INPUT_INVALID for a secret */
export function facilitatorAt(
  { url, headers = {} }: NonNullable<ShopConfig['chain']['facilitator']>,
  { sources, fetch, clock }: PartOptions,
) {
  const read = Object.entries(headers).map(([name, place]) => {
    const value = readSecret(place, t`facilitator’s header ${name}`, sources);
    if (/^[\x20-\x7e]+$/.test(value)) return [name, value];
    throw new ScripError(
      'INPUT_INVALID',
      t`The facilitator’s header ${name} is not one line of ASCII`,
    );
  });
  return createFacilitatorClient({
    ...{ url: url.replace(/\/+$/, ''), fetch, clock },
    headers: Object.fromEntries(read),
  });
}

/** Never with the address: it may hold a key. */
export function httpUrl(text: string, what: Message): string {
  if (hasProtocol(text, /^https?:$/)) return text;
  throw new ScripError('INPUT_INVALID', t`The ${what} is not an http address`);
}

function mailServer(text: string): string {
  if (hasProtocol(text, /^smtps?:$/)) return text;
  throw new ScripError('INPUT_INVALID', t`The mail server is not an smtp or smtps address`);
}

function hookSecret(text: string): string {
  if (/^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/.test(text)) return text;
  throw new ScripError(
    'INPUT_INVALID',
    t`The secret of the alarms’ webhook is not whsec_ and base64`,
  );
}

function hasProtocol(text: string, protocol: RegExp): boolean {
  return URL.canParse(text) && protocol.test(new URL(text).protocol);
}
