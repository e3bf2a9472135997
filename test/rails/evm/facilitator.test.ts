/** The facilitator on Base: what it refuses, and that each authorization is settled at most once. */
import { type Hex, parseTransaction } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import type {
  PaymentPayload,
  PaymentRequirement,
  SettleResponse,
} from '../../../src/contract/x402.ts';
import { atomic } from '../../../src/domain/money/money.ts';
import { bytesOf, hexOf } from '../../../src/rails/evm/address.ts';
import type { Authorization } from '../../../src/rails/evm/authorization.ts';
import { evmNetwork } from '../../../src/rails/evm/networks.ts';
import { createEvmPayer } from '../../../src/rails/evm/payer.ts';
import { createEvmMerchant } from '../../../src/rails/evm/requirement.ts';
import type { EvmRpc } from '../../../src/rails/evm/rpc.ts';
import type { Facilitator } from '../../../src/rails/merchant-rail.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { claimsOf, feeTransactionsOf, type Store } from '../../../src/store/store.ts';
import {
  EVM_AMOUNT,
  EVM_FEE_ACCOUNT,
  EVM_MERCHANT,
  EVM_PAYER,
  EVM_STRANGER,
  evmRequirement,
  NETWORK,
  payloadOfAuthorization,
} from '../../support/evm-payment.ts';
import { evmShop, wrapped } from '../../support/evm-shop.ts';
import { type EvmWorld, evmWorld } from '../../support/evm-world.ts';
import { rpcFailure } from '../../support/rpc-failure.ts';

const ETHER = 10n ** 18n;
const LATER_MS = 30 * 60_000;
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

let world: EvmWorld;
let store: Store;
beforeAll(async () => {
  world = await evmWorld();
  await world.evm.chain.fund(EVM_PAYER.address, { usdcAtomic: 10_000_000_000n, wei: 0n });
  await world.evm.chain.fund(EVM_FEE_ACCOUNT.address, { usdcAtomic: 0n, wei: ETHER });
  world.evm.clock.advance(60_000);
  shop = evmShop(world, () => store);
});
afterAll(() => world.evm.close());
beforeEach(async () => {
  store = await openSqliteStore(':memory:');
  return () => store.close();
});

type Shop = ReturnType<typeof evmShop>;
let shop: Shop;
const facilitator: Shop['facilitator'] = (...given) => shop.facilitator(...given);
const authorizationNow: Shop['authorizationNow'] = (more) => shop.authorizationNow(more);
const good: Shop['good'] = (more) => shop.good(more);
const received = () => shop.received();
const sent = () => shop.sent();
const pass = (ms: number) => world.evm.clock.advance(ms);

