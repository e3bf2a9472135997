/** Contracts on the chain that work against a shop: wallets that change their mind, and batches that look like a payment. */
import { concat, encodeFunctionData, type Hex, pad, toHex } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PaymentPayload } from '../../../src/contract/x402.ts';
import { atomic } from '../../../src/domain/money/money.ts';
import { withChecksum } from '../../../src/rails/evm/address.ts';
import { createEvmPayer } from '../../../src/rails/evm/payer.ts';
import { paymentOf } from '../../../src/rails/evm/payment.ts';
import type { EvmRpc } from '../../../src/rails/evm/rpc.ts';
import { evmSigner } from '../../../src/rails/evm/secp256k1.ts';
import { settleCall, TOPICS } from '../../../src/rails/evm/usdc.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import type { Store } from '../../../src/store/store.ts';
import {
  EVM_AMOUNT,
  EVM_FEE_ACCOUNT,
  EVM_MERCHANT,
  EVM_PAYER,
  EVM_STRANGER,
  evmRequirement,
  NETWORK,
  payloadOfAuthorization,
  secretOf,
  signedOf,
} from '../../support/evm-payment.ts';
import { evmShop, wrapped } from '../../support/evm-shop.ts';
import { type ContractCall, type EvmWorld, evmWorld } from '../../support/evm-world.ts';
import { evmAccount, WEI } from '../../support/live-evm.ts';
import { rpcFailure } from '../../support/rpc-failure.ts';
import { DOMAIN, TYPES, USDC, USDC_ABI } from '../../support/usdc.ts';

const LATER_MS = 30 * 60_000;
const LONG: Hex = `0x${'17'.repeat(97)}`;
const SIMULATION = 'invalid_exact_evm_transaction_simulation_failed';

let world: EvmWorld;
let store: Store;
let shop: ReturnType<typeof evmShop>;
beforeAll(async () => {
  world = await evmWorld();
  const { chain, clock } = world.evm;
  await chain.fund(EVM_PAYER.address, { usdcAtomic: 10_000_000_000n, wei: WEI });
  await chain.fund(EVM_FEE_ACCOUNT.address, { usdcAtomic: 0n, wei: WEI });
  clock.advance(60_000);
  shop = evmShop(world, () => store);
});
afterAll(() => world.evm.close());
beforeEach(async () => {
  store = await openSqliteStore(':memory:');
  return () => store.close();
});

const counts = async () => [await shop.received(), await shop.sent()] as const;
const settle = (payload: PaymentPayload, over?: Partial<EvmRpc>) =>
  shop.facilitator(over).settle(payload, evmRequirement());
const verify = (payload: PaymentPayload) => shop.facilitator().verify(payload, evmRequirement());

const deployed = async (code: string) => withChecksum(await world.deploy(`0x${code}`)) as Hex;

/** Returns the selector that it was called with, as a wallet does that agrees. */
const AGREES = '60003560e01c60e01b60005260206000f3';
const NO_ANSWER = '00';
/** Burns all gas that it gets. */
const LOOP = '5b600056';
/** Agrees until it is called without data, and reverts from then on. */
const FICKLE = `3615602257600054601c57${AGREES}5b60006000fd5b600160005500`;

/** A contract as a wallet (EIP-1271), and a key whose account got its code (EIP-7702); both with money. */
const WALLETS: readonly (readonly [string, (code: string) => Promise<Wallet>])[] = [
  ['a contract', contractWith],
  ['an account with delegated code', delegated],
];

interface Wallet {
  readonly address: string;
  payload(): Promise<PaymentPayload>;
}

async function contractWith(code: string): Promise<Wallet> {
  const from = await deployed(code);
  await world.evm.chain.fund(from, { usdcAtomic: EVM_AMOUNT, wei: 0n });
  const payload = async () =>
    wrapped({ authorization: await shop.authorizationNow({ from }), signature: LONG });
  return { address: from, payload };
}

let accounts = 0;
async function delegated(code: string): Promise<Wallet> {
  accounts += 1;
  return delegate(`delegating ${accounts}`, code);
}

/** Gives the account of a name code; it signs with its key all the same. */
async function delegate(name: string, code: string): Promise<Wallet> {
  const wallet = await world.evm.walletOf(name, EVM_AMOUNT);
  const { address } = wallet.account;
  const contractAddress = await deployed(code);
  const delegation = await wallet.signAuthorization({ contractAddress, executor: 'self' });
  const hash = await wallet.sendTransaction({
    authorizationList: [delegation],
    to: EVM_MERCHANT as Hex,
  });
  await wallet.waitForTransactionReceipt({ hash });
  return { address, payload: () => signedBy(name) };
}

