import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { FIRST_COMMANDS } from '../../src/cli/first-screen.ts';
import { runProgram } from '../../src/cli/program.ts';
import type { GlobalFlags } from '../../src/cli/settings/settings.ts';
import { CODES, ScripError } from '../../src/domain/message/errors.ts';
import { t } from '../../src/domain/message/message.ts';
import { type ContextParts, cannedFetch, capture, smallHost } from '../support/small-context.ts';

const COUNTRIES = [
  { code: 'us', name: 'United States', currency: 'USD', is_sold: true },
  { code: 'ua', name: 'Ukraine', currency: 'UAH', is_sold: true },
  { code: 'gb', name: 'United Kingdom', currency: 'GBP', is_sold: true },
  { code: 'aq', name: 'Antarctica', is_sold: false },
];
const BRANDS = [
  { brand_name: 'Amazon.com', family: 'Gift Cards', category: 'e-commerce', min: '1', max: '2000' },
  { brand_name: 'Steam', family: 'Gift Cards', category: 'games' },
  { brand_name: 'Claro', family: 'Mobile Recharge', category: 'mobile_credits' },
];
const SHOP = { '/v1/brands': BRANDS, '/api/available-countries': COUNTRIES };

async function run(words: readonly string[], answers: Readonly<Record<string, unknown>> = SHOP) {
  const { fetch, asked } = cannedFetch(answers);
  const host = smallHost({ parts: { fetch } });
  const exit = await runProgram(words, host);
  return {
    exit,
    stdout: host.stdout.text(),
    stderr: host.stderr.text(),
    asked,
    opened: host.opened,
  };
}

async function errorOf(words: readonly string[], answers?: Readonly<Record<string, unknown>>) {
  const { exit, stdout, stderr } = await run([...words, '--json'], answers);
  expect(stdout).toBe('');
  return { ...JSON.parse(stderr).error, exit };
}

