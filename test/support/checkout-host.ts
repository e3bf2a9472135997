/** A checkout host over a store in memory, with ports that are values: what they answer is set by the test. */

import { createHash, randomBytes } from 'node:crypto';
import type { WireOrderReceipt, WireOrderStatus } from '../../src/contract/checkout.ts';
import {
  decodeHeader,
  encodeHeader,
  PAYMENT_IDENTIFIER,
  PAYMENT_IDENTIFIER_OFFER,
  PAYMENT_RESPONSE_HEADER,
  PAYMENT_SIGNATURE_HEADER,
  type PaymentPayload,
  type PaymentRequirement,
  SESSION_HEADER,
  type SettleResponse,
  SOLANA_MAINNET,
  USDC_MINT,
  type VerifyResponse,
} from '../../src/contract/x402.ts';
import { ScripError } from '../../src/domain/message/errors.ts';
import { t } from '../../src/domain/message/message.ts';
import type { Facilitator, MerchantRail, PaymentFacts } from '../../src/rails/merchant-rail.ts';
import { solanaSignIn } from '../../src/rails/solana/ed25519.ts';
import type { Supplier, SupplyOutcome, Voucher } from '../../src/service/delivery/supplier.ts';
import { createService, type Service } from '../../src/service/http/app.ts';
import type { Caller } from '../../src/service/http/route.ts';
import type { ServiceOptions } from '../../src/service/options.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { type ManualClock, manualClock } from './manual-clock.ts';
import { random } from './random.ts';
import { smallCatalog } from './small-catalog.ts';

export const BASE_URL = 'https://checkout.example';
export const FEE_PAYER = 'FeePayer111111111111111111111111';
export const PAYER = 'Payer111111111111111111111111111';

/** What the ports answer from now on, and what they were asked. */
interface Script {
  verify: (payload: PaymentPayload) => VerifyResponse;
  settle: (
    payload: PaymentPayload,
    signal?: AbortSignal,
  ) => SettleResponse | Promise<SettleResponse>;
  checkFunds: () => void;
  check: () => 'available' | 'out_of_stock';
  fulfil: (reference: string) => SupplyOutcome;
  readonly settled: string[];
  readonly references: string[];
}

export interface Host {
  readonly service: Service;
  readonly store: Store;
  readonly clock: ManualClock;
  readonly script: Script;
  readonly facilitator: Facilitator;
  readonly faults: unknown[];
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  post(
    path: string,
    body: unknown,
    headers?: Record<string, string>,
    caller?: Caller,
  ): Promise<Response>;
  /** Phase 1. */
  challenge(body?: unknown): Promise<Challenge>;
  /** Phase 2 with a payment for this session; `nonce` makes another message of it. */
  pay(challenge: Challenge, more?: PayOptions): Promise<Response>;
  /** Phases 1 and 2. */
  buy(body?: unknown): Promise<WireOrderReceipt>;
  status(orderId: string): Promise<WireOrderStatus>;
}

export interface Challenge {
  readonly body: unknown;
  readonly sessionId: string;
  readonly requirement: PaymentRequirement;
}

export interface PayOptions {
  readonly nonce?: number;
  readonly body?: unknown;
  /** null sends no X-Session-Id. */
  readonly sessionId?: string | null;
  /** The public standard's dialect: `accepted` in place of flat terms. */
  readonly isStandard?: boolean;
  readonly payload?: unknown;
  /** The buyer's own name for the order. */
  readonly paymentId?: string;
  /** Of the caller's socket; none inside a process. */
  readonly address?: string;
}

export const ORDER = {
  email: 'you@example.com',
  items: [{ product_id: 'amazon-25', beneficiary_account: 'friend@example.com' }],
};

export const VOUCHER: Voucher = {
  voucherCode: 'TEST-1111-2222',
  pinSerial: '0001',
  redeemInstructions: 'Enter the code.',
  termsAndConditions: 'None.',
  url: 'https://redeem.example/1',
  deliveryType: 'inline',
};

export const succeed = (payload: PaymentPayload): SettleResponse => ({
  success: true,
  transaction: `tx-${factsOf(payload).messageHash.slice(0, 8)}`,
  network: SOLANA_MAINNET,
  payer: PAYER,
});

