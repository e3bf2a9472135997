/**
 * Spending reservations as record files: `<dir>/<payer>/spend/<n>.rec`, each sealed onto the
 * previous one, and `<n>-back.rec` for a released one. One chain spans all days, so a limit is also
 * enforced across midnight.
 */

import { join } from 'node:path';
import { type Disk, realDisk } from '../disk/files.ts';
import { ScripError } from '../domain/message/errors.ts';
import { t, verbatim } from '../domain/message/message.ts';
import type { ProcessMark, Reservation, SpendLog } from '../domain/policy/spend-log.ts';
import { readDerived, writeDerived } from './cache-files.ts';
import {
  CHAIN_START,
  damaged,
  hasShape,
  listWhole,
  makeDirectory,
  parseShaped,
  putRecord,
  readRecord,
  type Shape,
  sealRecord,
} from './record-files.ts';

const NUMBER_WIDTH = 8;

interface SpendLogOptions {
  /** Folder of all journals. */
  readonly dir: string;
  /** Address of the wallet. */
  readonly payer: string;
  /** This process; `isGone` says whether another one has certainly ended. */
  readonly owner: ProcessMark;
  readonly isGone: (owner: ProcessMark) => boolean;
  readonly disk?: Disk;
}

/** Opens the log of one wallet; creates nothing before the first reservation. */
export function openSpendLog(options: SpendLogOptions): SpendLog {
  const { dir, payer, owner, isGone, disk = realDisk } = options;
  const home = join(dir, payer);
  const folder = join(home, 'spend');
  // Chain of the last read; valid later because records never change.
  const known: { chain: Start } = { chain: BEGINNING };
  return {
    read: async (sinceMs) => {
      const chain = readSince(folder, sinceMs);
      known.chain = chain;
      const { base, reservations, returned } = chain;
      const held = reservations.filter(
        (reservation) => !returned.has(reservation.number) && !isGone(reservation.owner),
      );
      return { last: base + reservations.length, held };
    },
    reserve: async (reservation) => {
      makeDirectory(disk, folder, [dir, home]);
      const previous = sealBefore(known.chain, reservation.number);
      const line = JSON.stringify({ ...reservation, owner });
      return putRecord(disk, folder, nameOf(reservation.number), sealRecord(previous, line));
    },
    release: async (number) => {
      // The cached chain may begin after this reservation.
      const chain = number > known.chain.base ? readAfter(folder, known.chain) : readChain(folder);
      const previous = sealBefore(chain, number + 1);
      putRecord(disk, folder, backName(number), sealRecord(previous, JSON.stringify({ number })));
    },
  };
}

interface Chain {
  /** Number of the record before the first one read; 0 for the whole chain. */
  readonly base: number;
  readonly reservations: readonly Reservation[];
  /** Numbers of released reservations. */
  readonly returned: ReadonlySet<number>;
  /** Seals from number `base` on; `seals[0]` is the one before the first record read. */
  readonly seals: readonly string[];
}

/** Where a chain is read from; the first of the seals counts. */
type Start = Pick<Chain, 'base' | 'seals'>;

const BEGINNING: Start = { base: 0, seals: [CHAIN_START] };

function readChain(folder: string, { base, seals: [first = ''] } = BEGINNING): Chain {
  const names = listWhole(folder, numberIn, (numbers) => missingIn(numbers, base));
  const returned = new Set<number>();
  const reservations: Reservation[] = [];
  const seals = [first];
  for (let number = base + 1; names.has(nameOf(number)); number += 1) {
    const path = join(folder, nameOf(number));
    const record = readRecord(path, seals[number - 1 - base] ?? '');
    if (record === undefined) throw damaged(path, t`it is gone`);
    seals.push(record.seal);
    const reservation = parseReservation(record.line);
    if (reservation?.number !== number) {
      throw damaged(path, t`its content does not match its name`);
    }
    reservations.push(reservation);
    if (!names.has(backName(number))) continue;
    // Read only to check its seal.
    readRecord(join(folder, backName(number)), record.seal);
    returned.add(number);
  }
  return { base, reservations, returned, seals };
}

/** Reads the records after a start point, or the whole chain if they do not continue it. */
function readAfter(folder: string, start: Start): Chain {
  try {
    return readChain(folder, start);
  } catch (error) {
    if (!(error instanceof ScripError) || start.base === 0) throw error;
    return readChain(folder);
  }
}

/** Holds the number up to which all reservations are old, and the seal that the next record is chained to. */
const START_FILE = 'start.idx';
/** Number of old records read before this file is rewritten. */
const BATCH = 64;

/** Reads the chain, skipping reservations before the instant if the start file covers them. */
function readSince(folder: string, sinceMs: number | undefined): Chain {
  if (sinceMs === undefined) return readChain(folder);
  const chain = readAfter(folder, readStart(folder, sinceMs) ?? BEGINNING);
  const isYoung = ({ atMs }: Reservation): boolean => atMs > sinceMs;
  const first = chain.reservations.findIndex(isYoung);
  const old = first < 0 ? chain.reservations.length : first;
  if (old < BATCH) return chain;
  const newestMs = Math.max(...chain.reservations.slice(0, old).map(({ atMs }) => atMs));
  const line = JSON.stringify({ base: chain.base + old, seal: chain.seals[old], newestMs });
  writeDerived(join(folder, START_FILE), [line]);
  return chain;
}

function readStart(folder: string, sinceMs: number): Start | undefined {
  const value = parseShaped(readDerived(join(folder, START_FILE))?.[0] ?? '', START_SHAPE);
  if (value === undefined) return undefined;
  const { base, seal, newestMs } = value;
  // If the clock was set back, reservations behind the start point may be young again.
  return Number(newestMs) > sinceMs ? undefined : { base: Number(base), seals: [String(seal)] };
}

const START_SHAPE: Shape = { base: 'number', seal: 'string', newestMs: 'number' };

/** The first of the records up to the last one that is not there. */
function missingIn(numbers: ReadonlyMap<string, number>, base: number): string | undefined {
  const last = [...numbers.values()].reduce((most, number) => Math.max(most, number), base);
  for (let number = 1; number <= last; number += 1) {
    if (!numbers.has(nameOf(number))) return nameOf(number);
  }
  return undefined;
}

function nameOf(number: number): string {
  return `${String(number).padStart(NUMBER_WIDTH, '0')}.rec`;
}

function backName(number: number): string {
  return nameOf(number).replace('.rec', '-back.rec');
}

function numberIn(name: string): number | undefined {
  const match = /^(\d{8})(?:-back)?\.rec$/.exec(name);
  return match === null ? undefined : Number(match[1]);
}

/** Returns the seal that record `number` is chained to. */
function sealBefore({ base, seals }: Start, number: number): string {
  const seal = seals[number - 1 - base];
  if (seal === undefined)
    throw new ScripError('INTERNAL', verbatim(`There is no record before ${number}`));
  return seal;
}

const SHAPE: Shape = {
  number: 'number',
  intentId: 'string',
  attempt: 'number',
  merchant: 'string',
  amountAtomic: 'string',
  atMs: 'number',
  owner: 'object',
};
const OWNER_SHAPE: Shape = {
  pid: 'number',
  started: 'string',
  space: 'string',
};

function parseReservation(line: string): Reservation | undefined {
  const value = parseShaped(line, SHAPE);
  if (value === undefined) return undefined;
  const isWhole =
    hasShape(value.owner, OWNER_SHAPE) && /^\d{1,20}$/.test(String(value.amountAtomic));
  // Safe: every field was checked above.
  return isWhole ? (value as unknown as Reservation) : undefined;
}
