import { controllerOf } from '@kubewright/kube';
import { LABELS, ROLES } from '../api.ts';
import type { LivePod, ObservedMigration } from './observed-migration.ts';
import { nodeProblem } from './node-problem.ts';
import { lockedBy, isRunning } from './source-of.ts';
import { replicaSetProblem } from './replica-set-problem.ts';
import { rolloutProblem, statefulSetProblem, unseenTemplate } from './stateful-set-problem.ts';
import { strategyFor } from '../strategy.ts';
import { volumesProblem } from './volumes-problem.ts';

type Refusal = readonly [reason: string, message: string];
type Check = (observed: ObservedMigration) => Refusal | undefined;
type PodCheck = (pod: LivePod, observed: ObservedMigration) => Refusal | undefined;

/** Why a migration is rejected before anything is written; undefined: the cluster meets its requirements. */
export function rejectionOf(observed: ObservedMigration): Refusal | undefined {
  return firstOf(ofSpec(observed), CHECKS, (check) => check(observed));
}

function firstOf<T>(
  before: Refusal | undefined,
  checks: readonly T[],
  run: (check: T) => Refusal | undefined,
): Refusal | undefined {
  return checks.reduce((found, check) => found ?? run(check), before);
}

function ofSpec({ migration: { spec } }: ObservedMigration): Refusal | undefined {
  const { sourcePod, targetNode, messageQueueConfig } = spec;
  if (sourcePod === '') return ['SourcePodMissing', 'spec.sourcePod is empty'];
  if (targetNode === '') return ['TargetNodeMissing', 'spec.targetNode is empty'];
  const value = unsupported(spec);
  if (value !== undefined) return value;
  const { brokerSecret = '', brokerUrl } = messageQueueConfig;
  if (brokerSecret !== '' && brokerUrl !== '')
    return ['BrokerRejected', 'spec.messageQueueConfig has brokerUrl and brokerSecret: it takes one of them'];
  const empty = (['queueName', 'brokerUrl', 'exchangeName'] as const).find(
    (field) => messageQueueConfig[field] === '' && (field !== 'brokerUrl' || brokerSecret === ''),
  );
  return empty === undefined ? undefined : ['QueueMissing', `spec.messageQueueConfig.${empty} is empty`];
}

/** Values of the original API's fields. */
const KNOWN = {
  migrationStrategy: ['', 'ShadowPod', 'Sequential'],
  replayMode: ['', 'Cutoff', 'Drain'],
  transferMode: ['', 'Registry', 'Direct'],
  identitySwapMode: ['', 'None', 'ExchangeFence', 'Cutoff'],
} as const;

function unsupported(spec: ObservedMigration['migration']['spec']): Refusal | undefined {
  const fields = Object.keys(KNOWN) as (keyof typeof KNOWN)[];
  const field = fields.find((one) => !(KNOWN[one] as readonly string[]).includes(spec[one] ?? ''));
  return field === undefined
    ? undefined
    : ['FieldNotSupported', `spec.${field} ${spec[field]}: it takes ${KNOWN[field].slice(1).join(', ')}`];
}

const CHECKS: readonly Check[] = [
  (observed) => {
    const { named, migration } = observed;
    if (named === undefined) return ['SourcePodMissing', `there is no pod ${migration.spec.sourcePod}`];
    return firstOf(undefined, POD_CHECKS, (check) => check(named, observed));
  },
  ofOwner,
  ofNode,
];

const OWNERS: ReadonlySet<string> = new Set(['StatefulSet', 'ReplicaSet']);

const POD_CHECKS: readonly PodCheck[] = [
  ({ metadata: { labels, name } }) =>
    labels?.[LABELS.role] === ROLES.shadow
      ? ['IsMigrationTarget', `pod ${name} is the shadow of a migration`]
      : undefined,
  (pod, observed) => {
    const holder = lockedBy(observed, pod);
    return holder === undefined ? undefined : ['AlreadyMigrating', holder];
  },
  (pod) =>
    isRunning(pod)
      ? undefined
      : ['SourcePodNotRunning', `pod ${pod.metadata.name} is not running, or on its way out`],
  ({ metadata, spec: { containers } }, { migration }) => {
    const { containerName } = migration.spec;
    const isThere = containerName === '' || containers.some(({ name }) => name === containerName);
    return isThere
      ? undefined
      : ['ContainerMissing', `pod ${metadata.name} has no container ${containerName}`];
  },
  (pod, { set, replicaSet }) => {
    const { kind, uid } = controllerOf(pod) ?? { kind: undefined };
    const owner = kind === 'StatefulSet' ? set : replicaSet;
    const isKnown = kind === undefined || ((owner?.metadata.uid ?? uid) === uid && OWNERS.has(kind));
    return isKnown
      ? undefined
      : [
          'OwnerNotSupported',
          `pod ${pod.metadata.name} belongs to a ${kind}, or to one that was created again`,
        ];
  },
  ofStrategy,
  volumesProblem,
];

/** Which pod a ReplicaSet makes in the place of the one that ended is known only if it has no other one. */
function ofStrategy(pod: LivePod, { migration, replicaSet }: ObservedMigration): Refusal | undefined {
  const { migrationStrategy } = migration.spec;
  const { replicas = 1 } = replicaSet?.spec ?? {};
  if (replicas <= 1 || strategyFor(migrationStrategy, pod) === 'ShadowPod') return undefined;
  const others = `ReplicaSet ${replicaSet?.metadata.name} has ${replicas} replicas, and only a single one can end before its successor starts (Sequential)`;
  return migrationStrategy === 'Sequential'
    ? ['StrategyNotSupported', others]
    : ['VolumesNotSupported', `pod ${pod.metadata.name} has PersistentVolumeClaims: ${others}`];
}

function ofOwner(observed: ObservedMigration): Refusal | undefined {
  const { named, migration } = observed;
  switch (named === undefined ? undefined : controllerOf(named)?.kind) {
    case 'StatefulSet':
      if (migration.spec.identitySwapMode === 'None')
        return [
          'FieldNotSupported',
          'spec.identitySwapMode None: the StatefulSet would create a pod without a state beside the shadow',
        ];
      return (
        statefulSetProblem(observed, migration.spec.sourcePod) ??
        unseenTemplate(observed) ??
        rolloutProblem(observed)
      );
    case 'ReplicaSet':
      return replicaSetProblem(observed);
    default:
      return undefined;
  }
}

function ofNode({ migration, node, named }: ObservedMigration): Refusal | undefined {
  const { targetNode } = migration.spec;
  if (node === undefined) return ['TargetNodeMissing', `there is no node ${targetNode}`];
  if (named?.spec.nodeName === targetNode)
    return ['TargetNodeIsSource', `the pod is on node ${targetNode} already`];
  return named === undefined ? undefined : nodeProblem(named.spec, node);
}
