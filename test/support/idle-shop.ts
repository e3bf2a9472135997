/** The configuration of a shop that nobody serves, for its operator's commands. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newKey } from '../../src/wallet/key-file.ts';
import type { Home } from './cli.ts';

/** Words that name the shop's file. */
export const OF_SHOP = ['--config', 'shop.json'] as const;

/** Writes `shop.json` and the seed. The secrets of chain and supplier are not there. */
export function writeIdleShop({ dir }: Pick<Home, 'dir'>): void {
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
  writeFileSync(join(dir, 'shop.json'), JSON.stringify(config));
}
