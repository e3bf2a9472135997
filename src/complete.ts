/** Values for completions, in a file of their own: bin/scrip.js answers a key press with nothing else. */
import { answerCompletion } from './cli/completion/answer.ts';
import type { KnownHere } from './cli/completion/live.ts';
import { readRemembered } from './cli/completion/remembered.ts';
import type { CommandNode } from './cli/completion/tree.ts';
import { NO_CONFIG, parseConfig } from './cli/settings/config.ts';
import { resolveSettings } from './cli/settings/settings.ts';
import type { Settings } from './cli/settings/shape.ts';
import { SANDBOX_PROFILE } from './cli/settings/table.ts';
import { CATALOG_SEED, createGeneratedCatalog } from './sandbox/catalog/generated.ts';
import type { Catalog } from './service/catalog.ts';
import { readCacheFile } from './storage/cache-file.ts';
import { homeFolder } from './storage/home-folder.ts';

type BuiltText = (path: readonly string[]) => string | undefined;

/**
 * The answer, or nothing: when something goes wrong, the line on the terminal stays as it is.
 * @param words those after `completion --values`
 * @param builtText what was written when the program was built, by the parts of its path
 */
export function complete(words: readonly string[], builtText: BuiltText): string {
  try {
    return answerCompletion(words, knownHere(builtText));
  } catch {
    return '';
  }
}

function knownHere(builtText: BuiltText): KnownHere {
  const { env } = process;
  return {
    settings: (flags) =>
      resolveSettings(flags, {
        env,
        home: homeFolder(),
        isInteractive: false,
        readFile: readCacheFile,
      }),
    remembered: ({ completionPath }) => readRemembered(readCacheFile(completionPath) ?? ''),
    profiles,
    builtLines: (name) => linesOf(builtText(['values', name]) ?? ''),
    tree: () => treeOf(builtText(['values', 'tree'])),
    embedded: embeddedShop(),
  };
}

/** It was written by our own build. */
function treeOf(text: string | undefined): CommandNode | undefined {
  return text === undefined ? undefined : JSON.parse(text);
}

function profiles({ configPath }: Settings): ReturnType<KnownHere['profiles']> {
  const text = readCacheFile(configPath);
  const config = text === undefined ? NO_CONFIG : parseConfig(text, configPath);
  const named = [...config.profiles].filter(([name]) => name !== SANDBOX_PROFILE);
  return [
    { name: SANDBOX_PROFILE, what: 'the embedded service' },
    ...named.map(([name, { checkoutUrl }]) => ({ name, what: checkoutUrl ?? 'test money' })),
  ];
}

function embeddedShop(): KnownHere['embedded'] {
  let opened: Catalog | undefined;
  const catalog = (): Catalog => {
    opened ??= createGeneratedCatalog({ seed: CATALOG_SEED });
    return opened;
  };
  return {
    brands: (country) => catalog().brands(country),
    products: (country, brandName) =>
      catalog()
        .products(country, { brandName })
        .map(({ productId, label }) => ({ id: productId, label })),
  };
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}