const signedBy = async (name: string): Promise<PaymentPayload> => {
  const { address, signTypedData } = evmAccount(name);
  const authorization = await shop.authorizationNow({ from: address });
  const { value, validAfter, validBefore } = authorization;
  const numbers = {
    value: BigInt(value),
    validAfter: BigInt(validAfter),
    validBefore: BigInt(validBefore),
  };
  const message = { ...authorization, ...numbers } as never;
  const primaryType = 'TransferWithAuthorization';
  const signature = await signTypedData({ domain: DOMAIN, types: TYPES, primaryType, message });
  return wrapped({ authorization, signature });
};

const changeMind = async ({ address }: Wallet): Promise<void> => {
  const hash = await world.relay.sendTransaction({ to: address as Hex });
  await world.relay.waitForTransactionReceipt({ hash });
};

describe.each(WALLETS)('%s', (_what, open) => {
  it('pays where its code takes the signature', async () => {
    const payload = await (await open(AGREES)).payload();
    const [money] = await counts();
    expect(await verify(payload)).toMatchObject({ isValid: true });
    expect(await settle(payload)).toMatchObject({ success: true });
    expect(await shop.received()).toBe(money + EVM_AMOUNT);
  });

  it.each([
    ['takes no signature', NO_ANSWER],
    ['runs for ever', LOOP],
  ])('pays nothing, at no cost, where its code %s', async (_how, code) => {
    const payload = await (await open(code)).payload();
    const before = await counts();
    expect(await verify(payload)).toMatchObject({ invalidReason: SIMULATION });
    expect(await settle(payload)).toMatchObject({ success: false, errorReason: SIMULATION });
    expect(await counts()).toEqual(before);
  });

  it('pays nothing where its code costs too much', async () => {
    const payload = await (await open(AGREES)).payload();
    expect(await settle(payload, { estimateGas: async () => 400_001n })).toMatchObject({
      errorReason: 'invalid_exact_evm_gas_too_high',
    });
  });

  it('that changes its mind once it was verified pays nothing, at no cost', async () => {
    const wallet = await open(FICKLE);
    const payload = await wallet.payload();
    expect(await verify(payload)).toMatchObject({ isValid: true });
    await changeMind(wallet);
    const before = await counts();
    expect(await settle(payload)).toMatchObject({ success: false, errorReason: SIMULATION });
    expect(await counts()).toEqual(before);
  });

  it('that changes its mind once its payment is on the way pays nothing, for one fee', async () => {
    const wallet = await open(FICKLE);
    const payload = await wallet.payload();
    const [money, fees] = await counts();
    let isChanged = false;
    const send: EvmRpc['send'] = async (wire) => {
      if (!isChanged) await changeMind(wallet);
      isChanged = true;
      return world.rpc.send(wire);
    };
    const said = [await settle(payload, { send }), await settle(payload), await settle(payload)];
    expect(said.map(({ success, errorReason }) => [success, errorReason])).toEqual(
      said.map(() => [false, 'settlement_pending']),
    );
    world.evm.clock.advance(LATER_MS);
    expect(await settle(payload)).toMatchObject({
      errorReason: 'invalid_exact_evm_authorization_expired',
    });
    expect(await counts()).toEqual([money, fees + 1]);
  });
});

it('a key whose account gets code after its payment was verified is judged by that code', async () => {
  const name = 'plain, then delegated';
  await world.evm.walletOf(name, EVM_AMOUNT);
  const payload = await signedBy(name);
  expect(await verify(payload)).toMatchObject({ isValid: true });
  await delegate(name, NO_ANSWER);
  const before = await counts();
  expect(await settle(payload)).toMatchObject({ success: false, errorReason: SIMULATION });
  expect(await counts()).toEqual(before);
});

it.each([
  ['agrees', AGREES, 'signed'],
  ['does not agree', NO_ANSWER, 'WALLET_INVALID'],
])('a payer with code of its own signs only what that agrees to: it %s', async (how, code, end) => {
  const name = `payer that ${how}`;
  await delegate(name, code);
  const rail = createEvmPayer({ rpc: world.rpc, network: NETWORK });
  const terms = { requirement: evmRequirement(), amountAtomic: atomic(EVM_AMOUNT) };
  const signer = evmSigner(secretOf(name));
  const signed = rail.sign({ way: 'x402', ...terms, signer, tag: new Uint8Array(32).fill(1) });
  expect(
    await signed.then(
      () => 'signed',
      ({ code }) => code,
    ),
  ).toBe(end);
});

