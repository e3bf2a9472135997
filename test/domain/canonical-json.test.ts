import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/domain/canonical-json.ts';
import { ScripError } from '../../src/domain/message/errors.ts';

/** The same value with the fields of every object in another order. */
function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, field]) => [key, shuffled(field)]),
  );
}

describe('canonical JSON', () => {
  it.each([
    [
      'keys are sorted',
      { b: 1, a: [2, { d: null, c: 'x' }] },
      '{"a":[2,{"c":"x","d":null}],"b":1}',
    ],
    ['integer keys are text like any other', { 10: 1, 9: 2, a: 3 }, '{"10":1,"9":2,"a":3}'],
    ['undefined fields are left out', { a: undefined, b: 1 }, '{"b":1}'],
    ['minus zero is zero', -0, '0'],
    ['text keeps its escapes', 'a"\n\u2028', JSON.stringify('a"\n\u2028')],
  ])('%s', (_name, value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it('a field named __proto__ is a field like any other', () => {
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"x":1}}'))).toBe(
      '{"__proto__":{"x":1},"b":1}',
    );
  });

  it('the text reads back as the value it was written from', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.stringify(JSON.parse(canonicalJson(value)))).toHaveLength(
          JSON.stringify(value).length,
        );
        expect(canonicalJson(JSON.parse(canonicalJson(value)))).toBe(canonicalJson(value));
      }),
    );
  });

  it('the order of fields makes no difference', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const plain: unknown = JSON.parse(JSON.stringify(value));
        expect(canonicalJson(shuffled(plain))).toBe(canonicalJson(plain));
      }),
    );
  });

  it('only a ScripError escapes, whatever the value', () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    for (const value of [cycle, 1n, () => 1, undefined, Number.NaN, [undefined], Symbol('x')]) {
      expect(() => canonicalJson(value)).toThrow(ScripError);
    }
  });
});
