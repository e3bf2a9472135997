/** The sandbox's USDC: what EIP-3009 and Circle's contract say of it. */
import {
  type Address,
  type Hex,
  hashDomain,
  type Log,
  parseEventLogs,
  serializeSignature,
  type TypedDataParameter,
} from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deploying, evmAccount, type LiveEvm, liveEvm } from '../../support/live-evm.ts';
import {
  type Authorization,
  authorization,
  DOMAIN,
  inOrder,
  inParts,
  signAuthorization,
  TYPES,
  USDC,
  USDC_ABI,
} from '../../support/usdc.ts';

const CONTRACT = { address: USDC, abi: USDC_ABI } as const;
const HALF_ORDER_TWICE = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const buyer = evmAccount('buyer');

let evm: LiveEvm;
let payer: Awaited<ReturnType<LiveEvm['walletOf']>>;
beforeAll(async () => {
  evm = await liveEvm();
  await evm.walletOf('buyer');
  payer = await evm.walletOf('payer');
});
afterAll(() => evm.close());

const made = (over: Partial<Authorization> = {}): Authorization =>
  authorization(buyer.address, evm.clock.now(), over);
const read = (functionName: 'balanceOf', owner: Address) =>
  evm.client.readContract({ ...CONTRACT, functionName, args: [owner] });

async function settled(hash: Hex) {
  const receipt = await evm.client.waitForTransactionReceipt({ hash });
  return { ...receipt, events: namesIn(receipt.logs) };
}

function namesIn(logs: Log[]): readonly string[] {
  return parseEventLogs({ abi: USDC_ABI, logs }).map(({ eventName }) => eventName);
}

/** Sends with a limit, as a facilitator that simulated before may: it is mined even if it fails. */
async function settle(one: Authorization, signature: Hex) {
  const args = [...inOrder(one), signature] as const;
  const call = { ...CONTRACT, functionName: 'transferWithAuthorization', args } as const;
  return settled(await payer.writeContract({ ...call, gas: 300_000n }));
}

it('describes itself as USDC of Base', async () => {
  const { client } = evm;
  const names = ['name', 'symbol', 'version', 'decimals', 'DOMAIN_SEPARATOR'] as const;
  const told = await Promise.all(
    names.map((functionName) => client.readContract({ ...CONTRACT, functionName })),
  );
  const types: Record<string, TypedDataParameter[]> = {
    EIP712Domain: [
      { name: 'name', type: 'string' },
      { name: 'version', type: 'string' },
      { name: 'chainId', type: 'uint256' },
      { name: 'verifyingContract', type: 'address' },
    ],
  };
  expect(told).toEqual(['USD Coin', 'USDC', '2', 6, hashDomain({ domain: DOMAIN, types })]);
});

