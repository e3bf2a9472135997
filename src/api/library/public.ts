/** The public types of this package; the build publishes them as `library.d.ts`. */

import type { Code } from '../../domain/message/errors.ts';

/** The global `AbortSignal`, if the caller's types include it. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Global } }
  ? Global
  : never;

/** The global `fetch`, if the caller's types include it. */
type GlobalFetch = typeof globalThis extends {
  fetch: infer Global extends (...given: never) => unknown;
}
  ? Global
  : never;

/** Where to buy, what to pay with, and where to keep records. */
export interface ScripOptions {
  /** Base address of a checkout host, such as `https://x402.example`; `fetch` needs none. */
  readonly checkoutUrl?: string | undefined;
  /** Base address of a partner API; default: the checkout host. */
  readonly apiUrl?: string | undefined;
  /** Which of the two to buy from; default: the checkout host, unless only `apiUrl` is set. */
  readonly via?: 'checkout' | 'partner' | undefined;
  /** Uses the built-in service instead of a host: test money, with its own store and chain. */
  readonly sandbox?: SandboxOptions | undefined;
  /** The network to pay on; default: one that the wallet has a key for, of several the first with USDC. */
  readonly network?: 'solana' | 'base' | 'base-sepolia' | undefined;
  /** Your Solana RPC; required for real money. */
  readonly rpcUrl?: string | undefined;
  /** Your RPC of Base, likewise. */
  readonly baseRpcUrl?: string | undefined;
  /** A second RPC, of another operator: nothing is signed again before both report a payment dead. */
  readonly witnessRpcUrl?: string | undefined;
  /** The paying wallet. Without it, nothing can be bought; the sandbox has its own wallet. */
  readonly wallet?: WalletOptions | undefined;
  /** Folder of the journal: purchases made and in progress. Required to buy; the sandbox has its own. */
  readonly journal?: string | undefined;
  /** Spending limits; default: those of docs/use/spending.md. */
  readonly policy?: PolicyOptions | undefined;
  /** Your partner id at a partner API. */
  readonly partnerId?: string | undefined;
  /** The secret of that id, if the partner API demands one; sent to `apiUrl` alone. */
  readonly partnerSecret?: string | undefined;
  /** Variables that name proxies, as in `process.env`: `HTTPS_PROXY`, `NO_PROXY`; default: no proxy. */
  readonly proxyEnv?: Readonly<Record<string, string | undefined>> | undefined;
  /** PEM file of certificate authorities to trust beside Node's own. */
  readonly caFile?: string | undefined;
  /** Language to request merchants' texts in, such as `es`. */
  readonly language?: string | undefined;
}

export interface SandboxOptions {
  /** Folder of the store, its chain and, unless set, its wallet and journal. */
  readonly dataDir: string;
  /**
   * Test money in USDC: opening tops the wallet up to this amount, and marks it as holding only test money.
   * Default: `1000` for the sandbox's own wallet, nothing for yours.
   */
  readonly fund?: string | undefined;
}

export type WalletOptions = KeyFile | ExternalSigner;

/** A Solana CLI key file, or an encrypted one of `scrip wallet`. */
export interface KeyFile {
  readonly keyFile: string;
  /** Passphrase of an encrypted file; a function is called when it is needed. */
  readonly passphrase?: string | (() => string | Promise<string>) | undefined;
}

