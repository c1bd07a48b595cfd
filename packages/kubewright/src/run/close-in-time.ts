import { onAbort, systemClock } from '@kubewright/client';
import type { Transport } from '@kubewright/kube';
import type { Terminal } from '../terminal.ts';

/** How long reconciles under way may take to end after the signal; then their own signal is aborted. */
export const GRACEFUL_MS = 1500;
/** After the signal, what is left to say to an API server is said, or it does not respond. */
const CLOSE_MS = 3500;

/**
 * Closes a transport some time after the signal, `delayMs` later where the command works on for so long: a manager waits
 * for what is under way, and an API server that has fallen silent must not make it wait for ever.
 */
export function closeInTime(transport: Transport, terminal: Terminal, delayMs: number): void {
  terminal.worksOn?.(delayMs);
  const close = (): void => void transport.close();
  onAbort(terminal.signal, () => void systemClock.after(delayMs + CLOSE_MS, close, { background: true }));
}
