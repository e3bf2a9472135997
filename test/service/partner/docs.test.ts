import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { paymentMethodLabel } from '../../../src/domain/payment/payment-means.ts';
import { createSandboxMarket } from '../../../src/sandbox/market.ts';

const page = readFileSync(
  new URL('../../../docs/inside/partner-catalog.md', import.meta.url),
  'utf8',
);
const market = createSandboxMarket();

it('the page names every payment method and every way to pay', () => {
  const labels = market.currencies.flatMap((coin) =>
    coin.networks.map((network) => paymentMethodLabel(coin, network)),
  );
  for (const name of [...labels, ...market.vias.map((via) => via.name)]) {
    expect(page).toContain(`\`${name}\``);
  }
});
