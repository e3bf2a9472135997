/** What is said of a command line that lacks something, or names what cannot be: in words of ours. */
import { describe, expect, it } from 'vitest';
import type { System } from '../../src/cli/context.ts';
import { runProgram } from '../../src/cli/program.ts';
import { cannedFetch, smallHost, smallSettings } from '../support/small-context.ts';

const ORDER_ID = '5a5ad8d2-1f0c-4d5b-9d0c-1c5a4c6f3a11';

async function refusalOf(words: readonly string[], parts: Parameters<typeof smallHost>[0] = {}) {
  const host = smallHost(parts);
  const exit = await runProgram([...words, '--json'], host);
  expect(host.stdout.text()).toBe('');
  return { exit, ...JSON.parse(host.stderr.text()).error };
}

describe('an empty word', () => {
  it.each([
    ['product', ['order', '']],
    ['order_id', ['track', '']],
    ['order_id', ['pay', ' ']],
    ['id', ['orders', 'show', '']],
    ['value', ['config', 'set', 'country', '']],
    ['text', ['search', '', '--country', 'us']],
    ['--country', ['brands', '--country', '']],
    ['--country', ['brands', '--country=']],
    ['--limit', ['brands', '--country', 'us', '--limit', '']],
    ['--template', ['brands', '--country', 'us', '--template', '']],
    ['--fields', ['brands', '--country', 'us', '--fields', '']],
    ['--profile', ['--profile', '', 'brands', '--country', 'us']],
    ['--lang', ['brands', '--country', 'us', '--lang', '']],
    ['--keypair', ['wallet', 'address', '--keypair', '']],
    ['--cart', ['order', '--cart', '', '--email', 'a@example.com']],
    ['--idempotency-key', ['order', 'p', '--idempotency-key', '']],
  ])('%s is refused before anything is opened: %j', async (name, words) => {
    expect(await refusalOf(words)).toMatchObject({
      exit: 2,
      code: 'INPUT_INVALID',
      message: `${name} is empty`,
      details: { empty: name },
    });
  });

  it('of a search finds everything', async () => {
    const brand = { brand_name: 'Amazon.com', family: 'Gift Cards', category: 'e-commerce' };
    const { fetch } = cannedFetch({ '/v1/brands': [brand] });
    const host = smallHost({ parts: { fetch } });
    expect(await runProgram(['brands', '--country', 'us', '--search', '', '--json'], host)).toBe(0);
    expect(JSON.parse(host.stdout.text())).toMatchObject([brand]);
  });
});

describe('a variable that is set to nothing', () => {
  it('is not set', () => {
    const names = ['PROFILE', 'CHECKOUT_URL', 'KEYPAIR', 'COUNTRY', 'LANG', 'PARTNER_ID'];
    const env = Object.fromEntries(names.map((name) => [`SCRIP_${name}`, '']));
    expect(smallSettings({}, env)).toEqual(smallSettings());
  });
});

describe('what is missing', () => {
  it.each([
    [
      ['<key>', '<value>'],
      ['config', 'set'],
    ],
    [
      ['<key>', '<value>'],
      ['policy', 'set'],
    ],
  ])('is told all at once: %j', async (missing, words) => {
    expect(await refusalOf(words)).toMatchObject({
      exit: 2,
      code: 'USAGE',
      message: `Not given: ${missing.join(', ')}`,
      hint: expect.stringContaining(`Such as: scrip ${words.join(' ')} `),
      details: { missing },
    });
  });
});

describe('the id of an order', () => {
  it.each([
    ['pay', 'nope'],
    ['sandbox pay', 'nope'],
    ['sandbox cancel', `${ORDER_ID}0`],
  ])('of the partner API is looked at before it is asked about: %s %s', async (verb, id) => {
    expect(await refusalOf([...verb.split(' '), id])).toMatchObject({
      exit: 2,
      code: 'INPUT_INVALID',
      message: `"${id}" is not a partner API order id`,
    });
  });

  it.each([
    ['pay', ['pay', 'cr_6m5ayit4']],
    ['sandbox refund', ['sandbox', 'refund', 'cr_6m5ayit4']],
  ])('of the checkout host was paid when it was placed: %s', async (_command, words) => {
    expect(await refusalOf(words)).toMatchObject({
      exit: 2,
      message: 'cr_6m5ayit4 is an order of the checkout host, which was paid when it was placed',
      hint: expect.stringContaining('scrip track cr_6m5ayit4'),
    });
  });
});

const machine: System['machine'] = async () => ({
  platform: 'linux',
  home: '/home/ada',
  env: {},
  program: { runtime: '/node', script: '/scrip' },
  resolve: (path) => path,
  read: () => ({ path: '', target: '', text: undefined }),
  replace: () => undefined,
});

describe('a country that there is none of', () => {
  it.each([
    ['xx', []],
    ['um', []],
    ['su', ['us']],
  ])('is not kept in the settings: %s', async (code, nearest) => {
    for (const words of [
      ['config', 'set', 'country', code],
      ['profile', 'add', 'home', '--country', code],
    ]) {
      expect(await refusalOf(words, { system: { machine } })).toMatchObject({
        exit: 2,
        code: 'COUNTRY_UNKNOWN',
        message: `There is no country "${code}"`,
        details: { nearest },
      });
    }
  });

  it('is said of a product to be checked, with the one that was meant', async () => {
    const { fetch } = cannedFetch({});
    const words = ['validate', 'card', '--country', 'ukrane', '--to', 'a@example.com'];
    expect(await refusalOf(words, { parts: { fetch } })).toMatchObject({
      code: 'COUNTRY_UNKNOWN',
      details: { nearest: ['ua'] },
    });
  });
});
