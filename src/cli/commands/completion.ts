/** `scrip completion`: prints a shell's completion script. */
import { Argument, type Command } from 'commander';
import { addExamples, type Bind } from '../command.ts';
import { SCRIPTS, SHELLS, type Shell } from '../completion/scripts.ts';

export function register(command: Command, bind: Bind): void {
  command
    .addArgument(new Argument('<shell>', 'shell to write for').choices(SHELLS))
    .action((shell: Shell) =>
      bind(async () => {
        const text = SCRIPTS[shell];
        return { kind: 'text', text, record: { shell, script: text } };
      }),
    );
  addExamples(command, [
    'completion bash > ~/.local/share/bash-completion/completions/scrip',
    'completion zsh > ~/.zfunc/_scrip',
    'completion fish > ~/.config/fish/completions/scrip.fish',
  ]);
}
