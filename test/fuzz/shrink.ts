import { type Difference, type Episode, type Servers, play } from './episode.ts';

/** A difference and the fewest operations that were found to show it. */
export type Shrunk = { readonly episode: Episode; readonly difference: Difference };

/**
 * Leaves out operations, many at first and then one by one, as long as some difference remains. What is left out is
 * chosen by halving; the result is not the least possible, only small.
 */
export async function shrink(servers: Servers, episode: Episode, difference: Difference): Promise<Shrunk> {
  let best: Shrunk = {
    episode: { ...episode, operations: episode.operations.slice(0, difference.step + 1) },
    difference,
  };
  for (
    let size = Math.ceil(best.episode.operations.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let start = 0; start + size < best.episode.operations.length; ) {
      const operations = best.episode.operations.toSpliced(start, size);
      const found = await play(servers, { ...episode, operations });
      if (found === undefined) start += size;
      else
        best = {
          episode: { ...episode, operations: operations.slice(0, found.step + 1) },
          difference: found,
        };
    }
  }
  return best;
}