describe('a payment is refused', () => {
  type Change = (payload: PaymentPayload) => Promise<PaymentPayload> | PaymentPayload;
  const changed =
    (
      change: (authorization: Authorization) => object,
      options: Parameters<typeof payloadOfAuthorization>[1] = {},
    ): Change =>
    async () => {
      const authorization = await authorizationNow();
      return wrapped(
        await payloadOfAuthorization({ ...authorization, ...change(authorization) }, options),
      );
    };
  /** After it was signed. */
  const altered =
    (change: (signed: { authorization: Authorization; signature: string }) => object): Change =>
    async () => {
      const signed = await payloadOfAuthorization(await authorizationNow());
      return wrapped({ ...signed, ...change(signed) });
    };
  const inAuthorization = (change: object): Change =>
    altered(({ authorization }) => ({ authorization: { ...authorization, ...change } }));
  const highS = altered(({ signature }) => {
    const bytes = bytesOf(signature);
    const s = ORDER - BigInt(hexOf(bytes.subarray(32, 64)));
    const v = 27 + 28 - (bytes[64] ?? 0);
    return {
      signature: `${signature.slice(0, 66)}${s.toString(16).padStart(64, '0')}${v.toString(16)}`,
    };
  });
  const sepolia = evmNetwork('eip155:84532') ?? NETWORK;
  const VALUE = 'invalid_exact_evm_payload_authorization_value_mismatch';
  const SIGNATURE = 'invalid_exact_evm_payload_signature';
  const BEFORE = 'invalid_exact_evm_payload_authorization_valid_before';

  test.each<[string, Change, string]>([
    ['of another scheme', (one) => ({ ...one, scheme: 'upto' }), 'unsupported_scheme'],
    ['of another network', (one) => ({ ...one, network: 'eip155:1' }), 'network_mismatch'],
    ['without an authorization', () => wrapped({ transaction: 'AA==' }), 'invalid_payload'],
    ['without a signature', altered(() => ({ signature: undefined })), 'invalid_payload'],
    [
      'for Permit2',
      () => wrapped({ permit2Authorization: {}, signature: '0x00' }),
      'invalid_payload',
    ],
    ['with a value in hexadecimal', inAuthorization({ value: '0x1851960' }), 'invalid_payload'],
    ['with a value with an exponent', inAuthorization({ value: '255e5' }), 'invalid_payload'],
    ['with a value with spaces', inAuthorization({ value: ' 25500000' }), 'invalid_payload'],
    ['with a value as a number', inAuthorization({ value: 25_500_000 }), 'invalid_payload'],
    ['with a zero before its value', inAuthorization({ value: '025500000' }), 'invalid_payload'],
    [
      'with an end in hexadecimal',
      inAuthorization({ validBefore: '0xffffffff' }),
      'invalid_payload',
    ],
    [
      'with a beginning with an exponent',
      inAuthorization({ validAfter: '1e3' }),
      'invalid_payload',
    ],
    ['with a beginning below zero', inAuthorization({ validAfter: '-1' }), 'invalid_payload'],
    ['with a short nonce', inAuthorization({ nonce: '0x01' }), 'invalid_payload'],
    [
      'from a wrong checksum',
      inAuthorization({
        from: EVM_PAYER.address
          .toUpperCase()
          .replace('0X', '0x')
          .replace(/[A-F]/, (one) => one.toLowerCase()),
      }),
      'invalid_payload',
    ],
    [
      'with a long signature',
      altered(() => ({ signature: `0x${'00'.repeat(2_049)}` })),
      'invalid_payload',
    ],
    ['of more', changed(() => ({ value: (EVM_AMOUNT + 1n).toString() })), VALUE],
    ['of less', changed(() => ({ value: (EVM_AMOUNT - 1n).toString() })), VALUE],
    [
      'to somebody else',
      changed(() => ({ to: EVM_STRANGER.address })),
      'invalid_exact_evm_payload_recipient_mismatch',
    ],
    [
      'of the fee account',
      changed(() => ({ from: EVM_FEE_ACCOUNT.address }), { signer: EVM_FEE_ACCOUNT }),
      'invalid_exact_evm_payload_authorization_from',
    ],
    ['signed by somebody else', changed(() => ({}), { signer: EVM_STRANGER }), SIGNATURE],
    [
      'signed for another chain',
      changed(() => ({}), { network: { ...NETWORK, chainId: 1 } }),
      SIGNATURE,
    ],
    ['signed for the test network', changed(() => ({}), { network: sepolia }), SIGNATURE],
    [
      'signed for another token',
      changed(() => ({}), { network: { ...NETWORK, asset: EVM_STRANGER.address } }),
      SIGNATURE,
    ],
    [
      'signed for another name',
      changed(() => ({}), { network: { ...NETWORK, name: 'USDC' } }),
      SIGNATURE,
    ],
    ['with a high s', highS, SIGNATURE],
    [
      'with a nonce changed after it was signed',
      inAuthorization({ nonce: `0x${'9'.repeat(64)}` }),
      SIGNATURE,
    ],
    [
      'with v 0 or 1',
      altered(({ signature }) => ({ signature: `${signature.slice(0, -2)}00` })),
      SIGNATURE,
    ],
    [
      'of an account that does not exist yet',
      altered(({ signature }) => ({ signature: signature + '6492'.repeat(16) })),
      'invalid_exact_evm_payload_undeployed_smart_wallet',
    ],
    [
      'that is valid for 32 years',
      changed(({ validAfter }) => ({
        validBefore: (BigInt(validAfter) + 32n * 31_536_000n).toString(),
      })),
      BEFORE,
    ],
    [
      'that ends in five seconds',
      changed(({ validBefore }) => ({ validBefore: (BigInt(validBefore) - 55n).toString() })),
      BEFORE,
    ],
    ['that is over', changed(({ validAfter }) => ({ validBefore: validAfter })), BEFORE],
    [
      'that begins later',
      changed(({ validBefore }) => ({ validAfter: validBefore })),
      'invalid_exact_evm_payload_authorization_valid_after',
    ],
    [
      'of more than the payer has',
      async () =>
        wrapped(
          await payloadOfAuthorization(await authorizationNow({ from: EVM_STRANGER.address }), {
            signer: EVM_STRANGER,
          }),
        ),
      'invalid_exact_evm_insufficient_balance',
    ],
  ])('%s', async (_what, change, reason) => {
    const before = [await received(), await sent()];
    const payload = await change(await good());
    const { verify, settle } = facilitator();
    expect(await verify(payload, evmRequirement())).toMatchObject({
      isValid: false,
      invalidReason: reason,
    });
    expect(await settle(payload, evmRequirement())).toMatchObject({
      success: false,
      errorReason: reason,
      transaction: '',
    });
    expect([await received(), await sent()]).toEqual(before);
  });

  test.each<[string, object, string]>([
    ['another token', { asset: EVM_STRANGER.address }, 'invalid_exact_evm_asset_mismatch'],
    [
      'another name',
      { extra: { name: 'USDC', version: '2' } },
      'invalid_exact_evm_token_name_mismatch',
    ],
    [
      'another version',
      { extra: { name: NETWORK.name, version: '1' } },
      'invalid_exact_evm_token_version_mismatch',
    ],
    [
      'two amounts',
      { maxAmountRequired: '1' },
      'invalid_exact_evm_payload_authorization_value_mismatch',
    ],
  ])('for a requirement of %s', async (_what, change, reason) => {
    const requirement = { ...evmRequirement(), ...change } as PaymentRequirement;
    expect(await facilitator().settle(await good(), requirement)).toMatchObject({
      errorReason: reason,
    });
  });

  test('that was used, although the shop knows nothing of it', async () => {
    const payload = await good();
    await world.settle(payload.payload);
    expect(await facilitator().settle(payload, evmRequirement())).toMatchObject({
      errorReason: 'invalid_exact_evm_nonce_already_used',
    });
  });

  test('by a payer that failed too often', async () => {
    const budget = { isBlocked: async () => true, note: async () => undefined };
    expect(await facilitator({}, { budget }).verify(await good(), evmRequirement())).toMatchObject({
      invalidReason: 'invalid_exact_evm_payer_blocked',
    });
  });

  test.each(['balance', 'head', 'calls', 'estimateGas'] as const)(
    'not for good while the node does not answer: %s',
    async (method) => {
      const payload = await good();
      const away = facilitator({ [method]: () => Promise.reject(rpcFailure('away')) });
      await expect(away.settle(payload, evmRequirement())).rejects.toMatchObject({
        code: 'FACILITATOR_UNAVAILABLE',
      });
      expect(await facilitator().settle(payload, evmRequirement())).toMatchObject({
        success: true,
      });
    },
  );

  test('while the fee account has too little, with the reason for the operator alone', async () => {
    const told: string[] = [];
    const poor = facilitator(
      { balance: async () => 1_000_000_000n },
      { report: ({ message }) => told.push(message) },
    );
    await expect(poor.checkFunds()).rejects.toMatchObject({ code: 'FACILITATOR_UNAVAILABLE' });
    await expect(poor.settle(await good(), evmRequirement())).rejects.toMatchObject({
      code: 'FACILITATOR_UNAVAILABLE',
    });
    expect(told[0]).toContain('0.000000001 ETH');
    await expect(facilitator().checkFunds()).resolves.toBeUndefined();
  });
});

