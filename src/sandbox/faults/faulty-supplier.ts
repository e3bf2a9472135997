/** Faults of the supplier (`--fault supplier=…`), in front of the sandbox's supplier. */

import type { Clock } from '../../domain/clock.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import type { Supplier } from '../../service/suppliers/supplier.ts';
import type { FaultPlan } from './fault-plan.ts';

/** How long a call waits for an answer that never comes. */
const TIMEOUT_MS = 5_000;

export function faultySupplier(supplier: Supplier, plan: FaultPlan, clock: Clock): Supplier {
  return {
    check: async (request) => {
      if (plan.strikeSupplier(['unreachable'])) throw trouble('is unreachable');
      return supplier.check(request);
    },
    fulfil: async (reference, request) => {
      const fault = plan.strikeSupplier(['timeout', 'error', 'unknown', 'refused']);
      switch (fault?.trouble) {
        case 'timeout':
          await clock.sleep(TIMEOUT_MS);
          throw trouble(`did not answer within ${TIMEOUT_MS} ms`);
        case 'error':
          throw trouble('answered with an error');
        case 'unknown':
          await supplier.fulfil(reference, request);
          throw trouble('sold, and its answer was lost; ask again with the same reference');
        case 'refused':
          return { outcome: 'refused', reason: 'the supplier declined this purchase' };
        default:
          return supplier.fulfil(reference, request);
      }
    },
  };
}

function trouble(what: string): ScripError {
  return new ScripError('MERCHANT_ERROR', t`The supplier ${what} (simulated by --fault)`);
}
