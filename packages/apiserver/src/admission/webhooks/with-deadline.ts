import { type Clock, onAbort } from '@kubewright/kube';
import { type ApiServerError, localError } from '../../api-server-error.ts';

/**
 * Runs a task with a deadline in `ms`. Rejects at once at the deadline or when `gone` is aborted, whatever `task` makes
 * of its signal; the messages are Go's.
 */
export function withDeadline<T>(
  clock: Clock,
  ms: number,
  gone: AbortSignal | undefined,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const over = new AbortController();
    const stop = (error: ApiServerError): void => {
      settle();
      over.abort();
      reject(error);
    };
    const leave = (): void => stop(localError('Canceled', 'context canceled'));
    const cancel = clock.after(
      Math.max(0, ms),
      () => stop(localError('TimedOut', 'context deadline exceeded')),
      { background: true },
    );
    const forget = onAbort(gone, leave);
    const settle = (): void => {
      cancel();
      forget();
    };
    if (gone?.aborted === true) {
      leave();
      return;
    }
    task(over.signal).then(resolve, reject).finally(settle);
  });
}
