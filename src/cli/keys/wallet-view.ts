/** How a wallet is shown: its address, and what holds its key. */
import { type Said, t } from '../../domain/message.ts';
import type { Signer } from '../../rails/rail.ts';
import type { With } from '../context.ts';
import type { RecordView } from '../output/view.ts';
import type { KeyFileRecord } from '../schemas/wallet.ts';
import { checkWalletFits } from '../settings/settings.ts';

/** @throws {ScripError} WALLET_PROFILE_MISMATCH before the file is touched */
export function keyFile({ settings }: With<'settings'>): string {
  checkWalletFits(settings);
  return settings.keypairPath;
}

/** The wallet of the settings, to look at. @throws {ScripError} WALLET_PROFILE_MISMATCH; its own codes */
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
