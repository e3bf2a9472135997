/** Reports the addresses named by new transactions of the embedded chain, read from its ledger. */
import type { PaymentNews } from '../../rails/merchant-rail.ts';
import type { ChainStore } from '../../store/store.ts';
import type { TransactionMeta } from './ledger.ts';

/** Transactions per call. */
const PAGE = 500;

export function chainNews(store: Pick<ChainStore, 'tables'>): PaymentNews['since'] {
  const { chain } = store.tables;
  return async (mark = '0') => {
    const rows = await chain.transactionsAfter(Number(mark), PAGE);
    // A chain that was recreated has fewer transactions than the mark.
    if (rows.length === 0) {
      const count = await chain.transactionCount();
      return { addresses: [], mark: count < Number(mark) ? String(count) : mark };
    }
    const addresses = rows.flatMap(({ meta }) => addressesIn(JSON.parse(meta)));
    return { addresses: [...new Set(addresses)], mark: String(rows.at(-1)?.position ?? mark) };
  };
}

/** A token transfer names the token account; an order's address is that account's owner. */
function addressesIn({ accounts, postTokenBalances }: TransactionMeta): readonly string[] {
  return [...accounts, ...postTokenBalances.map(({ owner }) => owner)];
}
