import { sleep } from '@kubewright/client';
import type { ScenarioContext } from '@kubewright/cluster';
import { corev1 } from '@kubewright/kube';
import type { StatefulMigration } from '@kubewright/operators';
import { OVER } from './migration-of.ts';
import type { MigrationWorld } from './world.ts';

export type LossOfNodes = {
  /** The node that the pod is moved from, the one that it is moved to, or both. */
  readonly nodes: readonly ('source' | 'target')[];
  /** In which step of which handover. */
  readonly step: string;
  readonly epoch: number;
};

/** How long a node is not ready, before whoever runs the machines deletes it. */
const DELETED_MS = 5000;

/** Whether it is time to lose them; also when it never will be. */
export function isLossDue(live: StatefulMigration | undefined, { step, epoch }: LossOfNodes): boolean {
  const { phase = '', step: current, handover } = live?.status ?? {};
  return live === undefined || OVER.has(phase) || (current === step && handover?.epoch === epoch);
}

/** Nodes lose their power for good, and are deleted: what their processes had in memory is gone. */
export async function loseNodes(
  { client, clock, signal }: ScenarioContext,
  world: MigrationWorld,
  names: readonly string[],
): Promise<void> {
  for (const name of names) world.lose(name);
  await sleep(clock, DELETED_MS, signal);
  for (const name of names) await client.delete(corev1.nodes, { name });
}
