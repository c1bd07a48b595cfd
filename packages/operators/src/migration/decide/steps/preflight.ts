import { controllerOf } from '@kubewright/kube';
import { LABELS, type MigrationStatus, ROLES } from '../../api.ts';
import { mirrorName, shadowName } from '../../names.ts';
import { secondsInStep } from '../journal.ts';
import type { LivePod, ObservedMigration } from '../observed-migration.ts';
import { holderOf, isMarked, isRunning } from '../pods.ts';
import { setTrouble } from '../stateful-set.ts';
import { type Context, next, type Turn, wait } from '../turn.ts';

type Refusal = readonly [reason: string, message: string];

/** Looks at everything that a migration needs, and changes nothing. */
export function preflight(context: Context): Turn {
  const { observed, status, now } = context;
  const refusal = specRefusal(observed) ?? podRefusal(observed) ?? nodeRefusal(observed);
  if (refusal !== undefined) return rejected(refusal);
  const { named, set, broker } = observed;
  if (named === undefined || set === undefined) return rejected(['SourcePodMissing', 'the pod is gone']);
  if (broker.type === 'rejected') return rejected(['BrokerRejected', broker.message]);
  if (broker.type === 'unavailable') return wait(broker.message);
  if (broker.primary === undefined || !broker.exchange) return rejected(missingQueue(observed));
  const report = broker.reports.get(named.metadata.uid);
  if (report?.mode !== 'running') {
    if (secondsInStep(status, now) < observed.settings.consumer)
      return wait(`waiting for the consumer in pod ${named.metadata.name} to report`);
    return rejected(['ConsumerNotMigratable', `no running consumer reports from pod ${named.metadata.name}`]);
  }
  if (broker.primary.consumers > 1)
    return rejected(['QueueShared', 'the queue has more than one consumer: which of them has applied what is unknown']);
  return next(factsOf(observed, named));
}

function rejected([reason, message]: Refusal): Turn {
  return { type: 'reject', reason, message };
}

function specRefusal({ migration: { spec } }: ObservedMigration): Refusal | undefined {
  const { sourcePod, targetNode, migrationStrategy, messageQueueConfig } = spec;
  if (sourcePod === '') return ['SourcePodMissing', 'spec.sourcePod is empty'];
  if (targetNode === '') return ['TargetNodeMissing', 'spec.targetNode is empty'];
  if (migrationStrategy !== '' && migrationStrategy !== 'ShadowPod')
    return ['StrategyNotSupported', `strategy ${migrationStrategy}: only ShadowPod is supported`];
  const empty = (['queueName', 'brokerUrl', 'exchangeName'] as const).find(
    (field) => messageQueueConfig[field] === '',
  );
  return empty === undefined ? undefined : ['QueueMissing', `spec.messageQueueConfig.${empty} is empty`];
}

function podRefusal(observed: ObservedMigration): Refusal | undefined {
  const { migration, named, set } = observed;
  const { sourcePod, containerName } = migration.spec;
  if (named === undefined) return ['SourcePodMissing', `there is no pod ${sourcePod}`];
  if (named.metadata.labels?.[LABELS.role] === ROLES.shadow)
    return ['IsMigrationTarget', `pod ${sourcePod} is the shadow of a migration`];
  const holder = holderOf(observed, named);
  if (holder !== undefined) return ['AlreadyMigrating', holder];
  if (!isRunning(named)) return ['SourcePodNotRunning', `pod ${sourcePod} is not running, or on its way out`];
  const containers = named.spec.containers.map(({ name }) => name);
  if (containerName !== '' && !containers.includes(containerName))
    return ['ContainerMissing', `pod ${sourcePod} has no container ${containerName}`];
  if (controllerOf(named)?.kind !== 'StatefulSet' || set?.metadata.uid !== controllerOf(named)?.uid)
    return ['OwnerNotSupported', `pod ${sourcePod} does not belong to a StatefulSet`];
  const claims = (named.spec.volumes ?? []).filter(({ persistentVolumeClaim: claim }) => claim !== undefined);
  if (claims.length > 0)
    return ['VolumesNotSupported', `pod ${sourcePod} has PersistentVolumeClaims, which two pods cannot use at once`];
  return setTrouble(observed, named.metadata.name) ?? rolloutRefusal(observed);
}

function rolloutRefusal({ set }: ObservedMigration): Refusal | undefined {
  const { currentRevision, updateRevision, observedGeneration } = set?.status ?? {};
  const isBehind = (observedGeneration ?? 0) < (set?.metadata.generation ?? 0);
  return isBehind || currentRevision !== updateRevision
    ? ['RolloutInProgress', `StatefulSet ${set?.metadata.name} is being rolled out`]
    : undefined;
}

function nodeRefusal({ migration, node, named }: ObservedMigration): Refusal | undefined {
  const { targetNode } = migration.spec;
  if (node === undefined) return ['TargetNodeMissing', `there is no node ${targetNode}`];
  if (named?.spec.nodeName === targetNode) return ['TargetNodeIsSource', `the pod is on node ${targetNode} already`];
  const isReady = (node.status?.conditions ?? []).some(({ type, status }) => type === 'Ready' && status === 'True');
  if (!isReady) return ['TargetNodeNotReady', `node ${targetNode} is not ready`];
  return node.spec?.unschedulable === true
    ? ['TargetNodeUnschedulable', `node ${targetNode} is cordoned`]
    : undefined;
}

function missingQueue({ migration: { spec }, broker }: ObservedMigration): Refusal {
  const { queueName, exchangeName } = spec.messageQueueConfig;
  const hasQueue = broker.type === 'reached' && broker.primary !== undefined;
  return ['QueueMissing', hasQueue ? `there is no exchange ${exchangeName}` : `there is no queue ${queueName}`];
}

/** What was found, and the first handover: from the source to the shadow. */
function factsOf({ migration, shadow, set }: ObservedMigration, named: LivePod): Partial<MigrationStatus> {
  const isTaken = shadow !== undefined && !isMarked(shadow, migration, 'shadow');
  const targetPod = shadowName(migration, isTaken);
  const { uid, name } = named.metadata;
  return {
    sourceNode: named.spec.nodeName ?? '',
    containerName: migration.spec.containerName || (named.spec.containers[0]?.name ?? ''),
    sourcePodUID: uid,
    statefulSetName: set?.metadata.name ?? '',
    statefulSetUID: set?.metadata.uid ?? '',
    targetPod,
    handover: {
      epoch: 1,
      from: { pod: name, uid },
      to: { pod: targetPod },
      mirror: mirrorName(migration, 1),
      committed: false,
    },
  };
}
