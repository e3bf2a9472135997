/** The payer on Base against hostile requirements, signers and nodes; each row changes one thing. */
import { concat, encodeFunctionData, type Hex, pad, toHex } from 'viem';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import type { PaymentRequirement } from '../../../src/contract/x402.ts';
import type { SignedPayment } from '../../../src/domain/journal/journal.ts';
import { atomic } from '../../../src/domain/money/money.ts';
import { typedDataOf } from '../../../src/rails/evm/authorization.ts';
import { evmNetwork } from '../../../src/rails/evm/networks.ts';
import { createEvmPayer } from '../../../src/rails/evm/payer.ts';
import type { EvmPayment } from '../../../src/rails/evm/payment.ts';
import type { EvmRpc } from '../../../src/rails/evm/rpc.ts';
import { encodeTypedData } from '../../../src/rails/evm/typed-data.ts';
import { DOMAIN_SEPARATOR_CALL, TOPICS } from '../../../src/rails/evm/usdc.ts';
import type { RequiredPayment } from '../../../src/rails/rail.ts';
import { openPayerRail } from '../../../src/rails/registry.ts';
import {
  EVM_AMOUNT,
  EVM_MERCHANT,
  EVM_PAYER,
  EVM_STRANGER,
  evmRequirement,
  NETWORK,
  signedOf,
} from '../../support/evm-payment.ts';
import { type EvmWorld, evmWorld } from '../../support/evm-world.ts';
import { rpcFailure } from '../../support/rpc-failure.ts';
import { USDC, USDC_ABI } from '../../support/usdc.ts';

const AMOUNT = atomic(EVM_AMOUNT);
const tagOf = (number: number) =>
  Uint8Array.from([...new Uint8Array(30), number >> 8, number % 256]);

/** Fails each call: what is refused here was refused without a node. */
const AWAY = new Proxy({} as EvmRpc, {
  get: () => () => Promise.reject(rpcFailure('no node')),
});

const orderOf = (more: Partial<RequiredPayment> = {}): RequiredPayment => ({
  ...{ requirement: evmRequirement(), amountAtomic: AMOUNT, signer: EVM_PAYER, tag: tagOf(1) },
  ...more,
  way: 'x402',
});

describe('a requirement is refused when', () => {
  const { extra } = evmRequirement();
  test.each<[string, object, RegExp]>([
    ['the scheme is another', { scheme: 'upto' }, /scheme upto/],
    ['the chain is another', { network: 'eip155:1' }, /eip155:1/],
    ['the chain is the test network', { network: 'eip155:84532' }, /eip155:84532/],
    ['the token is another', { asset: EVM_MERCHANT }, /not USDC/],
    [
      'the token has a wrong checksum',
      { asset: NETWORK.asset.replace('eDb6', 'EDb6') },
      /not USDC/,
    ],
    ['the domain has another name', { extra: { ...extra, name: 'USDC' } }, /another name/],
    ['the domain has another version', { extra: { ...extra, version: '1' } }, /another version/],
    ['it has no domain', { extra: undefined }, /another name/],
    ['it asks for Permit2', { extra: { ...extra, assetTransferMethod: 'permit2' } }, /permit2/],
    ['it pays the payer', { payTo: EVM_PAYER.address }, /pays the paying wallet itself/],
    [
      'it pays the payer in lower case',
      { payTo: EVM_PAYER.address.toLowerCase() },
      /wallet itself/,
    ],
    ['it pays nobody', { payTo: `0x${'0'.repeat(40)}` }, /zero address/],
    ['it pays the token', { payTo: NETWORK.asset.toLowerCase() }, /token itself/],
    ['payTo is no address', { payTo: 'FzU4' }, /not an address/],
    ['payTo has a wrong checksum', { payTo: EVM_MERCHANT.replace('a', 'A') }, /not an address/],
    ['its amounts differ', { maxAmountRequired: '1' }, /two amounts/],
    ['it has no amount', { amount: undefined }, /no amount/],
    ...['-5', '+5', '0x5', ' 5', '5.0', '1e3', '', '05'].map((amount): [string, object, RegExp] => [
      `its amount is written "${amount}"`,
      { amount },
      /not an amount/,
    ]),
  ])('%s', async (_name, change, reason) => {
    const requirement = { ...evmRequirement(), ...change } as PaymentRequirement;
    const refusal = { code: 'REQUIREMENT_UNACCEPTABLE', message: expect.stringMatching(reason) };
    const rail = createEvmPayer({ rpc: AWAY, network: NETWORK });
    await expect(rail.sign(orderOf({ requirement }))).rejects.toMatchObject(refusal);
    await expect(rail.checkRequirement(requirement, EVM_PAYER.address)).rejects.toMatchObject(
      refusal,
    );
  });

  test('the amount is more than agreed', async () => {
    const requirement = evmRequirement(EVM_AMOUNT + 1n);
    const rail = createEvmPayer({ rpc: AWAY, network: NETWORK });
    await expect(rail.sign(orderOf({ requirement }))).rejects.toMatchObject({
      code: 'REQUIREMENT_UNACCEPTABLE',
      message: expect.stringMatching(/asks for 25.500001 USDC, not 25.50 USDC/),
    });
  });

  test('each of these checks is shown by itself', () => {
    const rail = createEvmPayer({ rpc: AWAY, network: NETWORK });
    const extra = { name: 'USDC', version: '2', assetTransferMethod: 'eip3009' };
    const requirement = { ...evmRequirement(), extra };
    expect(rail.requirementChecks(requirement, undefined)).toMatchObject([
      { check: 'name', state: 'fail' },
      { check: 'version', state: 'pass' },
      { check: 'assetTransferMethod', state: 'pass' },
    ]);
  });
});

