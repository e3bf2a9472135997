import { expect, it } from 'vitest';
import { missingStatements, SQLITE_WORDS } from '../../src/store/schema.ts';

const [before, between, after] = ['create a', 'create b', 'create c'];
const SCHEMA = {
  firstVersion: 7,
  steps: [() => [before], () => [between], ({ bytes }: typeof SQLITE_WORDS) => [after, bytes]],
};

it.each([
  ['an empty database', 0, [before, between, after, 'blob']],
  ['one of the first version', 7, [between, after, 'blob']],
  ['one of the present version', 9, []],
])('%s runs what it has not run', (_name, version, statements) => {
  expect(missingStatements(SCHEMA, version, SQLITE_WORDS)).toEqual(statements);
});

it.each([
  [6, ', which no release of scrip wrote'],
  [10, ' and was written by a newer scrip'],
])('version %d is unknown, and refused', (version, why) => {
  expect(() => missingStatements(SCHEMA, version, SQLITE_WORDS)).toThrow(
    `The store has version ${version}${why}`,
  );
});
