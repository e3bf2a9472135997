/** Which requests carry a partner's secret. */
import { expect, it } from 'vitest';
import { withPartnerSecret } from '../../src/api/http/call-options.ts';
import { cannedFetch } from '../support/small-context.ts';

const API = 'https://api.example/partner';
const NAMED = { 'x-cr-application': 'acme' };

it.each([
  ['the partner API', `${API}/v5/orders`, NAMED, 'Bearer s3cret'],
  ['a request that names no partner', `${API}/v1/orders`, {}, undefined],
  ['another host', 'https://other.example/v5/orders', NAMED, undefined],
  ['an address that begins alike', 'https://api.example/partnership/v5/orders', NAMED, undefined],
])('%s gets what is its own', async (_what, url, headers, expected) => {
  const { fetch, asked } = cannedFetch({});
  await withPartnerSecret(fetch, { apiUrl: API, read: () => 's3cret' })(url, { headers });
  expect(asked.map(({ init }) => init?.headers?.authorization)).toEqual([expected]);
});

it('is not read for a request that does not carry it', async () => {
  const { fetch } = cannedFetch({});
  const read = () => {
    throw new Error('read');
  };
  const asking = withPartnerSecret(fetch, { apiUrl: API, read });
  expect((await asking('https://rpc.example/', {})).status).toBe(404);
});

it('is left out where there is none', async () => {
  const { fetch, asked } = cannedFetch({});
  const init = { headers: NAMED };
  await withPartnerSecret(fetch, { apiUrl: API, read: () => undefined })(
    `${API}/v3/currencies`,
    init,
  );
  expect(asked.map((one) => one.init)).toEqual([init]);
});
