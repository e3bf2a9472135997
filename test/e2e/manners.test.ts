/** How the program behaves at a terminal: coloured as asked, long output by the screen, pages opened. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeHome } from '../support/cli.ts';
import { amazonProducts, buy, fundedWallet } from '../support/shop.ts';
import { answering, KEYS, noTerminalBecause, openTerminal } from '../support/terminal.ts';

const onTerminal = noTerminalBecause === undefined ? it : it.skip;
const home = makeHome();
type Env = Record<string, string>;
const run = (words: readonly string[], env: Env = {}, at = home) =>
  answering(openTerminal(words, at, { env }));

/** A program of the user's, first on the path. */
function program(name: string, script: string): Readonly<Env> {
  mkdirSync(`${home.dir}/bin`, { recursive: true });
  writeFileSync(`${home.dir}/bin/${name}`, `#!/bin/sh\n${script}\n`);
  chmodSync(`${home.dir}/bin/${name}`, 0o700);
  return { PATH: `${home.dir}/bin:${process.env.PATH ?? ''}` };
}

onTerminal(
  'a terminal that tells no size is told of the work in lines, and the work ends',
  async () => {
    const sizeless = openTerminal(['doctor'], makeHome(), { columns: 0, rows: 0 });
    const { status, screen } = await answering(sizeless);
    expect([status, screen.includes('Asking the service and the chain')]).toEqual([0, true]);
  },
);

describe('colour', () => {
  const RED = '\u001b[31m';

  onTerminal('is taken away from a terminal that has it', async () => {
    const words = ['price', 'x', '--country', 'xx', '--color', 'never'];
    expect((await run(words)).written).not.toContain(RED);
  });

  onTerminal('that is told of twice brings no warning of the runtime beside an error', async () => {
    const words = ['price', 'x', '--country', 'us', '--brand', 'Nobody', '--json'];
    const { status, written } = await run(words, { NO_COLOR: '1', FORCE_COLOR: '1' });
    expect([status, JSON.parse(written)]).toMatchObject([2, { error: { code: 'BRAND_UNKNOWN' } }]);
  });
});

describe('a list that is longer than the screen', () => {
  const paged = () => existsSync(`${home.dir}/paged`);
  const turner = () => ({ ...program('turner', 'cat > "$HOME/paged"'), PAGER: 'turner' });

  onTerminal.each([
    ['where it fits', ['brands', '--country', 'us', '--limit', '5'], {}],
    ['where a program reads', ['countries', '--json'], {}],
    ['with --no-pager', ['countries', '--no-pager'], {}],
    ['without a pager', ['countries'], { PAGER: '' }],
    ['with a pager that is not there', ['countries'], { PAGER: 'no-such-pager' }],
    ['with cat for one', ['countries'], { SCRIP_PAGER: 'cat' }],
  ])('is printed %s', async (_what, words, env: Env) => {
    const { status, screen } = await run(words, { ...turner(), ...env });
    expect([status, paged()]).toEqual([0, false]);
    if (words[0] === 'countries') expect(screen).toMatch(/Zambia|Zimbabwe/);
  });

  onTerminal('is read a screen at a time, in the pager of the user', async () => {
    const env = program('turner', 'cat > "$HOME/paged"; echo "turned $1"');
    const { status, screen } = await run(['countries'], { ...env, PAGER: 'turner -x' });
    expect([status, screen.includes('turned -x')]).toEqual([0, true]);
    expect(readFileSync(`${home.dir}/paged`, 'utf8')).toContain('United States');
  });

  onTerminal.each([
    [['--help'], 'Space for more, q to leave'],
    [['--help', '--lang', 'es'], 'Espacio para más, q para salir'],
  ])('says in the prompt of less how to leave it: %j', async (words, prompt) => {
    const env = program('less', 'cat > /dev/null; printf "[%s]" "$@"');
    const { status, screen } = await run(['order', ...words], env);
    expect([status, screen.includes(`[-FRX][-Ps${prompt}]`)]).toEqual([0, true]);
  });

  onTerminal('leaves the keys to the pager: Ctrl-C there ends nothing else', async () => {
    const script = `trap 'echo; echo "Stopped by key"; exit 0' INT; cat > /dev/null; echo paging; read line < /dev/tty`;
    const env = { ...program('turner', script), PAGER: 'turner' };
    const pager = openTerminal(['countries'], home, { env });
    const { status, screen } = await answering(pager, ['paging', KEYS.ctrlC]);
    expect([status, screen.includes('Stopped by key')]).toEqual([0, true]);
  });
});

describe('a purchase', () => {
  const { fixed } = amazonProducts();
  const WANTED = ['--country', 'us', '--brand', 'Amazon.com', '--to', 'ada@example.com', '--json'];
  let id: string;
  beforeAll(async () => {
    await fundedWallet(home);
    id = (await buy(home, fixed.product_id, [])).order_id;
  });
  const opener = () => program('xdg-open', 'printf "%s" "$1" > "$HOME/opened"');
  const opened = () =>
    existsSync(`${home.dir}/opened`) ? readFileSync(`${home.dir}/opened`, 'utf8') : undefined;

  onTerminal('is shown before the question, in JSON too', async () => {
    const terminal = openTerminal(['order', fixed.product_id, ...WANTED], home);
    const { status, seen } = await answering(terminal, ['Buy it?', KEYS.no]);
    expect(status).toBe(7);
    for (const shown of ['test money', 'ada@example.com', '10.10 USDC']) {
      expect(seen[0]).toContain(shown);
    }
  });

  it('has no page opened where nobody can be asked, and says what is missing', async () => {
    const env = opener();
    const { status, stderr } = await home.run(['open', id, '--redeem'], { env });
    expect([status, stderr, opened()]).toEqual([2, expect.stringContaining('--print'), undefined]);
    for (const more of [['--tx'], ['--redeem', '--item', '2']]) {
      const none = await home.failure(['open', id, ...more, '--print']);
      expect(none).toMatchObject({ status: 3, code: 'LINK_MISSING' });
    }
  });

  it('has the page where its code is redeemed printed, or opened without a shell', async () => {
    const page = 'https://sandbox.example/redeem';
    const printed = await home.run(['open', id, '--redeem', '--print']);
    expect([printed.status, printed.stdout]).toEqual([0, `${page}\n`]);
    const words = ['open', id, '--redeem', '--yes'];
    const told = await home.json(words, { env: opener() });
    expect(told).toMatchObject({ host: 'sandbox.example', opened: true });
    expect(opened()).toBe(page);
    const env = program('xdg-open', 'exit 3');
    const { status, stderr } = await home.run(words, { env });
    expect([status, stderr]).toEqual([13, expect.stringContaining('OPENER_FAILED')]);
  });
});
