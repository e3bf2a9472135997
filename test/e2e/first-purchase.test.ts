/** A first purchase on a terminal: what is missing is offered, and it ends with goods or a clean refusal. */
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/cli.ts';
import { openReshapingHost } from '../support/reshaping-host.ts';
import { serveSandbox } from '../support/served-sandbox.ts';
import { amazonProducts, fundedWallet, GIFT, HERE } from '../support/shop.ts';
import { KEYS, noTerminalBecause, openTerminal } from '../support/terminal.ts';

const LIMIT = { timeout: 180_000 };
const { fixed } = amazonProducts();
const ORDER = ['order', fixed.product_id, ...HERE, ...GIFT];

let home: Home;
beforeEach(() => {
  home = makeHome();
});

describe.skipIf(noTerminalBecause)(`a home without a wallet (${noTerminalBecause})`, LIMIT, () => {
  it('is offered one with test money, and the order goes on to its code', async () => {
    const terminal = openTerminal(ORDER, { home: home.dir, rows: 50 });
    await terminal.shows('No wallet here yet. Create one with 100 USDC of test money? (Y/n)');
    terminal.send(KEYS.enter);
    await terminal.shows('(y/N');
    terminal.send(`y${KEYS.enter}`);
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen()).toMatch(/^ {6}TEST-\w/m);
    const { usdc } = await home.json<{ usdc: string }>(['wallet', 'balance']);
    expect(Number(usdc)).toBeLessThan(100);
  });

  it('keeps no wallet that was declined', async () => {
    const terminal = openTerminal(ORDER, { home: home.dir });
    await terminal.shows('Create one with 100 USDC');
    terminal.send(`n${KEYS.enter}`);
    expect(await terminal.ended).toBe(7);
    expect((await home.run(['wallet', 'address'])).status).not.toBe(0);
  });

  it('is refused off a terminal, and asked nothing with --yes', async () => {
    const words = [...ORDER, '--yes', '--max-amount', '60'];
    const refused = await home.run([...words, '--json']);
    expect(JSON.parse(refused.stderr).error.code).toBe('WALLET_MISSING');
    const terminal = openTerminal(words, { home: home.dir });
    expect(await terminal.ended).not.toBe(0);
    expect(terminal.screen()).not.toContain('Create one');
  });

  it('buys with a coin that the sandbox has no chain for by playing the payment', async () => {
    const words = [...ORDER, '--coin', 'BTC'];
    const terminal = openTerminal(words, { home: home.dir, rows: 50 });
    await terminal.shows('Place this order?');
    terminal.send(`y${KEYS.enter}`);
    await terminal.shows('Pay it with test BTC? (Y/n)');
    terminal.send(KEYS.enter);
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen()).toMatch(/^ {6}TEST-\w/m);
    expect(terminal.written()).not.toContain('▀');
  });

  it('is placed where Ctrl-C leaves the question how it is paid, and says so', async () => {
    const terminal = openTerminal([...ORDER, '--coin', 'BTC'], { home: home.dir, rows: 50 });
    await terminal.shows('Place this order?');
    terminal.send(`y${KEYS.enter}`);
    await terminal.shows('Pay it with test BTC? (Y/n)');
    terminal.send(KEYS.ctrlC);
    expect(await terminal.ended).toBe(130);
    const [order] = await home.json<{ order_id: string }[]>(['orders']);
    const shown = terminal.screen().replace(/\s+/g, ' ');
    expect(shown).toContain(`Order ${order?.order_id} was placed and is not paid`);
    expect(shown).toContain(`scrip sandbox pay ${order?.order_id}`);
  });

  it('is placed and not paid after No, which is no success; pay and track ask again', async () => {
    const words = [...ORDER, '--coin', 'BTC'];
    const terminal = openTerminal(words, { home: home.dir, rows: 50 });
    await terminal.shows('Place this order?');
    terminal.send(`y${KEYS.enter}`);
    await terminal.shows('Pay it with test BTC? (Y/n)');
    terminal.send(`n${KEYS.enter}`);
    expect(await terminal.ended).toBe(7);
    const [order] = await home.json<{ order_id: string }[]>(['orders']);
    const id = order?.order_id ?? '';
    const told = terminal.screen().replace(/\s+/g, ' ');
    expect(told).toContain(`error[DECLINED]: Order ${id} was placed and is not paid`);
    expect(told).toContain(`scrip sandbox pay ${id}`);
    const shown = openTerminal(['orders', 'show', id], { home: home.dir, rows: 50 });
    expect(await shown.ended).toBe(0);
    expect(shown.screen()).toMatch(/^Pay until +\d.*, \d+ minutes? left$/m);
    expect(shown.screen()).toContain('scrip sandbox pay');
    // Nobody can pay this address: it is of no chain. An id may have a "bc1" in it.
    expect(`${terminal.screen()}${shown.screen()}`).not.toMatch(/▀|bc1q|bitcoin:/);
    const declined = openTerminal(['track', id], { home: home.dir, rows: 50 });
    const summary =
      /Amazon\.com.* 10 USD\n +For +\S+@example\.com\n +Pay +0\.\d+ BTC of test money/;
    expect(await declined.shows('Pay it with test BTC? (Y/n)')).toMatch(summary);
    declined.send(`n${KEYS.enter}`);
    expect(await declined.ended).toBe(7);
    const paid = openTerminal(['pay', id], { home: home.dir, rows: 50 });
    expect(await paid.shows('Pay it with test BTC? (Y/n)')).toMatch(summary);
    paid.send(KEYS.enter);
    expect(await paid.ended).toBe(0);
    expect(paid.screen()).toMatch(/^ {6}TEST-\w/m);
  });
});

