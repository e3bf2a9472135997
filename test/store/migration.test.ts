import { expect, it } from 'vitest';
import {
  latestVersion,
  missingSteps,
  POSTGRES_WORDS,
  SHOP_SCHEMA,
  SQLITE_WORDS,
  statements,
} from '../../src/store/schema.ts';
import { CHAIN_SCHEMA } from '../../src/store/tables/chain.ts';

const [before, between, after] = ['create a', 'create b', 'create c'];
const SCHEMA = {
  firstVersion: 7,
  oldestVersion: 8,
  steps: [() => [before], () => [between], ({ bytes }: typeof SQLITE_WORDS) => [after, bytes]],
};
const missing = (oldest: number, latest: number) =>
  missingSteps(SCHEMA, { oldest, latest }, SQLITE_WORDS);
const upgraded = { oldest: 8, latest: 9 };

it.each([
  [
    'an empty database',
    0,
    0,
    { statements: [before, between, after, 'blob'], version: upgraded, locksOut: false },
  ],
  [
    'one of the first version',
    7,
    7,
    { statements: [between, after, 'blob'], version: upgraded, locksOut: true },
  ],
  [
    'one of the version before',
    8,
    8,
    { statements: [after, 'blob'], version: upgraded, locksOut: false },
  ],
  ['one of the present version', 8, 9, undefined],
  ['a newer one that this program may use', 9, 12, undefined],
])('%s runs what it has not run', (_name, oldest, latest, upgrade) => {
  expect(missing(oldest, latest)).toEqual(upgrade);
});

it.each([
  [6, 6, ', which no release of scrip wrote'],
  [10, 12, ' and was written by a newer scrip'],
])('version %d is unknown, and refused', (oldest, latest, why) => {
  expect(() => missing(oldest, latest)).toThrow(`The store has version ${latest}${why}`);
});

/** What a program that does not know it goes on with; each key of a unique index is of a new column or table. */
const ADDS =
  /^(create (table|index|function|trigger)|alter table "\w+" add column "\w+" \w+( not null default .+| default .+)?$)/;
/** A trigger may write, and a step may fill, what the same steps make. An index is of use to those that ask by it. */
const FILLS = /^(?:insert into ("\w+")|update "\w+" set ("\w+") =|drop index "\w+"$)/;
const MADE = /^(?:create table|alter table "\w+" add column) ("\w+")/;
const onlyAdd = (all: readonly string[]) => {
  const made = new Set(all.map((statement) => MADE.exec(statement)?.[1]));
  return (statement: string): boolean => {
    const [isFilled, table, column] = FILLS.exec(statement) ?? [];
    const filled = table ?? column;
    return (
      ADDS.test(statement) || (isFilled !== undefined && (filled === undefined || made.has(filled)))
    );
  };
};

it.each([
  ['create table "new" ("name" text not null primary key)', true],
  ['create index "orders_new" on "orders" ("new")', true],
  ['alter table "orders" add column "new" text', true],
  ['alter table "orders" add column "new" text not null default \'a b\'', true],
  ['create table "new" ("name" text); insert into "new" select "name" from "old"', true],
  ['insert into "orders" select "name" from "old"', false],
  ['alter table "orders" add column "new" text; update "orders" set "new" = \'b\'', true],
  ['alter table "orders" add column "new" text not null', false],
  ['alter table "orders" add column "new" text unique', false],
  ['alter table "orders" drop column "old"', false],
  ['create unique index "orders_new" on "orders" ("new")', false],
  ['update "orders" set "state" = \'new\'', false],
])('%s: the version before goes on with it: %s', (statement, expected) => {
  expect(statements(statement).every(onlyAdd(statements(statement)))).toBe(expected);
});

it.each([
  ['shop', SHOP_SCHEMA],
  ['chain', CHAIN_SCHEMA],
])('the steps of a %s after its oldest version only add', (_, schema) => {
  const { firstVersion, oldestVersion, steps } = schema;
  expect(oldestVersion).toBeLessThanOrEqual(latestVersion(schema));
  const later = steps.slice(oldestVersion - firstVersion + 1);
  const all = [SQLITE_WORDS, POSTGRES_WORDS].flatMap((words) =>
    later.flatMap((step) => step(words)),
  );
  const adds = onlyAdd(all);
  expect(all.filter((statement) => !adds(statement))).toEqual([]);
});