describe('a payment is settled once', () => {
  /** As a caller does: what is sent and undecided is asked about again. */
  async function settled({ settle }: Facilitator, payload: PaymentPayload) {
    for (;;) {
      const said = await settle(payload, evmRequirement());
      if (said.errorReason !== 'settlement_pending') return said;
    }
  }
  /** What the shop got, and how many transactions it paid for, while a work ran. */
  async function counted<T>(work: () => Promise<T>) {
    const [money, count] = [await received(), await sent()];
    const result = await work();
    return { result, money: (await received()) - money, transactions: (await sent()) - count };
  }
  const SUCCESS = expect.objectContaining({
    success: true,
    payer: EVM_PAYER.address,
    network: NETWORK.network,
  });

  it('and its transaction is named', async () => {
    const payload = await good();
    const { verify, settle, supported } = facilitator();
    expect(await verify(payload, evmRequirement())).toEqual({
      isValid: true,
      payer: EVM_PAYER.address,
    });
    const { result, money } = await counted(() => settle(payload, evmRequirement()));
    expect(result).toEqual(SUCCESS);
    expect(money).toBe(EVM_AMOUNT);
    expect(await world.rpc.receipt(result.transaction)).toMatchObject({ isDone: true });
    expect(await verify(payload, evmRequirement())).toMatchObject({
      invalidReason: 'duplicate_settlement',
    });
    expect(await supported()).toMatchObject({ signers: { 'eip155:*': [EVM_FEE_ACCOUNT.address] } });
  });

  it('by any number of calls and processes at the same time', async () => {
    const payload = await good();
    const processes = Array.from({ length: 5 }, () => facilitator());
    const { result, money, transactions } = await counted(() =>
      Promise.all([...processes, ...processes].map((process) => settled(process, payload))),
    );
    expect(new Set(result.map(({ transaction }) => transaction)).size).toBe(1);
    expect(result.every(({ success }) => success)).toBe(true);
    expect([money, transactions]).toEqual([EVM_AMOUNT, 1]);
  });

  it('each of 20 at the same time, by two processes with one fee account', async () => {
    const payloads = await Promise.all(Array.from({ length: 20 }, () => good()));
    const [one, other] = [facilitator(), facilitator()];
    const { result, money, transactions } = await counted(() =>
      Promise.all(payloads.map((payload, at) => settled(at % 2 === 0 ? one : other, payload))),
    );
    expect(result).toEqual(payloads.map(() => SUCCESS));
    expect([money, transactions]).toEqual([20n * EVM_AMOUNT, 20]);
  });

  it('with its nonce in upper case, and with its addresses in lower case', async () => {
    const authorization = await authorizationNow({ nonce: `0x${'ab'.repeat(32)}` });
    const payload = await payloadOfAuthorization(authorization);
    const { settle } = facilitator();
    const { result, money } = await counted(async () => [
      await settle(wrapped(payload), evmRequirement()),
      await settle(
        wrapped({ ...payload, authorization: { ...authorization, nonce: `0x${'AB'.repeat(32)}` } }),
        evmRequirement(),
      ),
      await settle(
        wrapped({
          ...payload,
          authorization: { ...authorization, from: authorization.from.toLowerCase() },
        }),
        evmRequirement(),
      ),
    ]);
    expect(result).toEqual([SUCCESS, SUCCESS, SUCCESS]);
    expect(money).toBe(EVM_AMOUNT);
  });

  it.each([
    ['one process', (one: Facilitator) => one],
    ['two processes', () => facilitator()],
  ])('where two authorizations have one nonce, in %s', async (_where, otherOf) => {
    const one = await good();
    const nonce = shop.lastNonce();
    const { time } = await world.rpc.head('latest');
    const other = await good({ nonce, validBefore: (time + 90).toString() });
    const own = facilitator();
    const { result, money, transactions } = await counted(() =>
      Promise.all([
        own.settle(one, evmRequirement()),
        otherOf(own).settle(other, evmRequirement()),
      ]),
    );
    expect(result.filter(({ success }) => success)).toHaveLength(1);
    expect(result.find(({ success }) => !success)).toMatchObject({
      errorReason: 'duplicate_settlement',
    });
    expect([money, transactions]).toEqual([EVM_AMOUNT, 1]);
  });

  it('although somebody else had its nonce refused before', async () => {
    const authorization = await authorizationNow();
    const forged = await payloadOfAuthorization(authorization, { signer: EVM_STRANGER });
    const { settle } = facilitator();
    expect(await settle(wrapped(forged), evmRequirement())).toMatchObject({ success: false });
    const genuine = wrapped(await payloadOfAuthorization(authorization));
    expect(await settle(genuine, evmRequirement())).toEqual(SUCCESS);
  });

  it('after each lost reply of the node', async () => {
    const payload = await good();
    const lost: EvmRpc['send'] = async (wire) => {
      await world.rpc.send(wire);
      throw rpcFailure('the reply is lost');
    };
    const { result, money, transactions } = await counted(() =>
      facilitator({ send: lost }).settle(payload, evmRequirement()),
    );
    expect(result).toEqual(SUCCESS);
    expect([money, transactions]).toEqual([EVM_AMOUNT, 1]);
  });

  it('when the process died before it was sent, by the same bytes', async () => {
    const payload = await good();
    const wires: string[] = [];
    const dead = facilitator({
      send: async (wire) => {
        wires.push(hexOf(wire));
        throw rpcFailure('away');
      },
    });
    const pending = await dead.settle(payload, evmRequirement());
    expect(pending).toMatchObject({
      success: false,
      errorReason: 'settlement_pending',
      transaction: expect.stringMatching(/^0x/),
    });
    expect(new Set(wires).size).toBe(1);
    const { result, transactions } = await counted(() =>
      facilitator().settle(payload, evmRequirement()),
    );
    expect(result).toMatchObject({ success: true, transaction: pending.transaction });
    expect(transactions).toBe(1);
  });

  it('when one before it was never sent, which is sent first', async () => {
    const [first, second] = [await good(), await good()];
    const away = { send: () => Promise.reject(rpcFailure('away')) };
    await facilitator(away, { confirmTimeoutMs: 0 }).settle(first, evmRequirement());
    const { result, money, transactions } = await counted(() =>
      facilitator().settle(second, evmRequirement()),
    );
    expect(result).toEqual(SUCCESS);
    expect([money, transactions]).toEqual([2n * EVM_AMOUNT, 2]);
    expect(await facilitator().settle(first, evmRequirement())).toEqual(SUCCESS);
  });

  it('although its nonce of the fee account was used elsewhere', async () => {
    const payload = await good();
    const away = { send: () => Promise.reject(rpcFailure('away')) };
    await facilitator(away, { confirmTimeoutMs: 0 }).settle(payload, evmRequirement());
    const own = await openSqliteStore(':memory:');
    const other = { claims: claimsOf(own), transactions: feeTransactionsOf(own) };
    expect(await facilitator({}, other).settle(await good(), evmRequirement())).toEqual(SUCCESS);
    const { result, money } = await counted(() => facilitator().settle(payload, evmRequirement()));
    expect(result).toEqual(SUCCESS);
    expect(money).toBe(EVM_AMOUNT);
    await own.close();
  });

  it('when somebody else has sent it first: the shop was paid', async () => {
    const payload = await good();
    const stolen: { transaction?: string } = {};
    const over: Partial<EvmRpc> = {
      send: async (wire) => {
        stolen.transaction ??= await world.settle(payload.payload);
        await world.rpc.send(wire);
      },
    };
    const { result, money } = await counted(() =>
      facilitator(over).settle(payload, evmRequirement()),
    );
    expect(result).toMatchObject({ success: true, transaction: stolen.transaction });
    expect(money).toBe(EVM_AMOUNT);
  });

  it('again after its block was replaced, by the same bytes', async () => {
    pass(60_000);
    const payload = await good();
    const finalFromAtomic = EVM_AMOUNT;
    const open = facilitator({}, { finalFromAtomic });
    expect(await open.settle(payload, evmRequirement())).toMatchObject({
      errorReason: 'settlement_pending',
    });
    const before = await received();
    await world.evm.chain.reorganize({ depth: 20, isLost: true });
    expect(await received()).toBe(before - EVM_AMOUNT);
    await open.settle(payload, evmRequirement());
    expect(await received()).toBe(before);
    pass(LATER_MS);
    expect(await open.settle(payload, evmRequirement())).toEqual(SUCCESS);
  });

  it('or never: it is refused once it is proven dead', async () => {
    const payload = await good();
    const noted: string[] = [];
    const budget = {
      isBlocked: async () => false,
      note: async (payer: string) => void noted.push(payer),
    };
    const broke = { send: () => Promise.reject(rpcFailure('away')), priorityFee: async () => 0n };
    await facilitator(broke, { budget }).settle(payload, evmRequirement());
    pass(61_000);
    const early = await facilitator(broke).settle(payload, evmRequirement());
    pass(LATER_MS);
    const { result, money } = await counted(() =>
      facilitator(broke, { budget }).settle(payload, evmRequirement()),
    );
    expect([early.errorReason, result.errorReason]).toEqual([
      'settlement_pending',
      'invalid_exact_evm_authorization_expired',
    ]);
    expect(money).toBe(0n);
    expect(await facilitator().settle(payload, evmRequirement())).toMatchObject({
      errorReason: 'invalid_exact_evm_authorization_expired',
    });
    // Its transaction still has the next nonce: the one after it is settled all the same.
    expect(await facilitator().settle(await good(), evmRequirement())).toEqual(SUCCESS);
    expect(noted).toEqual([]);
  });

  it('or never, where the payer used the nonce for another transfer', async () => {
    const payload = await good();
    const nonce = shop.lastNonce();
    const away = { send: () => Promise.reject(rpcFailure('away')) };
    await facilitator(away, { confirmTimeoutMs: 0 }).settle(payload, evmRequirement());
    await world.settle((await good({ nonce, to: EVM_STRANGER.address })).payload);
    pass(LATER_MS);
    const noted: string[] = [];
    const budget = {
      isBlocked: async () => false,
      note: async (payer: string) => void noted.push(payer),
    };
    expect(await facilitator({}, { budget }).settle(payload, evmRequirement())).toMatchObject({
      errorReason: 'invalid_exact_evm_transaction_failed',
    });
    expect(noted).toEqual([EVM_PAYER.address]);
  });

  it('once two nodes show it', async () => {
    const payload = await good();
    const behind = {
      ...world.rpc,
      call: (to: string, data: string) =>
        world.rpc.call(to, data).then(() => `0x${'0'.repeat(64)}`),
    };
    const said: SettleResponse = await facilitator({}, { witness: behind }).settle(
      payload,
      evmRequirement(),
    );
    expect(said).toMatchObject({ errorReason: 'settlement_pending' });
    expect(await facilitator({}, { witness: world.rpc }).settle(payload, evmRequirement())).toEqual(
      SUCCESS,
    );
  });
});

