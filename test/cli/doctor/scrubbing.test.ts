import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scrubbed } from '../../../src/cli/doctor/debug-bundle.ts';
import { CODES } from '../../../src/domain/message/errors.ts';
import { fuzzRuns } from '../../support/fuzz.ts';

const AROUND = { home: '/home/ada', hidden: new Map([['k3y.rpc.example', '….rpc.example']]) };
const scrub = (value: unknown): unknown => scrubbed(value, AROUND);

describe('a text that is given away', () => {
  const rows: readonly (readonly [said: string, shown: string])[] = [
    ['/home/ada/.config/scrip is yours', '~/.config/scrip is yours'],
    ['/home/adam/x', '~/x'],
    ['/Users/grace/x and C:\\Users\\grace\\x', '~/x and ~\\x'],
    ['/srv/ada/journal', '/srv/~/journal'],
    ['ask ada.lovelace+x@mail.example now', 'ask <email> now'],
    ['to +5511987654321.', 'to <phone>.'],
    ['whsec_AAECAwQF', '<secret>'],
    ['https://host.example/v1/x?key=1 answers', 'https://host.example/… answers'],
    ['http://127.0.0.1:4020', 'http://127.0.0.1:4020'],
    ['https://user:pass@host.example/', 'https://host.example/…'],
    ['k3y.rpc.example could not be reached', '….rpc.example could not be reached'],
    ['order 2d537350-053f-4e2f-aba8-cdbefdea2813 waits', 'order <id> waits'],
    ['order cr_m2p6ajpfox3uzw7up5dfs6fmhy waits', 'order <id> waits'],
    ['ACq4qwwGbtkx5WyxwVUf3x1j96okgSR9YGQKENCwgpY8, private', 'ACq4…gpY8, private'],
    [`key ${'5J'.repeat(44)}`, 'key <id>'],
    [`hash ${'0a'.repeat(32)}`, 'hash <id>'],
  ];
  it.each(rows)('%s', (said, shown) => {
    expect(scrub({ list: [said] })).toEqual({ list: [shown] });
  });

  it.each([
    'NODE_TLS_REJECT_UNAUTHORIZED=0 turns certificate checks off',
    '81.3 GB free at ~/.local/state/scrip/journal',
    'Run: scrip doctor --repair',
    'NODE_EXTRA_CA_CERTS',
    ...Object.values(CODES).map(({ hint }) => String(hint)),
  ])('keeps what helps: %s', (text) => {
    if (!text.includes('@') && !/\+\d{7}/.test(text)) expect(scrub(text)).toBe(text);
  });

  it('has no secret of these kinds left, wherever it stands', () => {
    const hex = (length: number) =>
      fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`)).filter((text) => /\d/.test(text));
    const secret = fc.oneof(
      fc.stringMatching(/^[a-z]{3,9}\.[a-z]{3,9}@[a-z]{3,9}\.example$/),
      fc.stringMatching(/^\+[1-9][0-9]{9,13}$/),
      hex(64),
      fc.uuid(),
      fc
        .base64String({ minLength: 44, maxLength: 44 })
        .filter((text) => /\d/.test(text))
        .map((text) => `whsec_${text}`),
      fc.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{87,88}$/).filter((text) => /\d/.test(text)),
    );
    const word = fc.constantFrom('', 'the order ', 'at ', '(', '"', 'is: ');
    fc.assert(
      fc.property(
        word,
        secret,
        fc.constantFrom('', ' failed', ')', '"', ', again'),
        (before, one, after) => {
          expect(scrub(`${before}${one}${after}`)).not.toContain(one);
        },
      ),
      { numRuns: fuzzRuns(500) },
    );
  });
});
