import { type Clock, onAbort } from '@kubewright/client';
import { RuntimeError } from './runtime-error.ts';

/**
 * Makes a call with a timeout of `ms`: gives up on it then or when `signal` is aborted, even if the call ignores its own
 * signal. A later result is ignored.
 */
export function callWithin<T>(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const end = new AbortController();
  return new Promise<T>((resolve, reject) => {
    const giveUp = (error: RuntimeError): void => {
      end.abort();
      reject(error);
    };
    const late = `no response within ${Math.round(ms)} ms`;
    const cancel = clock.after(ms, () => giveUp(new RuntimeError('TimedOut', late)));
    const forget = onAbort(signal, () => giveUp(new RuntimeError('Aborted', 'stopped')));
    call(end.signal)
      .then(resolve, reject)
      .finally(() => {
        cancel();
        forget();
      });
    end.signal.addEventListener('abort', () => {
      cancel();
      forget();
    });
  });
}
