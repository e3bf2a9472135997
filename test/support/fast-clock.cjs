// Another time, for whoever asks the wall clock or sleeps. FAULT_CLOCK is JSON: { sinceMs, speed, offsetMs },
// as test/faults/fast-clock.ts has it. Loaded into a process before the program (`node --require`).
'use strict';

/** The parts of that time, made of those of this one. */
exports.clockOf = (text, { now, setTimeout }) => {
  const { sinceMs, speed, offsetMs } = JSON.parse(text);
  return {
    now: () => sinceMs + offsetMs + Math.floor((now() - sinceMs) * speed),
    setTimeout: (run, ms, ...given) => setTimeout(run, ms / speed, ...given),
  };
};

if (process.env.FAULT_CLOCK) {
  const { now } = Date;
  const { setTimeout } = globalThis;
  const clock = exports.clockOf(process.env.FAULT_CLOCK, { now, setTimeout });
  Date.now = clock.now;
  globalThis.setTimeout = clock.setTimeout;
}
