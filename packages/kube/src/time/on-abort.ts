import { setMaxListeners } from 'node:events';

const NOTHING = (): void => undefined;

/**
 * Calls `callback` when `signal` is aborted, and soon, never from within this call, when it is aborted already: who began
 * something meanwhile would wait for ever. Returns a function that forgets it. One signal ends many calls at once
 * (a manager's ends all of them), which is no leak: Node's warning about many listeners is switched off for it.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return NOTHING;
  if (signal.aborted) return soon(callback);
  setMaxListeners(0, signal);
  signal.addEventListener('abort', callback, { once: true });
  return () => signal.removeEventListener('abort', callback);
}

function soon(callback: () => void): () => void {
  let isForgotten = false;
  queueMicrotask(() => {
    if (!isForgotten) callback();
  });
  return () => {
    isForgotten = true;
  };
}

/** Resolves when `signal` is aborted, at once when it is already. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    onAbort(signal, resolve);
  });
}
