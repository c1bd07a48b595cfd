import { type ConditionUpdate, formatTime, isConditionTrue, setCondition } from '@kubewright/kube';
import type { EventNote } from '@kubewright/runtime';
import { isTerminal, type MigrationStatus } from '../api.ts';
import { NOT_RESPONDED } from '../brokers/broker.ts';
import type { ObservedMigration } from './observed-migration.ts';
import { stalled } from './stalled.ts';

/** The status with its conditions, and an Event for each condition that changes. */
export function withConditions(
  observed: ObservedMigration,
  status: MigrationStatus,
  reason: string,
  now: Date,
): { readonly status: MigrationStatus; readonly events: readonly EventNote[] } {
  const { broker, migration } = observed;
  const { conditions: before = [] } = status;
  const refused = isAbortRefused(migration, status) ? refusalOf(status) : undefined;
  const updates: readonly ConditionUpdate[] = [
    ...outcomeOf(status, reason),
    ...unavailable(broker, status),
    ...(refused === undefined ? [] : [refused]),
    ...stalled(observed, status, now),
  ];
  const { generation } = migration.metadata;
  const seen = generation === undefined ? {} : { observedGeneration: generation };
  const time = formatTime(now);
  const conditions = updates.reduce((all, update) => setCondition(all, { ...seen, ...update }, time), before);
  return { status: { ...status, conditions }, events: newsIn(updates, before) };
}

/** An Event when one of these becomes true. */
const NEWS: Readonly<Record<string, (message: string) => EventNote>> = {
  AbortRefused: (message) => ({ type: 'Warning', reason: 'AbortRefused', message }),
  Stalled: (message) => ({ type: 'Warning', reason: 'Stalled', message }),
};

function newsIn(
  updates: readonly ConditionUpdate[],
  before: NonNullable<MigrationStatus['conditions']>,
): readonly EventNote[] {
  return updates.flatMap(({ type, status, message }) => {
    const isNews = status === 'True' && !isConditionTrue(before, type);
    return isNews ? (NEWS[type]?.(message) ?? []) : [];
  });
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
  { handedOver, sourceLost = false, outcome, phase }: MigrationStatus,
): boolean {
  return spec.abort && (handedOver || sourceLost) && outcome === undefined && phase !== 'Completed';
}

function refusalOf({ handedOver }: MigrationStatus) {
  const [reason, what] = handedOver
    ? ['HandedOver', 'The source has handed its state over']
    : ['SourceLost', 'The source is lost, and cannot go on'];
  const message = `${what}; the migration can only go on`;
  return { type: 'AbortRefused', status: 'True', reason, message } as const;
}

type Unavailable = Extract<ObservedMigration['broker'], { readonly type: 'unavailable' }>;

/**
 * Why the broker has been unavailable, from the condition; else of this attempt. What each further one meets differs (refused,
 * reset, timed out), and is not worth a write, unless the broker says what it denies: somebody can do something about that.
 */
export function unavailableSince(
  status: MigrationStatus,
  { message, isDenied = false }: Unavailable,
): string {
  const { message: since = NOT_RESPONDED, reason } = whileUnavailable(status) ?? {};
  return since === NOT_RESPONDED || (isDenied && reason !== DENIED) ? message : since;
}

const DENIED = 'Denied';

/** A call that is lost now and then, which the next look makes up for. */
export const BLIP_MS = 2000;

/** The broker did not respond, and it is too early to say so. */
export function isBlip(broker: ObservedMigration['broker'], status: MigrationStatus): boolean {
  const isNew = broker.type === 'unavailable' && (broker.forMs ?? BLIP_MS) < BLIP_MS;
  return isNew && whileUnavailable(status) === undefined;
}

/** For how long the condition says so. */
export function unavailableMs(status: MigrationStatus, now: Date): number {
  const since = Date.parse(whileUnavailable(status)?.lastTransitionTime ?? '');
  return Number.isNaN(since) ? 0 : now.getTime() - since;
}

/** The condition while it says so. */
export function whileUnavailable({ conditions = [] }: MigrationStatus) {
  return conditions.find(({ type, status }) => type === 'BrokerUnavailable' && status === 'True');
}

/** Only set once the broker has been unavailable. */
function unavailable(
  broker: ObservedMigration['broker'],
  status: MigrationStatus,
): readonly ConditionUpdate[] {
  if (isBlip(broker, status)) return [];
  if (broker.type === 'unavailable') {
    const message = unavailableSince(status, broker);
    const isDenied = broker.isDenied === true || whileUnavailable(status)?.reason === DENIED;
    const reason = isDenied ? DENIED : 'Unavailable';
    return [{ type: 'BrokerUnavailable', status: 'True', reason, message }];
  }
  const was = isConditionTrue(status.conditions ?? [], 'BrokerUnavailable');
  return was ? [{ type: 'BrokerUnavailable', status: 'False', reason: 'Reached', message: '' }] : [];
}
