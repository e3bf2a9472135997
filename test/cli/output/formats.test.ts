import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inEnglish } from '../../../src/cli/i18n/localize.ts';
import { toCsv } from '../../../src/cli/output/csv.ts';
import { type FormatFlags, outputOf } from '../../../src/cli/output/format.ts';
import { localView } from '../../../src/cli/output/local-view.ts';
import { renderView } from '../../../src/cli/output/render.ts';
import { parseTemplate } from '../../../src/cli/output/template.ts';
import { listView, type View } from '../../../src/cli/output/view.ts';
import { ScripError } from '../../../src/domain/message/errors.ts';
import { t } from '../../../src/domain/message/message.ts';
import { capture } from '../../support/small-context.ts';

const RECORDS = [
  { name: 'Steam', min: '5', tags: ['games'], place: { code: 'us' } },
  { name: 'Café "Zoé", Paris', note: t`=HYPERLINK("x")`, place: { code: 'fr' } },
];
const LIST = listView({
  records: RECORDS,
  columns: [{ header: t`NAME`, cell: ({ name }) => name }],
});
const RECORD: View = {
  kind: 'record',
  record: { order_id: 'o-1', deliveries: [{ voucher_code: 'TEST-1' }], amount: 5n },
  lines: [[t`Order`, 'o-1']],
};

async function print(view: View, flags: FormatFlags): Promise<string> {
  const stdout = capture();
  await renderView(localView(view, inEnglish), { stdout, stderr: capture() }, outputOf(flags));
  return stdout.text();
}

describe('a list', () => {
  it('is a document with --json and a line for each record with --ndjson', async () => {
    expect(JSON.parse(await print(LIST, { json: true }))).toEqual(RECORDS);
    const lines = (await print(LIST, { ndjson: true })).split('\n');
    expect(lines.slice(0, -1).map((line) => JSON.parse(line))).toEqual(RECORDS);
    expect(lines.at(-1)).toBe('');
  });

  it('is comma-separated with --csv: a line of headers, quotes, no formula that would run', async () => {
    expect(await print(LIST, { csv: true })).toBe(
      [
        'name,min,tags,place,note',
        'Steam,5,"[""games""]","{""code"":""us""}",',
        '"Café ""Zoé"", Paris",,,"{""code"":""fr""}","\'=HYPERLINK(""x"")"',
        '',
      ].join('\r\n'),
    );
  });

  it('has the fields that are named, by path too, in their order', async () => {
    const fields = 'place.code, min,name';
    expect(JSON.parse(await print(LIST, { json: true, fields }))[1]).toEqual({
      'place.code': 'fr',
      min: null,
      name: 'Café "Zoé", Paris',
    });
    expect(await print(LIST, { csv: true, fields })).toContain('place.code,min,name\r\nus,5,Steam');
    expect(await print(LIST, { fields })).toBe('us\t5\tSteam\nfr\t\tCafé "Zoé", Paris\n');
  });

  it('is a line of the template for each record', async () => {
    const template = '{name}\\t{{{place.code}}} {min}';
    expect(await print(LIST, { template })).toBe('Steam\t{us} 5\nCafé "Zoé", Paris\t{fr} \n');
  });

  it('without records is nothing, an empty array, or nothing but headers', async () => {
    const empty = listView({ records: [], columns: [] });
    expect(await print(empty, { json: true, fields: 'a' })).toBe('[]\n');
    expect(await print(empty, { ndjson: true })).toBe('');
    expect(await print(empty, { csv: true, fields: 'a,b' })).toBe('a,b\r\n');
    expect(await print(empty, { csv: true })).toBe('');
  });
});

describe('a record', () => {
  it('is one object, one line, or one row', async () => {
    const whole = { order_id: 'o-1', deliveries: [{ voucher_code: 'TEST-1' }], amount: '5' };
    expect(JSON.parse(await print(RECORD, { json: true }))).toEqual(whole);
    expect(JSON.parse(await print(RECORD, { ndjson: true }))).toEqual(whole);
    const fields = 'order_id,deliveries.0.voucher_code';
    expect(await print(RECORD, { csv: true, fields })).toBe(
      'order_id,deliveries.0.voucher_code\r\no-1,TEST-1\r\n',
    );
    expect(await print(RECORD, { template: '{deliveries.0.voucher_code}' })).toBe('TEST-1\n');
  });

  it('is written even where a field is not there', async () => {
    expect(await print(RECORD, { json: true, fields: 'order_id,colour' })).toBe(
      '{"order_id":"o-1","colour":null}\n',
    );
    expect(await print(RECORD, { template: '{order_id} {colour}' })).toBe('o-1 \n');
  });
});

describe('the formats', () => {
  it.each<FormatFlags>([
    { json: true, csv: true },
    { ndjson: true, template: '{a}' },
    { fields: ' , ' },
  ])('that make no sense are refused (%j)', (flags) => {
    expect(() => outputOf(flags)).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });

  it('of CSV cells never let a control character or a formula through', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const [, line = ''] = toCsv([{ text }]).split('\r\n');
        expect(line).not.toMatch(/\p{Cc}/u);
        expect(line.replace(/^"/, '')).not.toMatch(/^[=@]/);
      }),
    );
  });

  it('of CSV cells let no formula through where another separator holds', () => {
    const cells = { a: 'x;=HYPERLINK("http://x.example")', b: 'y; "@z', c: 'p|-1+2', d: '1;2' };
    expect(toCsv([cells]).split('\r\n')[1]).toBe(
      '"x;\'=HYPERLINK(""http://x.example"")","y;\' ""@z",p|\'-1+2,1;2',
    );
  });

  it.each(['＝1+1', ' =1+1', '＋1+1'])('of CSV cells let no formula through as %j', (a) => {
    expect(toCsv([{ a }]).split('\r\n')[1]?.replace(/^"/, '')).toMatch(/^'/);
  });

  it('keep numbers with their signs in CSV', () => {
    expect(toCsv([{ a: '-5.25', b: '+14155550123', c: '-2+3', d: 7 }])).toBe(
      "a,b,c,d\r\n-5.25,+14155550123,'-2+3,7\r\n",
    );
  });

  it('of CSV lists have a column for every field, in the order of their first appearance', () => {
    const records = [{}, { a: 'x' }, { a: 'y', b: 'z' }, { c: '1,2' }];
    expect(toCsv(records)).toBe('a,b,c\r\n,,\r\nx,,\r\ny,z,\r\n,,"1,2"\r\n');
    expect(toCsv([{}, {}])).toBe('');
  });

  it('of templates are read, or refused by an error of ours', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[{}a.\\nt ]{0,12}$/), (text) => {
        try {
          expect(parseTemplate(text).write({ a: 1 }).endsWith('\n')).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(ScripError);
        }
      }),
      { numRuns: 500 },
    );
  });
});
