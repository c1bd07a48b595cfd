import { type RunResult, runWorld } from '@kubewright/cluster';
import type { StatefulMigration } from '@kubewright/operators';
import { describe, expect, test } from 'vitest';
import { isLong, seed } from '../support/seeds.ts';
import type { LossOfNodes } from './migration/lose-nodes.ts';
import { migrationScenario } from './migration/migration.ts';
import type { MigrationStory } from './migration/script.ts';

// A node loses its power for good as a step before the first commit begins, and what its processes had in memory is gone. In
// each of these worlds the migration ends, leaves nothing, and reports that the state is lost if it is; the scenario sees to it
// that no other message is.

const KINDS = ['Single', 'Deployment', 'Pod', 'OriginalSingle', 'OriginalDeployment', 'OriginalPod'] as const;
const LOST: readonly LossOfNodes['nodes'][] = [['source'], ['target'], ['source', 'target']];
/** How long agents of lost nodes are waited for. */
const PAUSE_SECS = 60;

type Kind = (typeof KINDS)[number];
type Status = NonNullable<StatefulMigration['status']>;

async function play(kind: Kind, story: MigrationStory = {}): Promise<RunResult> {
  const scenario = migrationScenario({ workloads: [kind], pauseSecs: PAUSE_SECS, ...story });
  return runWorld({ seed: 1, scenario: { ...scenario, stableFor: 30_000 }, faults: [] });
}

function statusesOf({ history }: RunResult): readonly Status[] {
  return history
    .of('statefulmigrations', 'move')
    .map(({ object }) => (object as StatefulMigration).status ?? { handedOver: false });
}

/** Steps of the first handover, until it is committed, that are on record by themselves. */
function recorded(result: RunResult): readonly Omit<LossOfNodes, 'nodes'>[] {
  const seen = new Map<string, Omit<LossOfNodes, 'nodes'>>();
  for (const { step, handover, handedOver } of statusesOf(result))
    if (step !== undefined && handover?.epoch === 1 && !handedOver)
      seen.set(`${handover.epoch} ${step}`, { step, epoch: handover.epoch });
  return [...seen.values()];
}

/** Some of all, others for another seed. */
function chosen<T>(all: readonly T[]): readonly T[] {
  const at = Array.from({ length: isLong ? 3 : 1 }, (_, index) => (seed * 7 + index * 13) % all.length);
  return at.map((index) => all[index] as T);
}

describe.each(KINDS)('MIG-45 MIG-46 a migration of a pod of kind %s', (kind) => {
  test('ends although a node is lost as a step begins before anything is handed over, and reports that the state is lost if it is', async () => {
    const calm = await play(kind);
    expect(calm.failure).toBeUndefined();
    const cells = recorded(calm).flatMap((step) => LOST.map((nodes) => ({ ...step, nodes })));
    for (const nodesLost of chosen(cells)) {
      const result = await play(kind, { nodesLost });
      const { failure } = result;
      expect({ nodesLost, failure }).toEqual({ nodesLost, failure: undefined });
    }
  });
});
