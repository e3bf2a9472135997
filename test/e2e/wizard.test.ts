/** The guided purchase in lines: answers from standard input, a purchase and the line that repeats it. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeHome } from '../support/cli.ts';
import { serveSandbox } from '../support/served-sandbox.ts';
import { fundedWallet, type OrderDocument } from '../support/shop.ts';

interface PartnerDocument {
  readonly order_id: string;
  readonly order_state: string;
  readonly coin: string;
  readonly network: string;
  readonly coin_amount: string;
  readonly wallet_address: string;
  readonly deliveries: readonly {
    readonly deliverable: Readonly<Record<string, unknown>>;
  }[];
}

const AGREED = ['--yes', '--max-amount', '60'] as const;
const PLAIN = ['wizard', '--plain', ...AGREED] as const;
const PERSON = ['--to', 'friend@example.com', '--email', 'you@example.com'] as const;
const PERSON_TYPED = ['friend@example.com', 'USDC', 'solana', 'you@example.com'] as const;
const USDC = ['--coin', 'USDC', '--network', 'Solana'] as const;

const home = makeHome();
const other = makeHome();
await Promise.all([fundedWallet(home), fundedWallet(other)]);

const draftPath = (): string => join(home.dir, '.local/state/scrip/wizard-sandbox.json');
const lines = (...answers: readonly string[]): string =>
  answers.map((text) => `${text}\n`).join('');

/** The printed line as a shell splits it. */
function wordsOf(stderr: string): string[] {
  const line = /^ {2}scrip (order .*)$/m.exec(stderr)?.[1] ?? '';
  const { stdout } = spawnSync('sh', ['-c', `printf '%s\\n' ${line}`], { encoding: 'utf8' });
  return stdout.trimEnd().split('\n');
}

