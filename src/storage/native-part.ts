/** Loads the native part of a library: a package of its own for each platform, none of them required. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { ScripError } from '../domain/errors.ts';
import { t } from '../domain/message.ts';

/**
 * Loads `<prefix><platform>-<arch>[-<libc>]` from the installed packages (`litesvm-`, `@libsql/`). The
 * libraries' own loaders ask Node for a whole report to learn the C library: that takes longer than
 * all the rest of an embedded command.
 * @throws {ScripError} PLATFORM_UNSUPPORTED when none is installed, or none runs here
 */
export function requireNativePart(prefix: string): unknown {
  return firstOf(prefix, createRequire(import.meta.url));
}

/**
 * Makes sure that there is one, without the time that loading it takes.
 * @throws {ScripError} PLATFORM_UNSUPPORTED when none is installed
 */
export function checkNativePart(prefix: string): void {
  firstOf(prefix, createRequire(import.meta.url).resolve);
}

/** @param name of the packages that it may be in */
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
  // The others are less likely, and say less.
  throw missingPart(`${prefix}*`, causes[0]);
}

/** As the packages are named, the likeliest first: npm may have installed those of both C libraries. */
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
