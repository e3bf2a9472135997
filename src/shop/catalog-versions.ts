/** The last good catalogs of a shop, kept in its store, and which of them is sold. */

import { z } from 'zod';
import { lazy } from '../contract/endpoint.ts';
import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/errors.ts';
import { t } from '../domain/message.ts';
import type { CatalogAdmin } from '../domain/operator.ts';
import type { CatalogVersionRecord } from '../domain/operator-records.ts';
import type { Store } from '../store/store.ts';
import { parseJson } from './feed.ts';

export interface KeptCatalog {
  readonly version: string;
  readonly text: string;
}

export interface CatalogVersions extends CatalogAdmin {
  /** Keeps a good catalog of the source, and forgets the oldest. */
  take(catalog: KeptCatalog): Promise<void>;
  /** The last good one of the source; undefined where there never was one. */
  newest(): Promise<KeptCatalog | undefined>;
  /** What the operator wants sold in place of a version of the source; undefined if nothing. */
  insteadOf(version: string): Promise<KeptCatalog | undefined>;
}

const KEPT = 5;

/** The newest version of the source and what is sold in place of it. */
const CHOICE = 'catalog in use';
const choice = lazy(() => z.object({ version: z.string(), insteadOf: z.string() }));

interface Deps {
  readonly store: Pick<Store, 'tables'>;
  readonly clock: Pick<Clock, 'now'>;
}

export function createCatalogVersions({ store, clock }: Deps): CatalogVersions {
  const { catalogs, facts } = store.tables;
  const kept = async (version: string | undefined): Promise<KeptCatalog | undefined> => {
    const text = version === undefined ? undefined : await catalogs.text(version);
    return version === undefined || text === undefined ? undefined : { version, text };
  };
  const chosen = async (over: string | undefined): Promise<string | undefined> => {
    const { data } = choice().safeParse(parseJson((await facts.get(CHOICE)) ?? ''));
    return data?.insteadOf === over ? data?.version : undefined;
  };
  const list = async (): Promise<readonly CatalogVersionRecord[]> => {
    const rows = await catalogs.latest(KEPT);
    const newest = rows[0]?.version;
    const sold = (await chosen(newest)) ?? newest;
    return rows.map(({ version, takenAtMs }) => ({
      version,
      taken_at: new Date(takenAtMs).toISOString(),
      sold: version === sold,
    }));
  };
  return {
    async take(catalog) {
      const [newest] = await catalogs.latest(1);
      // A start, or another server of the shop, has taken it already.
      if (newest?.version === catalog.version) return;
      await catalogs.take({ ...catalog, takenAtMs: clock.now() });
      const rows = await catalogs.latest(2 * KEPT);
      await catalogs.remove(rows.slice(KEPT).map(({ version }) => version));
    },
    newest: async () => kept((await catalogs.latest(1))[0]?.version),
    insteadOf: async (version) => kept(await chosen(version)),
    list,
    async use(typed) {
      const rows = await catalogs.latest(KEPT);
      const [found, ...others] = rows.filter(({ version }) => version.startsWith(typed));
      const [newest] = rows;
      if (newest === undefined || found === undefined || others.length > 0) {
        throw new ScripError(
          'INPUT_INVALID',
          t`"${typed}" names no version of the catalog, or several`,
          {
            hint: t`Take one from the list of serve catalog.`,
          },
        );
      }
      const { version } = found;
      await facts.set(CHOICE, JSON.stringify({ version, insteadOf: newest.version }));
      return list();
    },
  };
}