describe('answers on standard input', () => {
  it('buy over x402, and the printed line makes the same order elsewhere', async () => {
    const input = lines('giftcard', 'United States', "kohl's", '20', ...PERSON_TYPED);
    const { status, stdout, stderr } = await home.run(PLAIN, { input });
    expect(stderr).toContain('Pay: 20.20 USDC of test money, at most 60.00');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^Status\tcompleted$/m);
    expect(stderr.match(/Asking for the price/g)).toHaveLength(1);
    const words = wordsOf(stderr);
    expect(words.slice(0, 3)).toEqual(['order', "kohl's", '20']);
    const repeated = await other.json<OrderDocument>(words);
    const [bought] = await home.json<readonly OrderDocument[]>(['orders']);
    expect(goodsOf(repeated)).toEqual(goodsOf(bought));
    expect(existsSync(draftPath())).toBe(false);
  });

  it('may be wrong, be numbers of options, and go back', async () => {
    const wrong = ['3', '1', 'UKR', 'gb', 'back', 'us', 'amaz', 'amazon', '#1', 'back', '30.5'];
    const input = lines(...wrong, '30');
    const { stderr } = await home.run(PLAIN, { input });
    expect(stderr).toContain('Not accepted: "3" matches no product type. Answer with');
    expect(stderr).toContain('Such as: United Kingdom, Ukraine');
    expect(stderr).toContain('Not accepted: "amaz" matches no brand in United States.');
    expect(stderr).toContain('Amazon.com 10 USD costs about 10.10 USDC.');
    expect(stderr).toContain('Not accepted: 30.50 USD is not a multiple of the step.');
    expect(stderr).toContain('Amazon.com 30 USD costs about 30.30 USDC.');
    const again =
      'The answers so far are kept. Continue with: scrip wizard --resume --plain --yes --max-amount 60';
    expect(stderr).toContain(again);
  });

  it('that end too early are kept in a private file, and gone on with', async () => {
    const early = await home.run([...PLAIN, ...USDC], { input: lines('giftcard', 'us', 'amazon') });
    expect(early.status).toBe(2);
    expect(early.stderr).toContain('The answers end before question 4 of 9: Which amount for');
    expect(statSync(draftPath()).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(draftPath(), 'utf8')).answers).toMatchObject({
      brand: 'Amazon.com',
      network: 'Solana',
    });
    const input = lines('50', 'friend@example.com', 'you@example.com');
    const words = ['wizard', '--resume', '--plain', ...AGREED, '--json'];
    const { status, stdout, stderr } = await home.run(words, { input });
    expect([status, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'completed', face_value: '50' });
    const none = await home.run([...words], { input: '' });
    expect(none.status).toBe(3);
    expect(JSON.parse(none.stderr).error).toMatchObject({ code: 'DRAFT_MISSING' });
  });

  it('that were kept stay until another run has an answer of its own', async () => {
    const kept = () => JSON.parse(readFileSync(draftPath(), 'utf8')).answers;
    const settled = ['--email', 'you@example.com'];
    const begun = await home.run([...PLAIN, ...settled], {
      input: lines('giftcard', 'us', 'steam'),
    });
    expect(begun.stderr).toContain(
      'The answers so far are kept. Continue with: scrip wizard --resume',
    );
    const before = kept();
    expect(before).toMatchObject({ product_type: 'giftcard', country: 'US', brand: 'Steam' });

    const options = [...settled, '--country', 'gb', '--lang', 'en'];
    for (const input of ['', lines('wallet'), lines('back')]) {
      const { stderr } = await home.run([...PLAIN, ...options], { input });
      expect(stderr).toContain('are still there; to continue with them, add --resume');
      // Neither is the language lost, nor is anything agreed to for the earlier run.
      expect(stderr).toMatch(
        /The answers so far are kept\. Continue with: scrip wizard --resume --lang en --plain$/m,
      );
      expect(kept()).toEqual(before);
    }
    const words = ['wizard', '--resume', ...PLAIN.slice(1)];
    const { stderr } = await home.run(words, { input: '' });
    expect(stderr).toContain('before question 4 of 9');
    expect(kept()).toMatchObject(before);

    await home.run([...PLAIN, ...options], { input: lines('giftcard') });
    expect(kept()).toEqual({
      product_type: 'giftcard',
      country: 'GB',
      user_email: 'you@example.com',
    });
    rmSync(draftPath());
    const nothing = await home.run(PLAIN, { input: '', env: { SCRIP_COUNTRY: 'us' } });
    expect(nothing.stderr).toMatch(/^hint: Start over with: scrip wizard$/m);
  });

  it('are kept when the program is told to end', async () => {
    const child = home.start([...PLAIN, '--type', 'giftcard', '--country', 'us']);
    const said = { stderr: '' };
    const ended = new Promise((resolve) => child.once('close', resolve));
    await new Promise<void>((resolve) =>
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        said.stderr += text;
        if (said.stderr.includes('Question 3 of 9')) resolve();
      }),
    );
    child.kill('SIGTERM');
    expect(await ended).toBe(130);
    expect(said.stderr).toContain('Continue with: scrip wizard --resume');
    expect(JSON.parse(readFileSync(draftPath(), 'utf8')).answers).toEqual({
      product_type: 'giftcard',
      country: 'US',
    });
  });

  it('that were kept and are not sold any more are asked for again', async () => {
    const answers = {
      ...{ product_type: 'giftcard', country: 'US', brand: 'Gone Ltd', amount: '25 USD' },
      ...{ beneficiary_account: 'friend@example.com', coin: 'USDC', network: 'Solana' },
      user_email: 'you@example.com',
    };
    writeFileSync(draftPath(), JSON.stringify({ version: 1, answers }));
    const words = ['wizard', '--resume', '--plain', ...AGREED];
    const { status, stderr } = await home.run(words, { input: lines('amazon') });
    expect(stderr).toContain(
      'The saved answer is no longer valid: "Gone Ltd" matches no brand in United States.',
    );
    expect(stderr).toContain('Gift: Amazon.com gift card · 25 USD · United States');
    expect(status).toBe(0);
  });
});

describe('answers by flags', () => {
  const gift = ['--type', 'giftcard', '--country', 'us', '--brand', 'Amazon.com', '--value', '25'];

  it('in another coin pay from the wallet where it can', async () => {
    const means = ['--coin', 'SOL', '--network', 'Solana', '--max-amount', '1'];
    const words = [...PLAIN, ...gift, '--to', 'sol@example.com', ...PERSON.slice(2), ...means];
    const order = await home.json<PartnerDocument>(words);
    expect(order).toMatchObject({ order_state: 'Done', coin: 'SOL', network: 'Solana' });
  });

  it('in a coin that it cannot send give the order with its address', async () => {
    const means = ['--coin', 'BTC', '--network', 'Mainnet', '--max-amount', '0.002'];
    const words = [...PLAIN, ...gift, '--to', 'other@example.com', ...PERSON.slice(2), ...means];
    const order = await home.json<PartnerDocument>(words);
    expect(order).toMatchObject({
      status: 'unpaid',
      order_state: 'WaitingForPayment',
      coin: 'BTC',
    });
    expect(order.wallet_address).not.toBe('');
    const told = await home.run(words);
    const repeated = await other.json<PartnerDocument>(wordsOf(told.stderr));
    expect(deliverablesOf(repeated)).toEqual(deliverablesOf(order));
  });

  it('top up a phone', async () => {
    const words = ['--type', 'mobile_topup', '--country', 'br', '--to', '+5511912345678'];
    const { status, stdout, stderr } = await home.run(
      [...PLAIN, ...words, ...USDC, '--email', 'you@example.com'],
      { input: lines('1', '#1') },
    );
    expect(stderr).toContain('Top-up: ');
    expect([status, stdout.includes('completed')]).toEqual([0, true]);
  });

  it.each([
    ['--country', 'United', "'United States'"],
    ['--type', 'wallet', 'Answer with one of these: giftcard, mobile_topup'],
    ['--country', 'Atlantis', 'no country where anything is sold'],
  ])('%s %s is a usage error off a terminal', async (flag, value, said) => {
    const all = flag === '--type' ? [] : ['--type', 'giftcard'];
    const { status, stderr } = await home.run([...PLAIN, ...all, flag, value]);
    expect(status).toBe(2);
    expect(stderr).toContain(`error[USAGE]: ${flag} ${value}: `);
    expect(stderr).toContain(said);
  });

  it('are not mixed with kept ones', async () => {
    const { status, stderr } = await home.run([...PLAIN, '--resume', '--country', 'us']);
    expect([status, stderr.includes('Remove the other answers')]).toEqual([2, true]);
  });

  it('over what was allowed buy nothing', async () => {
    const words = ['wizard', '--plain', '--yes', '--max-amount', '20', ...gift, ...PERSON, ...USDC];
    const { status, stderr, stdout } = await home.run(words);
    expect([status, stdout]).toEqual([6, '']);
    expect(stderr).toContain('error[AMOUNT_OVER_CAP]');
  });
});

