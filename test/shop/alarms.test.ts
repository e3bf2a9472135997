/** What wakes a shopkeeper: each alarm by its figures, told once by one server, however the others do. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScripError } from '../../src/domain/message/errors.ts';
import { t } from '../../src/domain/message/message.ts';
import {
  ALARM_NAMES,
  ALARMS,
  type AlarmName,
  measured,
  todoOf,
} from '../../src/domain/operator/alarms.ts';
import { createAlarms, listAlarms, logWay, tryWays, waysOf } from '../../src/shop/alarms.ts';
import { type EmptyStore, ENGINES, emptyStore } from '../support/engines.ts';
import { type ManualClock, manualClock } from '../support/manual-clock.ts';
import { verifyThen } from '../support/webhook-receiver.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
const LIMITS = { fee_payer: 0.1, fee_account: 0.004, refund_wallet: 100 };

describe('each alarm that has a measure', () => {
  const names = ALARM_NAMES.filter((name) => ALARMS[name].by !== undefined);
  it.each(names)('%s is found beyond its limit, and for its labels alone', (name) => {
    const { by } = ALARMS[name];
    const limit = by?.limit ?? LIMITS[name as keyof typeof LIMITS];
    const [label = 'network', value = 'eip155:8453'] = by?.of ?? [];
    const found = (figure: number, labels: Record<string, string> = { [label]: value }) =>
      measured(name, [{ name: by?.metric ?? '', labels, value: figure }], LIMITS);
    const beyond = by?.side === 'above' ? limit + 1 : limit - 0.001;
    expect(found(beyond)).toBe(`${value} ${beyond}${by?.limit === undefined ? ` < ${limit}` : ''}`);
    expect(found(limit)).toBeUndefined();
    if (by?.of) expect(found(beyond, { [label]: 'other' })).toBeUndefined();
    expect(measured(name, [], LIMITS)).toBeUndefined();
  });
});

describe('the documentation', () => {
  const read = (name: string) =>
    readFileSync(fileURLToPath(new URL(`../../docs/operate/${name}`, import.meta.url)), 'utf8');

  it('has a line for each alarm, in order, and for nothing else', () => {
    const rows = read('alarms.md').match(/^\| `.*$/gm);
    const of = (name: AlarmName) => `| \`${name}\` | ${ALARMS[name].means} | ${todoOf(name)} |`;
    expect(rows).toEqual(ALARM_NAMES.map(of));
  });

  it.each(ALARM_NAMES)('has a rule for %s', (name) => {
    const { means, afterMinutes = 0 } = ALARMS[name];
    const title = name.replace(/(?:^|_)[a-z]/g, (start) => start.replace('_', '').toUpperCase());
    // What is told of a server can be told by no server.
    const isServer = name === 'server';
    const rule = [
      `      - alert: Scrip${title}`,
      `        expr: ${isServer ? 'absent(scrip_ready)' : `max(scrip_degraded{part="${name}"}) == 1`}`,
      `        for: ${isServer ? 2 : afterMinutes}m`,
      '        annotations:',
      `          summary: "${means}"`,
      `          description: "${todoOf(name)}"`,
    ];
    expect(read('monitoring/scrip.rules.yml')).toContain(`${rule.join('\n')}\n`);
  });
});

describe.each(ENGINES)('an alarm of a shop on %s', (engine) => {
  let opened: EmptyStore;
  let clock: ManualClock;
  let degraded: Partial<Record<AlarmName, ReturnType<typeof t>>>;
  let told: string[];
  let isMailDead: boolean;
  let reports: unknown[];
  beforeEach(async () => {
    opened = await emptyStore(engine);
    clock = manualClock();
    [degraded, told, reports, isMailDead] = [{}, [], [], false];
  });
  afterEach(() => opened.remove());

  const server = (name: string) =>
    createAlarms({
      ...{ store: opened.store, clock, limits: LIMITS, report: (error) => reports.push(error) },
      ways: {
        log: async ({ event, alarm }) => void told.push(`${name} log ${event} ${alarm}`),
        async mail({ event, text }) {
          if (isMailDead) throw new ScripError('NETWORK_UNREACHABLE', t`No mail server`);
          told.push(`${name} mail ${event} ${text}`);
        },
      },
      look: async () => ({ checks: { database: 'ok' }, degraded, lines: [] }),
    });
  /** Looks every 30 seconds, as servers do. */
  async function pass(ms: number, ...servers: readonly ReturnType<typeof server>[]) {
    for (let left = ms; left > 0; left -= MINUTE_MS / 2) {
      clock.advance(MINUTE_MS / 2);
      await Promise.all(servers.map(({ watch }) => watch()));
    }
    return told.splice(0).toSorted();
  }
  const listed = async () =>
    (await listAlarms(opened.store.tables, clock.now())).map(({ alarm }) => alarm);

  it('is told once by one of the servers when it begins, each day, and when it ends', async () => {
    const [one, other] = [server('a'), server('a')];
    expect(await pass(MINUTE_MS, one, other)).toEqual([]);
    degraded = { rates: t`EUR has no rate` };
    const text = `${ALARMS.rates.means} (EUR has no rate), since 2026-01-01T00:01:30.000Z. ${todoOf('rates')}`;
    const began = ['a log began rates', `a mail began ${text}`];
    expect(await pass(10 * MINUTE_MS, one, other)).toEqual(began);
    // Servers that start anew know what was told.
    const restarted = server('a');
    expect(await pass(10 * MINUTE_MS, restarted)).toEqual([]);
    clock.advance(DAY_MS);
    expect(await pass(MINUTE_MS, one, restarted)).toEqual(
      began.map((line) => line.replace('began', 'lasts')),
    );
    expect(await listed()).toEqual(['server', 'rates']);
    degraded = {};
    expect(await pass(5 * MINUTE_MS, restarted)).toEqual([]);
    expect(await pass(5 * MINUTE_MS, restarted)).toEqual([
      'a log ended rates',
      expect.stringMatching(/^a mail ended Over, since \S+: Goods are not sold/),
    ]);
    expect(await pass(60 * MINUTE_MS, one, restarted)).toEqual([]);
    expect(await listed()).toEqual(['server']);
  });

  it('that another server finds lasts, and one that comes and goes is told once', async () => {
    const [one, other] = [server('a'), server('b')];
    degraded = { accounts: t`full` };
    expect(await pass(MINUTE_MS, one)).toHaveLength(2);
    for (const isWrong of [false, true, false, true]) {
      degraded = isWrong ? { accounts: t`full` } : {};
      expect(await pass(4 * MINUTE_MS, one, other)).toEqual([]);
    }
  });

  it('that was over before it was to be told is never told', async () => {
    const one = server('a');
    degraded = { base: t`away` };
    await pass(MINUTE_MS, one);
    expect(await listed()).toEqual(['server', 'base']);
    degraded = {};
    expect(await pass(20 * MINUTE_MS, one)).toEqual([]);
  });

  it('is told by the others while one way is dead, which is tried every five minutes', async () => {
    const one = server('a');
    [degraded, isMailDead] = [{ catalog: t`old` }, true];
    expect(await pass(12 * MINUTE_MS, one)).toEqual(['a log began catalog']);
    expect(reports).toHaveLength(3);
    isMailDead = false;
    expect(await pass(12 * MINUTE_MS, one)).toEqual([
      expect.stringMatching(/^a mail began The catalog/),
    ]);
  });

  it('of a later version is left to its servers', async () => {
    const one = server('a');
    degraded = { catalog: t`old` };
    await pass(MINUTE_MS, one);
    const { facts } = opened.store.tables;
    const [row] = JSON.parse((await facts.get('alarms')) ?? '');
    const later = { ...row, alarm: 'flooded', toldAtMs: null, nextAtMs: 0 };
    await facts.set(
      'alarms',
      JSON.stringify([row, { ...later, seenAtMs: clock.now() + MINUTE_MS }]),
    );
    expect(await pass(MINUTE_MS, one)).not.toContain('a log began flooded');
    expect(reports).toEqual([]);
    expect(await facts.get('alarms')).toContain('flooded');
    expect(await listed()).toEqual(['server', 'catalog']);
  });

  it('is shown by the server that found it, in words', async () => {
    const one = server('a');
    degraded = { catalog: t`old` };
    await pass(MINUTE_MS, one);
    const { catalog, rates } = one.now();
    expect([String(catalog), rates]).toEqual([`${ALARMS.catalog.means} (old)`, null]);
    await opened.store.tables.facts.set('ready', String(clock.now()));
    expect(await listAlarms(opened.store.tables, clock.now())).toMatchObject([
      { alarm: 'catalog', found: 'old', told_at: '2026-01-01T00:00:30.000Z' },
    ]);
  });
});

