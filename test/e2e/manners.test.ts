/** How the program behaves at a terminal: coloured as asked, long output by the screen, pages opened. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/cli.ts';
import { amazonProducts, buy, fundedWallet } from '../support/shop.ts';
import { noTerminalBecause, openTerminal } from '../support/terminal.ts';

const onTerminal = noTerminalBecause === undefined ? it : it.skip;

let home: Home;
beforeEach(() => {
  home = makeHome();
});

/** A program of the user's, first on the path. */
function program(name: string, script: string): Readonly<Record<string, string>> {
  mkdirSync(`${home.dir}/bin`, { recursive: true });
  writeFileSync(`${home.dir}/bin/${name}`, `#!/bin/sh\n${script}\n`);
  chmodSync(`${home.dir}/bin/${name}`, 0o700);
  return { PATH: `${home.dir}/bin:${process.env.PATH ?? ''}` };
}

describe('a terminal that tells no size', () => {
  onTerminal('is told of the work in lines, and the work ends', async () => {
    const run = openTerminal(['doctor'], { home: home.dir, columns: 0, rows: 0 });
    expect(await run.ended).toBe(0);
    expect(run.screen()).toContain('Asking the service and the chain');
  });
});

describe('colour', () => {
  const RED = '\u001b[31m';
  it.each([
    [['price', 'x', '--color', 'always'], {}, true],
    [['price', 'x'], {}, false],
    [['price', 'x'], { FORCE_COLOR: '1' }, true],
    [['price', 'x', '--color=never'], { FORCE_COLOR: '1' }, false],
    [['price', 'x', '--color', 'always', '--json'], {}, false],
  ])('off a terminal, of %j with %j: %s', async (words, env: Record<string, string>, isRed) => {
    const { status, stderr } = await home.run(words, { env });
    expect(status).toBe(2);
    expect(stderr.includes(RED)).toBe(isRed);
  });

  it('is one of three choices', async () => {
    const { status, stderr } = await home.run(['countries', '--color', 'blue']);
    expect(status).toBe(2);
    expect(stderr).toContain('auto, always, never');
  });

  onTerminal('is taken away from a terminal that has it', async () => {
    const run = openTerminal(['price', 'x', '--country', 'xx', '--color', 'never'], {
      home: home.dir,
    });
    await run.ended;
    expect(run.written()).not.toContain(RED);
  });
});

describe('a terminal that is told of colour twice', () => {
  onTerminal('has the error alone on it: no warning of the runtime', async () => {
    const env = { NO_COLOR: '1', FORCE_COLOR: '1' };
    const words = ['price', 'x', '--country', 'us', '--brand', 'Nobody', '--json'];
    const run = openTerminal(words, { home: home.dir, env });
    expect(await run.ended).toBe(2);
    expect(JSON.parse(run.written())).toMatchObject({ error: { code: 'BRAND_UNKNOWN' } });
  });
});

describe('an order that is asked about', () => {
  onTerminal('is shown before the question, in JSON too', async () => {
    await fundedWallet(home);
    const { fixed } = amazonProducts();
    const words = ['order', fixed.product_id, '--country', 'us', '--brand', 'Amazon.com', '--json'];
    const run = openTerminal([...words, '--to', 'ada@example.com'], { home: home.dir });
    const screen = await run.shows('Buy it?');
    for (const shown of ['test money', 'ada@example.com', '10.10 USDC'])
      expect(screen).toContain(shown);
    run.send('n\r');
    expect(await run.ended).toBe(7);
  });
});

