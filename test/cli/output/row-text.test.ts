/** Lists whose records come some at a time: their text is that of the whole list. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toCsv } from '../../../src/cli/output/csv.ts';
import { toJson } from '../../../src/cli/output/json.ts';
import { type RowFormatName, rowFormat } from '../../../src/cli/output/row-text.ts';

const record = fc.dictionary(
  fc.constantFrom('name', 'min', 'max', 'note'),
  fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.constantFrom(null, '=1', 'a,b', ' x')),
);
const parts = fc.array(fc.array(record, { maxLength: 4 }), { maxLength: 5 });

async function textOf(format: RowFormatName, given: readonly (readonly unknown[])[]) {
  const text = (await rowFormat(format)).create();
  const early = given.map((records) => text.add(records)).join('');
  return { early, late: text.end().join('') };
}

describe('in parts', () => {
  it('a document is the one of the whole, and nothing of it is there before its end', async () => {
    await fc.assert(
      fc.asyncProperty(parts, async (given) => {
        expect(await textOf('json', given)).toEqual({ early: '', late: toJson(given.flat()) });
      }),
    );
  });

  it('comma-separated lines have the columns of all records, in the order in which they appear', async () => {
    await fc.assert(
      fc.asyncProperty(parts, async (given) => {
        const { early, late } = await textOf('csv', given);
        expect(early).toBe('');
        expect(late).toBe(toCsv(given.flat()));
        const names = [...new Set(given.flat().flatMap((one) => Object.keys(one)))];
        const lines = names.length === 0 ? [] : late.split('\r\n').slice(0, -1);
        expect(lines.length).toBe(names.length === 0 ? 0 : given.flat().length + 1);
        expect(lines[0] ?? '').toBe(names.join(','));
      }),
    );
  });

  it('a column that comes late is empty in the lines before', async () => {
    const given = [[{}, { a: 'x' }], [{ a: 'y', b: 'z' }], [{ c: '1,2' }]];
    expect((await textOf('csv', given)).late).toBe('a,b,c\r\n,,\r\nx,,\r\ny,z,\r\n,,"1,2"\r\n');
    expect((await textOf('csv', [[{}], [{ a: 'x', b: 'y' }]])).late).toBe('a,b\r\n,\r\nx,y\r\n');
  });

  it('lines are final at once', async () => {
    await fc.assert(
      fc.asyncProperty(parts, async (given) => {
        const lines = given.flat().map((one) => toJson(one));
        expect(await textOf('ndjson', given)).toEqual({ early: lines.join(''), late: '' });
      }),
    );
  });
});
