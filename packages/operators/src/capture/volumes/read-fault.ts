import type { KubeObject } from '@kubewright/kube';
import type { LiveRead } from '../requests/read-live.ts';
import type { Fault } from './volume-reason.ts';

/** The fault of a failed read. */
export function readFault<T extends KubeObject>(
  read: LiveRead<T> | undefined,
  title: string,
): Fault | undefined {
  if (read?.type === 'found') return undefined;
  if (read?.type === 'forbidden') return { reason: 'RBACDenied', message: read.message };
  return { reason: 'NotFound', message: `${title} not found` };
}

export function internal(message: string): Fault {
  return { reason: 'InternalError', message };
}
