/** The columns of least and most, with the currency of the country where a table has headers. */
import { describe, expect, it } from 'vitest';
import { brandColumns, headerCurrency } from '../../../src/cli/browsing/listing.ts';
import {
  type ContextParts,
  cannedFetch,
  capture,
  smallContext,
  smallSettings,
} from '../../support/small-context.ts';

const COUNTRIES = { '/api/available-countries': [{ code: 'ES', name: 'Spain', currency: 'EUR' }] };

function looking(parts: ContextParts = {}) {
  const host = cannedFetch(COUNTRIES);
  const stdout = capture({ isTerminal: true });
  return {
    context: smallContext({ io: { stdout }, parts: { fetch: host.fetch } }, parts),
    asked: host.asked,
  };
}

describe('the currency of a header', () => {
  it('is that of the country', async () => {
    expect(await headerCurrency(looking().context, ' ES ')).toBe('EUR');
  });

  it('is unknown, and nothing fails, where the host does not tell', async () => {
    expect(await headerCurrency(looking().context, 'fr')).toBeUndefined();
    const silent = looking({ parts: { fetch: cannedFetch({}).fetch } });
    expect(await headerCurrency(silent.context, 'es')).toBeUndefined();
  });

  it.each([
    ['in a pipe', { io: { stdout: capture() } }],
    ['in JSON', { settings: smallSettings({ json: true }) }],
    ['among fields', { settings: smallSettings({ fields: 'min' }) }],
  ])('is asked of nobody %s', async (_where, parts) => {
    const { context, asked } = looking(parts);
    expect([await headerCurrency(context, 'es'), asked]).toEqual([undefined, []]);
  });
});

it('bounds have their currency above them', () => {
  const headers = (currency: string | undefined) =>
    brandColumns([], currency)
      .slice(3)
      .map(({ header }) => header);
  expect([headers('EUR'), headers(undefined)]).toEqual([
    ['MIN EUR', 'MAX EUR'],
    ['MIN', 'MAX'],
  ]);
});
