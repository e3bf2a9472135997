import {
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ScripError } from '../../src/domain/message/errors.ts';
import { encodeBase58 } from '../../src/rails/solana/address.ts';
import {
  decodePayment,
  decodeTransaction,
  encodeWire,
  isWritable,
  withSignature,
} from '../../src/rails/solana/message.ts';
import { assembleMessage, assembleWire } from '../support/hand-assembly.ts';
import {
  BLOCKHASH,
  DESTINATION,
  FEE_PAYER,
  GOOD,
  memo,
  messageOf,
  PAYER,
  payerSigned,
  SOURCE,
} from '../support/solana-payment.ts';

const address = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => new PublicKey(bytes));
const instruction = fc.record({
  programId: address,
  data: fc.uint8Array({ maxLength: 60 }),
  keys: fc.array(fc.record({ pubkey: address, isSigner: fc.boolean(), isWritable: fc.boolean() }), {
    maxLength: 4,
  }),
});

function onlyScripError(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    expect(error).toBeInstanceOf(ScripError);
    expect((error as ScripError).code).toBe('PAYMENT_MALFORMED');
  }
}

describe('the decoder', () => {
  test('reads what web3.js writes, both versions', () => {
    fc.assert(
      fc.property(
        address,
        fc.array(instruction, { maxLength: 3 }),
        fc.boolean(),
        (payerKey, instructions, isLegacy) => {
          // No program pays a fee.
          fc.pre(!instructions.some(({ programId }) => programId.equals(payerKey)));
          const built = new TransactionMessage({
            payerKey,
            recentBlockhash: BLOCKHASH,
            instructions: instructions.map(
              ({ data, ...rest }) =>
                new TransactionInstruction({ ...rest, data: Buffer.from(data) }),
            ),
          });
          const message = isLegacy ? built.compileToLegacyMessage() : built.compileToV0Message();
          const decoded = decodeTransaction(new VersionedTransaction(message).serialize());
          expect(decoded.version).toBe(message.version);
          expect(decoded.accountKeys).toEqual(
            message.staticAccountKeys.map((key) => key.toBase58()),
          );
          expect(decoded.recentBlockhash).toBe(BLOCKHASH);
          expect(decoded.header).toEqual({
            requiredSignatures: message.header.numRequiredSignatures,
            readonlySigned: message.header.numReadonlySignedAccounts,
            readonlyUnsigned: message.header.numReadonlyUnsignedAccounts,
          });
          expect(decoded.instructions).toEqual(
            message.compiledInstructions.map((compiled) => ({
              programIndex: compiled.programIdIndex,
              accounts: compiled.accountKeyIndexes,
              data: Uint8Array.from(compiled.data),
            })),
          );
          decoded.accountKeys.forEach((_, index) => {
            expect(isWritable(decoded, index)).toBe(message.isAccountWritable(index));
          });
        },
      ),
      { numRuns: 60 },
    );
  });

  test('gives the signatures, the signed bytes and their hash', async () => {
    const wire = await payerSigned();
    const decoded = decodeTransaction(wire);
    expect(decoded.message).toEqual(assembleMessage(messageOf(GOOD)));
    expect(decoded.signatures).toHaveLength(2);
    expect(decoded.signatures[0]).toEqual(new Uint8Array(64));
    expect(decoded.accountKeys.slice(0, 2)).toEqual([FEE_PAYER.address, PAYER.address]);
    expect(decoded.messageHash).toMatch(/^[0-9a-f]{64}$/);
    expect(decoded.lookupTables).toBe(0);
  });

  test('the message hash does not depend on the signatures', async () => {
    const wire = await payerSigned();
    const signed = withSignature(wire, 0, new Uint8Array(64).fill(5));
    expect(decodeTransaction(signed).messageHash).toBe(decodeTransaction(wire).messageHash);
    expect(decodeTransaction(signed).signatures[0]).toEqual(new Uint8Array(64).fill(5));
  });

  test('counts lookup tables', async () => {
    const wire = await payerSigned(GOOD, { lookups: [[SOURCE, [1], [2, 3]]] });
    expect(decodeTransaction(wire).lookupTables).toBe(1);
  });

  test('lets no other error out, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 1300 }), (bytes) => {
        onlyScripError(() => decodeTransaction(bytes));
      }),
    );
  });

  test('lets no other error out when a good transaction is bent', async () => {
    const wire = await payerSigned();
    fc.assert(
      fc.property(fc.nat(wire.length - 1), fc.nat(255), fc.nat(wire.length), (at, byte, cut) => {
        const bent = Uint8Array.from(wire);
        bent[at] = byte;
        onlyScripError(() => decodeTransaction(bent));
        onlyScripError(() => decodeTransaction(bent.subarray(0, cut)));
      }),
    );
  });

  test('every cut of a good transaction is refused', async () => {
    const wire = await payerSigned();
    for (let length = 0; length < wire.length; length += 1) {
      expect(() => decodeTransaction(wire.subarray(0, length))).toThrow(ScripError);
    }
  });
});

