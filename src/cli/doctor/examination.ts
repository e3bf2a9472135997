/** Runs every check: this machine, wallet, journal, host and chain. Changes nothing. */
import { t } from '../../domain/message.ts';
import type { With } from '../context.ts';
import type { Finding } from './finding.ts';
import { journalChecks, policyCheck, strayCheck, walletCheck } from './journal-checks.ts';
import { diskCheck, environmentChecks, folderChecks, nodeCheck } from './machine-checks.ts';
import { chainChecks, clockCheck, serviceChecks } from './network-checks.ts';

/** Returns what the checks find. @throws {ScripError} INTERRUPTED */
export async function examine(
  context: With<'settings' | 'io' | 'parts' | 'keys' | 'system'>,
): Promise<readonly Finding[]> {
  const {
    parts: { clock },
    system: { footing },
    settings,
    io: { progress },
  } = context;
  const { finding: wallet, signer } = await walletCheck(context);
  const state = await footing.folder(settings.journalDir);
  progress.step(t`Asking the service and the chain`);
  const [service, chain] = await Promise.all([serviceChecks(context), chainChecks(context)]);
  const time = service.timeMs ?? chain.health?.timeMs ?? null;
  const source = service.timeMs === null ? t`the chain` : t`the service`;
  return [
    nodeCheck(footing),
    ...environmentChecks(footing),
    wallet,
    await policyCheck(context),
    ...folderChecks('state', settings.journalDir, state),
    ...diskCheck(settings.journalDir, state),
    ...(await journalChecks(context, signer?.address)),
    ...(signer === undefined ? [] : await strayCheck(context, signer)),
    ...service.findings,
    ...chain.findings,
    clockCheck(clock.now(), source, time),
  ];
}
