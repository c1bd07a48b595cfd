import { type Clock, systemClock } from '@kubewright/kube';

const LOOK_EVERY_MS = 250;

/**
 * Calls `onGone` when the process that started this one has ended. npm and npx run a command through a shell and pass a
 * signal on to that shell only, which dies and leaves the command behind.
 *
 * @returns a function that ends the watch
 */
export function watchParent(
  parent: () => number,
  onGone: () => void,
  clock: Clock = systemClock,
): () => void {
  const first = parent();
  let cancel = (): void => undefined;
  const look = (): void => {
    if (parent() === first) cancel = clock.after(LOOK_EVERY_MS, look, { background: true });
    else onGone();
  };
  look();
  return () => cancel();
}
