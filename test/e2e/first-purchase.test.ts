/** A first purchase on a terminal: what is missing is offered, and it ends with goods or a clean refusal. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { hostThat } from '../support/at-end.ts';
import { type Home, makeHome } from '../support/cli.ts';
import { openFrontHost, reshaping } from '../support/front-host.ts';
import { serveSandbox } from '../support/served-sandbox.ts';
import { amazonProducts, fundAt, fundedWallet, GIFT, HERE } from '../support/shop.ts';
import { answering, KEYS, noTerminalBecause, openTerminal } from '../support/terminal.ts';

const { fixed } = amazonProducts();
const ORDER = ['order', fixed.product_id, ...HERE, ...GIFT];
const IN_BITCOIN = [...ORDER, '--coin', 'BTC'];
const PLACED = ['Place this order?', KEYS.yes] as const;
const PLAYED = 'Pay it with test BTC? (Y/n)';
const CODE = /^ {6}TEST-\w/m;

let home: Home;
beforeEach(() => {
  home = makeHome();
});
const open = (words: readonly string[], rows = 50) => openTerminal(words, home, { rows });
const flat = (text: string) => text.replace(/\s+/g, ' ');

describe.skipIf(noTerminalBecause)(`a home without a wallet (${noTerminalBecause})`, () => {
  // Where it is made: order-words and wizard-terminal.
  it('keeps no wallet that was declined, and is asked nothing with --yes', async () => {
    const declined = await answering(open(ORDER), ['Create one with 100 USDC', KEYS.no]);
    expect(declined.status).toBe(7);
    expect((await home.run(['wallet', 'address'])).status).not.toBe(0);
    const unasked = await answering(open([...ORDER, '--yes', '--max-amount', '60']));
    expect(unasked.status).not.toBe(0);
    expect(unasked.screen).not.toContain('Create one');
  });

  it('buys with a coin that the sandbox has no chain for by playing the payment', async () => {
    const run = await answering(open(IN_BITCOIN), PLACED, [PLAYED, KEYS.enter]);
    expect([run.status, run.screen]).toEqual([0, expect.stringMatching(CODE)]);
    expect(run.written).not.toContain('▀');
  });

  it.each([
    ['Ctrl-C', KEYS.ctrlC, 130],
    ['No', KEYS.no, 7],
  ])('has a placed order after %s, which is no success and says so', async (_key, keys, end) => {
    const { status, screen } = await answering(open(IN_BITCOIN), PLACED, [PLAYED, keys]);
    expect(status).toBe(end);
    const [order] = await home.json<{ order_id: string }[]>(['orders']);
    const id = order?.order_id ?? '';
    expect(flat(screen)).toContain(`Order ${id} was placed and is not paid`);
    expect(flat(screen)).toContain(`scrip sandbox pay ${id}`);
    if (keys === KEYS.ctrlC) return;
    expect(screen).toContain('error[DECLINED]');
    const shown = await answering(open(['orders', 'show', id]));
    expect(shown).toMatchObject({
      status: 0,
      screen: expect.stringContaining('scrip sandbox pay'),
    });
    expect(shown.screen).toMatch(/^Pay until +\d.*, \d+ minutes? left$/m);
    // Nobody can pay this address: it is of no chain. An id may have a "bc1" in it.
    expect(screen + shown.screen).not.toMatch(/▀|bc1q|bitcoin:/);
    // Track and pay ask again.
    const summary =
      /Amazon\.com.* 10 USD\n +For +\S+@example\.com\n +Pay +0\.\d+ BTC of test money/;
    const declined = await answering(open(['track', id]), [PLAYED, KEYS.no]);
    expect([declined.status, declined.seen[0]]).toEqual([7, expect.stringMatching(summary)]);
    const paid = await answering(open(['pay', id]), [PLAYED, KEYS.enter]);
    expect([paid.status, paid.seen[0]]).toEqual([0, expect.stringMatching(summary)]);
    expect(paid.screen).toMatch(CODE);
  });
});

describe.skipIf(noTerminalBecause)('what is bought', () => {
  it('is told with the price: where it is redeemed', async () => {
    await fundedWallet(home);
    const { status, seen } = await answering(open(ORDER), ['(y/N', KEYS.no]);
    expect([status, seen[0]]).toEqual([7, expect.stringMatching(/^ *Redeem +\S/m)]);
  });

  it('is bought though its details never come', async () => {
    const silent = await hostThat(() => undefined);
    const shop = await serveSandbox(home);
    await fundedWallet(home, shop.flags);
    const words = [...ORDER, ...shop.flags, '--api-url', silent];
    const { status, screen } = await answering(open(words), ['(y/N', KEYS.yes]);
    expect([status, screen]).toEqual([0, expect.stringMatching(CODE)]);
  });
});

describe.skipIf(noTerminalBecause)('an order that is paid from another wallet', () => {
  it('is shown, QR code first, and followed to its code', async () => {
    const shop = await serveSandbox(home);
    // As a live host answers: its orders are of a chain.
    const live = await openFrontHost(
      shop.url,
      reshaping((_path, body) => (body?.sandbox_mode ? { ...body, sandbox_mode: false } : body)),
    );
    const terminal = open([...IN_BITCOIN, ...live.flags], 80);
    await terminal.shows('Place this order?');
    terminal.send(KEYS.yes);
    const screen = await terminal.shows('Ctrl-C stops waiting and keeps the order.');
    expect(screen.indexOf('▀')).toBeGreaterThan(-1);
    expect(screen.indexOf('▀')).toBeLessThan(screen.lastIndexOf('BTC'));
    const orderId = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/.exec(screen)?.[0] ?? '';
    await home.json(['sandbox', 'pay', orderId, ...shop.flags]);
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen()).toMatch(CODE);

    const awaited = /scrip sandbox pay[\s\S]*Ctrl-C stops waiting and keeps the order\./;
    const again = [...IN_BITCOIN, ...live.flags, ...shop.flags, '--allow-duplicate'];
    const stopped = [awaited, KEYS.ctrlC] as const;
    const played = await answering(open(again, 80), PLACED, stopped);
    expect([played.status, played.written.includes('▀')]).toEqual([130, false]);
    const [goOn = '', id = ''] = /scrip track (\S+)/.exec(played.screen) ?? [];
    expect(goOn).not.toBe('');
    const tracked = await answering(open(['track', id, ...shop.flags], 80), stopped);
    expect([tracked.status, tracked.screen]).toEqual([130, expect.stringContaining(goOn)]);
  });
});

describe.skipIf(noTerminalBecause)('a wallet that holds too little', () => {
  it('is offered test money before the question, and the price is asked anew', async () => {
    await fundedWallet(home, [], '1');
    const run = await answering(
      open(ORDER),
      [/The wallet has 1\.00 USDC[\s\S]*Add \d+ USDC of test money\? \(Y\/n\)/, KEYS.enter],
      ['(y/N', KEYS.yes],
    );
    expect(run.seen[0]).not.toContain('(y/N');
    expect([run.status, run.screen]).toEqual([0, expect.stringMatching(CODE)]);
  });

  it('ends with what is missing where none is wanted', async () => {
    await fundedWallet(home, [], '1');
    expect((await answering(open(ORDER), ['(Y/n)', KEYS.no])).status).toBe(6);
    expect(await home.json(['orders'])).toEqual([]);
  });

  it('waits for a deposit of real money, with address and QR code, and asks then', async () => {
    const sandbox = await serveSandbox(makeHome());
    const keypair = join(home.dir, 'real.json');
    const words = ['wallet', 'new', '--keypair', keypair];
    const { address } = await home.json<{ address: string }>(words);
    const folder = join(home.dir, '.config', 'scrip');
    mkdirSync(folder, { recursive: true });
    const policy = JSON.stringify({ hosts: { [new URL(sandbox.url).host]: { payTo: 'any' } } });
    writeFileSync(join(folder, 'policy.json'), policy, { mode: 0o600 });
    const named = [...sandbox.flags, '--base-rpc-url', `${sandbox.url}/rpc/base`];
    const terminal = open([...ORDER, '--keypair', keypair, ...named], 60);
    const shown = await terminal.shows('Wait for the money here? Ctrl-C is safe');
    for (const told of ['USDC on Solana to', address, '▀']) expect(shown).toContain(told);
    expect(shown).not.toContain('test money');
    terminal.send(KEYS.enter);
    await terminal.shows(/Waiting for \d/);
    await fundAt(sandbox.url, address);
    expect((await answering(terminal, ['(y/N', KEYS.no])).status).toBe(7);
  });
});
