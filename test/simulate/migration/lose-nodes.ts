import { sleep } from '@kubewright/client';
import type { ScenarioContext } from '@kubewright/cluster';
import { corev1 } from '@kubewright/kube';
import type { StatefulMigration } from '@kubewright/operators';
import type { LossOfNodes } from './loss-of-nodes.ts';
import { LAST_LOOK_MS } from '../../support/migration-losses.ts';
import { OVER } from './migration-of.ts';
import type { MigrationWorld } from './world.ts';

/** How long a node is not ready, before whoever runs the machines deletes it. */
const DELETED_MS = 5000;
/** How long nodes are away that return: long enough to be found not ready, and too short for their pods to be evicted. */
const AWAY_MS = 60_000;

/** Whether it is time to lose them; also when it never will be. */
export function isLossDue(live: StatefulMigration | undefined, { step, epoch }: LossOfNodes): boolean {
  const { phase = '', step: current, handover } = live?.status ?? {};
  return live === undefined || OVER.has(phase) || (current === step && handover?.epoch === epoch);
}

/** Nodes are lost, and deleted or back after a while. */
export async function loseNodes(
  { client, clock, signal }: ScenarioContext,
  world: MigrationWorld,
  { names, of }: { readonly names: readonly string[]; readonly of: LossOfNodes['of'] },
): Promise<void> {
  for (const name of names) world.lose(name, of);
  await sleep(clock, of === 'power' ? DELETED_MS : AWAY_MS, signal);
  for (const name of names)
    if (of === 'power') await client.delete(corev1.nodes, { name });
    else world.restore(name);
}

/**
 * The target node went when the migration was completed, or as it was. Its pod was an ordinary one by then, and an ordinary pod
 * loses the state in its memory with its node. Later, the process would not have responded, and nothing may be completed.
 */
export function wasLostSince({ spec, status }: StatefulMigration, { lost }: MigrationWorld): boolean {
  const { phase, completionTime = '' } = status ?? {};
  const at = lost.get(spec.targetNode);
  return phase === 'Completed' && at !== undefined && Date.parse(completionTime) <= at + LAST_LOOK_MS;
}
