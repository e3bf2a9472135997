/** `scrip debug bundle`: the old name of `scrip doctor --bundle`. */
import type { Command } from 'commander';
import type { Bind } from '../command.ts';
import { addExamples } from '../examples.ts';

export function register(command: Command, bind: Bind): void {
  const bundle = command
    .command('bundle')
    .description('write a bug report file without secrets')
    .option(
      '--output <file>',
      'new file that only you can read (mode 0600), instead of standard output',
    )
    .action(({ output }: { readonly output?: string }) =>
      // Must run with unreadable settings too: the report may be about them.
      bind(
        async (context) => (await import('../doctor/debug-bundle.ts')).bundleView(context, output),
        {
          isProfileOptional: true,
        },
      ),
    );
  addExamples(command, ['doctor --bundle', 'doctor --bundle --output scrip-debug.json']);
  addExamples(bundle, ['doctor --bundle', 'doctor --bundle --output scrip-debug.json']);
}
