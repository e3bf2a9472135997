/**
 * Reservations as record files: `<dir>/<payer>/spend/<n>.rec`, each sealed onto the one before it,
 * and `<n>-back.rec` for one that was given back. One chain for all days: what is decided at
 * midnight is decided once.
 */

import { join } from 'node:path';
import { ScripError } from '../domain/errors.ts';
import { t, verbatim } from '../domain/message.ts';
import type { ProcessMark, Reservation, SpendLog } from '../domain/spend-log.ts';
import { type Disk, realDisk } from './durable-file.ts';
import {
  CHAIN_START,
  damaged,
  makeDirectory,
  putRecord,
  readRecord,
  recordNames,
  sealRecord,
} from './record-files.ts';

/** Records may be written while a listing is made; then it is made again. */
const MAX_READS = 5;
const NUMBER_WIDTH = 8;

export interface SpendLogOptions {
  /** Folder of all journals. */
  readonly dir: string;
  /** Address of the wallet. */
  readonly payer: string;
  /** This process, and whether another one is gone for certain. */
  readonly owner: ProcessMark;
  readonly isGone: (owner: ProcessMark) => boolean;
  readonly disk?: Disk;
}

/** Opens the log of one wallet; nothing is created before the first reservation. */
export function openSpendLog(options: SpendLogOptions): SpendLog {
  const { dir, payer, owner, isGone, disk = realDisk } = options;
  const home = join(dir, payer);
  const folder = join(home, 'spend');
  // Of the last reading: the records are never changed.
  const known = { seals: [CHAIN_START] };
  return {
    read: async () => {
      const { reservations, returned, seals } = readChain(folder);
      known.seals = seals;
      const held = reservations.filter(
        (reservation) => !returned.has(reservation.number) && !isGone(reservation.owner),
      );
      return { last: reservations.length, held };
    },
    reserve: async (reservation) => {
      makeDirectory(disk, folder, [dir, home]);
      const previous = sealBefore(known.seals, reservation.number);
      const line = JSON.stringify({ ...reservation, owner });
      return putRecord(disk, folder, nameOf(reservation.number), sealRecord(previous, line));
    },
    release: async (number) => {
      const previous = sealBefore(readChain(folder).seals, number + 1);
      putRecord(disk, folder, backName(number), sealRecord(previous, JSON.stringify({ number })));
    },
  };
}

interface Chain {
  readonly reservations: readonly Reservation[];
  /** Numbers of those that were given back. */
  readonly returned: ReadonlySet<number>;
  /** By number; the first one is what the chain starts from. */
  readonly seals: string[];
}

function readChain(folder: string): Chain {
  const names = listChain(folder);
  const returned = new Set<number>();
  const reservations: Reservation[] = [];
  const seals = [CHAIN_START];
  for (let number = 1; names.has(nameOf(number)); number += 1) {
    const path = join(folder, nameOf(number));
    const record = readRecord(path, seals[number - 1] ?? '');
    if (record === undefined) throw damaged(path, t`it is gone`);
    seals.push(record.seal);
    const reservation = parseReservation(record.line);
    if (reservation?.number !== number) {
      throw damaged(path, t`it holds something else than its name says`);
    }
    reservations.push(reservation);
    if (!names.has(backName(number))) continue;
    // Read for its seal alone.
    readRecord(join(folder, backName(number)), record.seal);
    returned.add(number);
  }
  return { reservations, returned, seals };
}

/** The names of the records, without a gap. */
function listChain(folder: string): ReadonlySet<string> {
  for (let reads = 1; ; reads += 1) {
    const names = new Set(recordNames(folder));
    const numbers = [...names].map(numberIn);
    const stranger = [...names].find((name) => numberIn(name) === undefined);
    if (stranger !== undefined) throw damaged(join(folder, stranger), t`no record has this name`);
    const last = numbers.reduce<number>((most, number) => Math.max(most, number ?? 0), 0);
    const gap = firstMissing(names, last);
    if (gap === undefined) return names;
    // A listing is no snapshot: it may show a record and miss the older one it is chained to.
    if (reads === MAX_READS) throw damaged(join(folder, nameOf(gap)), t`it is gone`);
  }
}

function firstMissing(names: ReadonlySet<string>, last: number): number | undefined {
  for (let number = 1; number <= last; number += 1) {
    if (!names.has(nameOf(number))) return number;
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

/** The seal that the record of a number is chained to. */
function sealBefore(seals: readonly string[], number: number): string {
  const seal = seals[number - 1];
  if (seal === undefined)
    throw new ScripError('INTERNAL', verbatim(`There is no record before ${number}`));
  return seal;
}

const SHAPE: Readonly<Record<string, string>> = {
  number: 'number',
  intentId: 'string',
  attempt: 'number',
  merchant: 'string',
  amountAtomic: 'string',
  atMs: 'number',
  owner: 'object',
};
const OWNER_SHAPE: Readonly<Record<string, string>> = {
  pid: 'number',
  started: 'string',
  space: 'string',
};

function parseReservation(line: string): Reservation | undefined {
  const value = parseObject(line);
  if (value === undefined || !hasShape(value, SHAPE)) return undefined;
  const isWhole =
    hasShape({ ...Object(value.owner) }, OWNER_SHAPE) &&
    /^\d{1,20}$/.test(String(value.amountAtomic));
  // Every field was looked at just above.
  return isWhole ? (value as unknown as Reservation) : undefined;
}

type Fields = Readonly<Record<string, unknown>>;

function parseObject(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function hasShape(value: Fields, shape: Readonly<Record<string, string>>): boolean {
  return Object.entries(shape).every(
    ([name, type]) => typeof value[name] === type && value[name] !== null,
  );
}
