/** An order without a key may finish one that was begun before: the user is told so. */
import type { Intent } from '../domain/journal.ts';
import type { Context } from './context.ts';

interface Resumption {
  readonly isSaid: () => boolean;
  readonly say: (begun: Intent) => void;
}

/** Said once, on stderr; in JSON mode the document says it. */
export function watchResumption({ settings, stderr, progress }: Context): Resumption {
  const state = { isSaid: false };
  return {
    isSaid: () => state.isSaid,
    say: ({ createdAtMs }) => {
      if (!settings.isJson && !state.isSaid) {
        const time = new Date(createdAtMs).toISOString().slice(0, 16).replace('T', ' ');
        progress.done();
        stderr.write(
          `Finishing the order begun at ${time} UTC; to buy again, use an --idempotency-key of its own.\n`,
        );
      }
      state.isSaid = true;
    },
  };
}
