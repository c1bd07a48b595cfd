import { type ConditionUpdate, formatTime, isConditionTrue, setCondition } from '@kubewright/kube';
import type { EventNote } from '@kubewright/runtime';
import { isTerminal, type MigrationStatus } from '../api.ts';
import type { ObservedMigration } from './observed-migration.ts';

/** The status with its conditions, and an Event for each condition that changes. */
export function withConditions(
  observed: ObservedMigration,
  status: MigrationStatus,
  reason: string,
  now: Date,
): { readonly status: MigrationStatus; readonly events: readonly EventNote[] } {
  const { broker, migration } = observed;
  const { conditions: before = [] } = status;
  const isRefused = isAbortRefused(migration, status);
  const updates: readonly ConditionUpdate[] = [
    ...outcomeOf(status, reason),
    ...unavailable(broker, isConditionTrue(before, 'BrokerUnavailable')),
    ...(isRefused ? [REFUSED] : []),
  ];
  const { generation } = migration.metadata;
  const seen = generation === undefined ? {} : { observedGeneration: generation };
  const time = formatTime(now);
  const conditions = updates.reduce((all, update) => setCondition(all, { ...seen, ...update }, time), before);
  const isNews = isRefused && !isConditionTrue(before, 'AbortRefused');
  const events: EventNote[] = isNews
    ? [{ type: 'Warning', reason: 'AbortRefused', message: REFUSED.message }]
    : [];
  return { status: { ...status, conditions }, events };
}

function outcomeOf(status: MigrationStatus, reason: string): readonly ConditionUpdate[] {
  const { phase, message = '' } = status;
  if (!isTerminal(status)) return [{ type: 'Completed', status: 'False', reason: 'InProgress', message: '' }];
  if (phase === 'Completed') return [{ type: 'Completed', status: 'True', reason, message }];
  return [
    { type: 'Completed', status: 'False', reason, message },
    { type: 'Failed', status: 'True', reason, message },
  ];
}

function isAbortRefused(
  { spec }: ObservedMigration['migration'],
  { handedOver, outcome, phase }: MigrationStatus,
): boolean {
  return spec.abort && handedOver && outcome === undefined && phase !== 'Completed';
}

const REFUSED = {
  type: 'AbortRefused',
  status: 'True',
  reason: 'HandedOver',
  message: 'The source has handed its state over; the migration can only go on',
} as const;

/** Only set once the broker has been unavailable. */
function unavailable(broker: ObservedMigration['broker'], was: boolean): readonly ConditionUpdate[] {
  if (broker.type === 'unavailable')
    return [{ type: 'BrokerUnavailable', status: 'True', reason: 'Unavailable', message: broker.message }];
  return was ? [{ type: 'BrokerUnavailable', status: 'False', reason: 'Reached', message: '' }] : [];
}
