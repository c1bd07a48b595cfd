import { type Clock, onAbort, systemClock } from '@kubewright/client';

/**
 * A signal that is aborted `ms` after `signal`. API servers call the webhook of a pod that is being deleted until the
 * endpoints of its Service have changed.
 */
export function delayStop(signal: AbortSignal, ms: number, clock: Clock = systemClock): AbortSignal {
  if (ms === 0) return signal;
  const stop = new AbortController();
  const wait = (): void => void clock.after(ms, () => stop.abort());
  if (signal.aborted) wait();
  else onAbort(signal, wait);
  return stop.signal;
}