/** Your own vault, device or service. */
export interface ExternalSigner {
  /** As its network writes it. */
  readonly address: string;
  /**
   * Returns the signature of the message: all that is signed, never a hash. On Solana its bytes and an Ed25519
   * signature of 64 bytes; on Base typed data (EIP-712) as JSON in UTF-8, and r, s, v of 65 bytes.
   */
  sign(message: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/** As in the policy file (docs/use/spending.md), or the file itself. Amounts are decimals in USDC. */
export type PolicyOptions = Policy | { readonly file: string };

export interface Policy {
  /** Maximum per order. */
  readonly perOrder?: string;
  /** Maximum in any 24 hours. */
  readonly perDay?: string;
  /** Maximum per merchant in any 24 hours. */
  readonly perMerchantPerDay?: string;
  /** Maximum number of payments in progress at once. */
  readonly maxOpenIntents?: number;
  /** Minimum that stays in the wallet. */
  readonly minReserve?: string;
  /** Allowed merchants and their rules, by host as in a URL: `x402.example`, `127.0.0.1:4020`. */
  readonly hosts?: Readonly<Record<string, HostRule>>;
  /** Patterns with `*`: every recipient, and the order's e-mail, must match one. */
  readonly recipients?: readonly string[];
  readonly kinds?: readonly ProductKind[];
  /** Whether payments without a person at a terminal are allowed, and their maximum per order. */
  readonly nonInteractive?: { readonly enabled?: boolean; readonly perOrder?: string };
}

export interface HostRule {
  readonly network?: string;
  readonly mint?: string;
  readonly payTo?: 'any' | 'manifest' | readonly string[];
  readonly feePayers?: readonly string[];
  readonly memo?: 'on' | 'off';
}

export type ProductKind = 'giftcard' | 'mobile_topup' | 'esim' | 'other';

export interface Brand {
  readonly name: string;
  readonly family: string;
  readonly category: string;
}

/** A product for sale. */
export interface Product {
  readonly id: string;
  readonly name: string;
  readonly brand: string;
  /** Two letters, lowercase. */
  readonly country: string;
  /** Undefined when the merchant does not report it. */
  readonly kind: ProductKind | undefined;
  readonly currency: string | undefined;
  /** Face value of a fixed product, if the merchant reports it. */
  readonly value: string | undefined;
  /** Bounds of a range product; undefined for a fixed product. */
  readonly range:
    | { readonly min: string | undefined; readonly max: string | undefined }
    | undefined;
  /** In USDC; undefined when it depends on the chosen value. */
  readonly price: string | undefined;
}

/** A product found by words. */
export interface FoundProduct extends Product {
  /** True for a match by id, or by the whole name of product or brand; false for a similar name. */
  readonly isExact: boolean;
}

/** A product, and the value to buy of a range product. */
export interface PriceInput {
  readonly productId: string;
  /** The product's country and brand; optional for a product that this instance has listed or found. */
  readonly country?: string | undefined;
  readonly brand?: string | undefined;
  /** Face value, such as `25`. */
  readonly value?: string | undefined;
}

export interface Price {
  readonly productId: string;
  readonly productName: string;
  readonly brand: string;
  readonly value: string | undefined;
  readonly currency: string | undefined;
  /** In USDC. */
  readonly price: string;
  /** ISO 8601; undefined when the merchant gives no expiry. */
  readonly validUntil: string | undefined;
}

export interface OrderInput extends PriceInput {
  /** Recipient: an e-mail address, or for a top-up a phone number in E.164. */
  readonly to: string;
  /** E-mail address for the receipt; default: `to`, if that is an e-mail address. */
  readonly email?: string | undefined;
}

/** The order to confirm before it is paid. */
export interface OrderSummary {
  /** The host to be paid, such as `x402.example`. */
  readonly merchant: string;
  readonly productId: string;
  readonly productName: string;
  readonly brand: string;
  readonly country: string;
  readonly value: string;
  readonly currency: string;
  readonly to: string;
  readonly email: string;
  /** In USDC, as quoted. */
  readonly price: string;
  /** The maximum to sign for. */
  readonly maxAmount: string;
  /** What the policy leaves to spend in these 24 hours; undefined when this order needs no new payment. */
  readonly leftToday: string | undefined;
}

export interface CallOptions {
  /** Aborting rejects with the ScripError `INTERRUPTED`; after a payment was signed, see `order`. */
  readonly signal?: Signal | undefined;
}

/** Options of `order` and `pay`. */
interface Paying extends CallOptions {
  /** Maximum to pay, in the coin of the payment; default: the price plus 0.5 %. */
  readonly maxAmount?: string | undefined;
  /** Called with each step, in English. */
  readonly onStep?: ((step: string) => void) | undefined;
  /** How long to wait for the goods once the order is accepted; default: 10 minutes. */
  readonly waitMs?: number | undefined;
}

export interface OrderOptions extends Paying {
  /** The same key never pays twice with this journal, in any process. Required for real money. */
  readonly idempotencyKey?: string | undefined;
  /** Decides whether to pay. Without it, every order is refused. */
  readonly confirm?: ((summary: OrderSummary) => boolean | Promise<boolean>) | undefined;
  /** For your journal only; it is never sent. */
  readonly note?: string | undefined;
  /** Allows ordering the same goods again shortly after another key ordered them. */
  readonly allowDuplicate?: boolean | undefined;
  /** Allows a phone number of another country than the product's. */
  readonly allowOtherCountry?: boolean | undefined;
}

export interface PayOptions extends Paying {
  /** Decides whether to pay. Without it, nothing is paid. */
  readonly confirm?: ((summary: PaySummary) => boolean | Promise<boolean>) | undefined;
}

/** A payment for an order created earlier. */
export interface PaySummary {
  /** The host that created the order. */
  readonly merchant: string;
  readonly orderId: string;
  readonly amount: string;
  readonly coin: string;
  readonly network: string;
  /** Address that receives the money. */
  readonly payTo: string;
  /** Recipients of the goods, if known. */
  readonly recipients: readonly string[];
}

/** Options of `fetch`, beside those of the global one. */
export interface FetchOptions extends Pick<Paying, 'onStep'> {
  /** Maximum to pay, in USDC. Without it `confirm` decides; without both, nothing is paid. */
  readonly maxAmount?: string | undefined;
  /** The same key never pays twice with this journal, in any process. Required for real money. */
  readonly idempotencyKey?: string | undefined;
  /** Decides whether to pay. */
  readonly confirm?: ((summary: FetchSummary) => boolean | Promise<boolean>) | undefined;
  /** How long to wait for the paid answer, and for what became of its payment; default: 150 seconds. */
  readonly waitMs?: number | undefined;
}

/** The payment that a host asks for before it answers. */
export interface FetchSummary {
  /** The host to be paid, such as `api.example`. */
  readonly merchant: string;
  readonly method: string;
  readonly url: string;
  /** In USDC. */
  readonly amount: string;
  /** CAIP-2 id. */
  readonly network: string;
  /** Address that receives the money. */
  readonly payTo: string;
  /** What the policy leaves to spend in these 24 hours. */
  readonly leftToday: string;
}

/** A problem for which the merchant would refuse an order. */
export interface Problem {
  readonly code: string;
  readonly message: string;
}

/** What `createScrip` returns: looks up products and, with a wallet and a journal, buys them. */
export interface Scrip {
  /**
   * Finds the products that words mean, best first: by id, by exact name of brand or product, by its
   * beginning. With a value, fixed products come before ranges. Returns an empty list if nothing is similar.
   * @example const [card] = await scrip.find('amazon', { country: 'us', value: '25' });
   */
  find(
    words: string,
    options: CallOptions & { readonly country: string; readonly value?: string | undefined },
  ): Promise<readonly FoundProduct[]>;
  /**
   * Lists the brands sold in a country, given by its two letters.
   * @example const brands = await scrip.brands({ country: 'us' });
   */
  brands(options: CallOptions & { readonly country: string }): Promise<readonly Brand[]>;
  /**
   * Lists the products of a brand or family.
   * @example const products = await scrip.catalog({ country: 'us', brand: 'Steam' });
   */
  catalog(
    options: CallOptions & {
      readonly country: string;
      readonly brand?: string | undefined;
      readonly family?: string | undefined;
    },
  ): Promise<readonly Product[]>;
  /**
   * Returns the current price of a product.
   * @example const { price } = await scrip.price({ productId, country: 'us', brand: 'Steam', value: '20' });
   */
  price(wanted: PriceInput, options?: CallOptions): Promise<Price>;
  /**
   * Checks an order without creating it; returns an empty list if it has no problems.
   * @example const problems = await scrip.validate({ productId, to: 'friend@example.com' });
   */
  validate(input: OrderInput, options?: CallOptions): Promise<readonly Problem[]>;
  /**
   * Buys once and waits for the goods. Rejects with a ScripError while nothing is paid: refused by the
   * policy, declined, over the maximum. Once a payment is signed it resolves, even if `signal` aborts; the
   * next call with the same key continues where this one stopped.
   * @example const outcome = await scrip.order({ productId, to: 'friend@example.com' }, { idempotencyKey: 'gift-1', confirm: ({ price }) => Number(price) < 30 });
   */
  order(input: OrderInput, options?: OrderOptions): Promise<Outcome>;
  /**
   * Pays an unpaid order created earlier at a partner API, like `order`.
   * @example const outcome = await scrip.pay(orderId, { maxAmount: '26', confirm: ({ merchant }) => merchant === 'api.example' });
   */
  pay(orderId: string, options?: PayOptions): Promise<Outcome>;
  /**
   * Sends a request like the global `fetch`. If its host answers 402 (x402), pays once and returns what was
   * paid for; a kept answer of the same key is returned without a request. Redirects are returned, not
   * followed. Rejects with a ScripError, whose `fundsAtRisk` says whether money may have moved: the same key
   * finds out.
   * @example const report = await scrip.fetch('https://api.example/report', { maxAmount: '0.10', idempotencyKey: 'report-7' });
   */
  fetch(
    input: Parameters<GlobalFetch>[0],
    init?: Parameters<GlobalFetch>[1] & FetchOptions,
  ): ReturnType<GlobalFetch>;
  /**
   * Yields the states of an order until it is final; leaving the loop stops tracking.
   * @example for await (const { status, isFinal } of scrip.track(orderId)) console.log(status, isFinal);
   */
  track(orderId: string, options?: CallOptions): AsyncIterable<OrderState>;
  /**
   * Lists the purchases in this journal, newest first. Sends no request.
   * @example const open = (await scrip.orders()).filter(({ status }) => status === 'pending');
   */
  orders(options?: CallOptions): Promise<readonly OrderRecord[]>;
  /** Aborts calls in progress, and releases what keeps the process running. */
  close(): Promise<void>;
  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Opens files and hosts only when a verb needs them. */
export type CreateScrip = (options: ScripOptions) => Promise<Scrip>;

/** Stable and append-only: `scrip help errors` lists them with their remedies. */
export type ScripErrorCode = Code;

/** Whether money may have moved when an error was raised. */
export type FundsAtRisk = 'none' | 'possible' | 'spent';

/** An error of this package. But for `fetch`, it is raised before anything is paid, or while only reading. */
export interface ScripError extends Error {
  readonly name: string;
  readonly code: ScripErrorCode;
  /** The next step, in English. */
  readonly hint: string;
  /** Exit status of the command line for this error. */
  readonly exit: number;
  /** Whether the same call may succeed later without a change. */
  readonly retryable: boolean;
  readonly fundsAtRisk: FundsAtRisk;
  /** Data for programs, such as bounds and nearest matches. Never a secret. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** The class, for `instanceof`. Programs create no instances. */
export type ScripErrorClass = abstract new (...made: never) => ScripError;

/** The result of an order once money may have moved. */
export type Outcome = Delivered | Pending | Unknown | Failed;

interface OutcomeFacts {
  readonly idempotencyKey: string;
  /** The merchant's order id; null before the merchant accepted the order. */
  readonly orderId: string | null;
  readonly payment: Payment | null;
}

/** The goods have arrived. */
export interface Delivered extends OutcomeFacts {
  readonly status: 'delivered';
  readonly deliveries: readonly Delivery[];
}

/** Paid or accepted, and not delivered yet: `track` the order, or call `order` again with the same key. */
export interface Pending extends OutcomeFacts {
  readonly status: 'pending';
  readonly code: ScripErrorCode;
  readonly reason: string;
}

/**
 * A payment may have been made. Call `order` again with the same key: it finds out, and pays nothing twice.
 */
export interface Unknown extends OutcomeFacts {
  readonly status: 'unknown';
  readonly code: ScripErrorCode;
  readonly reason: string;
}

/** Paid, but the order failed or the merchant has to be contacted. Do not pay again. */
export interface Failed extends OutcomeFacts {
  readonly status: 'failed';
  readonly code: ScripErrorCode;
  readonly reason: string;
  /** The goods that were delivered nevertheless. */
  readonly deliveries: readonly Delivery[];
  /** What the merchant owes or sent back; empty if it tells of none. */
  readonly refunds: readonly Refund[];
}

/** Money that comes back, as the merchant says, and what the chain shows of it. */
export interface Refund {
  /** In decimals, such as `25.25`. */
  readonly amount: string;
  readonly coin: string;
  readonly state: 'waiting' | 'sending' | 'sent' | 'refused';
  /** Such as `address`: name one by `scrip orders refund`. Null unless it waits. */
  readonly waitsFor: string | null;
  readonly recipient: string | null;
  readonly transaction: string | null;
  /** Only `proved` is proof that it came; null unless the merchant says that it is sent. */
  readonly proof:
    | 'proved'
    | 'not_found'
    | 'not_final'
    | 'other_recipient'
    | 'other_amount'
    | 'unchecked'
    | null;
  /** Whether it goes to this wallet; null without a wallet or a recipient. */
  readonly toOwnWallet: boolean | null;
}

export interface Payment {
  /** In units of the coin, as a decimal. */
  readonly amount: string;
  /** Address of the coin. */
  readonly asset: string;
  readonly payer: string;
  readonly payTo: string;
  /** Transaction id, once known. */
  readonly transaction: string | null;
  /** Whether it is final on the chain. */
  readonly isFinal: boolean;
}

/** One purchased item. Logs, JSON and `inspect` never show its codes; only `reveal()` returns them. */
export interface Delivery {
  readonly name: string | undefined;
  readonly brand: string | undefined;
  readonly value: string | undefined;
  readonly currency: string | undefined;
  /** Whether there is a code; otherwise it was sent by e-mail or message, or booked on a phone number. */
  readonly hasCode: boolean;
  reveal(): Goods;
}

/** Everything needed to redeem it, as the merchant sent it. */
export interface Goods {
  readonly code: string | undefined;
  readonly serial: string | undefined;
  readonly securityCode: string | undefined;
  readonly url: string | undefined;
  readonly barcodeUrl: string | undefined;
  readonly qrUrl: string | undefined;
  readonly instructions: string | undefined;
  readonly terms: string | undefined;
  /** Fields that only this merchant uses. */
  readonly others: Readonly<Record<string, string>>;
}

/** The state of an order. */
export interface OrderState {
  readonly orderId: string;
  /** In the merchant's words, such as `processing`. */
  readonly status: string;
  /** Whether it will not change any more. */
  readonly isFinal: boolean;
  readonly deliveries: readonly Delivery[];
  /** Of a final state without all of its goods: what is owed or was sent back; otherwise empty. */
  readonly refunds: readonly Refund[];
}

/** The journal's record of an order. */
export interface OrderRecord {
  readonly idempotencyKey: string;
  readonly orderId: string | null;
  readonly merchant: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** `unpaid`: nothing was charged, and no payment is in progress. */
  readonly status: Outcome['status'] | 'unpaid';
  readonly productId: string;
  readonly productName: string;
  readonly brand: string;
  readonly country: string;
  readonly value: string;
  readonly currency: string;
  readonly to: string;
  readonly note: string | undefined;
  readonly payment: Payment | null;
}
