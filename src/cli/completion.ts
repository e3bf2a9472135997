/** Completion scripts, generated from the command tree: one function for each shell. */
import type { Command } from 'commander';
import { bash } from './completion/bash.ts';
import { fish } from './completion/fish.ts';
import { powershell } from './completion/powershell.ts';
import { describeTree } from './completion/tree.ts';
import { zsh } from './completion/zsh.ts';

const WRITERS = { bash, zsh, fish, powershell } as const;
export type Shell = keyof typeof WRITERS;
export const SHELLS = Object.keys(WRITERS) as readonly Shell[];

/** The script of a shell for a whole command tree. */
export function completionScript(shell: Shell, program: Command): string {
  return WRITERS[shell](describeTree(program));
}