describe('the decoder refuses', () => {
  const bend = async (change: (bytes: number[]) => number[]): Promise<Uint8Array> =>
    Uint8Array.from(change([...(await payerSigned())]));
  /** Where the message starts: a count and two signatures. */
  const MESSAGE = 1 + 2 * 64;
  const system = SystemProgram.programId.toBase58();
  const transferOf = (accounts: readonly string[]) =>
    messageOf([
      {
        program: system,
        accounts: accounts.map((key) => ({ address: key })),
        data: new Uint8Array(0),
      },
    ]);

  test.each<[string, (bytes: number[]) => number[]]>([
    ['a trailing byte', (bytes) => [...bytes, 0]],
    ['more bytes than a packet', (bytes) => [...bytes, ...Array<number>(1232).fill(0)]],
    ['a length spelled in two bytes', (bytes) => [0x82, 0x00, ...bytes.slice(1)]],
    ['a length of four bytes', (bytes) => [0x82, 0x80, 0x80, 0x01, ...bytes.slice(1)]],
    ['one signature fewer than required', (bytes) => [1, ...bytes.slice(65)]],
    [
      'one signature more than required',
      (bytes) => [3, ...Array<number>(64).fill(0), ...bytes.slice(1)],
    ],
    ['another version', (bytes) => bytes.with(MESSAGE, 0x81)],
    ['no signer that can pay', (bytes) => bytes.with(MESSAGE + 2, 2)],
    ['more readonly accounts than there are', (bytes) => bytes.with(MESSAGE + 3, 200)],
    [
      'an account twice',
      (bytes) => {
        const keys = MESSAGE + 5;
        return [
          ...bytes.slice(0, keys + 32),
          ...bytes.slice(keys, keys + 32),
          ...bytes.slice(keys + 64),
        ];
      },
    ],
    ['no bytes', () => []],
  ])('%s', async (_name, change) => {
    const bytes = await bend(change);
    expect(() => decodeTransaction(bytes)).toThrow(
      expect.objectContaining({ code: 'PAYMENT_MALFORMED' }),
    );
  });

  test('an account index out of range', async () => {
    const wire = [...(await assembleWire(transferOf([DESTINATION]), []))];
    // The last byte but two is the one account of the one instruction.
    const bent = Uint8Array.from(wire.with(wire.length - 3, 9));
    expect(() => decodeTransaction(bent)).toThrow(/account out of range/);
  });

  test('the fee payer as a program', async () => {
    const wire = [...(await assembleWire(transferOf([DESTINATION]), []))];
    const bent = Uint8Array.from(wire.with(wire.length - 5, 0));
    expect(() => decodeTransaction(bent)).toThrow(/program out of range/);
  });

  test.each(['', 'A', '====', '%%%%', 'AAAA AAAA', 'AAAA\n', '-_-_', 'AAB='])(
    'the base64 %j',
    (text) => {
      expect(() => decodePayment(text)).toThrow(ScripError);
    },
  );

  test('base64 without its padding', async () => {
    const texts = await Promise.all(
      ['a', 'ab', 'abc'].map(async (text) => encodeWire(await payerSigned([...GOOD, memo(text)]))),
    );
    const padded = texts.filter((text) => text.endsWith('='));
    expect(padded).toHaveLength(2);
    for (const text of padded) {
      expect(decodePayment(text).signatures).toHaveLength(2);
      expect(() => decodePayment(text.replace(/=+$/, ''))).toThrow(ScripError);
    }
  });
});

test('a blockhash reads as its base58', async () => {
  const hash = new Uint8Array(32).map((_, index) => index);
  const wire = await payerSigned(GOOD, { blockhash: encodeBase58(hash) });
  expect(decodeTransaction(wire).recentBlockhash).toBe(encodeBase58(hash));
});
