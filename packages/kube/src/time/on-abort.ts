import { setMaxListeners } from 'node:events';

const NOTHING = (): void => undefined;

/**
 * Calls `callback` when `signal` is aborted; returns a function that forgets it. One signal ends many calls at once
 * (a manager's ends all of them), which is no leak: Node's warning about many listeners is switched off for it.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return NOTHING;
  setMaxListeners(0, signal);
  signal.addEventListener('abort', callback, { once: true });
  return () => signal.removeEventListener('abort', callback);
}

/** Resolves when `signal` is aborted, at once when it is already. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else onAbort(signal, resolve);
  });
}
