// Loaded into the program before its own code (`node --require`): another time, for whoever asks the wall
// clock or sleeps. FAULT_CLOCK is JSON: { sinceMs, speed, offsetMs }, as test/faults/fast-clock.ts has it.
'use strict';
const { sinceMs, speed, offsetMs } = JSON.parse(process.env.FAULT_CLOCK);
const wallNow = Date.now;
const wallTimeout = globalThis.setTimeout;

Date.now = () => sinceMs + offsetMs + Math.floor((wallNow() - sinceMs) * speed);
globalThis.setTimeout = (run, ms, ...given) => wallTimeout(run, ms / speed, ...given);