describe.skipIf(noTerminalBecause)('what is bought', LIMIT, () => {
  it('is told with the price: where it is redeemed', async () => {
    await fundedWallet(home);
    const terminal = openTerminal(ORDER, { home: home.dir, rows: 50 });
    const shown = await terminal.shows('(y/N');
    expect(shown).toMatch(/^ *Redeem +\S/m);
    terminal.send(`n${KEYS.enter}`);
    expect(await terminal.ended).toBe(7);
  });

  it('is bought though its details never come', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const shop = await serveSandbox(home);
    try {
      const at = ['--checkout-url', shop.url, '--rpc-url', `${shop.url}/rpc`];
      await fundedWallet(home, at);
      const words = [...ORDER, ...at, '--api-url', `http://127.0.0.1:${port}`];
      const terminal = openTerminal(words, { home: home.dir, rows: 50 });
      await terminal.shows('(y/N');
      terminal.send(`y${KEYS.enter}`);
      expect(await terminal.ended).toBe(0);
      expect(terminal.screen()).toMatch(/^ {6}TEST-\w/m);
    } finally {
      silent.closeAllConnections();
      silent.close();
      await shop.stop();
    }
  });
});

describe.skipIf(noTerminalBecause)('an order that is paid from another wallet', LIMIT, () => {
  it('is shown, QR code first, and followed to its code', async () => {
    const shop = await serveSandbox(home);
    const live = await openReshapingHost(shop.url);
    // As a live host answers: its orders are of a chain.
    live.answer((_path, body) => (body?.sandbox_mode ? { ...body, sandbox_mode: false } : body));
    try {
      const at = ['--checkout-url', live.url, '--rpc-url', `${shop.url}/rpc`];
      const words = [...ORDER, '--coin', 'BTC', ...at];
      const terminal = openTerminal(words, { home: home.dir, rows: 80 });
      await terminal.shows('Place this order?');
      terminal.send(`y${KEYS.enter}`);
      await terminal.shows('Ctrl-C stops waiting and keeps the order.');
      const screen = terminal.screen();
      expect(screen.indexOf('▀')).toBeGreaterThan(-1);
      expect(screen.indexOf('▀')).toBeLessThan(screen.lastIndexOf('BTC'));
      const orderId = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/.exec(screen)?.[0] ?? '';
      await home.json(['sandbox', 'pay', orderId, ...shop.flags]);
      expect(await terminal.ended).toBe(0);
      expect(terminal.screen()).toMatch(/^ {6}TEST-\w/m);
      const played = openTerminal([...words, ...shop.flags, '--allow-duplicate'], {
        home: home.dir,
        rows: 80,
      });
      await played.shows('Place this order?');
      played.send(`y${KEYS.enter}`);
      const awaited = /scrip sandbox pay[\s\S]*Ctrl-C stops waiting and keeps the order\./;
      await played.shows(awaited);
      expect(played.written()).not.toContain('▀');
      played.send(KEYS.ctrlC);
      expect(await played.ended).toBe(130);
      const [goOn = '', id = ''] = /scrip track (\S+)/.exec(played.screen()) ?? [];
      expect(goOn).not.toBe('');
      const tracked = openTerminal(['track', id, ...shop.flags], { home: home.dir, rows: 80 });
      await tracked.shows(awaited);
      tracked.send(KEYS.ctrlC);
      expect(await tracked.ended).toBe(130);
      expect(tracked.screen()).toContain(goOn);
    } finally {
      await live.close();
      await shop.stop();
    }
  });
});

