import type { Informer } from '@kubewright/runtime';

/** A watch that reported nothing for so long, not even a bookmark, may be broken. */
const SILENT_MS = 3 * 60_000;

/** Whether a watch is open and reports. */
export function isReliable(informer: Pick<Informer, 'synced' | 'served' | 'status'>): boolean {
  if (!informer.synced || !informer.served) return false;
  const { failures, silentMs } = informer.status();
  return failures === 0 && silentMs < SILENT_MS;
}
