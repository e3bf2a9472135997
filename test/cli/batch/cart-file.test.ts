import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCart } from '../../../src/cli/batch/cart-file.ts';
import { ScripError } from '../../../src/domain/message/errors.ts';

describe('a cart', () => {
  it('of CSV has its columns in the order of the help', () => {
    expect(parseCart('p1,a@example.com,25,2\np2,+14155550123\n')).toEqual([
      { product: 'p1', to: 'a@example.com', value: '25', quantity: 2 },
      { product: 'p2', to: '+14155550123', quantity: 1 },
    ]);
  });

  it('of CSV may name its columns, in any order', () => {
    expect(
      parseCart('\uFEFFproduct,brand,to\r\np1,"Barnes, ""& Noble""",a@example.com\r\n'),
    ).toEqual([{ product: 'p1', brand: 'Barnes, "& Noble"', to: 'a@example.com', quantity: 1 }]);
  });

  it('of JSON lines takes text and numbers', () => {
    expect(parseCart('{"product":"p1","to":"a@example.com","value":25,"quantity":3}\n\n')).toEqual([
      { product: 'p1', to: 'a@example.com', value: '25', quantity: 3 },
    ]);
  });

  it('of JSON takes a number with three decimals, which means no thousands', () => {
    expect(parseCart('[{"product":"p1","value":25.125}]')).toEqual([
      { product: 'p1', value: '25.1250', quantity: 1 },
    ]);
  });

  it.each([
    ['nothing', '\n \n'],
    ['an unknown column', 'product,colour\np1,red'],
    ['semicolons without a header', 'p1;a@example.com'],
    ['a sep= line of another sign', 'sep=|\nproduct|to\np1|a@example.com'],
    ['UTF-16', '\uFEFFp\0r\0o\0d\0u\0c\0t\0'],
    ['a quoted line end', 'product,to\n"p1\n",a@example.com'],
    ['a decimal comma', 'product;value\np1;25,00'],
    ['tabs without a header', 'p1\ta@example.com'],
    ['an unknown field', '{"product":"p1","colour":"red"}'],
    ['a line that is no JSON', '{"product":"p1"}\n{'],
    ['a list', '{"product":"p1"}\n[]'],
    ['a field that is an object', '{"product":{}}'],
    ['no product', ',a@example.com'],
    ['a name twice', '[{"product":"p1","value":25,"value":100}]'],
    ['a name twice in a line', '{"product":"p1","to":"a@example.com","to":"b@example.com"}'],
    ['a value that may mean thousands', 'p1,a@example.com,1.000'],
    ['such a value in JSON', '{"product":"p1","value":"25.125"}'],
    ['a quantity of nothing', 'p1,a@example.com,25,0'],
    ['half a quantity', 'p1,a@example.com,25,1.5'],
    ['too many fields', 'p1,a,b,1,us,brand,more'],
    ['a stray quote', 'p1,a"b"'],
    ['too many lines', 'p1\n'.repeat(1_001)],
  ])('with %s is refused', (_what, text) => {
    expect(() => parseCart(text)).toThrow(ScripError);
  });

  it('is read or refused, whatever it holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        try {
          for (const { product, quantity } of parseCart(text)) {
            expect(product).not.toBe('');
            expect(quantity).toBeGreaterThan(0);
          }
        } catch (error) {
          expect(error).toBeInstanceOf(ScripError);
        }
      }),
    );
  });
});

describe('a cart without a line', () => {
  it.each(['', '\n', 'brand,value,to\n', '[]'])('%j says what to write', (text) => {
    const hint = expect.objectContaining({ parts: [expect.stringContaining('Amazon,25,friend@')] });
    expect(() => parseCart(text)).toThrow(expect.objectContaining({ code: 'INPUT_INVALID', hint }));
  });
});

describe('a cart of a spreadsheet', () => {
  it.each([
    ['semicolons', 'product;to\np1;a@example.com'],
    ['a sep= line', 'sep=,\nproduct,to\np1,a@example.com'],
    ['a sep= line of semicolons', 'sep=;\nproduct;to\np1;a@example.com'],
    ['tabs', 'product\tvalue\tto\np1\t\ta@example.com'],
    ['tabs, and no first cell', 'note\tproduct\tto\n\tp1\ta@example.com'],
    ['a sep= line of tabs', 'sep=\t\nproduct\tto\np1\t"a@example.com"'],
    ['rows of empty cells', 'product,to\n,\np1,a@example.com\n , \n'],
    ['CR-only line ends', 'product,to\rp1,a@example.com\r'],
  ])('is read with %s', (_, text) => {
    expect(parseCart(text)).toEqual([{ product: 'p1', to: 'a@example.com', quantity: 1 }]);
  });
});