describe('what a settlement may cost the fee account', () => {
  const GAS = { estimateGas: async () => 80_000n };
  const atBaseFee = (baseFee: bigint): Partial<EvmRpc> => ({
    head: async (tag) => ({ ...(await world.rpc.head(tag)), baseFee }),
  });
  /** What a process hands to its node, which is away then. */
  async function handedOver(over: Partial<EvmRpc>) {
    const wires: Hex[] = [];
    const send: EvmRpc['send'] = async (wire) => {
      wires.push(hexOf(wire) as Hex);
      throw rpcFailure('away');
    };
    const { settle } = facilitator({ ...over, send }, { confirmTimeoutMs: 0 });
    const said = await settle(await good(), evmRequirement());
    expect(said).toMatchObject({ success: false, errorReason: 'settlement_pending' });
    return wires.map((wire) => parseTransaction(wire));
  }

  it.each<[string, Partial<EvmRpc>, object]>([
    [
      'is the gas and a quarter, at up to twenty base fees and the tip',
      { ...atBaseFee(1_000_000n), priorityFee: async () => 5n },
      { maxFeePerGas: 20_000_005n, maxPriorityFeePerGas: 5n },
    ],
    [
      'is at most 0.001 ETH, whatever tip the node names',
      { ...atBaseFee(1_000_000n), priorityFee: async () => 10n ** 18n },
      { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 10n },
    ],
    [
      'is at most 0.001 ETH, up to that base fee',
      { ...atBaseFee(10n ** 10n), priorityFee: async () => 5n },
      { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 5n },
    ],
  ])('%s', async (_what, over, fees) => {
    const sent = await handedOver({ ...GAS, ...over });
    expect(sent).toMatchObject([{ gas: 100_000n, ...fees }]);
  });

  it('waits while that does not suffice', async () => {
    const dear = { ...GAS, ...atBaseFee(10n ** 10n + 1n), priorityFee: async () => 5n };
    expect(await handedOver(dear)).toEqual([]);
  });

  it.each([
    ['at the limit', 400_000n, 1],
    ['above it', 400_001n, 0],
  ])(
    'is nothing where the gas has risen since it was accepted: %s',
    async (_where, later, count) => {
      const told = [80_000n, later];
      const estimateGas = async () => told.shift() ?? later;
      expect(await handedOver({ estimateGas, priorityFee: async () => 5n })).toHaveLength(count);
    },
  );
});

