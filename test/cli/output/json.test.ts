import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toJson } from '../../../src/cli/output/json.ts';

describe('JSON output', () => {
  it('is one document and a newline', () => {
    expect(toJson({ a: [1, 'x'] })).toBe('{"a":[1,"x"]}\n');
  });

  it('writes big integers as decimal strings', () => {
    expect(toJson({ amount: 2n ** 64n - 1n })).toBe('{"amount":"18446744073709551615"}\n');
  });

  it('escapes what a terminal would obey, and parses to the same value', () => {
    const hostile = '\u009b31m \u202e \u2028 \u{e0041} \u007f é';
    const text = toJson([hostile]);
    expect(text).toBe('["\\u009b31m \\u202e \\u2028 \\udb40\\udc41 \\u007f é"]\n');
    expect(JSON.parse(text)).toEqual([hostile]);
  });

  it('keeps any JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
        expect(JSON.parse(toJson(value, indent))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
