import { transferOf } from '../../checkpoints/checkpoint-of.ts';
import type { LivePod, ObservedMigration } from '../observed-migration.ts';

type Problem = readonly [reason: string, message: string];

/** Why the process of a pod cannot be checkpointed and restored elsewhere; undefined: it can. */
export function processProblem(pod: LivePod, observed: ObservedMigration): Problem | undefined {
  const { name } = pod.metadata;
  const { spec } = observed.migration;
  if (observed.canCheckpoint !== true)
    return [
      'NoNodeAgent',
      `the consumer in pod ${name} is not of the SDK, so its process has to be checkpointed, and MS2M_AGENT_URL names no agents`,
    ];
  if (pod.spec.containers.length > 1)
    return ['ContainersNotSupported', `pod ${name} has other containers, which would start without a state`];
  const volume = (pod.spec.volumes ?? []).find(({ emptyDir }) => emptyDir !== undefined);
  if (volume !== undefined)
    return ['VolumesNotSupported', `the files of emptyDir ${volume.name} would stay on the node`];
  return transferOf(spec) === 'Registry' && (spec.checkpointImageRepository ?? '') === ''
    ? ['RepositoryMissing', 'transferMode Registry needs spec.checkpointImageRepository']
    : undefined;
}
