/** The other side's own library signs; what differs from its messages in anything is refused. */
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { readSecrets, verifyWebhook } from '../../../src/api/webhooks/webhook-inbox.ts';
import { ScripError } from '../../../src/domain/message/errors.ts';
import { fuzzRuns } from '../../support/fuzz.ts';

const NOW_MS = 1_800_000_000_000;
const secretOf = (byte: number, length = 32): string =>
  `whsec_${Buffer.alloc(length, byte).toString('base64')}`;
const SECRET = secretOf(1);
const BODY = '{"type":"order.updated","data":{"order_id":"cr_1"}}';

function signed(body = BODY, { atMs = NOW_MS, id = 'msg_1', secret = SECRET } = {}) {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(atMs / 1_000)),
    'webhook-signature': new Webhook(secret).sign(id, new Date(atMs), body),
  };
}

const verdict = (headers: Record<string, string>, body = BODY, secrets = [SECRET]) =>
  verifyWebhook({ headers: new Headers(headers), body }, { secrets, nowMs: NOW_MS });

describe('a webhook', () => {
  const good = signed();
  const value = good['webhook-signature'];
  const rows: readonly (readonly [string, Record<string, string>, string])[] = [
    ['signed with the secret', good, 'verified'],
    [
      'signed with several, one of them ours',
      { ...good, 'webhook-signature': `v1,AAAA v1a,x ${value}` },
      'verified',
    ],
    ['without a signature', { ...good, 'webhook-signature': '' }, 'unsigned'],
    [
      'with signatures of another version alone',
      { ...good, 'webhook-signature': value.replace('v1,', 'v2,') },
      'unsigned',
    ],
    ['without an id', { ...good, 'webhook-id': '' }, 'unsigned'],
    ['with an endless id', { ...good, 'webhook-id': 'x'.repeat(257) }, 'unsigned'],
    ['without a time', { ...good, 'webhook-timestamp': '' }, 'unsigned'],
    ['with a time that is no number', { ...good, 'webhook-timestamp': '1e9' }, 'unsigned'],
    ['of another id', { ...good, 'webhook-id': 'msg_2' }, 'wrong signature'],
    ['of another time', { ...good, 'webhook-timestamp': '1800000001' }, 'wrong signature'],
    ['of another body', signed(`${BODY} `), 'wrong signature'],
    ['signed with another secret', signed(BODY, { secret: secretOf(2) }), 'wrong signature'],
    ['five minutes old', signed(BODY, { atMs: NOW_MS - 300_000 }), 'verified'],
    ['older', signed(BODY, { atMs: NOW_MS - 301_000 }), 'too old'],
    ['five minutes ahead', signed(BODY, { atMs: NOW_MS + 300_000 }), 'verified'],
    ['further ahead', signed(BODY, { atMs: NOW_MS + 301_000 }), 'from the future'],
    ['old and forged', { ...signed(BODY, { atMs: 0 }), 'webhook-id': 'msg_2' }, 'wrong signature'],
  ];
  it.each(rows)('%s', async (_name, headers, expected) => {
    expect(await verdict(headers)).toBe(expected);
  });

  it('is genuine by any of the secrets, and by none of no secrets', async () => {
    expect(await verdict(good, BODY, [secretOf(2), SECRET])).toBe('verified');
    expect(await verdict(good, BODY, [])).toBe('wrong signature');
  });

  it('of any text is verified, and refused once a character of it is another', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', minLength: 1 }),
        fc.nat(),
        async (body, at) => {
          const headers = signed(body);
          expect(await verdict(headers, body)).toBe('verified');
          const place = at % body.length;
          const other = `${body.slice(0, place)}\u0001${body.slice(place + 1)}`;
          fc.pre(other !== body);
          expect(await verdict(headers, other)).toBe('wrong signature');
        },
      ),
      { numRuns: fuzzRuns(200) },
    );
  });

  it('of any headers has a verdict, and is not verified', async () => {
    const text = fc.stringMatching(/^[\x21-\x7e ]{0,80}$/);
    await fc.assert(
      fc.asyncProperty(text, text, text, async (id, timestamp, signature) => {
        const headers = {
          'webhook-id': id,
          'webhook-timestamp': timestamp,
          'webhook-signature': `v1,${signature} ${signature}`,
        };
        expect(['unsigned', 'wrong signature']).toContain(await verdict(headers));
      }),
      { numRuns: fuzzRuns(300) },
    );
  });
});

describe('secrets', () => {
  it('are read one on a line', () => {
    expect(readSecrets(`\n${SECRET}\r\n ${secretOf(2, 64)}\n`, 'file')).toEqual([
      SECRET,
      secretOf(2, 64),
    ]);
  });

  it.each(['', ' \n', 'hunter2hunter2hunter2', secretOf(1, 23), secretOf(1, 65), `${SECRET}!`])(
    'are refused without being told: %j',
    (text) => {
      const read = () => readSecrets(text, 'the file');
      expect(read).toThrow(ScripError);
      expect(read).toThrow(/the file (?:contains|holds)/);
      if (text.trim() !== '') expect(read).not.toThrow(text);
    },
  );
});
