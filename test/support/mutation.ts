/** Documents that are nearly right: where parsers break. */
import fc from 'fast-check';

/** Values that readers stumble over more often than over others. */
const odd: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    '0',
    '-1',
    '1e400',
    'NaN',
    '__proto__',
    -0,
    1e21,
    Number.MAX_SAFE_INTEGER + 1,
    0.1,
    [],
    {},
    [[]],
    true,
    '\u0000',
    '\ud800',
    'x'.repeat(5_000),
  ),
  fc.jsonValue({ maxDepth: 3 }),
);

/** The same document with one to four places put to something else, left out, or added to. */
export function mutated(document: unknown): fc.Arbitrary<unknown> {
  return fc
    .array(fc.record({ at: fc.nat(), how: fc.constantFrom('put', 'drop', 'add'), value: odd }), {
      minLength: 1,
      maxLength: 4,
    })
    .map((edits) => edits.reduce((changed, edit) => apply(changed, edit), document));
}

interface Edit {
  readonly at: number;
  readonly how: 'put' | 'drop' | 'add';
  readonly value: unknown;
}

function apply(document: unknown, edit: Edit): unknown {
  const copy: unknown = structuredClone(document);
  const places = placesIn(copy);
  const place = places[edit.at % Math.max(1, places.length)];
  if (place === undefined) return edit.value;
  const { holder, key } = place;
  if (edit.how === 'drop') Reflect.deleteProperty(holder, key);
  else Reflect.set(holder, edit.how === 'add' ? `${key}x` : key, edit.value);
  return copy;
}

interface Place {
  readonly holder: object;
  readonly key: string;
}

function placesIn(value: unknown): readonly Place[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    { holder: value, key },
    ...placesIn(inner),
  ]);
}

/** The text with a few characters replaced, dropped or doubled. */
export function garbled(text: string): fc.Arbitrary<string> {
  const edit = fc.tuple(
    fc.nat(),
    fc.constantFrom('', '"', '{', ']', ',', '\\', '\u0000', '9', '-'),
  );
  return fc.array(edit, { minLength: 1, maxLength: 5 }).map((edits) =>
    edits.reduce((changed, [at, piece]) => {
      const place = at % (changed.length + 1);
      return changed.slice(0, place) + piece + changed.slice(place + (at % 3));
    }, text),
  );
}
