import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerCompletion, type KnownHere } from '../../../src/cli/completion/answer.ts';
import {
  nothingRemembered,
  type Remembered,
  readRemembered,
  remember,
  rememberedText,
} from '../../../src/cli/completion/remembered.ts';
import { smallSettings } from '../../support/small-context.ts';

const HOST = 'https://host.example';

function known(remembered: Partial<Remembered> = {}): KnownHere {
  return {
    settings: (flags) => smallSettings(flags),
    remembered: () => ({ ...nothingRemembered(HOST), ...remembered }),
    profiles: () => [{ name: 'live', what: HOST }],
    builtLines: (name) =>
      ({
        countries: ['de\tGermany', 'us\tUnited States'],
        coins: ['USDC\tUSD Coin'],
        schema: ['order', 'wallet new', 'wallet balance'],
      })[name],
    embedded: {
      isSold: (country) => country === 'us',
      brands: (country) => (country === 'us' ? [{ name: 'Steam', family: 'Gift Cards' }] : []),
      products: (_country, brand) => (brand === 'Steam' ? [{ id: 'id-1', label: '5 USD' }] : []),
    },
  };
}

const AT_HOST = ['--checkout-url', HOST];

describe('what a shell is answered', () => {
  it.each([
    ['countries that the embedded service sells in', 'countries', [], 'us\tUnited States\n'],
    ['every country for a host', 'countries', AT_HOST, 'de\tGermany\nus\tUnited States\n'],
    ['brands of the country named', 'brands', ['--country', 'US'], 'Steam\n'],
    ['brands of the country of the settings', 'brands', [], 'Steam\n'],
    ['no brand where nothing is sold', 'brands', ['--country=de'], ''],
    ['families', 'families', [], 'Gift Cards\n'],
    ['coins', 'coins', [], 'USDC\tUSD Coin\n'],
    ['no coins of a host that was not asked yet', 'coins', AT_HOST, ''],
    [
      'products of the brand named',
      'products',
      ['--country', 'us', '--brand', 'Steam'],
      'id-1\tSteam 5 USD\n',
    ],
    ['profiles', 'profiles', [], `live\t${HOST}\n`],
    ['the first words of schemas', 'schema', ['schema'], 'order\nwallet\n'],
    ['the words after them', 'schema', ['schema', 'wallet'], 'new\nbalance\n'],
    ['nothing to a kind that there is none of', 'secrets', [], ''],
    ['nothing to a kind of another object', 'constructor', [], ''],
  ])('%s', (_what, kind, line, answer) => {
    expect(answerCompletion([kind, '--shell', 'zsh', '--', ...line], known())).toBe(answer);
  });

  it('is of the host that the line names, and of no other', () => {
    const here = known({ brands: { us: ['Acme'] }, orders: ['order-1'] });
    const ask = (kind: string, ...line: string[]) =>
      answerCompletion([kind, '--', ...line, '--country', 'us'], here);
    expect(ask('brands', ...AT_HOST)).toBe('Acme\n');
    expect(ask('brands', '--checkout-url', 'https://other.example')).toBe('');
    expect(ask('brands')).toBe('Steam\n');
    expect(ask('orders')).toBe('order-1\n');
  });

  it('holds nothing that a terminal could not show as it is', () => {
    const names = ['fine', 'a\u001b[31m', 'b\u202eb', 'c\nd', 'e\tf'];
    const here = known({ brands: { us: names }, orders: names });
    expect(answerCompletion(['orders'], here)).toBe('fine\n');
  });

  it('is quoted for bash, and keeps what was typed', () => {
    const here = known({ orders: ['Able $(x)', 'able two', 'Other'] });
    const ask = (line: string) =>
      answerCompletion(['orders', '--shell', 'bash', '--breaks', ' "\'=:', '--', line], here);
    expect(ask('scrip track A')).toBe('Able\\ \\$\\(x\\)\n');
    expect(ask('scrip track AB')).toBe('Able\\ \\$\\(x\\)\nable\\ two\n');
    expect(ask('scrip track "Able')).toBe('Able \\$(x)\n');
    expect(ask('scrip track Able\\ $')).toBe('Able\\ \\$\\(x\\)\n');
  });
});

describe('what is remembered', () => {
  const product = { id: 'p', brand: 'Acme', country: 'us', label: '5 USD' };

  it('is read back as it was written', () => {
    const seen = remember(undefined, HOST, {
      brands: { country: 'us', names: ['Acme', "O'Neil & Söhne"] },
      coins: ['BTC'],
      products: [product],
      orders: ['1'],
    });
    expect(readRemembered(rememberedText(seen))).toEqual(seen);
  });

  it('puts the latest first, each once', () => {
    const first = remember(undefined, HOST, { orders: ['1', '2'], products: [product] });
    const then = remember(first, HOST, { orders: ['3', '1'], products: [{ ...product, id: 'q' }] });
    expect(then.orders).toEqual(['3', '1', '2']);
    expect(then.products.map(({ id }) => id)).toEqual(['q', 'p']);
  });

  it('forgets the goods of another host, and keeps the orders', () => {
    const first = remember(undefined, HOST, { orders: ['1'], products: [product], coins: ['BTC'] });
    const then = remember(first, 'https://other.example', {});
    expect(then).toMatchObject({ orders: ['1'], products: [], coins: [] });
  });

  it('stays small', () => {
    const many = Array.from({ length: 5_000 }, (_, at) => `${at}`);
    let seen = remember(undefined, HOST, { orders: many });
    for (const country of many.slice(0, 50)) {
      seen = remember(seen, HOST, {
        brands: { country, names: many },
        products: many.map((id) => ({ ...product, id })),
      });
    }
    expect(rememberedText(seen).length).toBeLessThan(1_000_000);
    expect(readRemembered(rememberedText(seen))).toEqual(seen);
  });

  it('is nothing where the file is none of ours, and never an error', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
        expect(readRemembered(text)).toBeUndefined();
      }),
    );
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('brands', 'products', 'orders'), fc.jsonValue()),
        (part) => {
          const text = JSON.stringify({ version: 1, host: HOST, ...part });
          expect(readRemembered(text)?.host).toBe(HOST);
        },
      ),
    );
  });
});