describe('an authorization', () => {
  it.each([
    ['of bytes', (signature: Hex) => [signature] as const],
    ['of v, r and s', inParts],
  ])('moves the money by a signature %s, once', async (_name, split) => {
    const one = made();
    const args = [...inOrder(one), ...split(await signAuthorization(buyer, one))] as never;
    const call = { ...CONTRACT, functionName: 'transferWithAuthorization', args } as const;
    const before = await read('balanceOf', one.to);
    const { status, events } = await settled(await payer.writeContract(call));
    expect({ status, events }).toEqual({
      status: 'success',
      events: ['AuthorizationUsed', 'Transfer'],
    });
    expect(await read('balanceOf', one.to)).toBe(before + one.value);
    await expect(payer.simulateContract(call)).rejects.toThrow(
      'FiatTokenV2: authorization is used or canceled',
    );
  });

  it('costs 86 k of gas if the recipient is new, and 69 k if not', async () => {
    const to = evmAccount('new recipient').address;
    const used: number[] = [];
    for (let count = 0; count < 2; count += 1) {
      const one = made({ to });
      const signature = await signAuthorization(buyer, one);
      const args = [...inOrder(one), signature] as const;
      const call = { ...CONTRACT, functionName: 'transferWithAuthorization', args } as const;
      const estimated = await payer.estimateContractGas(call);
      const { gasUsed } = await settle(one, signature);
      expect(Number(estimated) / Number(gasUsed)).toBeCloseTo(1, 1);
      expect(estimated).toBeGreaterThanOrEqual(gasUsed);
      used.push(Number(gasUsed) / 1000);
    }
    expect(used.map(Math.round)).toEqual([86, 69]);
  });

  const seconds = (): bigint => BigInt(Math.floor(evm.clock.now() / 1000));
  it.each<[string, () => Partial<Authorization>, string]>([
    ['is not yet valid at validAfter', () => ({ validAfter: seconds() }), 'not yet valid'],
    ['is valid after it', () => ({ validAfter: seconds() - 1n }), ''],
    ['is expired at validBefore', () => ({ validBefore: seconds() }), 'is expired'],
    ['is valid before it', () => ({ validBefore: seconds() + 1n }), ''],
    ['is for no more than there is', () => ({ value: 10n ** 12n }), 'exceeds balance'],
    ['is not for nobody', () => ({ to: `0x${'0'.repeat(40)}` }), 'to the zero address'],
    ['is not for the token itself', () => ({ to: USDC }), 'account is blacklisted'],
    ['is of the signer alone', () => ({ from: payer.account.address }), 'invalid signature'],
  ])('%s', async (_name, over, why) => {
    const one = made(over());
    const args = [...inOrder(one), await signAuthorization(buyer, one)] as const;
    const call = { ...CONTRACT, functionName: 'transferWithAuthorization', args } as const;
    const outcome = payer.simulateContract(call).then(() => '', String);
    expect(await outcome).toContain(why);
    expect((await outcome) === '').toBe(why === '');
  });

  it('is not signed by a high s, another v, or fewer bytes', async () => {
    const one = made();
    const signature = await signAuthorization(buyer, one);
    const [v, r, s] = inParts(signature);
    const high: Hex = `0x${(HALF_ORDER_TWICE - BigInt(s)).toString(16).padStart(64, '0')}`;
    const cases: readonly [Hex, string][] = [
      [
        serializeSignature({ r, s: high, yParity: v === 27 ? 1 : 0 }),
        "invalid signature 's' value",
      ],
      [`${signature.slice(0, -2)}00` as Hex, "invalid signature 'v' value"],
      [signature.slice(0, -2) as Hex, 'invalid signature length'],
    ];
    for (const [wrong, why] of cases) {
      const args = [...inOrder(one), wrong] as const;
      const call = { ...CONTRACT, functionName: 'transferWithAuthorization', args } as const;
      await expect(payer.simulateContract(call)).rejects.toThrow(why);
    }
  });

  it('that fails is mined, pays its gas, and can still be used', async () => {
    const one = made({ validAfter: seconds() + 1n });
    const signature = await signAuthorization(buyer, one);
    const failed = await settle(one, signature);
    expect({ status: failed.status, events: failed.events }).toEqual({
      status: 'reverted',
      events: [],
    });
    evm.clock.advance(3_000);
    expect((await settle(one, signature)).status).toBe('success');
  });

  it('to receive is used by the payee alone', async () => {
    const one = made({ to: payer.account.address });
    const signature = await signAuthorization(buyer, one, 'ReceiveWithAuthorization');
    const args = [...inOrder(one), signature] as const;
    const call = { ...CONTRACT, functionName: 'receiveWithAuthorization', args } as const;
    await expect(evm.client.simulateContract({ ...call, account: buyer })).rejects.toThrow(
      'caller must be the payee',
    );
    expect((await settled(await payer.writeContract(call))).status).toBe('success');
  });

  it('can be canceled by its signer', async () => {
    const one = made();
    const { nonce } = one;
    const cancel = { authorizer: buyer.address, nonce };
    const signature = await buyer.signTypedData({
      ...{ domain: DOMAIN, types: TYPES, primaryType: 'CancelAuthorization' as const },
      message: cancel,
    });
    const args = [buyer.address, nonce, ...inParts(signature)] as const;
    const call = { ...CONTRACT, functionName: 'cancelAuthorization', args } as const;
    expect((await settled(await payer.writeContract(call))).events).toEqual([
      'AuthorizationCanceled',
    ]);
    const state = {
      ...CONTRACT,
      functionName: 'authorizationState',
      args: [buyer.address, nonce],
    } as const;
    expect(await evm.client.readContract(state)).toBe(true);
    expect((await settle(one, await signAuthorization(buyer, one))).status).toBe('reverted');
  });

  it.each([
    // Returns the selector that it was called with, as isValidSignature does to agree.
    ['is used if the contract agrees', '0x60003560e01c60e01b60005260206000f3', 'success'],
    ['is refused if the contract says nothing', '0x00', 'reverted'],
    ['is refused if the contract reverts', '0x60006000fd', 'reverted'],
  ] as const)('of a contract %s (EIP-1271)', async (_name, code, status) => {
    const { contractAddress } = await settled(
      await payer.sendTransaction({ data: deploying(code) }),
    );
    const from = contractAddress ?? buyer.address;
    await evm.chain.fund(from, { usdcAtomic: 5_000_000n, wei: 0n });
    expect((await settle(made({ from }), '0x1234')).status).toBe(status);
  });

  it('of an account with delegated code is judged by that code (EIP-7702)', async () => {
    const wallet = await evm.walletOf('delegating');
    const one = made({ from: wallet.account.address });
    const signature = await signAuthorization(wallet.account, one);
    const deployed = await settled(await payer.sendTransaction({ data: deploying('0x00') }));
    const contractAddress = deployed.contractAddress ?? USDC;
    const delegation = await wallet.signAuthorization({ contractAddress, executor: 'self' });
    const hash = await wallet.sendTransaction({
      ...{ authorizationList: [delegation], to: wallet.account.address },
    });
    expect((await settled(hash)).status).toBe('success');
    expect(await evm.client.getCode({ address: wallet.account.address })).toBe(
      `0xef0100${contractAddress.slice(2).toLowerCase()}`,
    );
    expect((await settle(one, signature)).status).toBe('reverted');
  });
});

