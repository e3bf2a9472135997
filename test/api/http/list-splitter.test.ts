import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createListSplitter, type SplitEnd } from '../../../src/api/http/list-splitter.ts';
import { fuzzRuns } from '../../support/fuzz.ts';

interface Split {
  readonly given: readonly (readonly unknown[])[];
  readonly end: SplitEnd;
}

function split(pieces: readonly string[]): Split {
  const splitter = createListSplitter();
  return { given: pieces.map((piece) => splitter.push(piece)), end: splitter.end() };
}

/** What JSON itself says of the text; undefined where it is none. */
function whole(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function expectAsWhole(text: string, pieces: readonly string[]): void {
  const { given, end } = split(pieces);
  const parsed = whole(text);
  if (Array.isArray(parsed)) {
    expect(end.isList).toBe(true);
    expect([...given.flat(), ...(end.isList ? end.rest : [])]).toEqual(parsed);
  } else {
    expect(end.isList).toBe(false);
    // Nothing that was handed out can be taken back; otherwise the text says what it is.
    if (given.flat().length === 0) expect(end.isList ? end.rest : end.whole).toEqual(parsed);
  }
}

function cut(text: string, at: readonly number[]): readonly string[] {
  const places = [...new Set(at.map((place) => place % (text.length + 1)))].toSorted(
    (a, b) => a - b,
  );
  return [...places, text.length].map((end, index) => text.slice(places[index - 1] ?? 0, end));
}

const texts = fc.oneof(
  fc.constantFrom('}', '},{', '"}', '\\"},', '[', ']', '\\', 'a', '\u{1f600}', ', ', '}]'),
  fc.string(),
);
const rows = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.dictionary(fc.oneof(texts, fc.constant('min')), texts) },
    fc.jsonValue({ maxDepth: 3 }),
  ),
  { maxLength: 8 },
);
const spaces = fc.constantFrom(0, 1, '\t', '\n');
const cuts = fc.array(fc.nat(), { maxLength: 12 });
const runs = { numRuns: fuzzRuns(500) };

describe('a list whose text comes in pieces', () => {
  it('has the elements that it has as a whole, however it is cut', () => {
    fc.assert(
      fc.property(rows, spaces, cuts, (list, space, at) => {
        const text = JSON.stringify(list, undefined, space);
        expectAsWhole(text, cut(text, at));
        expectAsWhole(text, [...text]);
      }),
      runs,
    );
  });

  it('is refused where the whole is no list, however it is cut and damaged', () => {
    const damage = fc.tuple(
      fc.nat(),
      fc.nat({ max: 3 }),
      fc.constantFrom('', ',', '}', ']', '[', '"', '{', '1', ' '),
    );
    fc.assert(
      fc.property(rows, damage, cuts, (list, [place, length, put], at) => {
        const text = JSON.stringify(list);
        const from = place % (text.length + 1);
        const damaged = text.slice(0, from) + put + text.slice(from + length);
        expectAsWhole(damaged, cut(damaged, at));
        expectAsWhole(damaged, [...damaged]);
      }),
      runs,
    );
  });

  it('is told from any other JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), cuts, (value, at) => {
        const text = JSON.stringify(value);
        expectAsWhole(text, cut(text, at));
      }),
      runs,
    );
  });

  it.each([
    '',
    ' ',
    '[',
    '[1',
    '[1,',
    '[1,]',
    '[,1]',
    '[{}',
    '[{},',
    '[{},]',
    '[{} {}]',
    '[{}]]',
    '[{}] 1',
    '{}',
    '[{}],[{}]',
    ']',
    '[{}},{}]',
    '\ufeff[{}]',
    '\u00a0[{}]',
    '[{}\u00a0,{}]',
  ])('is none: %j', (text) => {
    expect(Array.isArray(whole(text))).toBe(false);
    expectAsWhole(text, [text]);
    expectAsWhole(text, [...text]);
  });

  it('gives an element as soon as its brace has come', () => {
    const splitter = createListSplitter();
    expect(splitter.push('[{"name":"a"')).toEqual([]);
    expect(splitter.push('}')).toEqual([{ name: 'a' }]);
    expect(splitter.push(',{"name":"}"},{"na')).toEqual([{ name: '}' }]);
    expect(splitter.push('me":"c"}\n]\n')).toEqual([{ name: 'c' }]);
    expect(splitter.end()).toEqual({ isList: true, rest: [] });
  });

  it('takes no longer for one that never can be split', () => {
    const texts: string[] = [];
    const parse = JSON.parse;
    JSON.parse = (text: string) => {
      texts.push(text);
      return parse(text) as unknown;
    };
    try {
      split(['["', ...Array.from({ length: 4_000 }, () => '},{'), '"]']);
    } finally {
      JSON.parse = parse;
    }
    // Looked at when it has doubled, a few times each: in all a small multiple of the whole.
    const read = texts.reduce((sum, { length }) => sum + length, 0);
    expect(read).toBeLessThan(10 * 12_000);
  });
});
