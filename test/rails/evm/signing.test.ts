/** Typed data, signatures, calls and transactions, each compared with viem’s. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import {
  encodeFunctionData,
  getAddress,
  hashTypedData,
  parseAbi,
  parseTransaction,
  recoverTransactionAddress,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it, test } from 'vitest';
import { ScripError } from '../../../src/domain/message/errors.ts';
import { bytesOf, hexOf, readAddress, withChecksum } from '../../../src/rails/evm/address.ts';
import { digestOf, typedDataOf } from '../../../src/rails/evm/authorization.ts';
import { evmSigner, evmSignIn, signerOf } from '../../../src/rails/evm/secp256k1.ts';
import { signedCall, unsignedCall } from '../../../src/rails/evm/transaction.ts';
import {
  decodeTypedData,
  digestOfTypedData,
  encodeTypedData,
} from '../../../src/rails/evm/typed-data.ts';
import { isValidSignatureCall, settleCall, settlementIn } from '../../../src/rails/evm/usdc.ts';
import { EVM_PAYER, NETWORK, secretOf } from '../../support/evm-payment.ts';

type Hex = `0x${string}`;

const ABI = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function isValidSignature(bytes32 digest, bytes signature)',
]);

/** The same cases in each run. */
function randomBytes(seed: string, length: number): Uint8Array {
  const parts = Array.from({ length: Math.ceil(length / 32) }, (_, at) =>
    createHash('sha256').update(`${seed} ${at}`).digest(),
  );
  return Buffer.concat(parts).subarray(0, length);
}

const hex = (seed: string, length: number) => hexOf(randomBytes(seed, length)) as Hex;

function authorizationOf(seed: string, from: string) {
  const number = (part: string, length: number) =>
    BigInt(hex(`${seed} ${part}`, length)).toString();
  return {
    ...{
      from,
      to: withChecksum(hex(`${seed} to`, 20)),
      value: number('value', 1 + (seed.length % 32)),
    },
    ...{ validAfter: number('after', 5), validBefore: number('before', 32) },
    nonce: hex(`${seed} nonce`, 32),
  };
}

test('1,000 random authorizations have the digest and the signature that viem gives', async () => {
  for (let at = 0; at < 1_000; at += 1) {
    const secret = randomBytes(`key ${at}`, 32);
    const [signer, account] = [evmSigner(secret), privateKeyToAccount(hexOf(secret) as Hex)];
    expect(signer.address).toBe(account.address);
    const network = {
      ...NETWORK,
      chainId: 1 + at,
      name: `Token ${at} é`,
      asset: getAddress(hex(`${at}`, 20)),
    };
    const authorization = authorizationOf(`case ${at}`, signer.address);
    const data = typedDataOf(network, authorization);
    const theirs = data as unknown as Parameters<typeof account.signTypedData>[0];
    const digest = digestOf(network, authorization);
    expect(hexOf(digest)).toBe(hashTypedData(theirs));
    const signature = await signer.sign(encodeTypedData(data));
    expect(hexOf(signature)).toBe(await account.signTypedData(theirs));
    expect(signerOf(digest, signature)).toBe(account.address);
    expect(decodeTypedData(encodeTypedData(data))).toEqual(data);
  }
});

test('1,000 random addresses have the checksum that viem gives', () => {
  for (let at = 0; at < 1_000; at += 1) {
    const address = hex(`address ${at}`, 20);
    expect(withChecksum(address)).toBe(getAddress(address));
  }
});

test.each([
  ['in lower case', (text: string) => text.toLowerCase(), true],
  ['in upper case', (text: string) => `0x${text.slice(2).toUpperCase()}`, true],
  ['with its checksum', (text: string) => text, true],
  [
    'with a letter in the other case',
    (text: string) => text.replace('EDb6', 'EDB6').replace('eDb6', 'EDb6'),
    false,
  ],
  ['of 39 digits', (text: string) => text.slice(0, -1), false],
  ['of 41 digits', (text: string) => `${text}0`, false],
  ['without 0x', (text: string) => text.slice(2), false],
  ['with 0X', (text: string) => `0X${text.slice(2)}`, false],
  ['with another character', (text: string) => `${text.slice(0, -1)}g`, false],
])('an address %s', (_how, change, isRead) => {
  expect(readAddress(change(NETWORK.asset))).toBe(isRead ? NETWORK.asset : undefined);
});

