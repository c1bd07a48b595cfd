/** Runs `run` when every promise that can settle has settled, after what was given to it before. */
export function turnTimer(run: () => void): void {
  setImmediate(run);
}
