/**
 * Words that stand in databases, journals, scripts and other people's programs: none is renamed or lost. New
 * ones are written into stored.json beside those that are there.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { DELIVERY_STATES, ORDER_STATUSES } from '../../src/contract/checkout.ts';
import { ORDER_STATES, PAYMENT_STATES, PROBLEM_CODES } from '../../src/contract/codes.ts';
import { WEBHOOK_STATES } from '../../src/contract/operator-states.ts';
import {
  CLIENT_POINTS,
  FEE_POINTS,
  PARTNER_POINTS,
  SERVICE_POINTS,
} from '../../src/domain/journal/fail-points.ts';
import { ORDER_EVENTS } from '../../src/domain/order/order-transitions.ts';
import { PLAYED_EVENTS } from '../../src/domain/order/played-event.ts';
import { makeHome } from '../support/cli.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const STORED = JSON.parse(readFileSync(here('stored.json'), 'utf8'));
const home = makeHome();

interface ErrorRow {
  readonly code: string;
  readonly exit: number;
  readonly retryable: boolean;
  readonly funds_at_risk: string;
}

describe('words that are stored', () => {
  it.each([
    ['order statuses', ORDER_STATUSES],
    ['delivery states', DELIVERY_STATES],
    ['order states', Object.keys(ORDER_STATES)],
    ['payment states', Object.keys(PAYMENT_STATES)],
    ['problem codes', Object.keys(PROBLEM_CODES)],
    ['order events', Object.keys(ORDER_EVENTS)],
    ['webhook events', PLAYED_EVENTS.map(({ event }) => event)],
    ['webhook states', WEBHOOK_STATES],
    ['points of the buyer', CLIENT_POINTS],
    ['points of the partner API', PARTNER_POINTS],
    ['points of the shop', SERVICE_POINTS],
    ['points of a fee account', FEE_POINTS],
  ])('%s', (name, words) => {
    const kept: readonly string[] = STORED[name];
    // In their order: points are passed in it.
    expect(words.filter((word) => kept.includes(word))).toEqual(kept);
  });

  it('errors, with what a script is told of them', async () => {
    const rows = await home.json<readonly ErrorRow[]>(['errors']);
    const table = Object.fromEntries(rows.map(({ code, ...row }) => [code, row]));
    expect(table).toMatchObject(STORED.errors);
  });
});

describe('files of settings', () => {
  it('are written as they always were', async () => {
    await home.json(['policy', 'set', 'perDay', '40']);
    await home.json(['config', 'set', 'country', 'de']);
    const written = (name: string): string =>
      readFileSync(`${home.dir}/.config/scrip/${name}`, 'utf8');
    expect(written('policy.json')).toBe('{\n  "perDay": "40.00"\n}\n');
    expect(written('config.json')).toBe(
      '{\n  "profiles": {\n    "sandbox": {\n      "country": "de"\n    }\n  }\n}\n',
    );
  });

  it('a wallet of play money: its key file and its mark', async () => {
    const { address } = await home.json<{ address: string }>(['wallet', 'new']);
    const share = `${home.dir}/.local/share/scrip`;
    const key = readFileSync(`${share}/wallets/sandbox.json`, 'utf8');
    expect(key).toMatch(/^\[(\d{1,3},){63}\d{1,3}\]\n?$/);
    const mark = readFileSync(`${share}/play/${address}.json`, 'utf8');
    expect(mark).toBe(`{"v":1,"type":"scrip-play","address":"${address}"}\n`);
  });
});

describe('the crash matrix', () => {
  it('knows the program by its command line alone', () => {
    const folder = here('../faults/');
    const imported = readdirSync(folder).flatMap((name) =>
      [...readFileSync(`${folder}${name}`, 'utf8').matchAll(/src\/([\w-]+)[/.]/g)].map(
        ([, room]) => room,
      ),
    );
    const below = ['contract', 'disk', 'domain', 'net', 'rails', 'records', 'sandbox', 'store'];
    expect(imported.filter((room = '') => !below.includes(room))).toEqual([]);
  });
});