describe('the signer', () => {
  const good = typedDataOf(NETWORK, authorizationOf('good', EVM_PAYER.address));
  const text = (value: unknown) => Buffer.from(JSON.stringify(value));
  const { types, message, domain } = good;
  const fields = types.TransferWithAuthorization ?? [];

  it.each<[string, Uint8Array]>([
    ['a digest', digestOfTypedData(good)],
    ['nothing', new Uint8Array()],
    ['a text', Buffer.from('Hello')],
    ['data for a validator', Buffer.from('\x19\x00Ethereum Signed Message:\n5Hello')],
    ['no object', Buffer.from('{')],
    ['an object without types', text({ ...good, types: undefined })],
    ['a message without a field', text({ ...good, message: { ...message, nonce: undefined } })],
    ['a message with one more field', text({ ...good, message: { ...message, memo: 'hi' } })],
    ['a domain with one more field', text({ ...good, domain: { ...domain, salt: '0x00' } })],
    [
      'a field of an unknown type',
      text({
        ...good,
        types: {
          ...types,
          TransferWithAuthorization: fields.map((one) => ({ ...one, type: 'bytes' })),
        },
      }),
    ],
    [
      'a field twice',
      text({
        ...good,
        types: { ...types, TransferWithAuthorization: [...fields.slice(1), fields[1]] },
      }),
    ],
    ['the domain alone', text({ ...good, primaryType: 'EIP712Domain' })],
    ['a negative number', text({ ...good, message: { ...message, value: '-1' } })],
    ['a number in hexadecimal', text({ ...good, message: { ...message, value: '0x10' } })],
    ['a number with an exponent', text({ ...good, message: { ...message, value: '1e6' } })],
    ['a fraction', text({ ...good, message: { ...message, value: 1.5 } })],
    [
      'a number of 257 bits',
      text({ ...good, message: { ...message, value: (2n ** 256n).toString() } }),
    ],
    ['a short nonce', text({ ...good, message: { ...message, nonce: '0x00' } })],
    ['a nested value', text({ ...good, message: { ...message, to: { address: 1 } } })],
  ])('does not sign %s', async (_what, bytes) => {
    await expect(EVM_PAYER.sign(bytes)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });

  it('signs other flat structs too, such as a text', async () => {
    const data = {
      types: {
        EIP712Domain: [{ name: 'name', type: 'string' }],
        Key: [{ name: 'purpose', type: 'string' }],
      },
      ...{ primaryType: 'Key', domain: { name: 'a tool' }, message: { purpose: 'to seal' } },
    } as const;
    const account = privateKeyToAccount(hexOf(secretOf('payer')) as Hex);
    expect(hexOf(await EVM_PAYER.sign(encodeTypedData(data)))).toBe(
      await account.signTypedData(data as never),
    );
  });

  it.each(['Hello', '', 'wants you to sign in: día ✓'])(
    'signs the text "%s" (EIP-191)',
    async (message) => {
      const account = privateKeyToAccount(hexOf(secretOf('payer')) as Hex);
      const signature = evmSignIn.encode(await EVM_PAYER.sign(evmSignIn.message(message)));
      expect(signature).toBe(await account.signMessage({ message }));
      const { address } = account;
      expect(await evmSignIn.signedBy(address.toLowerCase(), message, signature)).toBe(address);
      for (const [of, text, by] of [
        [withChecksum(`0x${'1'.repeat(40)}`), message, signature],
        [address, `${message}!`, signature],
        [address, message, `${signature}00`],
        [address, message, 'x'],
      ] as const) {
        expect(await evmSignIn.signedBy(of, text, by)).toBeUndefined();
      }
    },
  );

  it('signs alike each time', async () => {
    const bytes = encodeTypedData(good);
    expect(await EVM_PAYER.sign(bytes)).toEqual(await EVM_PAYER.sign(bytes));
  });

  it.each([
    ['zeros', new Uint8Array(32)],
    ['a number above the order', new Uint8Array(32).fill(0xff)],
    ['31 bytes', new Uint8Array(31).fill(1)],
  ])('has no key of %s', (_what, secret) => {
    expect(() => evmSigner(secret)).toThrow(expect.objectContaining({ code: 'WALLET_INVALID' }));
  });

  it('lets nothing but its own errors out, whatever it is given', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.uint8Array(),
          fc.json().map((one) => Buffer.from(one)),
        ),
        (bytes) =>
          EVM_PAYER.sign(bytes).then(
            () => undefined,
            (error) => {
              expect(error).toBeInstanceOf(ScripError);
            },
          ),
      ),
    );
  });
});

