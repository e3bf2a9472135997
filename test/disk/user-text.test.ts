import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readUserText } from '../../src/disk/user-files.ts';
import { ScripError } from '../../src/domain/message/errors.ts';

const CART = 'brand,value,to\r\nCafé 東京,25,friend@example.com\r\n';
const LITTLE = Buffer.from(`\uFEFF${CART}`, 'utf16le');
const BIG = Buffer.from(LITTLE).swap16();

function read(bytes: Buffer): Promise<string> {
  const input = () => Readable.from([bytes.subarray(0, 1), bytes.subarray(1)]);
  return readUserText('-', { input, signal: new AbortController().signal });
}

describe('a text that the user names', () => {
  it.each([
    ['UTF-8', Buffer.from(CART)],
    ['UTF-8 with a byte order mark', Buffer.from(`\uFEFF${CART}`)],
    ['UTF-16, the low byte first', LITTLE],
    ['UTF-16, the high byte first', BIG],
  ])('is read in %s', async (_, bytes) => {
    expect(await read(bytes)).toBe(CART);
  });

  it.each([
    ['UTF-8', Buffer.from('Café', 'latin1')],
    ['UTF-16LE', LITTLE.subarray(0, -1)],
    ['UTF-16LE', Buffer.concat([LITTLE, Buffer.from([0x00, 0xd8])])],
    ['UTF-16BE', BIG.subarray(0, -1)],
  ])('that is invalid %s is refused by that name', async (encoding, bytes) => {
    const failure = await read(bytes).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ScripError);
    expect(failure).toMatchObject({
      code: 'INPUT_INVALID',
      message: `standard input is not valid ${encoding}`,
      cause: expect.any(TypeError),
    });
  });
});
