/** What is wrong with a line is named where it is, with the line to type next. */

import { describe, expect, it } from 'vitest';
import { makeHome } from '../support/cli.ts';
import { amazonProducts, HERE } from '../support/shop.ts';
import { answering, KEYS, noTerminalBecause, openTerminal } from '../support/terminal.ts';

const home = makeHome();
const { product_id: range } = amazonProducts().range;

describe('a beneficiary that is neither an e-mail address nor a number', () => {
  it.each([[[]], [['--via', 'partner']]])('is what is wrong: %j', async (surface) => {
    const words = ['order', range, ...HERE, '--value', '5', '--to', 'bob', ...surface];
    expect(await home.failure([...words, '--yes', '--max-amount', '9'])).toMatchObject({
      code: 'BENEFICIARY_INVALID',
      message: '--to "bob" is neither an e-mail address nor a phone number',
    });
  });
});

describe('a range product without a value', () => {
  it('is checked to need one, and is not out of the catalogue', async () => {
    const words = ['validate', range, ...HERE, '--to', 'a@example.com', '--email', 'a@example.com'];
    const refused = await home.failure(words);
    const [problem] = JSON.parse(refused.stdout).problems;
    expect(problem).toMatchObject({
      problem: 'NOT_AVAILABLE_PRODUCT',
      meaning: 'The product is not sold at this value',
    });
    expect(problem.remedy).toMatch(/^Name another value with --value: No value is chosen; choose /);
    expect(problem.moreDetails.deliveries[0].reason).toMatch(/^No value is chosen; choose /);
    expect(refused).toMatchObject({ status: 2, hint: problem.remedy });
  });
});

describe('a policy looked at for a live host', () => {
  it.each([[['show']], [['spend']]])(
    'needs no wallet, and none of play money: %j',
    async (verb) => {
      const other = makeHome();
      const words = ['policy', ...verb, '--checkout-url', 'https://host.example', '--json'];
      const before = await other.run(words);
      expect([before.status, before.stderr]).toEqual([0, '']);
      await other.json(['wallet', 'new']);
      const after = await other.run(words);
      expect([after.status, after.stderr]).toEqual([0, '']);
    },
  );

  it('says what a payment there would meet', async () => {
    const words = ['policy', 'check', '--amount', '5', '--checkout-url', 'https://host.example'];
    const other = makeHome();
    await other.json(['wallet', 'new']);
    expect(await other.failure(words)).toMatchObject({ status: 6, code: 'HOST_NOT_ALLOWED' });
  });
});

describe('a coin that there is none of', () => {
  it('is told with the one that was probably meant', async () => {
    const person = ['--to', 'a@example.com', '--email', 'a@example.com', '--yes'];
    const words = ['order', range, ...HERE, '--value', '5', ...person, '--coin', 'BTCC'];
    const { hint, details } = await home.failure(words);
    expect(hint).toMatch(/ Did you mean BTC\?$/);
    expect(details.nearest).toEqual(['BTC']);
  });

  const person = ['--to', 'a@example.com', '--email', 'a@example.com'];
  it.each([
    ['validate', () => ['validate', range, ...HERE, '--value', '5', ...person]],
    ['catalog', () => ['catalog', ...HERE]],
    ['price', () => ['price', range, ...HERE, '--value', '5']],
  ])('is told with those that there are by %s', async (_verb, words) => {
    const failure = await home.failure([...words(), '--coin', 'XXX']);
    expect(failure).toMatchObject({
      code: 'INPUT_INVALID',
      message: 'XXX is not a coin that this merchant accepts',
      details: { coins: expect.arrayContaining(['BTC', 'USDC']) },
    });
    expect(failure.hint).toMatch(/^Name one of these with --coin: .*\bUSDC\b/);
  });
});

describe.skipIf(noTerminalBecause)('what is left at its first question', () => {
  const GUIDED = 'What do you want to buy?';
  it.each([
    [['wizard'], GUIDED, 'Start over with: scrip wizard'],
    [['wizard', '--plain'], GUIDED, 'Start over with: scrip wizard'],
    [['order', 'amazon', '25'], 'In which country will it be used?', 'Run the command again.'],
  ])('has nothing to resume: %j', async (words, question, hint) => {
    const other = makeHome();
    if (words[0] === 'wizard') await other.json(['wallet', 'new']);
    const terminal = openTerminal(words, other);
    const { status, screen } = await answering(terminal, [question, KEYS.ctrlC]);
    expect([status, screen]).toEqual([130, expect.stringContaining(`hint: ${hint}`)]);
    expect(screen).not.toContain('orders resume');
  });
});