describe.skipIf(noTerminalBecause)('a wallet that holds too little', LIMIT, () => {
  it('is offered test money before the question, and the price is asked anew', async () => {
    await fundedWallet(home, [], '1');
    const terminal = openTerminal(ORDER, { home: home.dir, rows: 50 });
    await terminal.shows('The wallet has 1.00 USDC');
    await terminal.shows(/Add \d+ USDC of test money\? \(Y\/n\)/);
    expect(terminal.screen()).not.toContain('(y/N');
    terminal.send(KEYS.enter);
    await terminal.shows('(y/N');
    terminal.send(`y${KEYS.enter}`);
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen()).toMatch(/^ {6}TEST-\w/m);
  });

  it('ends with what is missing where none is wanted', async () => {
    await fundedWallet(home, [], '1');
    const terminal = openTerminal(ORDER, { home: home.dir });
    await terminal.shows('(Y/n)');
    terminal.send(`n${KEYS.enter}`);
    expect(await terminal.ended).toBe(6);
    expect(await home.json(['orders'])).toEqual([]);
  });

  it('waits for a deposit of real money, with address and QR code, and asks then', async () => {
    const shop = makeHome();
    const sandbox = await serveSandbox(shop);
    try {
      const keypair = join(home.dir, 'real.json');
      const { address } = await home.json<{ address: string }>([
        ...['wallet', 'new', '--keypair', keypair],
      ]);
      const host = new URL(sandbox.url).host;
      mkdirSync(join(home.dir, '.config', 'scrip'), { recursive: true });
      const policy = { hosts: { [host]: { payTo: 'any' } } };
      const path = join(home.dir, '.config', 'scrip', 'policy.json');
      writeFileSync(path, JSON.stringify(policy), { mode: 0o600 });
      const flags = ['--keypair', keypair, ...sandbox.flags];
      const terminal = openTerminal([...ORDER, ...flags], { home: home.dir, rows: 60 });
      const shown = await terminal.shows('Wait for the money here? Ctrl-C is safe');
      expect(shown).toContain(address);
      expect(shown).toContain('▀');
      expect(shown).not.toContain('test money');
      terminal.send(KEYS.enter);
      await terminal.shows(/Waiting for \d/);
      await home.run(['wallet', 'fund', ...flags]);
      await terminal.shows('(y/N');
      terminal.send(`n${KEYS.enter}`);
      expect(await terminal.ended).toBe(7);
    } finally {
      await sandbox.stop();
    }
  });
});
