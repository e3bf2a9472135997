/** Derives slots from the clock, and each slot's blockhash from the seed: LiteSVM has neither. */
import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../../domain/clock.ts';
import { encodeBase58 } from '../../rails/solana/address.ts';
import type { ChainStore, Facts } from '../../store/store.ts';
import type { ChainTables } from '../../store/tables/chain.ts';

/** Time of a slot. */
const SLOT_MS = 400;
/** A transaction may name a blockhash of the last 150 slots (Solana: MAX_PROCESSING_AGE). */
export const BLOCKHASH_WINDOW = 150;
/** Blockhashes are recognized somewhat longer, to tell an expired one from a foreign one. */
const MEMORY_SLOTS = BLOCKHASH_WINDOW + 32;
/** First slot of a chain: far from 0, so a slot is not mistaken for a count. */
const FIRST_SLOT = 300_000_000;
/** Mainnet skips slots, so its block heights are lower; a client that mixes them up fails here too. */
const HEIGHT_LAG = 20_000_000;

const ANCHOR = 'chain.anchor';
const SEED = 'chain.seed';

/** Slot `slot` began at `atMs`. */
interface Anchor {
  readonly slot: number;
  readonly atMs: number;
}

export function heightOf(slot: number): number {
  return slot - HEIGHT_LAG;
}

/** Whether a transaction may still name the blockhash of `slot`. */
export function isWithinWindow(slot: number, current: number): boolean {
  return current - slot <= BLOCKHASH_WINDOW;
}

/**
 * Tells a chain from all others; undefined before the chain is made. The seed itself stays secret, since the
 * faucet's key derives from it.
 */
export async function chainIdOf(facts: Pick<Facts, 'get'>): Promise<string | undefined> {
  const seed = await facts.get(SEED);
  return seed && createHash('sha256').update(`chain ${seed}`).digest('hex').slice(0, 32);
}

/** Opens the slot clock of the store's chain; the first process to open it creates seed and start. */
export async function openSlots(store: ChainStore, clock: Clock) {
  const { facts } = store.tables;
  const seed = await facts.once(SEED, randomBytes(32).toString('hex'));
  await facts.once(ANCHOR, JSON.stringify({ slot: FIRST_SLOT, atMs: clock.now() }));
  const timer = createTimer(clock);
  let known: { readonly anchor: Anchor; readonly readAtMs: number } | undefined;
  // For less than a slot, and not once the clock was set back: then another process may have moved it.
  const recentAnchor = async (): Promise<Anchor> => {
    const sinceMs = clock.now() - (known?.readAtMs ?? 0);
    if (known !== undefined && sinceMs >= 0 && sinceMs < SLOT_MS) return known.anchor;
    const readAtMs = clock.now();
    const anchor = await readAnchor(facts);
    known = { readAtMs, anchor };
    return anchor;
  };
  return {
    /** The current slot. */
    current: async () => {
      const anchor = await recentAnchor();
      return timer.at(anchor) ?? store.write(async (tables) => record(tables, timer));
    },
    /**
     * Returns the current slot and stores it within a write: later slots are never lower, even if the
     * clock is set back.
     */
    record: (tables: ChainTables) => record(tables, timer),
    /** Roughly when the slot began. */
    startedAtMs: async (slot: number) => {
      const anchor = await recentAnchor();
      return anchor.atMs + (slot - anchor.slot) * SLOT_MS;
    },
    ...createBlockhashes(Buffer.from(seed, 'hex')),
  };
}

export type Slots = Awaited<ReturnType<typeof openSlots>>;

async function readAnchor(facts: Facts): Promise<Anchor> {
  const text = await facts.get(ANCHOR);
  const anchor: Anchor = JSON.parse(text ?? '{}');
  return anchor;
}

async function record({ facts }: ChainTables, timer: Timer): Promise<number> {
  const before = await readAnchor(facts);
  const anchor = timer.advance(before);
  if (anchor.slot !== before.slot || anchor.atMs !== before.atMs) {
    await facts.set(ANCHOR, JSON.stringify(anchor));
  }
  return anchor.slot;
}

type Timer = ReturnType<typeof createTimer>;

/** Also remembers the highest slot that this process has returned. */
function createTimer(clock: Clock) {
  let highest = 0;
  /** The current slot; undefined if the clock was set back, so the anchor must be moved. */
  const at = (anchor: Anchor): number | undefined => {
    const elapsed = Math.floor((clock.now() - anchor.atMs) / SLOT_MS);
    const slot = anchor.slot + elapsed;
    if (elapsed < 0 || slot < highest) return undefined;
    highest = slot;
    return slot;
  };
  return {
    at,
    /** Returns the anchor moved to the current slot. */
    advance: (anchor: Anchor): Anchor => {
      const slot = at(anchor);
      // After the clock was set back, slots continue from the last one at the clock's new time.
      if (slot === undefined) return { slot: Math.max(highest, anchor.slot), atMs: clock.now() };
      return { slot, atMs: anchor.atMs + (slot - anchor.slot) * SLOT_MS };
    },
  };
}

/** Blockhashes derive from seed and slot, so the store keeps no table of them. */
function createBlockhashes(seed: Uint8Array) {
  const slots = new Map<string, number>();
  let newest = 0;
  const blockhashBytes = (slot: number): Uint8Array => {
    const number = Buffer.alloc(8);
    number.writeBigUInt64LE(BigInt(slot));
    return createHash('sha256').update(seed).update(number).digest();
  };
  const blockhash = (slot: number): string => encodeBase58(blockhashBytes(slot));
  const learnUpTo = (current: number): void => {
    if (slots.size > 10 * MEMORY_SLOTS) slots.clear();
    const oldest = current - MEMORY_SLOTS;
    for (
      let slot = slots.size > 0 ? Math.max(newest + 1, oldest) : oldest;
      slot <= current;
      slot += 1
    ) {
      slots.set(blockhash(slot), slot);
    }
    newest = Math.max(newest, current);
  };
  return {
    blockhash,
    blockhashBytes,
    /** The slot of a blockhash, or undefined if it is unknown or too old. */
    slotOf: (hash: string, current: number): number | undefined => {
      learnUpTo(current);
      const slot = slots.get(hash);
      return slot !== undefined && slot <= current && current - slot <= MEMORY_SLOTS
        ? slot
        : undefined;
    },
  };
}
