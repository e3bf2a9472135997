import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildTree } from '../../../src/cli/command-tree.ts';
import { answerCompletion } from '../../../src/cli/completion/answer.ts';
import type { KnownHere } from '../../../src/cli/completion/live.ts';
import {
  type Remembered,
  readRemembered,
  remember,
  rememberedText,
} from '../../../src/cli/completion/remembered.ts';
import { type CommandNode, describeTree } from '../../../src/cli/completion/tree.ts';
import { smallSettings } from '../../support/small-context.ts';

let tree: CommandNode;
beforeAll(async () => {
  tree = describeTree(await buildTree('1.2.3', async () => undefined));
});

const HOST = 'https://host.example';

function known(remembered: Partial<Remembered> = {}): KnownHere {
  return {
    settings: (flags) => smallSettings(flags),
    remembered: () => ({ ...remember(undefined, HOST), ...remembered }),
    profiles: () => [{ value: 'live', what: HOST }],
    builtLines: (name) =>
      ({
        countries: ['de\tGermany', 'us\tUnited States\tsold'],
        coins: ['USDC\tUSD Coin'],
        schema: ['order', 'wallet new', 'wallet balance'],
        networks: ['USDC\tSolana', 'USDC\tBase', 'BTC\tLightning'],
        ways: ['user_wallet'],
        faults: ['drop-reply', 'latency='],
        fields: ['brands\tbrand_name\tmin', 'wallet balance\tusdc'],
      })[name],
    tree: () => tree,
    embedded: {
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
    [
      'brands and ids to an order',
      'goods',
      ['--country', 'us', '--brand', 'Steam'],
      'Steam\nid-1\tSteam 5 USD\n',
    ],
    ['profiles', 'profiles', [], `live\t${HOST}\n`],
    ['the first words of schemas', 'schema', ['schema'], 'order\nwallet\n'],
    ['the words after them', 'schema', ['schema', 'wallet'], 'new\nbalance\n'],
    ['networks of the usual coin', 'networks', [], 'Solana\nBase\n'],
    ['networks of the coin named', 'networks', ['--coin', 'btc'], 'Lightning\n'],
    ['no networks of a host', 'networks', AT_HOST, ''],
    ['ways to pay', 'ways', [], 'user_wallet\n'],
    ['nothing to a kind that there is none of', 'secrets', [], ''],
    ['nothing to a kind of another object', 'constructor', [], ''],
  ])('%s', (_what, kind, line, answer) => {
    expect(answerCompletion([kind, '--shell', 'zsh', '--', ...line], known())).toBe(answer);
  });

  it('is of the host that the line names, and of no other', () => {
    const here = known({ brands: { us: ['Acme'] }, orders: { 'order-1': '' } });
    const ask = (kind: string, ...line: string[]) =>
      answerCompletion([kind, '--', ...line, '--country', 'us'], here);
    expect(ask('brands', ...AT_HOST)).toBe('Acme\n');
    expect(ask('brands', '--checkout-url', 'https://other.example')).toBe('');
    expect(ask('brands')).toBe('Steam\n');
    expect(ask('orders')).toBe('order-1\n');
  });

  it('holds nothing that a terminal could not show as it is', () => {
    const names = ['fine', 'a\u001b[31m', 'b\u202eb', 'c\nd', 'e\tf'];
    const here = known({
      brands: { us: names },
      orders: Object.fromEntries(names.map((id) => [id, ''])),
    });
    expect(answerCompletion(['orders'], here)).toBe('fine\n');
  });

  it('is nothing where the program was not built', () => {
    const here = { ...known(), tree: () => undefined };
    expect(answerCompletion(['line', '--shell', 'zsh', '--', ''], here)).toBe(':values\n');
  });
});

/** As bash sets it. */
const BREAKS = ' \t\n"\'@><=;|&(:';

describe('bash is answered', () => {
  const here = known({ orders: { 'Able $(x)': '', 'able two': 'Steam 5 USD', Other: '' } });
  const ask = (line: string, rest = '') =>
    answerCompletion(['line', '--shell', 'bash', '--breaks', BREAKS, '--', line, rest], here);

  it.each([
    ['in its own quoting', 'scrip track A', ':values\nAble\\ \\$\\(x\\)\n'],
    ['without regard to case', 'scrip track AB', ':values\nAble\\ \\$\\(x\\)\nable\\ two\n'],
    ['within a quote that is open', 'scrip track "Able', ':values\nAble \\$(x)\n'],
    ['behind what is escaped', 'scrip track Able\\ $', ':values\nAble\\ \\$\\(x\\)\n'],
    ['a verb', 'scrip wal', ':values\nwallet\n'],
    ['a subcommand behind a global option', 'scrip --keypair x wallet f', ':values\nfund\n'],
    ['a subcommand behind a switch', 'scrip --json wallet f', ':values\nfund\n'],
    ['behind an assignment', 'NO_COLOR=1 scrip wal', ':values\nwallet\n'],
    ['the rest of an option', 'scrip order --max-a', ':values\n--max-amount\n'],
    ['a value behind a letter', 'scrip brands -c ', ':values\nus\n'],
    ['by the value of a letter', 'scrip catalog -c us --brand ', ':values\nSteam\n'],
    ['by another value of it', 'scrip catalog -c de --brand ', ':values\n'],
    ['a category', 'scrip brands --category g', ':values\ngroceries\ngames\n'],
    ['what stands behind an equals sign', 'scrip brands --sort=n', ':values\nname\n'],
    ['nothing where a free value stands', 'scrip --rpc-url ', ':values\n'],
    ['files', 'scrip order --cart ca', ':files\n'],
    ['folders', 'scrip sandbox --data ', ':folders\n'],
    ['more of a list', 'scrip brands --fields brand_name,m', ':open\nbrand_name,min\n'],
    ['fields of the command of the line', 'scrip wallet balance --fields ', ':open\nusdc\n'],
    ['a value that wants more', 'scrip sandbox --fault l', ':open\nlatency=\n'],
    ['no option behind two dashes', 'scrip order -- --', ':values\n'],
    ['nothing for an option that there is none of', 'scrip order --none=', ':values\n'],
    [
      'the usual subcommand: its options',
      'scrip orders --si',
      ':values\n--since\n--site-url\n--signer-command\n',
    ],
    ['an order behind its option', 'scrip sandbox trigger --order O', ':values\nOther\n'],
  ])('%s', (_what, line, answer) => {
    expect(ask(line)).toBe(answer);
  });

  it('by what stands behind the cursor as well', () => {
    expect(ask('scrip order --js', ' --max-amount 3')).toBe(':values\n--json\n');
    expect(ask('scrip order --js', ' --json')).toBe(':values\n');
    expect(ask('scrip order --js', 'xx --cart a')).toBe(':values\n--json\n');
    expect(ask('scrip catalog --brand S', ' --country us')).toBe(':values\nSteam\n');
    expect(ask('scrip catalog --brand S', ' --country de')).toBe(':values\n');
  });
});

