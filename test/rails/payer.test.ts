import { describe, expect, test } from 'vitest';
import { type PaymentRequirement, SOLANA_MAINNET, USDC_MINT } from '../../src/contract/x402.ts';
import { Message } from '../../src/domain/message/message.ts';
import { atomic } from '../../src/domain/money/money.ts';
import {
  associatedTokenAddress,
  decodeBase58,
  encodeBase58,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '../../src/rails/solana/address.ts';
import { verifySignature } from '../../src/rails/solana/ed25519.ts';
import { decodePayment, decodeTransaction } from '../../src/rails/solana/message.ts';
import { createSolanaPayer } from '../../src/rails/solana/payer.ts';
import type { AccountInfo } from '../../src/rails/solana/rpc-answers.ts';
import type { SolanaPayment } from '../../src/rails/solana/seal.ts';
import { type FakeNode, fakeNode, type NodeState, tokenAccount } from '../support/fake-rpc.ts';
import { tagOf } from '../support/rails.ts';
import {
  AMOUNT,
  BLOCKHASH,
  DESTINATION,
  FEE_PAYER,
  MERCHANT,
  PAYER,
  payerSigned,
  REQUIREMENT,
  SOURCE,
  STRANGER,
} from '../support/solana-payment.ts';

const OTHER_MINT = 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB';

function funded(more: Partial<NodeState> = {}): FakeNode {
  const accounts = new Map([
    [SOURCE, tokenAccount(PAYER.address, 100_000_000n)],
    [DESTINATION, tokenAccount(MERCHANT.address, 0n)],
  ]);
  return fakeNode({ blockhash: BLOCKHASH, accounts, ...more });
}

const payerOf = (node: FakeNode) =>
  createSolanaPayer({ rpc: node.rpc, network: SOLANA_MAINNET, mint: USDC_MINT });

const signOn = (node: FakeNode, nonce = 0, more: object = {}): Promise<SolanaPayment> =>
  payerOf(node).sign({
    ...{ way: 'x402', requirement: REQUIREMENT, amountAtomic: atomic(AMOUNT), signer: PAYER },
    ...{ tag: tagOf(nonce), ...more },
  });

describe('a requirement is refused when', () => {
  const extra = (feePayer: string | undefined) => ({
    extra: feePayer === undefined ? {} : { feePayer },
  });
  const memo = (text: string) => ({ extra: { feePayer: FEE_PAYER.address, memo: text } });
  test.each<[string, object, RegExp]>([
    ['the scheme is another', { scheme: 'upto' }, /scheme upto/],
    ['the network is another', { network: 'solana:devnet' }, /solana:devnet/],
    ['the token is another', { asset: OTHER_MINT }, /not USDC/],
    ['it pays the payer', { payTo: PAYER.address }, /pays the paying wallet itself/],
    ['payTo is no address', { payTo: '1111' }, /not an address/],
    ['no fee payer is named', extra(undefined), /no fee payer/],
    ['the payer pays the fee', extra(PAYER.address), /pay the network fee/],
    ['the fee payer cannot sign', extra(DESTINATION), /cannot sign/],
    ['the fee payer is no address', extra('1111'), /cannot sign/],
    ['its amounts differ', { maxAmountRequired: '1' }, /two amounts/],
    ['it has no amount', { amount: undefined, maxAmountRequired: undefined }, /no amount/],
    ['it asks for nothing', { amount: '0', maxAmountRequired: '0' }, /amount of 0/],
    ['its memo is too long', memo('x'.repeat(257)), /at most 256/],
    ['its memo is not plain', memo('é'), /plain ASCII/],
    ['its memo has control characters', memo('a\u001b[2J'), /plain ASCII/],
    ...['-5', '+5', '0x5', ' 5', '5.0', '1e3', '', '18446744073709551616', '05'].map(
      (amount): [string, object, RegExp] => [
        `its amount is written "${amount}"`,
        { amount, maxAmountRequired: amount },
        /not an amount/,
      ],
    ),
  ])('%s', async (_name, change, reason) => {
    const requirement = { ...REQUIREMENT, ...change } as PaymentRequirement;
    const refusal = { code: 'REQUIREMENT_UNACCEPTABLE', message: expect.stringMatching(reason) };
    const node = funded();
    await expect(payerOf(node).checkRequirement(requirement, PAYER.address)).rejects.toMatchObject(
      refusal,
    );
    await expect(signOn(node, 0, { requirement })).rejects.toMatchObject(refusal);
    expect(node.calls).toEqual([]);
  });

  test.each(['order-1', '', 'x'.repeat(256)])('and is paid with the memo "%s"', async (text) => {
    const requirement = { ...REQUIREMENT, ...memo(text) };
    expect((await signOn(funded(), 0, { requirement })).payer).toBe(PAYER.address);
  });
});

describe('the chain decides that payTo', () => {
  const merchant = MERCHANT.address;
  const account = (owner: string, isExecutable = false): AccountInfo => ({
    lamports: 1n,
    owner,
    data: new Uint8Array(165),
    isExecutable,
  });
  const check = (accounts: Iterable<readonly [string, AccountInfo]>) =>
    payerOf(funded({ accounts: new Map(accounts) })).checkRequirement(REQUIREMENT, PAYER.address);
  const own = (over = {}, of = merchant) => [DESTINATION, tokenAccount(of, 0n, over)] as const;
  const destination = own();

  test('may be an owner without an account of its own', async () => {
    await expect(check([destination])).resolves.toBeUndefined();
  });

  test('may be an ordinary account', async () => {
    await expect(
      check([destination, [merchant, account(SYSTEM_PROGRAM)]]),
    ).resolves.toBeUndefined();
  });

  const NO_WALLET = /token account, not a wallet/;
  test.each<[string, readonly (readonly [string, AccountInfo])[], RegExp]>([
    ['is a token account', [destination, [merchant, account(TOKEN_PROGRAM)]], NO_WALLET],
    ['is a Token-2022 account', [destination, [merchant, account(TOKEN_2022_PROGRAM)]], NO_WALLET],
    ['is a program', [destination, [merchant, account(SYSTEM_PROGRAM, true)]], /is a program/],
    ['has no USDC account', [], /no USDC account/],
    [
      'has one that is no token account',
      [[DESTINATION, account(SYSTEM_PROGRAM)]],
      /no USDC account/,
    ],
    ['has given its account away', [own({}, STRANGER.address)], /another owner/],
    ['has an account of another token', [own({ mint: OTHER_MINT })], /another owner/],
    ['has a frozen account', [own({ isFrozen: true })], /frozen/],
  ])('%s', async (_name, accounts, reason) => {
    await expect(check(accounts)).rejects.toMatchObject({
      code: 'REQUIREMENT_UNACCEPTABLE',
      message: expect.stringMatching(reason),
    });
  });

  test('cannot be known when the node is away', async () => {
    const node = funded({ down: new Set(['accountInfo']) });
    await expect(payerOf(node).checkRequirement(REQUIREMENT, PAYER.address)).rejects.toMatchObject({
      code: 'CHAIN_UNREACHABLE',
    });
  });
});

describe('signing', () => {
  test('gives a payment that the payer alone has signed', async () => {
    const payment = await signOn(funded());
    const decoded = decodePayment(payment.transaction);
    expect(decoded.messageHash).toBe(payment.messageHash);
    expect(decoded.signatures[0]).toEqual(new Uint8Array(64));
    const signature = decodeBase58(payment.signature);
    expect(decoded.signatures[1]).toEqual(signature);
    expect(verifySignature(PAYER.address, decoded.message, signature)).toBe(true);
    expect(payment).toMatchObject({ payer: PAYER.address, blockhash: BLOCKHASH });
  });

  test('takes its baseline before its blockhash', async () => {
    const node = funded({
      history: [{ signature: 'newest', slot: 4_990, error: null, isFinal: true }],
    });
    const payment = await signOn(node);
    expect(payment.baseline).toEqual({ sourceAccount: SOURCE, signature: 'newest', slot: 5_000 });
    expect(node.calls.indexOf('signaturesForAddress')).toBeLessThan(
      node.calls.indexOf('latestBlockhash'),
    );
  });

  test('a wallet without history has an empty baseline', async () => {
    expect((await signOn(funded())).baseline.signature).toBeNull();
  });

  test.each([
    ['the node’s, when that is later', 1_300, 1_300],
    ['150 blocks past finalized, when the node says less', 1_010, 1_150],
  ])('the last valid block is %s', async (_name, lastValidBlockHeight, expected) => {
    const payment = await signOn(funded({ lastValidBlockHeight }));
    expect(payment.lastValidBlockHeight).toBe(expected);
  });

  test('two tags give two payments, one tag gives one', async () => {
    const node = funded();
    const [first, again, second] = await Promise.all([signOn(node), signOn(node), signOn(node, 1)]);
    expect(again).toEqual(first);
    expect(second.messageHash).not.toBe(first.messageHash);
  });

  test('says how much there is and how much is needed', async () => {
    const node = funded();
    node.state.accounts.set(SOURCE, tokenAccount(PAYER.address, 5_250_000n));
    await expect(signOn(node)).rejects.toMatchObject({
      code: 'FUNDS_TOO_LOW',
      message: 'The wallet holds 5.25 USDC on Solana, and the payment needs 25.50 USDC',
      details: { coin: 'USDC' },
    });
  });

  test('a wallet without a token account holds nothing', async () => {
    const node = funded();
    node.state.accounts.delete(SOURCE);
    await expect(signOn(node)).rejects.toMatchObject({
      code: 'FUNDS_TOO_LOW',
      message: expect.stringContaining('0.00 USDC'),
    });
  });

  test('signs for the amount that was agreed on and no other', async () => {
    const less = signOn(funded(), 0, { amountAtomic: atomic(AMOUNT - 1n) });
    await expect(less).rejects.toMatchObject({ code: 'REQUIREMENT_UNACCEPTABLE' });
  });

  test('finds out a signer that signs with another key', async () => {
    const signer = { address: PAYER.address, sign: STRANGER.sign };
    await expect(signOn(funded(), 0, { signer })).rejects.toMatchObject({ code: 'WALLET_INVALID' });
  });

  test('is live up to its last block', async () => {
    const node = funded();
    const payment = await signOn(node);
    node.state.blockHeight = payment.lastValidBlockHeight;
    expect(await payerOf(node).isLive(payment)).toBe(true);
    node.state.blockHeight += 1;
    expect(await payerOf(node).isLive(payment)).toBe(false);
  });
});

describe('the fate of a payment', () => {
  const HEIGHT_OF_DEATH = 1_150 + 32 + 1;
  const own = async (error: unknown = null) => ({
    slot: 5_040,
    error,
    wire: await payerSigned(),
  });
  /** The payment of `payerSigned()`, as if it had been signed by the rail. */
  async function paymentOn(node: FakeNode): Promise<SolanaPayment> {
    const decoded = decodeTransaction(await payerSigned());
    const signature = encodeBase58(decoded.signatures[1] ?? new Uint8Array());
    return { ...(await signOn(node)), messageHash: decoded.messageHash, signature };
  }
  const entry = (signature: string, slot = 5_040) => ({
    signature,
    slot,
    error: null,
    isFinal: true,
  });

  const over = (more: Partial<NodeState> = {}): Partial<NodeState> => ({
    blockHeight: HEIGHT_OF_DEATH,
    ...more,
  });
  const told = (how: string) => ({ fate: 'unknown', reason: expect.stringContaining(how) });
  const LANDED = { fate: 'landed', transaction: 'ours', slot: 5_040 };
  const ours = async (error?: unknown) => ({
    history: [entry('ours')],
    transactions: new Map([['ours', await own(error)]]),
  });
  const failure = { InstructionError: [2, { Custom: 1 }] };

  test('of a record that lacks a part is a rejected promise, which a run goes on from', async () => {
    const node = funded();
    const { baseline: _none, ...record } = await paymentOn(node);
    // Safe: what stands on the disk may be anything.
    const asked = payerOf(node).fate(record as unknown as SolanaPayment);
    await expect(asked).rejects.toMatchObject({ code: 'JOURNAL_UNUSABLE' });
  });

  test.each<[string, () => Promise<Partial<NodeState>> | Partial<NodeState>, object]>([
    ['pending while nothing is there and time is left', () => ({}), { fate: 'pending' }],
    [
      'pending up to 32 blocks past the last valid one',
      () => over({ blockHeight: HEIGHT_OF_DEATH - 1 }),
      { fate: 'pending' },
    ],
    ['dead after that', over, { fate: 'dead', proof: expect.stringContaining('1183') }],
    [
      'landed when a finalized transaction is ours, whatever its id',
      async () => {
        const other = { ...(await own()), wire: await payerSigned([]) };
        const transactions = { x: other, ours: await own(), y: other };
        return {
          history: ['x', 'ours', 'y'].map((id) => entry(id)),
          transactions: new Map(Object.entries(transactions)),
        };
      },
      LANDED,
    ],
    ['landed even after its time', async () => over(await ours()), LANDED],
    [
      'dead at once when it executed and failed',
      () => ours(failure),
      { fate: 'dead', proof: expect.stringContaining('ours was executed in slot 5040 and failed') },
    ],
    [
      'unknown when a transaction is listed and cannot be had',
      () => over({ history: [entry('gone')] }),
      told('gone'),
    ],
    [
      'unknown when a transaction holds our signature in bytes that have no meaning',
      async () => {
        const odd = { ...(await own()), wire: (await payerSigned()).subarray(0, 200) };
        return over({ history: [entry('odd')], transactions: new Map([['odd', odd]]) });
      },
      told('odd'),
    ],
    [
      'unknown when the node’s history starts after the baseline',
      () => over({ firstAvailableSlot: 5_001 }),
      told('history'),
    ],
    [
      'unknown when the node does not say where its history starts',
      () => over({ firstAvailableSlot: null }),
      told('history'),
    ],
    [
      'unknown when the node is of another chain, where every payment is absent',
      // Devnet's.
      () => over({ genesisHash: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG' }),
      told('another chain'),
    ],
    [
      'dead without a look at transactions older than the baseline',
      () => over({ history: [entry('old', 4_000)] }),
      { fate: 'dead', proof: expect.any(Message) },
    ],
  ])('is %s', async (_name, arrange, expected) => {
    const node = funded();
    const payment = await paymentOn(node);
    Object.assign(node.state, await arrange());
    expect(await payerOf(node).fate(payment)).toMatchObject(expected);
  });

  test.each([
    'height',
    'signaturesForAddress',
    'transaction',
    'genesisHash',
    'firstAvailableSlot',
  ] as const)('is unknown when %s cannot be asked', async (method) => {
    const node = funded();
    const payment = await paymentOn(node);
    node.state.blockHeight = HEIGHT_OF_DEATH;
    node.state.history = method === 'transaction' ? [entry('ours')] : [];
    node.state.down.add(method);
    expect(await payerOf(node).fate(payment)).toMatchObject({ fate: 'unknown' });
  });

  test('is found on any page', async () => {
    const node = funded();
    const payment = await paymentOn(node);
    const others = Array.from({ length: 2_500 }, (_, index) => entry(`other ${index}`));
    node.state.history = [...others, entry('ours')];
    for (const { signature } of others) {
      node.state.transactions.set(signature, { ...(await own()), wire: Uint8Array.of(1) });
    }
    node.state.transactions.set('ours', await own());
    expect(await payerOf(node).fate(payment)).toMatchObject({ fate: 'landed' });
    expect(node.calls.filter((call) => call === 'signaturesForAddress')).toHaveLength(5);
  });

  test('is judged by what came after the baseline', async () => {
    const before = { signature: 'before', slot: 4_990, error: null, isFinal: true };
    const node = funded({ history: [before] });
    const payment = await paymentOn(node);
    node.state.blockHeight = HEIGHT_OF_DEATH;
    node.state.firstAvailableSlot = null;
    node.state.transactions.set('before', await own());
    // A node that still has the baseline's transaction has all that came after it.
    expect(await payerOf(node).fate(payment)).toMatchObject({ fate: 'dead' });
  });
});

test('balances are SOL and USDC, or null without an account', async () => {
  const node = funded();
  node.state.accounts.set(PAYER.address, {
    lamports: 7n,
    owner: SYSTEM_PROGRAM,
    data: new Uint8Array(),
    isExecutable: false,
  });
  expect(await payerOf(node).balances(PAYER.address)).toEqual({
    address: PAYER.address,
    coinAtomic: 7n,
    usdcAtomic: 100_000_000n,
  });
  expect(associatedTokenAddress(STRANGER.address, USDC_MINT)).not.toBe(SOURCE);
  expect(await payerOf(node).balances(STRANGER.address)).toMatchObject({
    coinAtomic: 0n,
    usdcAtomic: null,
  });
});

describe('a signed payment', () => {
  const recover = async (payment: SolanaPayment) =>
    (await payerOf(funded()).horizon()).recover(payment);

  test('says by its bytes what it pays, whatever stands beside them', async () => {
    const signed = await signOn(funded());
    const told = await recover({ ...signed, blockhash: 'other', lastValidBlockHeight: 1 });
    expect(told).toEqual({
      asset: USDC_MINT,
      amountAtomic: AMOUNT,
      destination: DESTINATION,
      payTo: null,
      signed: {
        ...signed,
        lastValidBlockHeight: 1_182,
        baseline: { sourceAccount: SOURCE, signature: null, slot: 0 },
      },
    });
  });

  test.each<[string, (signed: SolanaPayment) => Partial<SolanaPayment>]>([
    ['of other bytes', ({ transaction }) => ({ transaction: `AA${transaction.slice(2)}` })],
    ['of another message', () => ({ messageHash: '00' })],
    ['of another signature', () => ({ signature: encodeBase58(new Uint8Array(64).fill(1)) })],
    ['of another payer', () => ({ payer: STRANGER.address })],
  ])('says nothing when it is %s', async (_what, change) => {
    const signed = await signOn(funded());
    expect(await recover({ ...signed, ...change(signed) })).toBeUndefined();
  });
});
