/** Completion scripts: each asks the program for the values at the cursor. */
import { BASH } from './bash.ts';
import { FISH } from './fish.ts';
import { ZSH } from './zsh.ts';

export const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH } as const;
export type Shell = keyof typeof SCRIPTS;
export const SHELLS = Object.keys(SCRIPTS) as readonly Shell[];