describe('ways of telling', () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const mail = { server: 'smtp://127.0.0.1', from: 'shop@example.com', to: ['ann@example.com'] };
  const webhook = { url: 'https://ops.example/alarms', secret };
  const clock = manualClock();

  it('sign the webhook as those of orders are, and mail in plain words', async () => {
    const sent: unknown[] = [];
    const ways = waysOf(
      { webhook, mail, shopName: 'Corner' },
      {
        now: clock.now,
        async post({ url, headers, body }) {
          verifyThen(secret, body, headers);
          sent.push([url, JSON.parse(body)]);
          return { status: 204 };
        },
        sendMail: async (one) => void sent.push(one),
      },
    );
    expect(await tryWays(ways, clock.now())).toEqual([
      { way: 'webhook', failure: undefined },
      { way: 'mail', failure: undefined },
    ]);
    const text = 'A trial: this is how the shop tells its alarms';
    expect(sent).toEqual([
      [
        webhook.url,
        {
          ...{ type: 'alarm.test', timestamp: '2026-01-01T00:00:00.000Z' },
          data: { shop: 'Corner', alarm: 'test', text },
        },
      ],
      { ...mail, subject: 'Corner: test (test)', text: `${text}\n` },
    ]);
  });

  it.each([
    [{ status: 500 }, 'HTTP_500'],
    [{ failure: 'ECONNREFUSED' }, 'ECONNREFUSED'],
  ])('fail where the receiver says %j', async (said, reason) => {
    const ports = { now: clock.now, post: async () => said, sendMail: async () => undefined };
    const ways = waysOf({ webhook, mail, shopName: 'Corner' }, ports);
    const failure = { code: 'WEBHOOK_NOT_TAKEN', message: expect.stringContaining(reason) };
    expect(await tryWays(ways, 0)).toMatchObject([
      { way: 'webhook', failure },
      { way: 'mail', failure: undefined },
    ]);
  });

  it('log a line that no other line is taken for', async () => {
    const lines: ScripError[] = [];
    const { log } = logWay((error) => lines.push(error as ScripError));
    await log?.({
      alarm: 'rates',
      event: 'began',
      text: t`It is wrong`,
      id: 'alarm-log-rates-1-0',
    });
    expect(lines).toMatchObject([{ code: 'SHOP_ALARM', message: 'It is wrong' }]);
    expect(lines[0]?.details.subject).toBe('alarm-log-rates-1-0');
  });
});
