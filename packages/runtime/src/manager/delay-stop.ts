import { type Clock, onAbort } from '@kubewright/client';

/** A signal that is aborted `ms` after `signal`. */
export function delayStop(signal: AbortSignal, ms: number, clock: Clock): AbortSignal {
  if (ms === 0) return signal;
  const stop = new AbortController();
  const wait = (): void => void clock.after(ms, () => stop.abort());
  onAbort(signal, wait);
  return stop.signal;
}
