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
  /** Not before its process has written its state. */
  readonly isWritten?: boolean;
};

/** Whether it is time to lose it; also when it never will be. */
export function isPodDue(
  world: MigrationWorld,
  live: StatefulMigration | undefined,
  loss: LossOfPod,
): boolean {
  const isTooLate = live === undefined || OVER.has(live.status?.phase ?? '');
  return isTooLate || (isAt(live, loss) && (loss.isWritten !== true || hasWritten(world, live)));
}

function isAt({ status }: StatefulMigration, { step, epoch = 1 }: LossOfPod): boolean {
  return status?.step === step && status.handover?.epoch === epoch;
}

function hasWritten({ consumers }: MigrationWorld, { status }: StatefulMigration): boolean {
  return consumers.hasWritten(status?.handover?.from.pod ?? '');
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
