/** Completion scripts: each asks the program what may stand at the cursor. */
import { BASH } from './completion/bash.ts';
import { FISH } from './completion/fish.ts';
import { POWERSHELL } from './completion/powershell.ts';
import { ZSH } from './completion/zsh.ts';

export const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL } as const;
export type Shell = keyof typeof SCRIPTS;
export const SHELLS = Object.keys(SCRIPTS) as readonly Shell[];
