/** `scrip doctor`: checks whether machine, wallet, journal, host and chain are ready for a payment. */

import type { Command } from 'commander';
import { commandText } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t, verbatim } from '../../domain/message/message.ts';
import { addExamples, addOptions, type Bind, type FlagsOf } from '../command.ts';
import type { BuyerContext } from '../context.ts';
import type { Finding } from '../doctor/finding.ts';
import type { Line, RecordView } from '../output/view.ts';

const OPTIONS = {
  '--repair': 'rebuild a damaged or lost journal from the chain and the merchant',
  '--bundle': 'write a bug report file without secrets',
  '--output <file>': 'with --bundle: new file that only you can read (mode 0600)',
} as const;

type DoctorFlags = FlagsOf<typeof OPTIONS>;

export function register(command: Command, bind: Bind): void {
  addOptions(command, OPTIONS).action((flags: DoctorFlags) => {
    // A report must be had with unreadable settings too: it may be about them.
    const isProfileOptional = isBundle(flags);
    return bind(
      async (context) => {
        if (!isProfileOptional) return run(context, flags);
        const { bundleView } = await import('../doctor/debug-bundle.ts');
        return bundleView(context, flags.output);
      },
      { isProfileOptional },
    );
  });
  addExamples(command, [
    'doctor',
    'doctor --json | jq \'.checks[] | select(.state != "ok")\'',
    'doctor --repair',
    'doctor --bundle --output scrip-debug.json',
  ]);
}

/** Whether to write the bug report. @throws {ScripError} USAGE for options that exclude each other */
function isBundle({ repair, bundle = false, output }: DoctorFlags): boolean {
  if (bundle && repair) throw new ScripError('USAGE', t`Use either --bundle or --repair, not both`);
  if (!bundle && output !== undefined) {
    throw new ScripError('USAGE', t`--output works only with --bundle`, {
      hint: commandText`Run: scrip doctor --bundle --output ${output}`,
    });
  }
  return bundle;
}

async function run(context: BuyerContext, { repair = false }: DoctorFlags): Promise<RecordView> {
  const repaired = repair
    ? await (await import('../doctor/repairing.ts')).repair(context)
    : undefined;
  const { examine } = await import('../doctor/examination.ts');
  const findings = [...(repaired?.findings ?? []), ...(await examine(context))];
  const { checkRecord, worstOf } = await import('../doctor/finding.ts');
  const error = worstOf(findings);
  return {
    kind: 'record',
    record: {
      ok: error === undefined,
      checks: findings.map(checkRecord),
      ...(repaired === undefined ? {} : { repair: repaired.record }),
    },
    lines: findings.flatMap((finding) => linesOf(finding)),
    tones: Object.fromEntries(findings.map(({ check, state }) => [check, STATE_TONES[state]])),
    ...(error === undefined ? {} : { error }),
  };
}

const STATE_TONES = { ok: 'good', warn: 'open', fail: 'bad' } as const;

function linesOf({ check, state, detail, fix }: Finding): readonly Line[] {
  const mark = state === 'ok' ? 'ok' : state.toUpperCase();
  const line = [verbatim(check), t`${mark}  ${detail}`] as const;
  return fix === null ? [line] : [line, [t``, t`→ ${fix}`]];
}