describe('on a chain', () => {
  let world: EvmWorld;
  beforeAll(async () => {
    world = await evmWorld();
    await world.evm.chain.fund(EVM_PAYER.address, { usdcAtomic: 1_000_000_000n, wei: 0n });
    world.evm.clock.advance(60_000);
  });
  afterAll(() => world.evm.close());

  const railBy = (over: Partial<EvmRpc> = {}, witness?: Partial<EvmRpc>) =>
    createEvmPayer({
      rpc: { ...world.rpc, ...over },
      witness: witness && { ...world.rpc, ...witness },
      network: NETWORK,
    });
  let tags = 10;
  const signed = async (more: Partial<RequiredPayment> = {}): Promise<EvmPayment> => {
    tags += 1;
    const payment: SignedPayment = await railBy().sign(orderOf({ tag: tagOf(tags), ...more }));
    return payment as EvmPayment;
  };
  const settle = (payment: SignedPayment) => world.settle(railBy().payload(payment));
  const pass = (ms: number) => world.evm.clock.advance(ms);

  describe('nothing is signed', () => {
    test.each<[string, () => Partial<EvmRpc>, string]>([
      [
        'for a contract with another domain',
        () => ({
          call: async (to, data, at) =>
            data === DOMAIN_SEPARATOR_CALL ? `0x${'1'.repeat(64)}` : world.rpc.call(to, data, at),
        }),
        'REQUIREMENT_UNACCEPTABLE',
      ],
      [
        'with a node that shows no contract',
        () => ({ call: async () => '0x' }),
        'REQUIREMENT_UNACCEPTABLE',
      ],
      [
        'with a node that is away',
        () => ({ head: () => Promise.reject(rpcFailure('away')) }),
        'CHAIN_UNREACHABLE',
      ],
      [
        'for an account whose code does not take the signature',
        () => ({ code: async () => '0xef0100' }),
        'WALLET_INVALID',
      ],
    ])('%s', async (_what, over, code) => {
      await expect(railBy(over()).sign(orderOf())).rejects.toMatchObject({ code });
    });

    test('by a signer with another key', async () => {
      const signer = { address: EVM_PAYER.address, sign: EVM_STRANGER.sign };
      await expect(railBy().sign(orderOf({ signer }))).rejects.toMatchObject({
        code: 'WALLET_INVALID',
      });
    });

    test('with a nonce that was used', async () => {
      const payment = await signed();
      await settle(payment);
      const again = railBy().sign(orderOf({ tag: tagOf(tags) }));
      await expect(again).rejects.toMatchObject({
        code: 'CHAIN_UNREACHABLE',
        message: expect.stringContaining('same nonce'),
      });
    });

    test('that the wallet would have to send itself', async () => {
      const rail = railBy();
      const direct = {
        ...orderOf(),
        way: 'direct',
        asset: rail.usdc,
        payTo: EVM_MERCHANT,
      } as const;
      const refused = { code: 'REQUIREMENT_UNACCEPTABLE' };
      await expect(rail.sign({ ...direct, mayOpenAccount: false })).rejects.toMatchObject(refused);
      await expect(rail.send(await signed())).rejects.toMatchObject(refused);
      expect(rail.asset({ coin: 'USDC', network: 'Base' })).toBeUndefined();
    });
  });

  test('the signer reads the text that it signs, with the tag as its nonce', async () => {
    const texts: string[] = [];
    const sign = (message: Uint8Array) => {
      texts.push(Buffer.from(message).toString());
      return EVM_PAYER.sign(message);
    };
    const payment = await signed({ signer: { ...EVM_PAYER, sign } });
    const { authorization } = payment;
    expect(texts).toEqual([
      Buffer.from(encodeTypedData(typedDataOf(NETWORK, authorization))).toString(),
    ]);
    expect(authorization).toMatchObject({
      ...{ from: EVM_PAYER.address, to: EVM_MERCHANT, value: EVM_AMOUNT.toString() },
      nonce: `0x${Buffer.from(tagOf(tags)).toString('hex')}`,
    });
  });

  test.each([
    ['as the merchant asks', 60, 60],
    ['at most 300 s', 32 * 365 * 86_400, 300],
    ['300 s without a word', undefined, 300],
  ])('an authorization is valid %s', async (_how, maxTimeoutSeconds, seconds) => {
    const { time } = await world.rpc.head('latest');
    const requirement = { ...evmRequirement(), maxTimeoutSeconds };
    const { authorization } = await signed({ requirement });
    expect(Number(authorization.validBefore) - time).toBe(seconds);
    expect(Number(authorization.validAfter)).toBeLessThan(time);
  });

  describe('the fate of a payment', () => {
    const LATER = 30 * 60_000;
    const told = (how: string) => ({ fate: 'unknown', reason: expect.stringContaining(how) });

    test('that was executed and failed is open: another may settle it', async () => {
      const payment = await signed();
      const { authorization, signature } = signedOf(railBy().payload(payment));
      // Too little gas: the transaction is mined and fails.
      const { settleCall } = await import('../../../src/rails/evm/usdc.ts');
      const data = settleCall(authorization, signature) as `0x${string}`;
      await world.relay.sendTransaction({ to: NETWORK.asset as `0x${string}`, data, gas: 60_000n });
      pass(20_000);
      expect(await railBy().fate(payment)).toEqual({ fate: 'pending' });
      expect(await railBy().transactionOf(payment)).toBeUndefined();
      const transaction = await settle(payment);
      pass(LATER);
      expect(await railBy().fate(payment)).toMatchObject({ fate: 'landed', transaction });
    });

    test('that landed is never dead by a node that keeps the newest state alone', async () => {
      const rail = railBy({
        call: async (to, data, at) => {
          const { hash } = await world.rpc.head('latest');
          if (typeof at === 'object' && at.blockHash !== hash) {
            throw rpcFailure('missing trie node', -32_000);
          }
          return world.rpc.call(to, data, at);
        },
      });
      const payment = await signed();
      await settle(payment);
      expect(await rail.fate(payment)).toEqual({ fate: 'pending' });
      pass(LATER);
      expect(await rail.fate(payment)).toMatchObject({ fate: 'landed' });
    });

    test('whose nonce another payment used is unknown', async () => {
      const one = await signed();
      const requirement = { ...evmRequirement(), payTo: EVM_STRANGER.address };
      const other = await railBy().sign(orderOf({ tag: tagOf(tags), requirement }));
      await settle(other);
      pass(LATER);
      const takenBy = await railBy().transactionOf(other);
      expect(await railBy().fate(one)).toMatchObject({ ...told('another transfer'), takenBy });
      expect(await railBy().fate(other)).toMatchObject({ fate: 'landed' });
      expect(await railBy().transactionOf(one)).toBeUndefined();
    });

    test('is open again when its block is replaced', async () => {
      const payment = await signed();
      await settle(payment);
      expect(await railBy().transactionOf(payment)).toEqual(expect.any(String));
      await world.evm.chain.reorganize({ depth: 2, isLost: true });
      expect(await railBy().transactionOf(payment)).toBeUndefined();
      expect(await railBy().fate(payment)).toEqual({ fate: 'pending' });
      await settle(payment);
      pass(LATER);
      expect(await railBy().fate(payment)).toMatchObject({ fate: 'landed' });
    });

    describe('that landed is not landed', () => {
      let payment: EvmPayment;
      beforeAll(async () => {
        payment = await signed();
        await settle(payment);
        pass(LATER);
      });
      const changed =
        (change: (logs: Awaited<ReturnType<EvmRpc['logs']>>) => object): EvmRpc['receipt'] =>
        async (id) => {
          const receipt = await world.rpc.receipt(id);
          return receipt && { ...receipt, ...change(receipt.logs) };
        };
      const transferOf = (change: object) =>
        changed((logs) => ({
          logs: logs.map((log) =>
            log.topics[0] === TOPICS.transfer ? { ...log, ...change } : log,
          ),
        }));

      it.each<[string, () => Partial<EvmRpc>]>([
        ['where the transaction failed', () => ({ receipt: changed(() => ({ isDone: false })) })],
        ['without a receipt', () => ({ receipt: async () => null })],
        [
          'without the transfer',
          () => ({ receipt: changed((logs) => ({ logs: logs.slice(0, 1) })) }),
        ],
        ['with the transfer elsewhere', () => ({ receipt: transferOf({ index: 7 }) })],
        [
          'with another log between',
          () => ({ receipt: changed((logs) => ({ logs: logs.flatMap((log) => [log, log]) })) }),
        ],
        [
          'with the transfer of another token',
          () => ({ receipt: transferOf({ address: EVM_MERCHANT }) }),
        ],
        [
          'with a transfer of less',
          () => ({ receipt: transferOf({ data: `0x${'1'.padStart(64, '0')}` }) }),
        ],
        [
          'with a transfer to somebody else',
          () => ({
            receipt: changed((logs) => ({
              logs: logs.map((log) => ({
                ...log,
                topics: log.topics.map((one, at) =>
                  at === 2 && log.topics[0] === TOPICS.transfer ? (log.topics[1] ?? one) : one,
                ),
              })),
            })),
          }),
        ],
        ['by a node without logs', () => ({ logs: async () => [] })],
        [
          'by a node that gives other people’s logs',
          () => ({
            logs: async (filter, range) =>
              (await world.rpc.logs(filter, range)).map((log) => ({
                ...log,
                address: EVM_MERCHANT,
              })),
          }),
        ],
      ])('%s', async (_how, over) => {
        expect(await railBy().fate(payment)).toMatchObject({ fate: 'landed' });
        expect(await railBy(over()).fate(payment)).toMatchObject({ fate: 'unknown' });
      });
    });

    describe('that is dead is not dead', () => {
      let payment: EvmPayment;
      beforeAll(async () => {
        payment = await signed();
        pass(LATER);
      });
      const refusing =
        (tag: unknown): EvmRpc['call'] =>
        (to, data, at) =>
          typeof at === 'object' && tag !== at.blockHash
            ? Promise.reject(rpcFailure('missing trie node', -32_000))
            : world.rpc.call(to, data, at);

      it.each<[string, () => Partial<EvmRpc>, object]>([
        ['by a node of another chain', () => ({ chainId: async () => 1 }), told('another chain')],
        ['by a node without the contract', () => ({ call: async () => '0x' }), told('nonce')],
        [
          'by a node that answers anything',
          () => ({ call: async () => `0x${'f'.repeat(64)}` }),
          told('nonce'),
        ],
        [
          'by a node that is away',
          () => ({ head: () => Promise.reject(rpcFailure('away')) }),
          told('away'),
        ],
        [
          'where the state cannot be read',
          () => ({ call: refusing('none') }),
          told('missing trie node'),
        ],
        [
          'before the finalized block is past it',
          () => ({
            head: async (tag) => {
              const block = await world.rpc.head(tag);
              const time = Number(payment.authorization.validBefore) - 1;
              return tag === 'finalized' ? { ...block, time } : block;
            },
          }),
          { fate: 'pending' },
        ],
      ])('%s', async (_how, over, fate) => {
        expect(await railBy().fate(payment)).toMatchObject({ fate: 'dead' });
        expect(await railBy(over()).fate(payment)).toMatchObject(fate);
      });

      it('and a second node must prove it too', async () => {
        expect(await railBy({}, {}).fate(payment)).toMatchObject({
          ...{ fate: 'dead', proof: expect.stringContaining('by a second RPC') },
        });
        expect(await railBy({}, { chainId: async () => 1 }).fate(payment)).toMatchObject(
          told('second RPC'),
        );
      });

      it('and is not proven by the state of a node that is behind', async () => {
        const final = await world.rpc.head('finalized');
        const before = await world.rpc.head('latest');
        const behind = { ...before, number: final.number - 1 };
        const rail = railBy({
          call: refusing(behind.hash),
          head: async (tag) => (tag === 'latest' ? behind : final),
        });
        expect(await rail.fate(payment)).toMatchObject(told('different blocks'));
        const other = railBy({ call: refusing(before.hash), block: async () => null });
        expect(await other.fate(payment)).toMatchObject(told('different blocks'));
      });

      it('is dead from the very second of its end, in a block of the chain itself', async () => {
        const asked: unknown[] = [];
        const rail = railBy({
          head: async (tag) => ({
            ...(await world.rpc.head(tag)),
            time: Number(payment.authorization.validBefore),
          }),
          call: (to, data, at) => {
            asked.push(at);
            return world.rpc.call(to, data, at);
          },
        });
        expect(await rail.fate(payment)).toMatchObject({ fate: 'dead' });
        expect(asked).toEqual([{ blockHash: expect.any(String), requireCanonical: true }]);
      });

      it('is proven by a later state where the node keeps few', async () => {
        const latest = await world.rpc.head('latest');
        const rail = railBy({ call: refusing(latest.hash) });
        expect(await rail.fate(payment)).toMatchObject({ fate: 'dead' });
      });
    });

    test('of a record that lacks a part is a rejected promise, which a run goes on from', async () => {
      const { domain: _none, ...record } = await signed();
      await expect(railBy().fate(record)).rejects.toMatchObject({ code: 'JOURNAL_UNUSABLE' });
    });
  });

  describe('a signed payment says nothing when it is', () => {
    test.each<[string, (payment: EvmPayment) => object]>([
      [
        'of another amount',
        ({ authorization }) => ({ authorization: { ...authorization, value: '1' } }),
      ],
      ['of another nonce', () => ({ signature: `0x${'00'.repeat(32)}` })],
      ['of another signature', () => ({ proof: `0x${'11'.repeat(65)}` })],
      ['of another domain', ({ domain }) => ({ domain: { ...domain, chainId: 1 } })],
      ['without an authorization', () => ({ authorization: undefined })],
    ])('%s', async (_what, change) => {
      const payment = await signed();
      const horizon = await railBy().horizon();
      expect(horizon.recover(payment)).toMatchObject({ amountAtomic: AMOUNT, payTo: EVM_MERCHANT });
      expect(horizon.recover({ ...payment, ...change(payment) })).toBeUndefined();
    });
  });

  describe('the history', () => {
    const query = { known: new Set<string>(), mostReads: 1_000, isTip: true };
    const own = (over: Partial<EvmRpc> = {}, more: object = {}) =>
      railBy(over).ownPayments(EVM_PAYER.address, { ...query, ...more });

    it('is read in parts where the node searches few blocks', async () => {
      const payment = await signed();
      const transactionId = await settle(payment);
      let calls = 0;
      const logs: EvmRpc['logs'] = async (filter, range) => {
        calls += 1;
        if (range.to - range.from >= 1_000) throw rpcFailure('range too large', -32_005);
        return world.rpc.logs(filter, range);
      };
      const found = await own({ logs });
      expect(found).toMatchObject({ isWhole: true });
      expect(found.payments[0]).toMatchObject({ transactionId });
      expect(calls).toBeGreaterThan(1);
    });

    it('has a payment without its signature where the node does not show the call', async () => {
      const payment = await signed();
      await settle(payment);
      const { payments } = await own({ input: async () => undefined });
      expect(payments[0]).toMatchObject({ amountAtomic: AMOUNT, payTo: EVM_MERCHANT });
      expect(payments[0]?.carries(tagOf(tags))).toBe(true);
      const shown = payments[0]?.signed ?? payment;
      expect(shown.messageHash).not.toBe(payment.messageHash);
      pass(60_000);
      expect(await railBy().fate(shown)).toMatchObject({ fate: 'landed' });
    });

    it('has such a payment open again when its block is replaced, as long as it may be valid', async () => {
      const payment = await signed();
      await settle(payment);
      const [found] = (await own({ input: async () => undefined })).payments;
      await world.evm.chain.reorganize({ depth: 2, isLost: true });
      pass(10_000);
      // Of a chain that is final at once.
      const soon = railBy({ head: () => world.rpc.head('latest') });
      expect(await soon.fate(found?.signed ?? payment)).toEqual({ fate: 'pending' });
      const transaction = await settle(payment);
      pass(10_000);
      expect(await soon.fate(found?.signed ?? payment)).toMatchObject({ transaction });
    });

    it.each<[string, Partial<EvmRpc>, object]>([
      ['without a payment that this machine saw', {}, { expected: new Set(['0xmissing']) }],
      ['where there is more than is read', {}, { mostReads: 0 }],
      ['of a node that begins later', { block: async () => null }, { sinceMs: 0 }],
    ])('is not whole %s', async (_how, over, more) => {
      expect(await own(over, more)).toMatchObject({ isWhole: false, gap: expect.anything() });
    });

    it('is not searched where no payment can have the tags', async () => {
      const logs = () => Promise.reject(rpcFailure('too much', -32_005));
      const tags = [tagOf(60_001), tagOf(60_002)];
      expect(await own({ logs }, { tags })).toEqual({ payments: [], isWhole: true });
    });

    it('is the payment with one of the tags, searched for from the end', async () => {
      const payment = await signed();
      const transactionId = await settle(payment);
      await settle(await signed());
      const asked: number[] = [];
      const logs: EvmRpc['logs'] = async (filter, range) => {
        asked.push(range.to - range.from);
        if (range.to - range.from >= 100) throw rpcFailure('range too large', -32_005);
        return world.rpc.logs(filter, range);
      };
      const tagged = { tags: [tagOf(60_001), tagOf(tags - 1)] };
      const found = await own({ logs }, tagged);
      expect(found).toMatchObject({ isWhole: true, payments: [{ transactionId }] });
      expect(asked.length).toBeLessThan(60);
      expect(await own({ logs: async () => [] }, tagged)).toMatchObject({ isWhole: false });
    });

    it('goes on after the newest final payment', async () => {
      pass(60_000);
      const { newest } = await own();
      expect(newest).toEqual(expect.any(String));
      const payment = await signed();
      const transactionId = await settle(payment);
      const { payments } = await own({}, { until: newest });
      expect(payments.map((one) => one.transactionId)).toContain(transactionId);
      expect(payments.length).toBeLessThan(3);
    });

    describe('has each of two payments that landed in one transaction', () => {
      let one: EvmPayment;
      let other: EvmPayment;
      let known: ReadonlySet<string>;
      const hashesOf = (found: Awaited<ReturnType<typeof own>>) =>
        found.payments.map(({ signed: { messageHash } }) => messageHash).slice(0, 2);
      beforeAll(async () => {
        [one, other] = [await signed(), await signed()];
        const payloads = [one, other].map((payment) => railBy().payload(payment));
        known = new Set([await world.settleTogether(payloads)]);
      });

      it('with one node and with two', async () => {
        const both = [other.messageHash, one.messageHash];
        expect(hashesOf(await own())).toEqual(both);
        expect(hashesOf(await railBy({}, {}).ownPayments(EVM_PAYER.address, query))).toEqual(both);
      });

      it('although this machine knows one of them', async () => {
        expect(hashesOf(await own({}, { known })).toSorted()).toEqual(
          [one.messageHash, other.messageHash].toSorted(),
        );
        for (const [payment, tag] of [[one, tags - 1] as const, [other, tags] as const]) {
          const tagged = await own({}, { known, tags: [tagOf(tag)] });
          expect(hashesOf(tagged)).toEqual([payment.messageHash]);
        }
      });
    });
  });

  describe('what left the wallet', () => {
    const since = async () => ({ sinceMs: (await world.rpc.head('latest')).time * 1_000 });
    /** By the wallet's own transaction: anyone may then take so much. */
    const allow = async (value: bigint) => {
      const wallet = await world.evm.walletOf('payer', 0n);
      const args = [await world.batchAddress(), value] as const;
      const call = { address: USDC, abi: USDC_ABI, functionName: 'approve', args } as const;
      await wallet.waitForTransactionReceipt({ hash: await wallet.writeContract(call) });
    };
    const nothing = { nowMs: Number.MAX_SAFE_INTEGER, known: new Set<string>() };
    it('is unknown by a node that lacks what this machine saw', async () => {
      const span = { ...(await since()), ...nothing, expected: new Set(['0xmissing']) };
      await expect(railBy().outflows(EVM_PAYER.address, span)).rejects.toMatchObject({
        code: 'SPENDING_UNKNOWN',
      });
    });

    it('counts once, with what came back', async () => {
      pass(10_000);
      const span = { ...(await since()), ...nothing };
      const payment = await signed();
      const transactionId = await settle(payment);
      const seen = await railBy({}, {}).outflows(EVM_PAYER.address, span);
      expect(seen).toMatchObject([
        { transactionId, amountAtomic: AMOUNT, signatures: [payment.signature] },
      ]);
    });

    it('counts each of two payments of one transaction, and what else that took', async () => {
      pass(10_000);
      const span = { ...(await since()), ...nothing };
      const payments = [await signed(), await signed()];
      const calls = payments.map((payment) => world.callOf(railBy().payload(payment)));
      const taken = encodeFunctionData({
        ...{ abi: USDC_ABI, functionName: 'transferFrom' },
        args: [EVM_PAYER.address as Hex, EVM_MERCHANT as Hex, 7n],
      });
      await allow(7n);
      const transactionId = await world.together([...calls, [USDC, taken]]);
      const known = new Set([transactionId]);
      for (const more of [{}, { known }]) {
        const seen = await railBy({}, {}).outflows(EVM_PAYER.address, { ...span, ...more });
        expect(seen).toMatchObject([
          ...payments.map(({ signature }) => ({ signatures: [signature], amountAtomic: AMOUNT })),
          { transactionId, signatures: [], amountAtomic: 7n },
        ]);
      }
    });

    it('is unknown by a node that begins later', async () => {
      const span = { ...nothing, sinceMs: 0 };
      const refused = railBy({ block: async () => null }).outflows(EVM_PAYER.address, span);
      await expect(refused).rejects.toMatchObject({ code: 'SPENDING_UNKNOWN' });
    });

    it('did not come in where another contract, or an approval, says so', async () => {
      /** Logs what it is called with: three topics and a word. */
      const logs = await world.deploy('0x6020606060003760403560203560003560206000a300');
      const words = [TOPICS.transfer, EVM_PAYER.address, EVM_MERCHANT, toHex(EVM_AMOUNT)];
      const forged = concat(words.map((word) => pad(word as Hex)));
      const approval = encodeFunctionData({
        ...{ abi: USDC_ABI, functionName: 'approve' },
        args: [EVM_MERCHANT as Hex, EVM_AMOUNT],
      });
      const transactionId = await world.together([
        [logs, forged],
        [USDC, approval],
      ]);
      expect(await world.rpc.receipt(transactionId)).toMatchObject({ logs: [{}, {}] });
      expect(await railBy().received(transactionId, EVM_MERCHANT)).toMatchObject({
        amountAtomic: 0n,
      });
    });

    it('came in elsewhere', async () => {
      const transactionId = await settle(await signed());
      const received = (over: Partial<EvmRpc>, owner: string) =>
        railBy({}, over).received(transactionId, owner);
      expect(await received({}, EVM_MERCHANT)).toEqual({ amountAtomic: AMOUNT, isFinal: false });
      expect(await received({}, EVM_PAYER.address)).toMatchObject({ amountAtomic: 0n });
      expect(await received({ receipt: async () => null }, EVM_MERCHANT)).toBeUndefined();
      pass(60_000);
      expect(await received({}, EVM_MERCHANT)).toMatchObject({ isFinal: true });
    });
  });

  test('health names the node that is away, of another chain, or without USDC', async () => {
    const { nodes, timeMs } = await railBy(
      { chainId: async () => 1 },
      { call: async () => '0x' },
    ).health();
    expect(nodes).toMatchObject([
      { problem: null, isNetwork: false, hasAsset: true },
      { problem: null, isNetwork: true, hasAsset: false },
    ]);
    expect(timeMs).toBe((await world.rpc.head('latest')).time * 1_000);
    const away = await railBy({ chainId: () => Promise.reject(rpcFailure('away')) }).health();
    expect(away).toMatchObject({ timeMs: null, nodes: [{ problem: expect.anything() }] });
  });

  test('the registry opens it, and the test network beside it', async () => {
    const parts = {
      url: world.evm.url,
      witnessUrl: world.evm.url,
      fetch,
      clock: world.evm.clock,
    };
    const rail = await openPayerRail('eip155:8453', parts);
    expect(await rail.balances(EVM_MERCHANT)).toMatchObject({ coinAtomic: 0n });
    const { usdc } = await openPayerRail('eip155:84532', parts);
    expect(usdc.asset).toBe(evmNetwork('eip155:84532')?.asset);
  });
});
