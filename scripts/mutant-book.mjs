/** What the lines of `mutant-runner.mjs` come to. */
export function bookOf(text) {
  const book = {
    pid: 0,
    killed: new Map(),
    tried: new Map(),
    hits: new Map(),
    doubtful: new Map(),
    broken: new Set(),
    outside: new Set(),
    isStopped: false,
    last: undefined,
  };
  for (const line of text.split('\n')) if (line !== '') enter(book, JSON.parse(line));
  return book;
}

function enter(book, line) {
  const { test } = line;
  book.last = line;
  if (line.pid !== undefined) Object.assign(book, { pid: line.pid, isStopped: false });
  if (line.killed !== undefined) book.killed.set(line.killed, test);
  if (line.hung !== undefined) book.killed.set(line.hung, `${test} (does not end)`);
  if (line.survived !== undefined) listed(book.tried, test, new Set()).add(line.survived);
  if (line.doubtful !== undefined) listed(book.doubtful, test, []).push(line.doubtful);
  if (line.hits !== undefined) book.hits.set(test, line.hits);
  if (line.broken !== undefined) book.broken.add(line.broken);
  for (const id of line.outside ?? []) book.outside.add(id);
  if (line.stopped !== undefined || line.hung !== undefined) book.isStopped = true;
}

function listed(map, key, empty) {
  const known = map.get(key) ?? empty;
  map.set(key, known);
  return known;
}
