import { type ConditionUpdate, formatTime, isConditionTrue, setCondition } from '@kubewright/kube';
import type { EventNote } from '@kubewright/runtime';
import { isTerminal, type MigrationStatus } from '../api.ts';
import type { ObservedMigration } from './observed-migration.ts';

/** The status with conditions that say the same in the words of Kubernetes, and the Events that their changes are. */
export function withConditions(
  { broker, migration }: ObservedMigration,
  status: MigrationStatus,
  reason: string,
  now: Date,
): { readonly status: MigrationStatus; readonly events: readonly EventNote[] } {
  const { phase, message = '', handedOver, outcome } = status;
  const { conditions: before = [] } = status;
  const isOver = isTerminal(status);
  const isRefused = migration.spec.abort && handedOver && outcome === undefined && phase !== 'Completed';
  const updates: ConditionUpdate[] = [
    { type: 'Completed', status: phase === 'Completed' ? 'True' : 'False', reason: isOver ? reason : 'InProgress', message: isOver ? message : '' },
    ...(isOver && phase !== 'Completed' ? [{ type: 'Failed', status: 'True', reason, message } as const] : []),
    ...unavailable(broker, isConditionTrue(before, 'BrokerUnavailable')),
    ...(isRefused ? [REFUSED] : []),
  ];
  const { generation } = migration.metadata;
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  const time = formatTime(now);
  const conditions = updates.reduce((all, update) => setCondition(all, { ...observed, ...update }, time), before);
  const isNews = isRefused && !isConditionTrue(before, 'AbortRefused');
  const events: EventNote[] = isNews ? [{ type: 'Warning', reason: 'AbortRefused', message: REFUSED.message }] : [];
  return { status: { ...status, conditions }, events };
}

const REFUSED = {
  type: 'AbortRefused',
  status: 'True',
  reason: 'HandedOver',
  message: 'The source has handed its state over; the migration can only go on',
} as const;

/** Only where it is, or was, so: brokers are available. */
function unavailable(broker: ObservedMigration['broker'], was: boolean): readonly ConditionUpdate[] {
  if (broker.type === 'unavailable')
    return [{ type: 'BrokerUnavailable', status: 'True', reason: 'Unavailable', message: broker.message }];
  return was ? [{ type: 'BrokerUnavailable', status: 'False', reason: 'Reached', message: '' }] : [];
}
