import { type Difference, type Episode, type Servers, makeEpisode, play } from './episode.ts';
import { createChoices } from './choices.ts';

export type RunOptions = {
  readonly operations: number;
  readonly seed: number;
  readonly lanes: number;
  /** Operations per object. */
  readonly length: number;
  readonly kind: string | undefined;
  /** Go on until so many differences were found. */
  readonly differences: number;
};

/** An episode and where the servers differed in it. */
type Finding = { readonly episode: Episode; readonly difference: Difference };

/** How a run went; `found` are the differences that showed again when they were replayed. */
export type RunResult = {
  readonly operations: number;
  readonly seconds: number;
  readonly unconfirmed: number;
  readonly found: readonly Finding[];
};

/** Plays episodes in lanes side by side until enough operations were sent or the servers differ. */
export async function runEpisodes(
  servers: Servers,
  options: RunOptions,
  progress: (operations: number, rate: number) => void,
): Promise<RunResult> {
  const random = createChoices(options.seed);
  const began = performance.now();
  const seconds = (): number => (performance.now() - began) / 1000;
  let operations = 0;
  let planned = 0;
  let unconfirmed = 0;
  const found: Finding[] = [];
  const onStep = (): void => {
    operations += 1;
    if (operations % 500 === 0) progress(operations, operations / seconds());
  };
  const lane = async (): Promise<void> => {
    while (found.length < options.differences && planned < options.operations) {
      const length = Math.min(options.length, options.operations - planned);
      planned += length;
      const episode = makeEpisode(random.seed(), length, options.kind);
      const difference = await play(servers, episode, onStep);
      if (difference === undefined) continue;
      // Seconds tick at other moments on the two servers, and they order managed fields: such a difference is gone
      // when the same is done again.
      const again = await play(servers, {
        ...episode,
        operations: episode.operations.slice(0, difference.step + 1),
      });
      if (again === undefined) unconfirmed += 1;
      else found.push({ episode, difference: again });
    }
  };
  await Promise.all(Array.from({ length: options.lanes }, lane));
  return { operations, seconds: seconds(), unconfirmed, found };
}
