import { type Condition, defined, formatTime } from '@kubewright/kube';
import type { ClassRuntimeStatus } from '../api.ts';
import type { Facts } from './facts.ts';
import { isGrid } from './grid-readiness.ts';

/** `unhealthy_since`: since when its pod was ready, and it was not. */
export function gridStatus({ grid, children, status, now }: Facts): ClassRuntimeStatus['odgm'] {
  if (grid === undefined) return undefined;
  const { counts, ready, reason, message } = grid;
  const isUnhealthy = reason !== undefined && children.some(({ readiness }) => readiness.reason === reason);
  const unhealthy_since = isUnhealthy ? (status.odgm?.unhealthy_since ?? formatTime(now)) : undefined;
  return defined({ ready, reason, message, ...counts, unhealthy_since });
}

/** `OdgmReady` of a class with a data grid, or that had one. */
export function gridCondition(
  facts: Facts,
): readonly (Pick<Condition, 'type' | 'reason' | 'message'> & { readonly is: boolean })[] {
  const { children, status, runtime } = facts;
  const type = 'OdgmReady';
  const child = children.find(({ desired }) => isGrid(desired, runtime.metadata.name));
  if (child === undefined) {
    const had = status.conditions?.some((each) => each.type === type) === true;
    return had ? [{ type, is: false, reason: 'NoOdgm', message: 'the class has no data grid' }] : [];
  }
  const { ready, reason = 'Ready', message = '' } = child.readiness;
  return [{ type, is: ready, reason: ready ? 'Ready' : reason, message }];
}