describe('a signature counts for nobody', async () => {
  const digest = secretOf('digest');
  const data = typedDataOf(NETWORK, authorizationOf('good', EVM_PAYER.address));
  const signature = await EVM_PAYER.sign(encodeTypedData(data));
  const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const highS = () => {
    const s = ORDER - BigInt(hexOf(signature.subarray(32, 64)));
    const v = 27 + 28 - (signature[64] ?? 0);
    return Buffer.concat([
      signature.subarray(0, 32),
      bytesOf(`0x${s.toString(16).padStart(64, '0')}`),
      Uint8Array.of(v),
    ]);
  };
  const withV = (v: number) => Uint8Array.of(...signature.subarray(0, 64), v);

  it.each<[string, Uint8Array]>([
    ['with a high s', highS()],
    ['with v 0', withV(0)],
    ['with v 1', withV(1)],
    ['with v 29', withV(29)],
    ['of 64 bytes', signature.subarray(0, 64)],
    ['of 66 bytes', Uint8Array.of(...signature, 0)],
    ['of zeros', Uint8Array.of(...new Uint8Array(64), 27)],
    ['of no point', Uint8Array.of(...new Uint8Array(32).fill(0xff), ...signature.subarray(32))],
    ['that is empty', new Uint8Array()],
  ])('%s', (_how, bytes) => {
    expect(signerOf(digestOfTypedData(data), signature)).toBe(EVM_PAYER.address);
    expect(signerOf(digestOfTypedData(data), bytes)).toBeUndefined();
    expect(signerOf(digest, signature)).not.toBe(EVM_PAYER.address);
  });
});

test('calls are encoded as viem encodes them, and read again', () => {
  for (let at = 0; at < 100; at += 1) {
    const from = withChecksum(hex(`from ${at}`, 20));
    const authorization = authorizationOf(`call ${at}`, from);
    const { to, value, validAfter, validBefore, nonce } = authorization;
    const six = [from, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce] as const;
    const [r, s] = [hex(`r ${at}`, 32), hex(`s ${at}`, 32)];
    const ofParts = { abi: ABI, functionName: 'transferWithAuthorization' } as const;
    const parts = `${r}${s.slice(2)}1c`;
    const byParts = encodeFunctionData({
      ...ofParts,
      args: [...(six as [Hex, Hex, bigint, bigint, bigint, Hex]), 28, r, s],
    });
    expect(settleCall(authorization, parts)).toBe(byParts);
    expect(settlementIn(byParts, authorization)).toEqual({ authorization, signature: parts });
    const long = hex(`long ${at}`, 66 + at);
    const byBytes = encodeFunctionData({
      ...ofParts,
      args: [...(six as [Hex, Hex, bigint, bigint, bigint, Hex]), long],
    });
    expect(settleCall(authorization, long)).toBe(byBytes);
    const inBatch = `0x12345678${'0'.repeat(64)}${byBytes.slice(2)}`;
    expect(settlementIn(inBatch, authorization)).toEqual({ authorization, signature: long });
    const digest = randomBytes(`digest ${at}`, 32);
    expect(isValidSignatureCall(digest, long)).toBe(
      encodeFunctionData({
        abi: ABI,
        functionName: 'isValidSignature',
        args: [hexOf(digest) as Hex, long],
      }),
    );
  }
});

test('what is in no call is not found', () => {
  const authorization = authorizationOf('none', EVM_PAYER.address);
  for (const data of [
    '',
    '0x',
    `0x${authorization.nonce.slice(2)}`,
    settleCall({ ...authorization, from: NETWORK.asset }, '0x00'),
  ]) {
    expect(settlementIn(data, authorization)).toBeUndefined();
  }
});

test('transactions are what viem reads and signs', async () => {
  for (let at = 0; at < 100; at += 1) {
    const secret = randomBytes(`sender ${at}`, 32);
    const call = {
      ...{
        chainId: 8453,
        nonce: at * at * at,
        to: getAddress(hex(`to ${at}`, 20)),
        data: hex(`data ${at}`, at * 7),
      },
      ...{
        maxPriorityFeePerGas: BigInt(at),
        maxFeePerGas: BigInt(at) ** 5n,
        gasLimit: 21_000n + BigInt(at),
      },
    };
    const signer = evmSigner(secret);
    const { wire, transaction } = signedCall(call, await signer.sign(unsignedCall(call)));
    const { nonce, data, ...common } = call;
    const account = privateKeyToAccount(hexOf(secret) as Hex);
    const gas = { gas: call.gasLimit };
    expect(hexOf(wire)).toBe(
      await account.signTransaction({ ...common, ...gas, nonce, data, type: 'eip1559' }),
    );
    expect(parseTransaction(hexOf(wire) as Hex)).toMatchObject({
      chainId: 8453,
      to: call.to.toLowerCase(),
    });
    const serializedTransaction = hexOf(wire) as `0x02${string}`;
    expect(await recoverTransactionAddress({ serializedTransaction })).toBe(signer.address);
    expect(transaction).toMatch(/^0x[0-9a-f]{64}$/);
  }
});