describe('a list that is longer than the screen', () => {
  onTerminal('is read a screen at a time, in the pager of the user', async () => {
    const env = {
      ...program('turner', 'cat > "$HOME/paged"; echo "turned $1"'),
      PAGER: 'turner -x',
    };
    const run = openTerminal(['countries'], { home: home.dir, env });
    expect(await run.ended).toBe(0);
    expect(run.screen()).toContain('turned -x');
    expect(readFileSync(`${home.dir}/paged`, 'utf8')).toContain('United States');
  });

  onTerminal.each([
    [['--help', '--all'], 'Space for more, q to leave'],
    [['--help', '--all', '--lang', 'es'], 'Espacio para más, q para salir'],
  ])('says in the prompt of less how to leave it: %j', async (words, prompt) => {
    const env = program('less', 'cat > /dev/null; printf "[%s]" "$@"');
    const run = openTerminal(['order', ...words], { home: home.dir, env });
    expect(await run.ended).toBe(0);
    expect(run.screen()).toContain(`[-FRX][-Ps${prompt}]`);
  });

  onTerminal.each([
    ['with --no-pager', ['countries', '--no-pager'], {}],
    ['without a pager', ['countries'], { PAGER: '' }],
    ['with a pager that is not there', ['countries'], { PAGER: 'no-such-pager' }],
    ['with cat for one', ['countries'], { SCRIP_PAGER: 'cat' }],
  ])('is printed %s', async (_what, words, env: Record<string, string>) => {
    const own = { ...program('turner', 'cat > "$HOME/paged"'), PAGER: 'turner', ...env };
    const run = openTerminal(words, { home: home.dir, env: own });
    expect(await run.ended).toBe(0);
    expect(run.screen()).toContain('Zambia');
    expect(existsSync(`${home.dir}/paged`)).toBe(false);
  });

  onTerminal('is printed where it fits, and where a program reads', async () => {
    const env = { ...program('turner', 'cat > "$HOME/paged"'), PAGER: 'turner' };
    const small = openTerminal(['brands', '--country', 'us', '--limit', '5'], {
      home: home.dir,
      env,
    });
    await small.ended;
    const json = openTerminal(['countries', '--json'], { home: home.dir, env });
    await json.ended;
    expect(existsSync(`${home.dir}/paged`)).toBe(false);
  });

  onTerminal('leaves the keys to the pager: Ctrl-C there ends nothing else', async () => {
    const script = `trap 'echo; echo "Stopped by key"; exit 0' INT; cat > /dev/null; echo paging; read line < /dev/tty`;
    const env = { ...program('turner', script), PAGER: 'turner' };
    const run = openTerminal(['countries'], { home: home.dir, env });
    await run.shows('paging');
    run.send('\u0003');
    expect(await run.ended).toBe(0);
    expect(run.screen()).toContain('Stopped by key');
  });
});

describe('scrip open', () => {
  async function order(): Promise<string> {
    await fundedWallet(home);
    const { fixed } = amazonProducts();
    return (await buy(home, fixed.product_id, [])).order_id;
  }

  it('prints where a code is redeemed, and opens it without a shell when told to', async () => {
    const id = await order();
    const printed = await home.run(['open', id, '--redeem', '--print']);
    expect([printed.status, printed.stdout]).toEqual([0, 'https://sandbox.example/redeem\n']);
    const env = program('xdg-open', 'printf "%s" "$1" > "$HOME/opened"');
    const opened = await home.run(['open', id, '--redeem', '--yes', '--json'], { env });
    expect(JSON.parse(opened.stdout)).toMatchObject({ host: 'sandbox.example', opened: true });
    expect(readFileSync(`${home.dir}/opened`, 'utf8')).toBe('https://sandbox.example/redeem');
    const refused = await home.run(['open', id, '--redeem', '--item', '2', '--print', '--json']);
    expect(JSON.parse(refused.stderr).error.code).toBe('LINK_MISSING');
  });

  it('opens nothing where nobody can be asked, and says what is missing', async () => {
    const env = program('xdg-open', 'printf "%s" "$1" > "$HOME/opened"');
    const { status, stderr } = await home.run(['open', 'x', '--redeem'], { env });
    expect(status).toBe(2);
    expect(stderr).toContain('--print');
    const none = await home.run(['open', await order(), '--tx', '--print']);
    expect([none.status, none.stderr]).toEqual([3, expect.stringContaining('LINK_MISSING')]);
    expect(existsSync(`${home.dir}/opened`)).toBe(false);
  });

  it('tells of an opener that does not work', async () => {
    const id = await order();
    const env = program('xdg-open', 'exit 3');
    const { status, stderr } = await home.run(['open', id, '--redeem', '--yes'], { env });
    expect([status, stderr]).toEqual([13, expect.stringContaining('OPENER_FAILED')]);
  });

  onTerminal('asks at a terminal, with the host first', async () => {
    const id = await order();
    const env = program('xdg-open', 'printf "%s" "$1" > "$HOME/opened"');
    const run = openTerminal(['open', id, '--redeem'], { home: home.dir, env });
    const screen = await run.shows('Open it in your browser?');
    expect(screen).toContain('host: sandbox.example');
    run.send('n\r');
    expect(await run.ended).toBe(7);
    expect(existsSync(`${home.dir}/opened`)).toBe(false);
    const again = openTerminal(['open', id, '--redeem'], { home: home.dir, env });
    await again.shows('Open it in your browser?');
    again.send('y\r');
    expect(await again.ended).toBe(0);
    expect(existsSync(`${home.dir}/opened`)).toBe(true);
  });
});