it('is an ERC-20 token', async () => {
  const to = evmAccount('spender').address;
  const spender = await evm.walletOf('spender', 0n);
  const approve = { ...CONTRACT, functionName: 'approve', args: [to, 5n] } as const;
  expect((await settled(await payer.writeContract(approve))).events).toEqual(['Approval']);
  const pull = (value: bigint) =>
    ({
      ...CONTRACT,
      functionName: 'transferFrom',
      args: [payer.account.address, to, value],
    }) as const;
  await expect(spender.simulateContract(pull(6n))).rejects.toThrow('exceeds allowance');
  expect((await settled(await spender.writeContract(pull(3n)))).events).toEqual(['Transfer']);
  const allowance = {
    ...CONTRACT,
    functionName: 'allowance',
    args: [payer.account.address, to],
  } as const;
  expect(await evm.client.readContract(allowance)).toBe(2n);
  expect(await read('balanceOf', to)).toBe(3n);
});

it('is minted by the faucet alone, which raises the supply', async () => {
  const { client } = evm;
  const supply = () => client.readContract({ ...CONTRACT, functionName: 'totalSupply' });
  const before = await supply();
  await evm.chain.fund(buyer.address, { usdcAtomic: 7n, wei: 0n });
  expect(await supply()).toBe(before + 7n);
  const mint = { ...CONTRACT, functionName: 'mint', args: [payer.account.address, 1n] } as const;
  await expect(payer.simulateContract(mint)).rejects.toThrow('caller is not the faucet');
});
