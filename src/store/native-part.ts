/** Loads the native part of a library: one optional package per platform. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { ScripError } from '../domain/message/errors.ts';
import { t } from '../domain/message/message.ts';

/**
 * Loads `<prefix><platform>-<arch>[-<libc>]` from the installed packages (`litesvm-`, `@libsql/`).
 * The libraries' own loaders create a Node report to detect the C library, which takes longer than
 * the rest of an embedded command.
 * @throws {ScripError} PLATFORM_UNSUPPORTED when none is installed, or none runs here
 */
export function requireNativePart(prefix: string): unknown {
  return firstOf(prefix, createRequire(import.meta.url));
}

/**
 * Checks that a native part is installed, without the time for loading it.
 * @throws {ScripError} PLATFORM_UNSUPPORTED when none is installed
 */
export function checkNativePart(prefix: string): void {
  firstOf(prefix, createRequire(import.meta.url).resolve);
}

/** Creates the error for a missing part. @param name pattern of the packages that would hold it */
export function missingPart(name: string, cause: unknown): ScripError {
  if (cause instanceof ScripError) return cause;
  return new ScripError(
    'PLATFORM_UNSUPPORTED',
    t`A native part of the built-in service is missing on ${platform()} ${arch()}: ${name}`,
    { cause },
  );
}

function firstOf<T>(prefix: string, get: (name: string) => T): T {
  const causes: unknown[] = [];
  for (const target of targets()) {
    try {
      return get(`${prefix}${target}`);
    } catch (cause) {
      causes.push(cause);
    }
  }
  // The other causes are less likely and less helpful.
  throw missingPart(`${prefix}*`, causes[0]);
}

/** Package suffixes, the most likely first: npm may have installed those of both C libraries. */
function targets(): readonly string[] {
  const target = `${platform()}-${arch()}`;
  if (platform() !== 'linux') return [target];
  const gnuFirst = [`${target}-gnu`, `${target}-musl`];
  return isMusl() ? gnuFirst.toReversed() : gnuFirst;
}

function isMusl(): boolean {
  try {
    return readFileSync('/usr/bin/ldd', 'latin1').includes('musl');
  } catch {
    return false;
  }
}
