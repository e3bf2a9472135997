/** Digests of delivered codes, by which the store tells that a code was delivered before. */
import { ScripError } from '../domain/errors.ts';
import { t } from '../domain/message.ts';
import type { DeliveryRow } from '../store/tables/deliveries.ts';
import { decodeLine } from './line.ts';
import type { ServiceOptions } from './options.ts';
import { goodsIn } from './suppliers/goods.ts';
import type { Voucher } from './suppliers/supplier.ts';
import type { VoucherVault } from './voucher-vault.ts';

/** Digest of what redeems a voucher; text of the line's own where nothing does. */
export function codeDigest(
  vault: Pick<VoucherVault, 'digest'>,
  { deliveryId, goods }: DeliveryRow,
  voucher: Voucher,
): string {
  const redeems = goodsIn(voucher, decodeLine(goods))?.redeems ?? null;
  return redeems === null ? `none ${deliveryId}` : vault.digest(redeems);
}

/** Begins the digest of a line whose code another line had before this was watched. */
export const DELIVERED_TWICE = 'again ';

type Digesting = Pick<ServiceOptions, 'store' | 'report'> & { readonly vault: VoucherVault };

const PAGE = 500;

/** Digests what an earlier version delivered. Servers that do it at once do the same. */
export async function digestEarlier({ store, vault, report }: Digesting): Promise<void> {
  for (let after = ''; ; ) {
    const rows = await store.tables.books.undigested({ after, limit: PAGE });
    if (rows.length === 0) return;
    after = rows.at(-1)?.deliveryId ?? after;
    const found: { readonly deliveryId: string; readonly digest: string }[] = [];
    for (const row of rows) {
      if (row.voucher === null) continue;
      try {
        const digest = codeDigest(vault, row, await vault.open(row.voucher, row));
        found.push({ deliveryId: row.deliveryId, digest });
      } catch (cause) {
        report?.(unreadable(row, cause));
      }
    }
    await store.write(async ({ deliveries }) => {
      for (const { deliveryId, digest } of found) {
        const isTaken = (await deliveries.byCodeDigest(digest)) !== undefined;
        await deliveries.digest(deliveryId, isTaken ? DELIVERED_TWICE + deliveryId : digest);
      }
    });
  }
}

/** It is not compared with later codes. */
function unreadable({ deliveryId }: DeliveryRow, cause: unknown): ScripError {
  const message = t`The voucher of delivery ${deliveryId} cannot be decrypted`;
  return new ScripError('INTERNAL', message, { cause, details: { subject: deliveryId } });
}