describe('the merchant', () => {
  const merchant = createEvmMerchant({
    network: NETWORK,
    payTo: EVM_MERCHANT,
    maxTimeoutSeconds: 60,
  });

  test('asks for what the payer signs and the facilitator takes', async () => {
    const { requirement, destination } = await merchant.requirement({
      ...{ amountAtomic: atomic(EVM_AMOUNT), description: 'a card' },
    });
    expect(requirement).toMatchObject({
      ...evmRequirement(),
      maxAmountRequired: EVM_AMOUNT.toString(),
      description: 'a card',
    });
    expect(destination).toBe(EVM_MERCHANT);
    const rail = createEvmPayer({ rpc: world.rpc, network: NETWORK });
    await rail.checkRequirement(requirement, EVM_PAYER.address);
    const order = {
      way: 'x402',
      requirement,
      amountAtomic: atomic(EVM_AMOUNT),
      signer: EVM_PAYER,
    } as const;
    const payment = await rail.sign({ ...order, tag: new Uint8Array(32).fill(0xee) });
    const payload = wrapped(rail.payload(payment));
    const facts = merchant.inspect(payload);
    expect(facts).toMatchObject({ payer: EVM_PAYER.address, payload: payload.payload });
    expect(await facilitator().settle(payload, requirement)).toMatchObject({ success: true });
    expect(await claimsOf(store).byMessage(facts.messageHash)).toMatchObject({ state: 'landed' });
  });

  test.each([{}, { transaction: 'AA==' }, { authorization: null, signature: '0x00' }])(
    'reads no payment in %j',
    (payload) => {
      expect(() => merchant.inspect(wrapped(payload))).toThrow(
        expect.objectContaining({ code: 'PAYMENT_MALFORMED' }),
      );
    },
  );
});
