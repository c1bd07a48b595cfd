import { ignoreNotFound } from '@kubewright/client';
import type { ScenarioContext } from '@kubewright/cluster';
import { corev1 } from '@kubewright/kube';
import type { StatefulMigration } from '@kubewright/operators';
import { NAMESPACE } from './manifests.ts';
import { OVER } from './migration-of.ts';
import type { MigrationWorld } from './world.ts';

export type LossOfPod = {
  /** The pod that is migrated, or the one that takes over from it. Default: the source. */
  readonly which?: 'source' | 'target';
  /** Somebody deletes the pod, with or without its grace period; or its process ends, and its container is started again. */
  readonly by: 'deletion' | 'force' | 'restart';
  /** In which step of which handover. Default: the first. */
  readonly step: string;
  readonly epoch?: number;
};

/** Whether it is time to lose it; also when it never will be. */
export function isPodDue(live: StatefulMigration | undefined, { step, epoch = 1 }: LossOfPod): boolean {
  const { phase = '', step: current, handover } = live?.status ?? {};
  return live === undefined || OVER.has(phase) || (current === step && handover?.epoch === epoch);
}

/** The pod goes, with what its process has in memory. */
export async function losePod(
  { client }: ScenarioContext,
  world: MigrationWorld,
  { spec, status }: StatefulMigration,
  { which = 'source', by }: LossOfPod,
): Promise<void> {
  const name = which === 'source' ? spec.sourcePod : (status?.handover?.to.pod ?? '');
  if (by === 'restart') world.consumers.end(name);
  else {
    world.consumers.losePod(name);
    const options = by === 'force' ? { gracePeriodSeconds: 0 } : {};
    await ignoreNotFound(client.delete(corev1.pods, { namespace: NAMESPACE, name }, options));
  }
}
