/** All that a command may touch. `main.ts` builds the real one, a test a small one of values. */
import type { ScripParts } from '../api/parts.ts';
import type { Io } from './io.ts';
import type { Keys } from './keys/keys.ts';
import type { OwnFiles } from './own-files.ts';
import type { Serving } from './serving/ports.ts';
import type { Settings } from './settings/shape.ts';
import type { System } from './system.ts';

export interface Context {
  /** Version of this program. */
  readonly version: string;
  readonly settings: Settings;
  readonly io: Io;
  readonly parts: ScripParts;
  readonly keys: Keys;
  readonly files: OwnFiles;
  readonly system: System;
  readonly serving: Serving;
}

/** A value with these groups of it: what a function takes that needs no more. */
export type With<Group extends keyof Context> = Pick<Context, Group>;