describe('the program', () => {
  it('prints every command, each on a line, for help all', async () => {
    const { exit, stdout } = await run(['help', 'all']);
    expect(exit).toBe(0);
    for (const { verb } of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${verb} `, 'm'));
  });

  it.each([
    ['--json errors', '"code":"INTERNAL"'],
    ['--lang en help errors', 'INTERNAL\t1'],
    ['help currencies', 'scrip vias coins'],
    ['--profile other spend --help', 'scrip policy spend'],
  ])('takes a short name behind options and behind help: %s', async (line, said) => {
    const { exit, stdout } = await run(line.split(' '));
    expect(exit).toBe(0);
    expect(stdout).toContain(said);
  });

  it('prints its version on stdout, wherever it is asked for', async () => {
    expect(await run(['--json', '--version'])).toMatchObject({ exit: 0, stdout: '1.2.3\n' });
  });

  it.each([[[]], [['--help']], [['help']], [['-h']]])('prints its help for %j', async (words) => {
    const { exit, stdout, stderr, opened } = await run(words);
    expect(exit).toBe(0);
    expect(stderr).toBe('');
    expect(opened).toEqual([]);
    for (const [, verbs] of FIRST_COMMANDS) {
      for (const verb of verbs) expect(stdout).toMatch(new RegExp(`\\b${verb}\\b`));
    }
  });

  it.each(['order --help', 'help order', '--json order -h'])(
    'prints the help of a command: %s',
    async (line) => {
      const { exit, stdout } = await run(line.split(' '));
      expect(exit).toBe(0);
      expect(stdout).toContain('--max-amount <amount>');
      expect(stdout).toMatch(/^Options of every command, .*: scrip help options$/m);
    },
  );

  it('serves nothing at the port of a sandbox, or at the next one, which is its RPC’s', async () => {
    const portOf = async (verb: string): Promise<number> => {
      const { stdout } = await run([verb, '--help']);
      return Number(/--port <number>[^-]*default:\s+"?(\d+)/.exec(stdout)?.[1]);
    };
    const ports = await Promise.all(['sandbox', 'listen', 'mcp'].map(portOf));
    expect([ports[0], new Set([...ports, 4021]).size]).toEqual([4020, 4]);
  });

  const flagCases: readonly (readonly [line: string, flags: GlobalFlags])[] = [
    ['--json brands --country us', { json: true }],
    ['brands --json --country us', { json: true }],
    ['brands --country us --json', { json: true }],
    ['--keypair brands brands --country us', { keypair: 'brands' }],
    ['--checkout-url=https://a.example brands --country us', { checkoutUrl: 'https://a.example' }],
    ['brands --country us --rpc-url https://r.example', { rpcUrl: 'https://r.example' }],
    [
      'brands --country us --api-url https://a.example --mcp-url https://m.example',
      { apiUrl: 'https://a.example', mcpUrl: 'https://m.example' },
    ],
    [
      'brands --no-input --verbose --keypair k.json --country us',
      { input: false, verbose: true, keypair: 'k.json' },
    ],
  ];
  it.each(flagCases)('takes global options anywhere: %s', async (line, flags) => {
    const { exit, opened } = await run(line.split(' '));
    expect(exit).toBe(0);
    expect(opened).toEqual([expect.objectContaining(flags)]);
  });

  const mistakes: readonly (readonly [line: string, message: string, hint: string])[] = [
    ['ordr', "Unknown command 'ordr'", 'Did you mean scrip order --json?'],
    ['order amazon 25 -to a@example.com', "Unknown option '-to'", 'Did you mean --to?'],
    ['zzqqy', "Unknown command 'zzqqy'", 'All commands: scrip help all'],
    ['zzqqy --help', "Unknown command 'zzqqy'", 'All commands: scrip help all'],
    ['help foo', "Unknown command 'foo'", 'errors, schema, context. The commands: scrip help all'],
    ['brands --contry us', "Unknown option '--contry'", 'Did you mean --country?'],
    ['brands --country us --serch x', "Unknown option '--serch'", 'Did you mean --search?'],
    ['order x', 'Required option not given: --country, --to, --yes, --max-amount', 'scrip wizard'],
    [
      'schema mcp-install',
      'there is no command "mcp-install" that prints JSON',
      "Did you mean 'mcp install'?",
    ],
    [
      'order x --country us --brand x --to +12025550123',
      'Required option not given: --email, --yes, --max-amount',
      'scrip order --help',
    ],
    [
      'order x --via partner --email a@example.com',
      'Required option not given: --country, --to, --yes',
      '',
    ],
    ['order --cart gifts.csv', 'Required option not given: --email', 'your own address'],
    ['order x --hlep', "Unknown option '--hlep'", 'Did you mean --help?'],
    ['brands', 'Required option not given: --country', 'scrip config set country'],
    ['brands --country', "Option '--country <code>' argument missing", '--help'],
    ['brands --country --json', "Option '--country <code>' argument missing", '--help'],
    ['order --cart --email a@example.com', "Option '--cart <file>' argument missing", '--help'],
    ['countries us', 'Too many arguments', '--help'],
    ['wallet nwe', "Unknown subcommand 'nwe'", 'Did you mean scrip wallet new?'],
    ['help nope', "Unknown command 'nope'", 'Topics: all, options, partner'],
    [
      'help wallet blance',
      "Unknown subcommand 'blance'",
      'Did you mean scrip help wallet balance?',
    ],
    ['help wallet qqq', "Unknown subcommand 'qqq'", 'Available: new, '],
    ['help ordr', "Unknown command 'ordr'", 'Did you mean scrip help order?'],
    [
      'orders quux',
      "Unknown subcommand 'quux'",
      'Available: list, resume, export, show, refund, reveal, forget',
    ],
    [
      'sandbox webhooks repaly',
      "Unknown subcommand 'repaly'",
      'Did you mean scrip sandbox webhooks replay?',
    ],
    [
      'sandbox --port 4021 triger',
      "Unknown subcommand 'triger'",
      'Did you mean scrip sandbox trigger?',
    ],
    [
      'policy check 5',
      "Required option '--amount <usdc>' not specified",
      'scrip policy check --amount 5',
    ],
    ['policy check --amout 3', "Unknown option '--amout'", 'Did you mean --amount?'],
    ['brands --country us --sort nam', "'nam' is invalid", 'Did you mean name?'],
    ['brands --country us --via=partnr', "'partnr' is invalid", 'Did you mean partner?'],
    ['completion fis', "'fis' is invalid", 'Did you mean fish?'],
    ['countries --color blue', 'auto, always, never', ''],
    ['inspect http://elsewhere.example/x', 'is not an https address', ''],
    ['inspect ftp://elsewhere.example/x', 'is not an https address', ''],
    ['inspect https://user@elsewhere.example/x', 'is not an https address', ''],
    ['inspect https://elsewhere.example/x 25', 'is not an https address', ''],
    ['order gifts.csv --country us --to a@example.com --dry-run', '', 'order --cart gifts.csv'],
    ['catalog steam', '--country', 'config set country'],
    ['price amazon 25', '--country', 'config set country'],
    ['show steam 20', '--country', 'config set country'],
    ['search steam', '--country', 'config set country'],
    ['validate steam 20 --to a@example.com', '--country', 'config set country'],
    ['order steam 20 --dry-run --to a@example.com', '--country', 'config set country'],
    [
      'policy set perOder 3',
      '"perOder" is not a policy key',
      'Did you mean perOrder? Keys are perOrder, ',
    ],
    ['orders shw', "Unknown subcommand 'shw'", 'Did you mean scrip orders show?'],
    ['orders cr_6m5ayit4', 'cr_6m5ayit4', 'To see an order: scrip orders show cr_6m5ayit4'],
    ['track x --timeout 10', '"10" is not a duration', '10s'],
    ['wallet fund --usdc 99999999999999999999', 'is too large', 'decimals'],
    ['completion tcsh', "Value 'tcsh' is invalid", 'such as bash'],
    ['track x --timeout soon', '"soon" is not a duration', ''],
    ['sandbox --port 70000', '"70000" is not a port', ''],
    ['catalog --country us', 'Name a brand or a family', 'scrip catalog amazon'],
    ['pay', '', 'Such as: scrip pay <order_id>'],
    ['track cr_1 --all', '', ''],
    ['orders show', '', 'Such as: scrip orders show <order_id>'],
    ['config set country', '', 'Such as: scrip config set country <value>'],
    ['catalog', '', 'Such as: scrip catalog amazon, or: scrip catalog --family <name>'],
    ['price', "Missing required argument 'product'", 'Such as: scrip price <product>'],
    ['search', "Missing required argument 'text'", 'Such as: scrip search <text>'],
    ['sandbox pay', '', 'Such as: scrip sandbox pay <order_id>'],
    ['mcp install', '', 'Such as: scrip mcp install <client>'],
    ['track', '', 'Such as: scrip track <order_id>, or all that are open: scrip track --all'],
    ['order', '', 'Such as: scrip order amazon 25 --to <beneficiary>, with a cart: scrip order'],
    ['validate', '', 'Such as: scrip validate <product_id> --to <beneficiary> --email <email>, or'],
  ];
  it.each(mistakes)('refuses "%s" with exit 2', async (line, message, hint) => {
    const error = await errorOf(line.split(' '));
    expect(error).toMatchObject({ exit: 2 });
    expect(error.message).toContain(message);
    expect(error.hint).toContain(hint);
  });

  const strays: readonly (readonly [line: string, message: string, hint: string])[] = [
    [
      'catalog --country us --family Recharge',
      'No family "Recharge" is sold in US',
      'Mobile Recharge',
    ],
    ['catalog --country us --family Zzz', 'No family "Zzz"', "Families there: 'Gift Cards'"],
    [
      'catalog --country us --brand Claro --family Gift_Cards',
      'Claro is not in the family "Gift Cards"',
      "It is in 'Mobile Recharge': leave",
    ],
  ];
  it.each(strays)('%s names the family that was meant', async (line, message, hint) => {
    const words = line.split(' ').map((word) => word.replace('_', ' '));
    const error = await errorOf(words, { ...SHOP, '/v1/catalog': [] });
    expect(error).toMatchObject({ code: 'FAMILY_UNKNOWN', exit: 2 });
    expect(error.message).toContain(message);
    expect(error.hint).toContain(hint);
  });

  it('shows a mistake in the order in the merchant’s words alone', async () => {
    const json = { error: 'value_off_step', message: 'items.0: 7 is not a multiple of the step.' };
    const line = 'price card --country us --brand Steam --value 7';
    const error = await errorOf(line.split(' '), { '/v1/price': { status: 400, json } });
    expect(error).toMatchObject({
      code: 'VALUE_OFF_STEP',
      message: '7 is not a multiple of the step.',
    });
  });

  it.each([['--lang', 'en'], ['--color', 'never'], ['--json']])(
    'prints the start page with exit 0 for %s and no command',
    async (...words) => {
      const { exit, stdout, stderr } = await run(words);
      expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
      expect(stdout).toContain('scrip order amazon 25');
    },
  );

  it('says with --verbose where it went, with which wallet and for how long', async () => {
    const { exit, stderr } = await run(['countries', '--verbose']);
    expect(exit).toBe(0);
    expect(stderr).toMatch(/^host: the built-in sandbox, kept in \S+\nwallet: \S+\n/);
    expect(stderr).toMatch(/done in 0\.0 s\n$/);
  });

  it('calls the embedded service by no address', async () => {
    const answers = { '/v1/brands': { status: 400, json: { error: 'bad', message: 'No.' } } };
    const error = await errorOf(['brands', '--country', 'us'], answers);
    expect(error.message).toBe('the built-in sandbox answered 400: No.');
  });

  it('names the catalog, and no ids, for a product of another brand', async () => {
    const json = { error: 'product_not_found', message: 'Steam has no product with this id.' };
    const line = 'price card --country us --brand Steam';
    const other = { product_id: 'p2', brand_name: 'Steam', is_range: false, country_code: 'us' };
    const catalog = [{ ...other, price_usdc: '5.05' }];
    const answers = { ...SHOP, '/v1/catalog': catalog, '/v1/price': { status: 404, json } };
    const error = await errorOf(line.split(' '), answers);
    expect(error).toMatchObject({
      code: 'PRODUCT_UNKNOWN',
      hint: 'To see what is sold: scrip catalog --country us --brand Steam',
    });
  });

  it('tells errors as two lines on stderr without --json', async () => {
    expect(await run(['ordr'])).toMatchObject({
      exit: 2,
      stdout: '',
      stderr: "error[USAGE]: Unknown command 'ordr'\nhint: Did you mean scrip order?\n",
    });
  });

  it('hides what an unexpected failure was, but for its name when verbose', async () => {
    const host = smallHost({
      parts: {
        fetch: () => {
          throw new TypeError('inner words');
        },
      },
    });
    expect(await runProgram(['wallet', 'balance', '--verbose'], host)).toBe(1);
    expect(host.stderr.text()).toMatch(/error\[INTERNAL\]: Internal error\nhint: .*\ncause: /);
  });
});

describe('scrip brands', () => {
  it.each([
    ['zz', 'COUNTRY_UNKNOWN', []],
    ['usd', 'COUNTRY_UNKNOWN', ['us']],
    ['ukrane', 'COUNTRY_UNKNOWN', ['ua']],
    ['aq', 'COUNTRY_NOT_SOLD', undefined],
  ])('says what is wrong with the country %s', async (country, code, nearest) => {
    const error = await errorOf(['brands', '--country', country], {
      ...SHOP,
      '/v1/brands': { status: 400, json: { error: 'country_not_supported' } },
    });
    expect(error).toMatchObject({ exit: 2, code });
    expect(error.details.nearest).toEqual(nearest);
  });
});

describe('scrip catalog', () => {
  it('names the nearest brands', async () => {
    const error = await errorOf(['catalog', '--country', 'us', '--brand', 'Amazom.com'], {
      ...SHOP,
      '/v1/catalog': { status: 400, json: { error: 'unknown_brand' } },
    });
    expect(error).toMatchObject({
      code: 'BRAND_UNKNOWN',
      exit: 2,
      hint: 'Did you mean --brand Amazon.com?',
      details: { nearest: ['Amazon.com'] },
    });
  });
});

describe('scrip price', () => {
  const words = ['price', 'p1', '--country', 'us', '--brand', 'Amazon.com'];

  it('prints the quote as it is in JSON', async () => {
    const quote = {
      product_id: 'p1',
      brand_name: 'Amazon.com',
      is_range: true,
      face_value: '25',
      currency: 'USD',
      price_usdc: '25.25',
      min_value: '1',
      max_value: '2000',
      quote_expires_at: '2026-01-01T00:01:00.000Z',
    };
    const { stdout, asked } = await run([...words, '--value', '25', '--json'], {
      ...SHOP,
      '/v1/price': quote,
    });
    expect(JSON.parse(stdout)).toEqual(quote);
    expect(asked[0]?.url).toContain('product_value=25');
  });

  it.each(['1e3', '-5', '0x5', '5,00', ''])('asks nobody about the value "%s"', async (value) => {
    const { exit, asked } = await run([...words, `--value=${value}`]);
    expect(exit).toBe(2);
    expect(asked).toEqual([]);
  });
});

describe('scrip errors', () => {
  it('tells of the codes named alone, in any case, in that order', async () => {
    const { stdout } = await run(['errors', 'wallet_missing', 'Usage', '--json']);
    const rows: unknown = JSON.parse(stdout);
    expect(rows).toMatchObject([{ code: 'WALLET_MISSING' }, { code: 'USAGE', exit: 2 }]);
  });

  it('tells of a problem of the partner API as well', async () => {
    const { stdout } = await run(['errors', 'SUSPENDED_COIN', '--json']);
    expect(JSON.parse(stdout)).toMatchObject([{ code: 'SUSPENDED_COIN', exit: 2 }]);
  });

  it.each([
    ['WALET_MISSING', /WALLET_MISSING/],
    ['%%%', /Run: scrip help errors/],
  ])('names what is near to %s', async (code, hint) => {
    const { exit, stdout, stderr } = await run(['errors', 'USAGE', code, '--json']);
    expect([exit, stdout]).toEqual([2, '']);
    const { error } = JSON.parse(stderr);
    expect(error).toMatchObject({ code: 'USAGE', message: `There is no error code "${code}"` });
    expect(error.hint).toMatch(hint);
  });

  it.each([40, 80, 100])('shows what to do in full on %i columns', async (columns) => {
    const stdout = capture({ isTerminal: true, columns });
    await runProgram(['errors', 'OUTCOME_UNKNOWN'], smallHost({}, { stdout }));
    const { hint } = CODES.OUTCOME_UNKNOWN;
    expect(stdout.text().replaceAll(/\s+/g, ' ')).toContain(hint);
    for (const line of stdout.text().split('\n').slice(1)) {
      expect(line.length).toBeLessThanOrEqual(columns);
    }
  });
});

describe('scrip serve --check', () => {
  const check = async (...faults: readonly ScripError[]): Promise<number> => {
    const checks = faults.map((fault) => ({
      part: 'database',
      detail: fault.sentence,
      fault,
      isDegraded: false,
    }));
    const parts = { serving: { checkShop: async () => checks } } satisfies ContextParts;
    return runProgram(['serve', '--check', '--config', 'shop.json'], smallHost(parts));
  };
  const away = new ScripError('STORE_UNUSABLE', t`away`, { details: { isAway: true } });

  it('ends with 4 while the database is only away, and with 2 where something is to be corrected', async () => {
    expect(await check(away)).toBe(4);
    expect(await check(away, new ScripError('STORE_UNUSABLE', t`another password`))).toBe(2);
  });
});
