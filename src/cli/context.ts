/** Everything that a command may use. `main.ts` builds the real one; tests pass plain values. */
import type { ScripParts } from '../api/parts.ts';
import type { Io } from './io.ts';
import type { Keys } from './keys/keys.ts';
import type { OwnFiles } from './own-files.ts';
import type { Serving } from './serving/ports.ts';
import type { Settings } from './settings/shape.ts';
import type { System } from './system.ts';

export interface Context {
  /** This program's version. */
  readonly version: string;
  readonly settings: Settings;
  readonly io: Io;
  readonly parts: ScripParts;
  readonly keys: Keys;
  readonly files: OwnFiles;
  readonly system: System;
  readonly serving: Serving;
}

/** Only these groups of the context, for functions that need no more. */
export type With<Group extends keyof Context> = Pick<Context, Group>;
