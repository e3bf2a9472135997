/** Tells whether a process that left its mark on disk is gone, so that what it held can be released. */

import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import process from 'node:process';
import { errorCode } from '../domain/message/errors.ts';
import type { ProcessMark } from '../domain/policy/spend-log.ts';

/** The mark of this process: id, start time and process space. */
export function ownMark(): ProcessMark {
  return { pid: process.pid, started: startOf(process.pid) ?? '', space: processSpace() };
}

/**
 * True only with proof: no process has that id now, or a different process has it. A process of another
 * machine, container or boot cannot be checked, so it counts as alive.
 */
export function isGone({ pid, started, space }: ProcessMark): boolean {
  if (space !== processSpace()) return false;
  if (!isRunning(pid)) return true;
  const now = startOf(pid);
  return started !== '' && now !== undefined && now !== started;
}

/** Whether the process is there, and of this machine's present start. */
export function isHere(mark: ProcessMark): boolean {
  return mark.space === processSpace() && !isGone(mark);
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists, but we may not signal it.
    return errorCode(error) !== 'ESRCH';
  }
}

/** The boot id and the process id namespace, where the system shows them. */
function processSpace(): string {
  const boot = readOr('/proc/sys/kernel/random/boot_id', hostname());
  return `${boot} ${linkOr('/proc/self/ns/pid', '')}`.trim();
}

/** Start time in clock ticks since boot: field 22 of /proc/<pid>/stat (proc(5)). */
function startOf(pid: number): string | undefined {
  const stat = readOr(`/proc/${pid}/stat`, '');
  // Field 2, the program's name in parentheses, may itself hold spaces and parentheses.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return otherwise;
  }
}

function linkOr(path: string, otherwise: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return otherwise;
  }
}
