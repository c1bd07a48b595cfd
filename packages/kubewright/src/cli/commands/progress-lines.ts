import type { Clock } from '@kubewright/client';

/** Shows how far a command is where there is no terminal. */
export type ProgressLines = { readonly show: (line: string) => void; readonly stop: () => void };

/** Logs are not filled by a command that ends soon. */
const EVERY_MS = 5000;

/** Prints the last line that was shown, every five seconds; an empty one ends that. */
export function progressLines(write: (text: string) => void, clock: Pick<Clock, 'after'>): ProgressLines {
  let last = '';
  let cancel: (() => void) | undefined;
  const stop = (): void => {
    cancel?.();
    cancel = undefined;
    last = '';
  };
  const wait = (): void => {
    cancel = clock.after(EVERY_MS, () => {
      write(`${last}\n`);
      wait();
    });
  };
  return {
    show(line) {
      if (line === '') return stop();
      last = line;
      if (cancel === undefined) wait();
    },
    stop,
  };
}
