import { format, inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ScripError } from '../../src/domain/message/errors.ts';
import { secretOf, takeText } from '../../src/wallet/secret.ts';

describe('a secret', () => {
  const bytes = () => Buffer.from('swordfish');

  it.each([
    ['printed', (value: unknown) => inspect(value, { showHidden: true, depth: 9 })],
    ['printed within another value', (value: unknown) => inspect({ a: [value] }, { depth: 9 })],
    ['logged', (value: unknown) => format('%o %O %s', value, value, JSON.stringify(value))],
    ['written as JSON', (value: unknown) => JSON.stringify({ value })],
  ])('is not shown when %s', (_how, show) => {
    const shown = show(secretOf(bytes()));
    expect(shown).toContain('[secret]');
    expect(shown).not.toContain('swordfish');
    expect(shown).not.toContain(bytes().toString('hex').slice(0, 8));
    expect(shown).not.toContain('115, 119');
  });

  it('is lent, and gone when it was wiped', () => {
    const given = bytes();
    const secret = secretOf(given);
    expect(secret.use((lent) => lent.toString())).toBe('swordfish');
    secret.wipe();
    expect([...given]).toEqual(Array(9).fill(0));
    expect(() => secret.use(() => undefined)).toThrow(ScripError);
  });

  it('leaves no bytes behind when it is read as text', () => {
    const given = bytes();
    expect(takeText(given)).toBe('swordfish');
    expect([...given]).toEqual(Array(9).fill(0));
    expect(takeText(Buffer.from([0xff, 0xfe]))).toBeUndefined();
  });
});
