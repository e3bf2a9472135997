import { describe, expect, it } from 'vitest';
import { listedRecipients } from '../../../src/api/checkout/listed-recipients.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { jsonReply } from '../../support/scripted-fetch.ts';

const recipients = (manifest: unknown, status = 200) =>
  listedRecipients(
    {
      fetch: async (url) => {
        expect(url).toBe('https://x402.example/.well-known/x402.json');
        return jsonReply(status, manifest);
      },
      clock: manualClock(),
    },
    'https://x402.example',
  );

describe('recipients of a manifest', () => {
  it.each([
    ['one', { payTo: 'a' }, ['a']],
    ['several', { payTo: ['a', 'b'] }, ['a', 'b']],
    ['in offers', { accepts: [{ payTo: 'a' }, {}, { payTo: 'c' }] }, ['a', 'c']],
    ['one for each order', { payTo: { allocation: 'per_session' } }, []],
    ['none', {}, []],
  ])('are read: %s', async (_what, manifest, expected) => {
    expect(await recipients(manifest)).toEqual(expected);
  });

  it('are no list where the host has no manifest, or one that makes no sense', async () => {
    await expect(recipients({}, 404)).rejects.toMatchObject({ fundsAtRisk: 'none' });
    await expect(recipients([])).rejects.toMatchObject({ code: 'MERCHANT_REPLY_INVALID' });
  });
});
