import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { faultText, firstFault, plainIssues } from '../../src/contract/plain-issues.ts';

const SHAPE = z.strictObject({
  id: z.uuid(),
  name: z.string().min(1).max(3),
  code: z.string().regex(/^[a-z]+$/),
  own: z.string().regex(/^[a-z]+$/, 'is not in lower case'),
  long: z.string().min(3),
  count: z.int().min(1).max(9),
  kind: z.enum(['esim', 'giftcard']),
  when: z.iso.datetime(),
  mail: z.email(),
  either: z.union([z.string(), z.number()]),
  list: z.array(z.string()).min(1),
});
const GOOD = {
  id: '5a5ad8d2-1f0c-4d5b-9d0c-1c5a4c6f3a11',
  name: 'abc',
  code: 'abc',
  own: 'abc',
  long: 'abc',
  count: 3,
  kind: 'esim',
  when: '2026-01-31T12:00:00Z',
  mail: 'a@example.com',
  either: 1,
  list: ['a'],
};

describe('what a schema refuses', () => {
  it.each([
    [{ id: 'nope' }, 'id must be a UUID'],
    [{ id: undefined }, 'id is missing'],
    [{ name: '' }, 'name must not be empty'],
    [{ name: 'abcd' }, 'name is longer than 3'],
    [{ name: 7 }, 'name must be text in quotes'],
    [{ code: 'A' }, 'code has the wrong format'],
    [{ own: 'A' }, 'own is not in lower case'],
    [{ long: 'a' }, 'long must have at least 3 characters'],
    [{ count: 0 }, 'count must be at least 1'],
    [{ count: 10 }, 'count must be at most 9'],
    [{ count: 1.5 }, 'count must be a whole number'],
    [{ kind: 'sim' }, 'kind must be one of esim, giftcard'],
    [{ when: 'today' }, 'when must be a date and time such as 2026-01-31T12:00:00Z'],
    [{ mail: 'a' }, 'mail must be an e-mail address'],
    [{ either: true }, 'either has an unknown form'],
    [{ list: [] }, 'list must not be empty'],
    [{ list: [7] }, 'list.0 must be text in quotes'],
    [{ more: 1 }, 'the value has an unknown field: more'],
  ])('is said in words of ours: %j', (change, said) => {
    expect(firstFault(SHAPE, { ...GOOD, ...change })).toBe(said);
  });

  it('is said of each field, and of none that is right', () => {
    expect(plainIssues(SHAPE, GOOD)).toEqual([]);
    expect(plainIssues(SHAPE, { ...GOOD, id: '', name: '' })).toHaveLength(2);
    expect(faultText(undefined)).toBe('the value is not readable');
  });

  it('tells a value only where something like it may be named', () => {
    const near = (known: readonly string[]) => known.slice(0, 1);
    expect(plainIssues(SHAPE, { ...GOOD, kind: 'sim' }, near)).toMatchObject([
      { message: '"sim" is unknown; did you mean esim?' },
    ]);
  });
});
