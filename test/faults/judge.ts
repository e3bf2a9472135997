/**
 * The judge: the chain's ledger, the supplier's ledger and the shop's orders. What a buyer believes
 * or has written down counts for nothing; a payment that its journal does not know is seen here.
 */
import { baseLedgerAt, ledgerAt } from '../support/ledger.ts';

export interface Books {
  /** Transactions that took USDC from the wallet. */
  readonly landed: number;
  /** USDC that left the wallet, in atomic units. */
  readonly spentAtomic: bigint;
  /** What the supplier sold for this beneficiary. */
  readonly sold: number;
  /** Orders of this buyer that were delivered, of either surface. */
  readonly completed: number;
}

/** Asks the shop's database, whichever engine keeps it. */
export type Query = (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

export type Judge = ReturnType<typeof openJudge>;

export function openJudge(shopUrl: () => string, query: Query) {
  const count = async (sql: string): Promise<number> => Number((await query(sql))[0]?.n);
  return {
    async books(payer: string, email: string, fundedAtomic: bigint): Promise<Books> {
      const rpcUrl = `${shopUrl()}/rpc`;
      const ledger = payer.startsWith('0x') ? baseLedgerAt(`${rpcUrl}/base`) : ledgerAt(rpcUrl);
      return {
        landed: (await ledger.payments(payer)).length,
        spentAtomic: fundedAtomic - (await ledger.balance(payer)),
        // Beneficiaries are made by the harness and hold no character that SQL would read.
        sold: await count(
          `select count(*) as n from purchases where outcome = 'fulfilled' and request like '%"beneficiary":"${email}"%'`,
        ),
        completed:
          (await count(
            `select count(*) as n from orders where status = 'completed' and email = '${email}'`,
          )) +
          (await count(
            `select count(*) as n from partner_orders where order_state = 'Done' and email = '${email}'`,
          )),
      };
    },
  };
}

/** What is wrong with the books of one purchase that was pursued to its end. */
export function violations(
  { landed, spentAtomic, sold, completed }: Books,
  expected: {
    readonly priceAtomic: bigint;
    readonly vouchers: number;
    /** The buyer ended with proof that nothing was or can be charged. */
    readonly isProvenUnpaid: boolean;
  },
): readonly Violation[] {
  const found: Violation[] = [];
  if (landed > 1 || spentAtomic > expected.priceAtomic) found.push('double payment');
  if (landed >= 1 && (completed === 0 || sold === 0 || expected.vouchers === 0)) {
    found.push('lost order');
  }
  if (sold > landed || completed > landed) found.push('extra delivery');
  if (landed === 0 && !expected.isProvenUnpaid) found.push('unfinished');
  return found;
}

export type Violation = 'double payment' | 'lost order' | 'extra delivery' | 'unfinished';
