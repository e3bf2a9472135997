/** The configuration of a shop that nobody serves, for its operator's commands. */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { shopParts } from '../../src/shop/parts.ts';
import { readShopConfig } from '../../src/shop/shop-config.ts';
import { openShopStore } from '../../src/shop/shop-store.ts';
import type { Home } from './cli.ts';
import { manualClock } from './manual-clock.ts';
import { newKey } from './new-key.ts';

/** Words that name the shop's file. */
export const OF_SHOP = ['--config', 'shop.json'] as const;

/** Writes `shop.json` and the seed, and begins its database. The secrets of chain and supplier are not there. */
export async function writeIdleShop({ dir }: Pick<Home, 'dir'>): Promise<void> {
  writeFileSync(join(dir, 'seed'), '5'.repeat(64), { mode: 0o600 });
  const config = {
    data_dir: 'shop-data',
    master_seed: { file: 'seed' },
    listen: { port: 0 },
    chain: {
      rpc: { env: 'NO_RPC' },
      fee_payer: { file: 'no-fee-payer.json' },
      treasury: newKey().address,
    },
    catalog: { file: 'goods.json' },
    supplier: { kind: 'codes', file: 'no-codes.jsonl' },
  };
  const text = JSON.stringify(config);
  writeFileSync(join(dir, 'shop.json'), text);
  const sources = { env: {}, resolvePath: (path: string) => resolve(dir, path) };
  const parts = { config: readShopConfig(text), sources, fetch, clock: manualClock() };
  await (await openShopStore(shopParts(parts))).store.close();
}
