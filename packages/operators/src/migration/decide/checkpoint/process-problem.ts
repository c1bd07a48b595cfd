import type { corev1 } from '@kubewright/kube';
import { transferOf } from '../../checkpoints/checkpoint-of.ts';
import { isAllowedRepository, REPOSITORY_NOT_ALLOWED } from '../../checkpoints/is-allowed-repository.ts';
import { strategyFor } from '../../strategy.ts';
import type { LivePod, ObservedMigration } from '../observed-migration.ts';

type Problem = readonly [reason: string, message: string];

/** The service account's, which each pod gets anew. */
const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** A process is restored only where its container has the mounts that it had. */
function mountsProblem(pod: LivePod, { set }: ObservedMigration): string | undefined {
  const template = set?.spec.template?.spec?.containers[0];
  if (template === undefined) return undefined;
  const [has, gets] = [pathsOf(pod.spec.containers[0]), pathsOf(template)];
  const differing = [...has, ...gets].find((path) => !has.has(path) || !gets.has(path));
  if (differing === undefined) return undefined;
  const holder = has.has(differing) ? `pod ${pod.metadata.name}` : 'the template of its StatefulSet';
  return `only ${holder} has a mount at ${differing}, and a process is restored only with the mounts that it had`;
}

function pathsOf(container: corev1.Container | undefined): ReadonlySet<string> {
  return new Set(
    (container?.volumeMounts ?? []).map(({ mountPath }) => mountPath).filter((path) => path !== ACCOUNT),
  );
}

/** The name of a StatefulSet's pod is kept until its successor has a command: nothing but a StatefulSet waits for that. */
function strategyProblem(pod: LivePod, observed: ObservedMigration): Problem | undefined {
  const { migrationStrategy } = observed.migration.spec;
  const isBeside = strategyFor(migrationStrategy, pod) === 'ShadowPod';
  if (observed.set !== undefined || isBeside) return undefined;
  return [
    migrationStrategy === 'Sequential' ? 'StrategyNotSupported' : 'VolumesNotSupported',
    `the consumer in pod ${pod.metadata.name} is not of the SDK: only a StatefulSet’s pod can then end before its successor starts (Sequential)`,
  ];
}

/** Why the process of a pod cannot be checkpointed and restored elsewhere; undefined: it can. */
export function processProblem(pod: LivePod, observed: ObservedMigration): Problem | undefined {
  const { name } = pod.metadata;
  if (observed.canCheckpoint !== true)
    return [
      'NoNodeAgent',
      `the consumer in pod ${name} is not of the SDK, so its process has to be checkpointed, and MS2M_AGENT_URL names no agents`,
    ];
  if (pod.spec.containers.length > 1)
    return ['ContainersNotSupported', `pod ${name} has other containers, which would start without a state`];
  const strategy = strategyProblem(pod, observed);
  if (strategy !== undefined) return strategy;
  const volume = (pod.spec.volumes ?? []).find(
    ({ emptyDir, ephemeral }) => (emptyDir ?? ephemeral) !== undefined,
  );
  if (volume !== undefined)
    return ['VolumesNotSupported', `the files of volume ${volume.name} would not move with the process`];
  const mounts = mountsProblem(pod, observed);
  if (mounts !== undefined) return ['MountsDiffer', mounts];
  return repositoryProblem(observed);
}

function repositoryProblem({ migration, settings }: ObservedMigration): Problem | undefined {
  const { spec } = migration;
  if (transferOf(spec) !== 'Registry') return undefined;
  if ((spec.checkpointImageRepository ?? '') === '')
    return ['RepositoryMissing', 'transferMode Registry needs spec.checkpointImageRepository'];
  return isAllowedRepository(migration, settings)
    ? undefined
    : ['RepositoryNotAllowed', REPOSITORY_NOT_ALLOWED];
}
