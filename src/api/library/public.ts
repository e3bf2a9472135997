/**
 * What other programs see of this package: every type of its export. It names no other package and no file
 * but the table of error codes, and the build hands it out as `dist/library.d.ts`.
 */

import type { Code } from '../../domain/errors.ts';

/** Stable and append-only: `scrip help errors` lists them with what to do. */
export type ScripErrorCode = Code;

/** Whether money may have moved when an error was raised. */
export type FundsAtRisk = 'none' | 'possible' | 'spent';

/** A text for people; `String(text)` is its English. */
export interface MessageText {
  toString(): string;
  toJSON(): string;
}

/** Why a verb could not do what it was asked. Raised before anything is paid, or for what was only read. */
export interface ScripError extends Error {
  readonly name: string;
  readonly code: ScripErrorCode;
  /** What to do next. */
  readonly hint: MessageText;
  /** Exit status that the command line has for it. */
  readonly exit: number;
  /** The same call may work later without a change. */
  readonly retryable: boolean;
  readonly fundsAtRisk: FundsAtRisk;
  /** Facts for machines, such as bounds and nearest matches. Never a secret. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** The class, for `instanceof`. Programs make none themselves. */
export type ScripErrorClass = abstract new (...made: never) => ScripError;

/** The global `AbortSignal`, where the caller's types have one. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Global } }
  ? Global
  : never;

/** Where the goods are bought, what pays for them, and where it is written down. */
export interface ScripOptions {
  /** Base address of a checkout host, such as `https://x402.example`. */
  readonly checkoutUrl?: string | undefined;
  /** Base address of a partner API; on the same host where it is left out. */
  readonly apiUrl?: string | undefined;
  /** Which of the two sells; the checkout host, unless a partner API alone is named. */
  readonly via?: 'checkout' | 'partner' | undefined;
  /** The service inside this process, in place of a host: test money, a shop and a chain of their own. */
  readonly sandbox?: SandboxOptions | undefined;
  /** A Solana RPC of yours; needed for real money. */
  readonly rpcUrl?: string | undefined;
  /** A second one, of another operator: nothing is signed again before both call a payment dead. */
  readonly witnessRpcUrl?: string | undefined;
  /** What pays. Without it nothing is bought; the sandbox has a wallet of its own. */
  readonly wallet?: WalletOptions | undefined;
  /** Folder of the journal: what was bought, and what is under way. Needed to buy; the sandbox has its own. */
  readonly journal?: string | undefined;
  /** What may be spent; the defaults of docs/use/spending.md where it is left out. */
  readonly policy?: PolicyOptions | undefined;
  /** Who you are to a partner API. */
  readonly partnerId?: string | undefined;
  /** What the merchant's texts are asked for in, such as `es`. */
  readonly language?: string | undefined;
}

export interface SandboxOptions {
  /** Folder of the shop, its chain and, where none is named, its wallet and its journal. */
  readonly dataDir: string;
  /**
   * Test money in USDC: the wallet is topped up to it when this opens, and is marked as one for test money
   * alone. `1000` for the wallet of the sandbox; nothing for one of yours.
   */
  readonly fund?: string | undefined;
}

export type WalletOptions = KeyFile | ExternalSigner;

/** A key file of the Solana CLI, or an encrypted one of `scrip wallet`. */
export interface KeyFile {
  readonly keyFile: string;
  /** Of an encrypted file; asked for when it is needed. */
  readonly passphrase?: string | (() => string | Promise<string>) | undefined;
}

/** A vault, a device, a service of yours. */
export interface ExternalSigner {
  /** Base58. */
  readonly address: string;
  /** The Ed25519 signature, 64 bytes, over the message: all bytes of the transaction that are signed. */
  sign(message: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/** As in the policy file (docs/use/spending.md), or the file itself. Amounts are decimals in USDC. */
export type PolicyOptions = Policy | { readonly file: string };

export interface Policy {
  /** The most for one order. */
  readonly perOrder?: string;
  /** The most in any 24 hours. */
  readonly perDay?: string;
  /** The same for one merchant. */
  readonly perMerchantPerDay?: string;
  /** Payments that may be under way at once. */
  readonly maxOpenIntents?: number;
  /** What stays in the wallet. */
  readonly minReserve?: string;
  /** Who may be paid, by host and port. */
  readonly hosts?: Readonly<Record<string, HostRule>>;
  /** Patterns with `*`: every beneficiary and the e-mail of an order have to fit one. */
  readonly recipients?: readonly string[];
  readonly kinds?: readonly ProductKind[];
  /** Payments of programs, and the most for one. */
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

/** What can be ordered. */
export interface Product {
  readonly id: string;
  readonly name: string;
  readonly brand: string;
  /** Two letters, lowercase. */
  readonly country: string;
  /** Where the merchant says what it is. */
  readonly kind: ProductKind | undefined;
  readonly currency: string | undefined;
  /** Of a fixed product, where the merchant says it. */
  readonly value: string | undefined;
  /** Bounds of a product whose value is chosen; undefined for a fixed product. */
  readonly range:
    | { readonly min: string | undefined; readonly max: string | undefined }
    | undefined;
  /** In USDC; undefined where it depends on the value. */
  readonly price: string | undefined;
}

/** A product that was looked for by words. */
export interface FoundProduct extends Product {
  /** By its id, or by its or its brand's whole name; false for what is only like the words. */
  readonly isExact: boolean;
}

/** A product, at a value where it lets one choose. */
export interface PriceInput {
  readonly productId: string;
  /** Of the product; both may be left out of one that this instance has listed or found. */
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
  /** ISO 8601; undefined where the merchant names no end. */
  readonly validUntil: string | undefined;
}

export interface OrderInput extends PriceInput {
  /** Who receives it: an e-mail address, for a top-up a phone number in E.164. */
  readonly to: string;
  /** Where the receipt goes; `to` where that is an e-mail address. */
  readonly email?: string | undefined;
}

/** What is about to be paid for. */
export interface OrderSummary {
  /** The host that is paid, such as `x402.example`. */
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
  /** The most that is signed for. */
  readonly maxAmount: string;
  /** What the policy leaves of the 24 hours; undefined where nothing more would be paid. */
  readonly leftToday: string | undefined;
}

export interface CallOptions {
  /** Aborting rejects with the ScripError `INTERRUPTED`; once something is signed, see `order`. */
  readonly signal?: Signal | undefined;
}

/** What orders and payments of orders have in common. */
interface Paying extends CallOptions {
  /** The most to pay, in the coin that is paid; the price and 0.5 % where it is left out. */
  readonly maxAmount?: string | undefined;
  /** Told of each step, in English. */
  readonly onStep?: ((step: string) => void) | undefined;
  /** How long to wait for the goods once the order is accepted; 10 minutes where it is left out. */
  readonly waitMs?: number | undefined;
}

export interface OrderOptions extends Paying {
  /** The same key never pays twice with this journal, in any process. Required for real money. */
  readonly idempotencyKey?: string | undefined;
  /** Decides whether this is paid. Without it every order is refused. */
  readonly confirm?: ((summary: OrderSummary) => boolean | Promise<boolean>) | undefined;
  /** For the journal alone. */
  readonly note?: string | undefined;
  /** The same goods are wanted again, although they were ordered a moment ago under another key. */
  readonly allowDuplicate?: boolean | undefined;
  /** A phone number of another country than the product's is meant. */
  readonly allowOtherCountry?: boolean | undefined;
}

export interface PayOptions extends Paying {
  /** Decides whether this is paid. Without it nothing is. */
  readonly confirm?: ((summary: PaySummary) => boolean | Promise<boolean>) | undefined;
}

/** A payment for an order that was made before. */
export interface PaySummary {
  /** The host that made the order. */
  readonly merchant: string;
  readonly orderId: string;
  readonly amount: string;
  readonly coin: string;
  readonly network: string;
  /** Address that the money goes to. */
  readonly payTo: string;
  /** Who receives the goods, as far as it is known. */
  readonly recipients: readonly string[];
}

/** How an order went once money may have moved. */
export type Outcome = Delivered | Pending | Unknown | Failed;

interface OutcomeFacts {
  readonly idempotencyKey: string;
  /** In the merchant's words; null before the merchant accepted it. */
  readonly orderId: string | null;
  readonly payment: Payment | null;
}

/** The goods are here. */
export interface Delivered extends OutcomeFacts {
  readonly status: 'delivered';
  readonly deliveries: readonly Delivery[];
}

/** Paid or accepted, and not delivered yet: `track` the order, or order again with the same key. */
export interface Pending extends OutcomeFacts {
  readonly status: 'pending';
  readonly code: ScripErrorCode;
  readonly reason: string;
}

/** A payment may have been made. Order again with the same key, which finds out and pays nothing twice. */
export interface Unknown extends OutcomeFacts {
  readonly status: 'unknown';
  readonly code: ScripErrorCode;
  readonly reason: string;
}

/** Paid, and the merchant gave the order up or has to be asked. Do not pay again. */
export interface Failed extends OutcomeFacts {
  readonly status: 'failed';
  readonly code: ScripErrorCode;
  readonly reason: string;
  /** Such as those that came of several. */
  readonly deliveries: readonly Delivery[];
}

export interface Payment {
  /** In units of the coin, as a decimal. */
  readonly amount: string;
  /** Address of the coin. */
  readonly asset: string;
  readonly payer: string;
  readonly payTo: string;
  /** Id of the transaction, once it is known. */
  readonly transaction: string | null;
  /** Final on the chain. */
  readonly isFinal: boolean;
}

/** One thing that was bought. Its codes are in no log, no JSON and no `inspect`: `reveal()` hands them out. */
export interface Delivery {
  readonly name: string | undefined;
  readonly brand: string | undefined;
  readonly value: string | undefined;
  readonly currency: string | undefined;
  /** Whether there is a code; without one it came by mail, by message or on a telephone. */
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
  /** Fields that only this merchant has. */
  readonly others: Readonly<Record<string, string>>;
}

/** How an order stands. */
export interface OrderState {
  readonly orderId: string;
  /** In the merchant's words, such as `processing`. */
  readonly status: string;
  /** It will not change any more. */
  readonly isFinal: boolean;
  readonly deliveries: readonly Delivery[];
}

/** What the journal has of an order. */
export interface OrderRecord {
  readonly idempotencyKey: string;
  readonly orderId: string | null;
  readonly merchant: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** `unpaid`: nothing was charged, and nothing is under way. */
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

/** A problem that the merchant would refuse an order for. */
export interface Problem {
  readonly code: string;
  readonly message: string;
}

/** A shop, a wallet and a journal, ready to buy. */
export interface Scrip {
  /**
   * Products that words mean, best first: an exact id, the exact name of a brand or product, its beginning;
   * of a fixed product and a range the one of exactly that value. None where nothing is like it.
   * @example const [card] = await scrip.find('amazon', { country: 'us', value: '25' });
   */
  find(
    words: string,
    options: CallOptions & { readonly country: string; readonly value?: string | undefined },
  ): Promise<readonly FoundProduct[]>;
  /**
   * Who sells in a country, by its two letters.
   * @example const brands = await scrip.brands({ country: 'us' });
   */
  brands(options: CallOptions & { readonly country: string }): Promise<readonly Brand[]>;
  /**
   * The products of a brand or of a family.
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
   * What a product costs now.
   * @example const { price } = await scrip.price({ productId, country: 'us', brand: 'Steam', value: '20' });
   */
  price(wanted: PriceInput, options?: CallOptions): Promise<Price>;
  /**
   * What would speak against an order, without making one; empty where nothing does.
   * @example const problems = await scrip.validate({ productId, to: 'friend@example.com' });
   */
  validate(input: OrderInput, options?: CallOptions): Promise<readonly Problem[]>;
  /**
   * Buys once and waits for the goods. Rejects with a ScripError while nothing is paid: refused by the
   * policy, declined, over the maximum. Once something is signed it resolves, also when `signal` aborts:
   * with the same key the next call goes on where this one stopped.
   * @example const outcome = await scrip.order({ productId, to: 'friend@example.com' }, { idempotencyKey: 'gift-1', confirm: ({ price }) => Number(price) < 30 });
   */
  order(input: OrderInput, options?: OrderOptions): Promise<Outcome>;
  /**
   * Pays an order that a partner API took before and that is not paid yet, as `order` does.
   * @example const outcome = await scrip.pay(orderId, { maxAmount: '26', confirm: ({ merchant }) => merchant === 'api.example' });
   */
  pay(orderId: string, options?: PayOptions): Promise<Outcome>;
  /**
   * The states of an order until it is decided; leaving the loop ends it.
   * @example for await (const { status, isFinal } of scrip.track(orderId)) console.log(status, isFinal);
   */
  track(orderId: string, options?: CallOptions): AsyncIterable<OrderState>;
  /**
   * The purchases of this journal, newest first. Makes no request.
   * @example const open = (await scrip.orders()).filter(({ status }) => status === 'pending');
   */
  orders(options?: CallOptions): Promise<readonly OrderRecord[]>;
  /** Ends what is under way as an abort would, and lets the process end. */
  close(): Promise<void>;
  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Reads and pays nothing yet: files and hosts are opened when a verb needs them. */
export type CreateScrip = (options: ScripOptions) => Promise<Scrip>;
