import { controllerOf, defined } from '@kubewright/kube';
import type { Report } from '@kubewright/migratable';
import type { MigrationStatus } from '../../api.ts';
import { mirrorName, shadowName } from '../../mirror-name.ts';
import { secondsInStep } from '../enter-step.ts';
import type { LivePod, ObservedBroker, ObservedMigration } from '../observed-migration.ts';
import { isMarked } from '../source-of.ts';
import { unreadyReplicas } from '../replica-set-problem.ts';
import { limitOf } from '../limit-of.ts';
import { limitTooLow, meaningOf } from '../limit-too-low.ts';
import { rejectionOf } from '../rejection-of.ts';
import { startSeconds } from '../start-seconds.ts';
import { claimsOf, strategyFor } from '../../strategy.ts';
import { hasControlQueue } from '../../process-queues.ts';
import { consumersOf } from '../checkpoint/hold.ts';
import { nodesProblem, versionsDiffer } from '../checkpoint/nodes-problem.ts';
import { processProblem } from '../checkpoint/process-problem.ts';
import { containerRun } from '../instance-of.ts';
import { type Context, next, reportOf, type Turn, wait } from '../turn.ts';
import { plan, planOfProcess } from './plan.ts';

/** Checks all requirements of a migration, and changes nothing. */
export function preflight(context: Context): Turn {
  const { observed } = context;
  const refusal = rejectionOf(observed);
  if (refusal !== undefined) return reject(...refusal);
  const { named, broker, migration } = observed;
  if (named === undefined) return reject('SourcePodMissing', 'the pod is gone');
  const unready = ofReplicas(context);
  if (unready !== undefined) return unready;
  if (broker.type === 'rejected') return reject('BrokerRejected', broker.message);
  if (broker.type === 'unavailable') return wait(broker.message);
  const trouble = ofBroker(context, broker, named);
  if (trouble !== undefined) return trouble;
  const isProcess = reportOf(context, named.metadata.uid) === undefined;
  if (migration.spec.dryRun) return (isProcess ? planOfProcess : plan)(context, broker, named);
  return begin(context, named, isProcess);
}

/** As soon as its turn has come. */
function begin(context: Context, named: LivePod, isProcess: boolean): Turn {
  const limit = limitOf(context.observed);
  // Others count it by its node.
  return limit === undefined
    ? { ...next(factsOf(context, named, isProcess)), ...notes(context, isProcess) }
    : wait(limit, { sourceNode: named.spec.nodeName ?? '' });
}

function reject(reason: string, message: string): Turn {
  return { type: 'reject', reason, message };
}

/** What the broker lacks; undefined if nothing. */
function ofBroker(
  context: Context,
  { primary, exchange, limit, reports }: Extract<ObservedBroker, { readonly type: 'reached' }>,
  pod: LivePod,
): Turn | undefined {
  const { queueName, exchangeName } = context.observed.migration.spec.messageQueueConfig;
  if (primary === undefined) return reject('QueueMissing', `queue ${queueName} does not exist`);
  if (!exchange) return reject('QueueMissing', `exchange ${exchangeName} does not exist`);
  const tooLow = limit && limitTooLow(queueName, limit);
  if (tooLow !== undefined) return reject('DeliveryLimitTooLow', tooLow);
  const report = reports.get(pod.metadata.uid);
  const silence =
    report === undefined && isOfOriginal(context)
      ? ofProcess(context, pod)
      : ofConsumer(context, report, pod);
  if (silence !== undefined) return silence;
  return primary.consumers > 1
    ? reject('QueueShared', `queue ${queueName} has more consumers: which has applied what is unknown`)
    : undefined;
}

/** Of pods that are not ready its ReplicaSet would delete one first, instead of the source. They may be on their way. */
function ofReplicas({ observed, status, now }: Context): Turn | undefined {
  const unready = unreadyReplicas(observed);
  if (unready === undefined) return undefined;
  const [reason, message] = unready;
  return secondsInStep(status, now) < observed.settings.consumer ? wait(message) : reject(reason, message);
}

/** An application of the original system has a control queue by the name of its pod. One of the SDK may be about to report. */
function isOfOriginal({ observed, status, now }: Context): boolean {
  const { broker, migration } = observed;
  const isThere = broker.type === 'reached' && hasControlQueue(migration, broker);
  return isThere && secondsInStep(status, now) >= REPORTS_WITHIN_SECONDS;
}

const REPORTS_WITHIN_SECONDS = 2;

function ofProcess(context: Context, pod: LivePod): Turn | undefined {
  const problem = processProblem(pod, context.observed);
  if (problem !== undefined) return reject(...problem);
  const { settings, nodes, migration } = context.observed;
  const ofNodes = nodesProblem(nodes, pod, migration.spec.targetNode);
  if (ofNodes !== undefined) return ofNodes;
  if (consumersOf(context) > 0) return undefined;
  return secondsInStep(context.status, context.now) < settings.consumer
    ? wait(`waiting for the process in pod ${pod.metadata.name} to consume its queue`)
    : reject('ConsumerNotMigratable', `nobody consumes the queue of pod ${pod.metadata.name}`);
}