export const fail =
  (errorReason: string, transaction = '') =>
  (): SettleResponse => ({
    success: false,
    transaction,
    network: SOLANA_MAINNET,
    errorReason,
  });

export function away(): never {
  throw new ScripError('FACILITATOR_UNAVAILABLE', t`no answer from 10.0.0.7`);
}

/** The first reference has `VOUCHER`; each other one has a code of its own, as suppliers give them. */
function voucherOf(reference: string, before: number): Voucher {
  return before === 0 ? VOUCHER : { ...VOUCHER, voucherCode: `TEST-${reference}` };
}

function newScript(): Script {
  const vouchers = new Map<string, Voucher>();
  return {
    verify: () => ({ isValid: true, payer: PAYER }),
    settle: succeed,
    checkFunds: () => undefined,
    check: () => 'available',
    fulfil: (reference) => {
      const voucher = vouchers.get(reference) ?? voucherOf(reference, vouchers.size);
      vouchers.set(reference, voucher);
      return { outcome: 'fulfilled', voucher };
    },
    settled: [],
    references: [],
  };
}

/** Of a host with one rail, also its parts. */
interface HostOptions extends Partial<ServiceOptions> {
  readonly rail?: MerchantRail;
  readonly facilitator?: Facilitator;
}

/** A host of its own, or a second process on another's store. */
export async function checkoutHost(
  { rail = fakeRail, ...options }: HostOptions = {},
  beside?: Host,
): Promise<Host> {
  const store = beside?.store ?? (await openSqliteStore(':memory:'));
  const clock = beside?.clock ?? manualClock();
  const script = beside?.script ?? newScript();
  const facilitator = options.facilitator ?? scriptedFacilitator(script);
  const faults: unknown[] = [];
  const service = createService({
    store,
    clock,
    catalog: smallCatalog,
    rates: {
      version: 'fixed',
      picoUsdPer: (currency) => ({ USD: 10n ** 12n, BRL: 2n * 10n ** 11n })[currency],
    },
    supplier: scriptedSupplier(script),
    rails: [{ ...rail, facilitator }],
    random,
    voucherKey: new Uint8Array(32).fill(7),
    baseUrl: BASE_URL,
    checkBeneficiary: async (kind, account) => {
      if (account.startsWith('+') === (kind === 'mobile_topup')) return account;
      const code = kind === 'mobile_topup' ? 'PHONE_INVALID' : 'EMAIL_INVALID';
      throw new ScripError(code, t`${account} cannot receive this`);
    },
    report: (error) => faults.push(error),
    ...options,
  });
  return { service, store, clock, script, facilitator, faults, ...callers(service) };
}

type Callers = Pick<Host, 'get' | 'post' | 'challenge' | 'pay' | 'buy' | 'status'>;

function callers(service: Service): Callers {
  const send = (path: string, init?: RequestInit, caller?: Caller): Promise<Response> =>
    service.fetch(new Request(BASE_URL + path, init), caller);
  const post: Host['post'] = (path, body, headers = {}, caller = {}) =>
    send(path, { method: 'POST', body: JSON.stringify(body), headers }, caller);
  const challenge: Host['challenge'] = async (body = ORDER) =>
    readChallenge(body, await post('/v1/orders', body));
  const pay: Host['pay'] = (asked, more = {}) =>
    post(
      '/v1/orders',
      more.body ?? asked.body,
      {
        [PAYMENT_SIGNATURE_HEADER]: encodeHeader(more.payload ?? paymentFor(asked, more)),
        ...(more.sessionId !== null && { [SESSION_HEADER]: more.sessionId ?? asked.sessionId }),
      },
      { address: more.address },
    );
  return {
    post,
    challenge,
    pay,
    get: (path, headers = {}) => send(path, { headers }),
    buy: async (body) => {
      const response = await pay(await challenge(body));
      if (response.status !== 200) throw new Error(`not paid: ${await response.text()}`);
      return (await response.json()) as WireOrderReceipt;
    },
    status: async (orderId) =>
      (await (await send(`/v1/orders/${orderId}`)).json()) as WireOrderStatus,
  };
}

async function readChallenge(body: unknown, response: Response): Promise<Challenge> {
  if (response.status !== 402) throw new Error(`not asked to pay: ${await response.text()}`);
  const { accepts } = (await response.json()) as { accepts: [PaymentRequirement] };
  return { body, sessionId: response.headers.get(SESSION_HEADER) ?? '', requirement: accepts[0] };
}

