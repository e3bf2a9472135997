import { describe, expect, it } from 'vitest';
import { inLanguage } from '../../../src/api/http/call-options.ts';
import { cannedFetch } from '../../support/small-context.ts';

describe('the language of the user', () => {
  const bases = ['https://shop.example', 'https://api.example/v'];

  it.each([
    ['https://shop.example/v1/brands', 'es'],
    ['https://api.example/v/orders', 'es'],
    ['https://api.example/other', undefined],
    ['https://shop.example.evil.example/', undefined],
    ['https://rpc.example/', undefined],
  ])('is told to the merchant alone: %s', async (url, told) => {
    const { fetch, asked } = cannedFetch({});
    await inLanguage(fetch, { language: 'es', bases })(url, { headers: { accept: 'x' } });
    const { headers = {} } = asked[0]?.init ?? {};
    expect([headers.accept, headers['accept-language']]).toEqual(['x', told]);
  });
});
