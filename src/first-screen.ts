/** Bare `scrip`, in a file of its own: bin/scrip.js loads nothing else for it. It only reads files. */
import { existsSync } from 'node:fs';
import { type FirstState, firstScreen } from './cli/first-screen.ts';
import { localizer } from './cli/i18n/localize.ts';
import { resolveSettings, type Settings } from './cli/settings/settings.ts';
import { isLoopbackHost } from './domain/address/loopback.ts';
import { goodsName } from './domain/product/product.ts';
import { readCacheFile } from './records/cache-files.ts';
import { homeFolder } from './records/folders.ts';
import { unfinishedEntries } from './records/journal-files.ts';

/**
 * Returns the text of the first screen.
 * @param columns of the terminal; 80 without a terminal
 * @throws {ScripError} for invalid settings: the caller then prints the default screen of the build
 */
export async function readFirstScreen(columns: number): Promise<string> {
  const settings = resolveSettings(
    {},
    { env: process.env, home: homeFolder(), isInteractive: false, readFile: readCacheFile },
  );
  const localize = await localizer(settings.lang);
  return firstScreen(stateOf(settings), { columns, localize });
}

/** Orders in progress come first. */
function stateOf(settings: Settings): FirstState {
  const { keypairPath, signer, draftPath, journalDir, rpcUrl } = settings;
  const orders = unfinishedEntries(journalDir).map(({ intent: { summary } }) =>
    goodsName({ ...summary, name: summary.productName }),
  );
  if (orders.length > 0) return { kind: 'unfinished', orders };
  if (existsSync(draftPath)) return { kind: 'draft' };
  if (signer !== undefined || existsSync(keypairPath)) return { kind: 'nothing' };
  return { kind: 'no-wallet', isPlayMoney: isLoopbackHost(new URL(rpcUrl).hostname) };
}