describe('before anything is asked', () => {
  const LIMIT = ['wizard', '--plain', '--yes'];
  const BOUGHT = 'Add --yes and --max-amount: it is then bought without a question';
  const MAKE = 'hint: Run: scrip wallet new && scrip wallet fund\n';
  it.each<[readonly string[], number, string, string, boolean?]>([
    [[...LIMIT, '--max-amount=3O'], 2, 'AMOUNT_INVALID', ''],
    [[...LIMIT, '--max-amount=1e3'], 2, 'AMOUNT_INVALID', ''],
    [[...LIMIT, '--max-amount=-5'], 2, 'AMOUNT_INVALID', ''],
    [['wizard'], 2, 'TERMINAL_REQUIRED', 'Add --plain'],
    [['wizard', '--plain'], 2, 'TERMINAL_REQUIRED', BOUGHT],
    [LIMIT, 2, 'TERMINAL_REQUIRED', 'Add --max-amount.'],
    // On a machine without a wallet.
    [PLAIN, 3, 'WALLET_MISSING', MAKE, true],
  ])('%j ends with %i and %s', async (words, end, code, hint, isFresh = false) => {
    const at = isFresh ? makeHome() : home;
    const { status, stdout, stderr } = await at.run(words, { input: lines('giftcard') });
    expect([status, stdout]).toEqual([end, '']);
    expect(stderr).toContain(`error[${code}]`);
    expect(stderr).toContain(hint);
    expect(stderr).not.toContain('Question 1');
  });
});

describe('another host', () => {
  it('is asked in the same way, and pays by the partner API where no checkout host answers', async () => {
    const served = await serveSandbox(other);
    const place = ['--checkout-url', served.url, '--rpc-url', `${served.url}/rpc`];
    await home.json(['wallet', 'fund', '--usdc', '200', ...place]);
    const gift = ['--type', 'giftcard', '--country', 'us', '--brand', 'Amazon.com'];
    const words = [...PLAIN, ...gift, '--value', '25', ...PERSON, ...USDC];
    const near = await home.run([...words, ...place]);
    expect(near.stderr).toContain(`Merchant: ${served.url}`);
    expect(near.status).toBe(0);
    const repeat = /^ {2}scrip (order \S+ .*)$/m.exec(near.stderr)?.[1] ?? '';
    expect(repeat).toContain(place.join(' '));
    const away = ['--checkout-url', 'http://127.0.0.1:9', '--api-url', served.url];
    const elsewhere = words.map((word) => (word === PERSON[1] ? 'far@example.com' : word));
    const far = await home.run([...elsewhere, ...away, '--rpc-url', `${served.url}/rpc`]);
    expect(far.stderr).toContain('Pay: 25.25 USDC of test money, at most 60.00');
    expect(far.stdout).toMatch(/^Status\tcompleted /m);
  });
});

function goodsOf(order: OrderDocument | undefined): unknown {
  const changing =
    /^(order_id|transaction|payer|deliveries|created_at|intent_id|idempotency_key|resumed|already_bought)$/;
  return Object.entries(Object(order)).filter(([name]) => !changing.test(name));
}

/** What was ordered, without what every order has of its own. */
function deliverablesOf({ deliveries, coin, network }: PartnerDocument): unknown {
  const names = ['brand_name', 'denomination', 'country_code', 'beneficiary_account'];
  const goods = deliveries.map(({ deliverable }) => names.map((name) => deliverable[name]));
  return { goods, coin, network };
}
