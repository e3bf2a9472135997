/**
 * Buyers with one part swapped for a wrong one. The harness has to catch each of them: a harness
 * that finds nothing in these finds nothing at all.
 */
import type { PurchaseTools } from '../../src/client/purchase-tools.ts';
import type { Fetch } from '../../src/contract/fetch.ts';
import type { Attempt, Entry, Fact, Intent, Journal } from '../../src/domain/journal.ts';
import type { PayerRail } from '../../src/rails/rail.ts';

export type Breakage =
  /** Takes a payment without an answer for one that was not made. */
  | 're-signs on timeout'
  /** Sends while its record is still on the way to the disk. */
  | 'records after sending'
  /** Takes an error status for proof that nothing was charged. */
  | 'trusts the status';

export function breakTools(tools: PurchaseTools, breakage: Breakage): PurchaseTools {
  return BROKEN[breakage](tools);
}

const BROKEN: Readonly<Record<Breakage, (tools: PurchaseTools) => PurchaseTools>> = {
  're-signs on timeout': (tools) => {
    const last = watchPayments(tools.fetch);
    return {
      ...tools,
      fetch: last.fetch,
      rail: lyingRail(tools.rail, () => last.seen() === 'cut'),
    };
  },
  'trusts the status': (tools) => {
    const last = watchPayments(tools.fetch);
    const isError = (): boolean => {
      const seen = last.seen();
      return typeof seen === 'number' && seen >= 400;
    };
    return { ...tools, fetch: last.fetch, rail: lyingRail(tools.rail, isError) };
  },
  'records after sending': (tools) => ({
    ...tools,
    // On a slow machine the chain is final by the second run, and the mark of the key would save it.
    rail: blindRail(tools.rail),
    journal: lateJournal(tools.journal),
  }),
};

type Seen = 'nothing' | 'cut' | number;

/** How the last payment that was sent ended. */
function watchPayments(fetch: Fetch): { readonly fetch: Fetch; seen(): Seen } {
  let seen: Seen = 'nothing';
  return {
    seen: () => seen,
    fetch: async (url, init) => {
      if (init?.headers?.['PAYMENT-SIGNATURE'] === undefined) return fetch(url, init);
      seen = 'cut';
      const reply = await fetch(url, init);
      seen = reply.status;
      return reply;
    },
  };
}

function lyingRail(rail: PayerRail, saysDead: () => boolean): PayerRail {
  return {
    ...rail,
    fate: async (payment) =>
      saysDead() ? { fate: 'dead', proof: 'nobody answered' } : rail.fate(payment),
  };
}

/** Finds no payment that the journal does not know. */
function blindRail({ insight: _insight, ...rail }: PayerRail): PayerRail {
  return rail;
}

/** Keeps an attempt in memory until the next fact about it is written. */
function lateJournal(journal: Journal): Journal {
  const waiting = new Map<string, Attempt>();
  const shown = (entry: Entry): Entry => {
    const attempt = waiting.get(entry.intent.key);
    return attempt === undefined ? entry : { ...entry, attempts: [...entry.attempts, attempt] };
  };
  const flush = async (intent: Intent): Promise<void> => {
    const attempt = waiting.get(intent.key);
    waiting.delete(intent.key);
    if (attempt !== undefined) await journal.addAttempt(intent, attempt);
  };
  return {
    open: async (intent) => shown(await journal.open(intent)),
    byKey: async (key) => {
      const entry = await journal.byKey(key);
      return entry === undefined ? undefined : shown(entry);
    },
    all: async () => (await journal.all()).map(shown),
    addAttempt: async (intent, attempt) => {
      waiting.set(intent.key, attempt);
      return attempt;
    },
    addFact: async (intent, fact: Fact) => {
      await flush(intent);
      await journal.addFact(intent, fact);
    },
  };
}