/** What may surprise whoever began it. */
function notes({ observed }: Context, isProcess: boolean): Pick<Extract<Turn, { type: 'next' }>, 'events'> {
  const differing = isProcess ? versionsDiffer(observed.nodes) : undefined;
  const ignored = isProcess ? undefined : ignoredFields(observed);
  const changed = changedStrategy(observed);
  const given: readonly (readonly [
    type: 'Normal' | 'Warning',
    reason: string,
    message: string | undefined,
  ])[] = [
    ['Warning', 'NodesDiffer', differing],
    ['Normal', 'FieldsIgnored', ignored],
    ['Normal', 'StrategyChanged', changed],
    ['Normal', 'DeliveryLimit', deliveryLimit(observed)],
  ];
  return {
    events: given.flatMap(([type, reason, message]) =>
      message === undefined ? [] : [{ type, reason, message }],
    ),
  };
}

function deliveryLimit({ broker, migration }: ObservedMigration): string | undefined {
  if (broker.type !== 'reached' || broker.limit === undefined) return undefined;
  return meaningOf(migration.spec.messageQueueConfig.queueName, broker.limit);
}

function changedStrategy({ migration: { spec }, named }: ObservedMigration): string | undefined {
  const isChosen =
    named === undefined || strategyFor(spec.migrationStrategy, named) === spec.migrationStrategy;
  if (isChosen || claimsOf(named).length === 0) return undefined;
  return `Pod ${named.metadata.name} has PersistentVolumeClaims, which two pods cannot use at once: it ends before its successor starts (Sequential)`;
}

/** Of the original API; they decide how a checkpoint is transferred, and an application of the SDK needs none. */
function ignoredFields({ migration: { spec } }: ObservedMigration): string | undefined {
  const given = (['checkpointImageRepository', 'transferMode'] as const).filter(
    (field) => (spec[field] ?? '') !== '',
  );
  if (given.length === 0) return undefined;
  return `The application writes its state to the broker: spec.${given.join(' and spec.')} have no effect`;
}

function ofConsumer(
  { observed: { settings, migration }, status, now }: Context,
  report: Report | undefined,
  { metadata: { name: pod } }: LivePod,
): Turn | undefined {
  const { queueName } = migration.spec.messageQueueConfig;
  if (report?.queue !== undefined && report.queue !== queueName)
    return reject(
      'QueueMismatch',
      `the consumer in pod ${pod} reads queue ${report.queue}, and spec.messageQueueConfig.queueName is ${queueName}`,
    );
  if (report?.mode === 'running') return undefined;
  return secondsInStep(status, now) < settings.consumer
    ? wait(`waiting for the consumer in pod ${pod} to report`)
    : reject('ConsumerNotMigratable', `no running consumer reports from pod ${pod}`);
}

/** Records the facts, and starts the first handover: from the source to the shadow. */
function factsOf(context: Context, named: LivePod, isProcess: boolean): Partial<MigrationStatus> {
  const { migration, shadow, set, replicaSet } = context.observed;
  const isTaken = shadow !== undefined && !isMarked(shadow, migration, 'shadow');
  const strategy = strategyFor(migration.spec.migrationStrategy, named);
  const targetPod = strategy === 'Sequential' ? undefined : shadowName(migration, isTaken);
  const { uid, name } = named.metadata;
  const containerName = containerOf(migration, named);
  const instance = isProcess ? containerRun(named, containerName) : reportOf(context, uid)?.instance;
  return {
    sourceNode: named.spec.nodeName ?? '',
    containerName,
    backend: isProcess ? 'Checkpoint' : 'Snapshot',
    sourcePodUID: uid,
    podStartSeconds: startSeconds(named),
    ...setFacts(set),
    ...replicaSetFacts(replicaSet),
    consistency: 'ExactlyOnce',
    strategy,
    ...defined({ targetPod }),
    handover: {
      epoch: 1,
      from: { pod: name, uid, ...defined({ instance }) },
      to: { pod: targetPod ?? name },
      mirror: mirrorName(migration, 1),
      committed: false,
    },
  };
}

function setFacts(set: ObservedMigration['set']): Partial<MigrationStatus> {
  if (set === undefined) return {};
  const {
    metadata,
    spec: { replicas = 1 },
  } = set;
  return { statefulSetName: metadata.name, statefulSetUID: metadata.uid, originalReplicas: replicas };
}

function replicaSetFacts(replicaSet: ObservedMigration['replicaSet']): Partial<MigrationStatus> {
  if (replicaSet === undefined) return {};
  const { metadata } = replicaSet;
  const owner = controllerOf(replicaSet);
  const deploymentName = owner?.kind === 'Deployment' ? owner.name : undefined;
  return { replicaSetName: metadata.name, replicaSetUID: metadata.uid, ...defined({ deploymentName }) };
}

/** The name of the container that consumes. */
export function containerOf({ spec }: ObservedMigration['migration'], pod: LivePod): string {
  const [first] = pod.spec.containers;
  return spec.containerName === '' ? (first?.name ?? '') : spec.containerName;
}