describe('zsh and fish are answered', () => {
  const ask = (shell: string, at: number, ...line: string[]) =>
    answerCompletion(['line', '--shell', shell, '--at', `${at}`, '--', ...line], known());

  it('with what each value is', () => {
    expect(ask('zsh', 2, 'brands', '--country', '')).toBe(':values\nus\tUnited States\n');
    expect(ask('fish', 2, 'brands', '--country', '')).toBe(':values\nus\tUnited States\n');
  });

  it('with the whole word in fish, and with the value alone in zsh', () => {
    expect(ask('fish', 1, 'brands', '--sort=')).toContain('\n--sort=name\n');
    expect(ask('zsh', 1, 'brands', '--sort=')).toContain('\nname\n');
  });

  it('by the words on both sides of the cursor', () => {
    expect(ask('zsh', 1, 'order', '--js', '--json')).not.toMatch(/^--json\b/m);
    expect(ask('fish', 2, 'catalog', '--brand', '', '--country', 'us')).toBe(':values\nSteam\n');
  });
});

describe('a list of orders', () => {
  const here = known({
    orders: {
      cr_one: 'Steam 5 USD, 2026-11-23',
      cr_three: 'Amazon.com 25 USD, 2026-11-22',
      cr_two: '',
    },
  });
  const bash = (type: string, line: string) => {
    const said = ['--shell', 'bash', '--breaks', BREAKS, '--type', type];
    return answerCompletion(['line', ...said, '--', line, ''], here);
  };

  it('says what each is in zsh and fish', () => {
    for (const shell of ['zsh', 'fish']) {
      const answer = answerCompletion(
        ['line', '--shell', shell, '--at', '1', '--', 'track', ''],
        here,
      );
      expect(answer).toBe(
        ':values\ncr_one\tSteam 5 USD, 2026-11-23\ncr_three\tAmazon.com 25 USD, 2026-11-22\ncr_two\n',
      );
    }
  });

  it.each(['63', '33'])('says so in bash where it lists several (COMP_TYPE %s)', (type) => {
    expect(bash(type, 'scrip track cr_')).toBe(
      ':values\ncr_one    (Steam 5 USD, 2026-11-23)\ncr_three  (Amazon.com 25 USD, 2026-11-22)\ncr_two\n',
    );
  });

  it('gives bash the id alone to insert', () => {
    expect(bash('9', 'scrip track cr_')).toBe(':values\ncr_one\ncr_three\ncr_two\n');
    expect(bash('63', 'scrip track cr_o')).toBe(':values\ncr_one\n');
  });
});

describe('what is remembered', () => {
  const product = { id: 'p', brand: 'Acme', country: 'us', label: '5 USD' };

  it('is read back as it was written', () => {
    const seen = remember(undefined, HOST, {
      brands: { us: ['Acme', "O'Neil & Söhne"] },
      coins: ['BTC'],
      products: [product],
      orders: { cr_1: '', cr_2: 'Steam 5 USD' },
    });
    expect(readRemembered(rememberedText(seen))).toEqual(seen);
  });

  it('puts the latest first, each once', () => {
    const orders = { cr_1: 'Steam 5 USD', cr_2: '' };
    const first = remember(undefined, HOST, { orders, products: [product] });
    const then = remember(first, HOST, {
      orders: { cr_3: '', cr_1: '' },
      products: [{ ...product, id: 'q' }],
    });
    expect(Object.entries(then.orders)).toEqual([
      ['cr_3', ''],
      ['cr_1', 'Steam 5 USD'],
      ['cr_2', ''],
    ]);
    expect(then.products.map(({ id }) => id)).toEqual(['q', 'p']);
  });

  it('forgets the goods of another host, and keeps the orders', () => {
    const orders = { cr_1: 'Steam 5 USD' };
    const first = remember(undefined, HOST, { orders, products: [product], coins: ['BTC'] });
    const then = remember(first, 'https://other.example');
    expect(then).toMatchObject({ orders, products: [], coins: [] });
  });

  it('stays small', () => {
    const many = Array.from({ length: 5_000 }, (_, at) => `${at}`);
    let seen = remember(undefined, HOST, {
      orders: Object.fromEntries(many.map((id) => [id, ''])),
    });
    for (const country of many.slice(0, 50)) {
      seen = remember(seen, HOST, {
        brands: { [country]: many },
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