/** Logs what it is called with: three topics and a word. */
const LOGS = '6020606060003760403560203560003560206000a300';

describe('a batch that looks like the payment is none:', () => {
  const payer = evmAccount('payer');
  let logs: Hex;
  beforeAll(async () => {
    logs = await deployed(LOGS);
    const args = [await world.batchAddress(), 10n ** 12n] as const;
    const wallet = await world.evm.walletOf('payer', 0n);
    const hash = await wallet.writeContract({
      address: USDC,
      abi: USDC_ABI,
      functionName: 'approve',
      args,
    });
    await wallet.waitForTransactionReceipt({ hash });
  });

  /** To the merchant, of the amount; the payer allowed it. */
  const TRANSFER: ContractCall = [
    USDC,
    encodeFunctionData({
      ...{ abi: USDC_ABI, functionName: 'transferFrom' },
      args: [payer.address, EVM_MERCHANT as Hex, EVM_AMOUNT],
    }),
  ];
  /** The nonce is used for one unit to somebody else. */
  const spent = async (nonce: Hex): Promise<ContractCall> => {
    const other = await shop.authorizationNow({ nonce, to: EVM_STRANGER.address, value: '1' });
    const signed = signedOf((await payloadOfAuthorization(other)) as never);
    return [USDC, settleCall(signed.authorization, signed.signature) as Hex];
  };
  const canceled = async (nonce: Hex): Promise<ContractCall> => {
    const message = { authorizer: payer.address, nonce };
    const typed = { domain: DOMAIN, types: TYPES, primaryType: 'CancelAuthorization' } as const;
    const signature = await payer.signTypedData({ ...typed, message });
    const args = [payer.address, nonce, signature] as const;
    return [USDC, encodeFunctionData({ abi: USDC_ABI, functionName: 'cancelAuthorization', args })];
  };
  const logged = (...words: readonly string[]): ContractCall => [
    logs,
    concat(words.map((word) => pad(word as Hex))),
  ];

  it.each<[string, (nonces: readonly [Hex, Hex]) => Promise<readonly ContractCall[]>]>([
    [
      'two nonces that are used for less, and one transfer of the amount',
      async ([one, other]) => [await spent(one), await spent(other), TRANSFER],
    ],
    [
      'two nonces that are canceled, and one transfer right after them',
      async ([one, other]) => [await canceled(one), await canceled(other), TRANSFER],
    ],
    [
      'two canceled nonces, the event of a use by another contract, and the transfer after it',
      async ([one, other]) => [
        await canceled(one),
        await canceled(other),
        logged(TOPICS.used, payer.address, one, '0x'),
        TRANSFER,
      ],
    ],
    [
      'two nonces that are used for less, and the events of whole transfers by another contract',
      async (nonces) => {
        const calls = [];
        for (const nonce of nonces) {
          const amount = toHex(EVM_AMOUNT);
          calls.push(
            await spent(nonce),
            logged(TOPICS.transfer, payer.address, EVM_MERCHANT, amount),
          );
        }
        return calls;
      },
    ],
  ])('%s', async (_what, callsOf) => {
    const payloads = [await shop.good(), await shop.good()] as const;
    const signed = payloads.map(({ payload }) => signedOf(payload));
    const nonces = signed.map(({ authorization }) => authorization.nonce as Hex);
    // The shop has accepted both, and its node was away since.
    const away = { send: () => Promise.reject(rpcFailure('away')) };
    for (const payload of payloads) {
      await shop.facilitator(away, { confirmTimeoutMs: 0 }).settle(payload, evmRequirement());
    }
    await world.together(await callsOf([nonces[0] ?? '0x', nonces[1] ?? '0x']));
    const fees = await shop.sent();
    for (const payload of payloads) {
      expect(await settle(payload)).toMatchObject({ errorReason: 'settlement_pending' });
    }
    world.evm.clock.advance(LATER_MS);
    const rail = createEvmPayer({ rpc: world.rpc, network: NETWORK });
    for (const [at, payload] of payloads.entries()) {
      expect(await settle(payload)).toMatchObject({
        errorReason: 'invalid_exact_evm_transaction_failed',
      });
      const { authorization, signature: proof } = signed[at] ?? never();
      const fate = await rail.fate(paymentOf(NETWORK, { authorization, proof }));
      expect(fate).toMatchObject({ fate: 'unknown' });
    }
    // Their transactions were on record: each is sent once, for the nonces of the fee account have no gaps.
    expect(await shop.sent()).toBe(fees + payloads.length);
  });
});

function never(): never {
  throw new Error('as many as payloads');
}
