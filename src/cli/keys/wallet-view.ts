/** Shows a wallet: its address, and the key file or signer program. */
import { type Said, t } from '../../domain/message.ts';
import type { Signer } from '../../rails/rail.ts';
import type { With } from '../context.ts';
import type { RecordView } from '../output/view.ts';
import type { KeyFileRecord } from '../schemas/machine.ts';
import { checkWalletFits } from '../settings/settings.ts';

/**
 * Returns the path of the key file.
 * @throws {ScripError} WALLET_PROFILE_MISMATCH before the file is touched
 */
export function keyFile({ settings }: With<'settings'>): string {
  checkWalletFits(settings);
  return settings.keypairPath;
}

/** Opens the configured wallet. @throws {ScripError} WALLET_PROFILE_MISMATCH, or a code of the key file */
export async function openWallet(context: With<'settings' | 'parts' | 'keys'>): Promise<Signer> {
  const {
    settings,
    keys: { wallets },
    parts: { playMarks },
  } = context;
  const signer = await wallets.open(keyFile(context));
  checkWalletFits(settings, await playMarks.has(signer.address));
  return signer;
}

export function walletView({ settings }: With<'settings'>, address: string): RecordView {
  const program = settings.signer?.command[0];
  if (program === undefined) return keyFileView(address, settings.keypairPath);
  return {
    kind: 'record',
    record: { address, signer: program },
    lines: [
      [t`Address`, address],
      [t`Signer`, program],
    ],
  };
}

export function keyFileView(
  address: string,
  keypair: string,
  more: { readonly isEncrypted?: boolean; readonly from?: Said } = {},
): RecordView {
  const { isEncrypted, from } = more;
  return {
    kind: 'record',
    record: {
      address,
      keypair,
      ...(from === undefined ? {} : { from: String(from) }),
      ...(isEncrypted === undefined ? {} : { encrypted: isEncrypted }),
    } satisfies KeyFileRecord,
    lines: [
      [t`Address`, address],
      [t`Key file`, keypair],
      ...(from === undefined ? [] : [[t`Read from`, from] as const]),
      ...(isEncrypted === true ? [[t`Encrypted`, t`yes`] as const] : []),
    ],
  };
}
