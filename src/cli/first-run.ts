/** The note at the first run: where files are, and what to do next. */
import { t } from '../domain/message.ts';
import type { With } from './context.ts';
import type { Localize } from './i18n/localize.ts';
import { sentenceText } from './output/wrap.ts';

/** Prints the note once; never to a pipe, in JSON mode or in continuous integration. */
export async function welcome(
  {
    settings,
    io: { stdout, stderr },
    files,
    system: { footing },
  }: With<'settings' | 'io' | 'files' | 'system'>,
  { localize, path }: { readonly localize: Localize; readonly path: string },
): Promise<void> {
  const isForPeople = stdout.isTerminal && stderr.isTerminal && settings.output.format === 'text';
  if (!isForPeople || (footing.variable('CI') ?? '') !== '') return;
  if (!(await files.isFirstRun())) return;
  const home = footing.variable('HOME');
  const dir =
    home && settings.stateDir.startsWith(`${home}/`)
      ? `~${settings.stateDir.slice(home.length)}`
      : settings.stateDir;
  const money = settings.isEmbedded
    ? t`Without a host it uses the built-in sandbox: test money, local store and chain.`
    : t`It buys from ${settings.checkoutUrl}, as your settings say: the money may be real.`;
  const lines = [
    localize(t`First run of scrip here: its files are kept in ${dir}.`),
    localize(money),
    ...(BUYING.has(path)
      ? []
      : [localize(t`Next: scrip order amazon 25, or step by step: scrip wizard`)]),
  ];
  stderr.write(`${lines.map((line) => sentenceText(line, stderr)).join('')}\n`);
}

/** These commands create a wallet themselves, so they need no hint on what to do first. */
const BUYING: ReadonlySet<string> = new Set(['order', 'wizard']);
