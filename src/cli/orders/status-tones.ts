/** The colour of each status. */

import type { PurchaseStatus } from '../../domain/purchase-status.ts';
import type { Tone } from '../output/paint.ts';

export const STATUS_TONES: Readonly<Record<PurchaseStatus, Tone>> = {
  completed: 'good',
  processing: 'open',
  unpaid: 'open',
  unknown: 'bad',
  attention: 'bad',
  failed: 'bad',
  canceled: 'bad',
  expired: 'bad',
  refunded: 'bad',
};
