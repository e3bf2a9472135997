/** `scrip doctor`: whether this machine, its wallet, its journal, the host and the chain are fit to pay. */

import type { Command } from 'commander';
import { t, verbatim } from '../../domain/message.ts';
import type { Bind } from '../command.ts';
import type { With } from '../context.ts';
import type { Finding } from '../doctor/finding.ts';
import { addExamples } from '../examples.ts';
import type { Line, RecordView } from '../output/view.ts';

interface DoctorFlags {
  readonly repair?: boolean;
}

export function register(command: Command, bind: Bind): void {
  command
    .option('--repair', 'write a damaged or lost journal anew, from chain and merchant')
    .action((flags: DoctorFlags) => bind((context) => run(context, flags)));
  addExamples(command, [
    'doctor',
    'doctor --json | jq \'.checks[] | select(.state != "ok")\'',
    'doctor --repair',
  ]);
}

async function run(
  context: With<'version' | 'settings' | 'io' | 'parts' | 'keys' | 'system'>,
  { repair = false }: DoctorFlags,
): Promise<RecordView> {
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
