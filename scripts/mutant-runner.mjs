/**
 * Runs each test once as it is, and then once for each mutant that it came to and that still lives. What
 * happened is a line each in the file that `MUTANTS_LOG` names: a run that was ended goes on from there.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { TestRunner } from 'vitest';
import { bookOf } from './mutant-book.mjs';

const log = process.env.MUTANTS_LOG;
const always = Number(process.env.MUTANT_ALWAYS ?? 0);
const AS_IT_IS = 0;
/** How long a test may take as it is. */
const FIRST_MS = 180_000;
/** What a busy machine may add to a test with a mutant. */
const PATIENCE_MS = 20_000;

let active = always;
const hits = new Set();
globalThis.$m = (id) => {
  hits.add(id);
  return id === active;
};
const write = (line) => appendFileSync(log, `${JSON.stringify(line)}\n`);
write({ pid: process.pid });

const book = bookOf(readFileSync(log, 'utf8'));
let isStopped = false;

/** Which mutant a test is tried with next; undefined at the end. */
class Tries {
  constructor(key) {
    this.key = key;
    this.next = AS_IT_IS;
    this.queue = undefined;
    this.isClean = true;
    this.suspect = undefined;
  }

  begin() {
    active = this.next;
    if (this.queue === undefined) this.startedMs = Date.now();
    const limitMs = active === AS_IT_IS ? FIRST_MS : PATIENCE_MS + 20 * this.ms;
    write({ begun: active, test: this.key, limitMs });
  }

  end(hasFailed) {
    const tried = active;
    active = AS_IT_IS;
    if (this.queue === undefined) this.first(hasFailed);
    else if (tried !== AS_IT_IS) this.mutant(tried, hasFailed);
    else this.control(hasFailed);
  }

  first(hasFailed) {
    this.ms = Date.now() - this.startedMs;
    write(hasFailed ? { broken: this.key } : { test: this.key, ms: this.ms, hits: [...hits] });
    const doubtful = book.doubtful.get(this.key) ?? [];
    const tried = book.tried.get(this.key);
    const open = [...new Set([...doubtful, ...hits])].filter(
      (id) => !book.killed.has(id) && tried?.has(id) !== true,
    );
    this.queue = hasFailed ? [] : open;
    this.next = this.queue.shift();
  }

  mutant(tried, hasFailed) {
    if (hasFailed) {
      this.suspect = tried;
      this.next = AS_IT_IS;
      return;
    }
    write({ survived: tried, test: this.key });
    this.isClean = false;
    this.next = this.queue.shift();
  }

  /** After a failure: whether the test still holds without a mutant, or is spoilt by an earlier one. */
  control(hasFailed) {
    const isKill = !hasFailed || this.isClean;
    write({ [isKill ? 'killed' : 'doubtful']: this.suspect, test: this.key });
    if (isKill) book.killed.set(this.suspect, this.key);
    this.isClean = true;
    isStopped = hasFailed;
    if (hasFailed) write({ stopped: this.key });
    this.next = hasFailed ? undefined : this.queue.shift();
  }
}

export default class MutantRunner extends TestRunner {
  async onBeforeRunTask(test) {
    await super.onBeforeRunTask(test);
    if (always > 0 || test.mode === 'skip') return;
    const key = keyOf(test);
    const known = book.hits.get(key);
    const isDone =
      known?.every((id) => book.killed.has(id) || book.tried.get(key)?.has(id)) ?? false;
    if (isStopped || isDone || book.broken.has(key)) {
      test.mode = 'skip';
      return;
    }
    write({ outside: [...hits] });
    hits.clear();
    this.tries = new Tries(key);
    // Read before each further try: how many there are is known only after the first.
    test.repeats = { valueOf: () => (this.tries.next === undefined ? -1 : Infinity) };
  }

  onBeforeTryTask(test) {
    super.onBeforeTryTask(test);
    if (always === 0) this.tries.begin();
  }

  onAfterRetryTask(test) {
    if (always > 0) return;
    this.tries.end(test.result.state === 'fail');
    test.result.state = 'pass';
    test.result.errors = undefined;
  }

  onAfterRunTask(test) {
    super.onAfterRunTask(test);
    hits.clear();
  }
}

function keyOf({ name, suite, file }) {
  const names = [name];
  for (let at = suite; at !== undefined; at = at.suite) names.unshift(at.name);
  return [file.name, ...names].join(' > ');
}