/** A signed payment as the fake rail reads it: its facts, in base64. */
export function paymentFor(
  { requirement }: Challenge,
  { nonce = 0, isStandard = false, paymentId }: PayOptions = {},
): PaymentPayload {
  const destination = destinationOf(requirement.payTo);
  const transaction = btoa(JSON.stringify({ destination, nonce, payer: PAYER }));
  const terms = { scheme: 'exact', network: SOLANA_MAINNET };
  return {
    x402Version: 2,
    ...(isStandard ? { accepted: requirement } : terms),
    ...(paymentId !== undefined && { extensions: identified(paymentId) }),
    payload: { transaction },
  };
}

/** Fields of any reply that tests look at. */
export interface Body {
  readonly error?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly order_id?: string;
}

export async function bodyOf<T = Body>(response: Response): Promise<T> {
  return (await response.json()) as T;
}

/** The decoded PAYMENT-RESPONSE header. */
export function paymentResponse(response: Response): SettleResponse {
  return decodeHeader(response.headers.get(PAYMENT_RESPONSE_HEADER) ?? '') as SettleResponse;
}

/** The extensions of a payment that its buyer named. */
export function identified(id: unknown): Readonly<Record<string, unknown>> {
  const { info, schema } = PAYMENT_IDENTIFIER_OFFER;
  return { [PAYMENT_IDENTIFIER]: { info: { ...info, id }, schema } };
}

const destinationOf = (payTo: string): string => `account-of-${payTo}`;

function factsOf(payload: PaymentPayload): PaymentFacts {
  const { transaction = '' } = payload.payload;
  try {
    const { payer } = JSON.parse(atob(transaction)) as PaymentFacts;
    const messageHash = createHash('sha256').update(transaction).digest('hex');
    return { source: `account-of-${payer}`, payer, messageHash, payload: { transaction } };
  } catch (cause) {
    throw new ScripError('PAYMENT_MALFORMED', t`the transaction cannot be decoded`, { cause });
  }
}

export const fakeRail: MerchantRail = {
  network: SOLANA_MAINNET,
  asset: USDC_MINT,
  signIn: solanaSignIn,
  inspect: factsOf,
  requirement: async ({ amountAtomic, description }) => {
    const payTo = randomBytes(16).toString('hex').replaceAll('0', 'Z');
    const amount = amountAtomic.toString();
    return {
      destination: destinationOf(payTo),
      requirement: {
        scheme: 'exact',
        network: SOLANA_MAINNET,
        amount,
        maxAmountRequired: amount,
        asset: USDC_MINT,
        payTo,
        maxTimeoutSeconds: 60,
        extra: { feePayer: FEE_PAYER },
        description,
      },
    };
  },
};

const RECIPIENT_MISMATCH: VerifyResponse = {
  isValid: false,
  invalidReason: 'invalid_exact_svm_payload_recipient_mismatch',
  payer: PAYER,
};

function scriptedFacilitator(script: Script): Facilitator {
  return {
    supported: async () => ({
      kinds: [
        {
          x402Version: 2,
          scheme: 'exact',
          network: SOLANA_MAINNET,
          extra: { feePayer: FEE_PAYER },
        },
      ],
      extensions: [],
      signers: { 'solana:*': [FEE_PAYER] },
    }),
    verify: async (payload, { payTo }) => {
      const { transaction = '' } = payload.payload;
      const isPaidTo = atob(transaction).includes(`"${destinationOf(payTo)}"`);
      return isPaidTo ? script.verify(payload) : RECIPIENT_MISMATCH;
    },
    settle: async (payload, _requirement, { signal } = {}) => {
      script.settled.push(factsOf(payload).messageHash);
      return script.settle(payload, signal);
    },
    checkFunds: async () => script.checkFunds(),
  };
}

function scriptedSupplier(script: Script): Supplier {
  return {
    check: async () => script.check(),
    fulfil: async (reference) => {
      script.references.push(reference);
      return script.fulfil(reference);
    },
  };
}

/** Status and code of a refusal, or status and order id of a receipt. */
export async function outcome(response: Response): Promise<[number, string]> {
  const body = await bodyOf(response);
  return [response.status, body.error ?? body.order_id ?? ''];
}
