import { type RunResult, runWorld } from '@kubewright/cluster';
import { describe, expect, test } from 'vitest';
import { isLong, seed, some } from '../support/seeds.ts';
import type { LossOfNodes } from './migration/loss-of-nodes.ts';
import { migrationScenario } from './migration/migration.ts';
import type { MigrationStory } from './migration/script.ts';
import { type RecordedStep, recordedSteps } from './migration/status-of.ts';

// Nodes are lost as a step begins, for good or for a while: the source's, the target's, or both. In each of these worlds the
// migration ends and leaves nothing; somebody consumes the queue, unless nobody would make another pod; and a state that is lost
// is reported, but for one that was lost as the migration was completed, or later. The scenario sees to it that no other message is
// lost, and none is doubled. What only a lost node had in memory cannot come back.

const KINDS = ['Single', 'Deployment', 'Pod', 'OriginalSingle', 'OriginalDeployment', 'OriginalPod'] as const;
const LOST: readonly LossOfNodes['nodes'][] = [['source'], ['target'], ['source', 'target']];
/** How long agents of lost nodes are waited for. */
const PAUSE_SECS = 60;
/** Of each kind, and way to lose nodes; others for another seed. */
const CELLS: Readonly<Record<LossOfNodes['of'], number>> = isLong
  ? { power: 8, reboot: 4, network: 4 }
  : { power: 1, reboot: 1, network: 1 };

type Kind = (typeof KINDS)[number];

const PLAYED = some(1, KINDS);

async function play(kind: Kind, story: MigrationStory = {}): Promise<RunResult> {
  const scenario = migrationScenario({ workloads: [kind], pauseSecs: PAUSE_SECS, ...story });
  return runWorld({ seed: 1, scenario: { ...scenario, stableFor: 30_000 }, faults: [] });
}

/** As far apart as they can be, so that steps before the handovers and after them are among them. */
function chosen<T>(all: readonly T[], count: number): readonly T[] {
  const length = Math.min(count, all.length);
  return Array.from(
    { length },
    (_, index) => all[(seed + Math.floor((index * all.length) / length)) % all.length] as T,
  );
}

async function expectEnd(kind: Kind, nodesLost: LossOfNodes): Promise<void> {
  const { failure } = await play(kind, { nodesLost });
  expect({ nodesLost, failure }).toEqual({ nodesLost, failure: undefined });
}

const calms = new Map<Kind, Promise<RunResult>>();

/** Of a world in which nothing is lost, which is played once for each kind. */
async function stepsOf(kind: Kind): Promise<readonly RecordedStep[]> {
  const playing = calms.get(kind) ?? play(kind);
  calms.set(kind, playing);
  const calm = await playing;
  expect(calm.failure).toBeUndefined();
  return recordedSteps(calm);
}

async function expectEnds(kind: Kind, steps: readonly RecordedStep[], of: LossOfNodes['of']): Promise<void> {
  const cells = steps.flatMap(({ handedOver, ...at }) =>
    LOST.filter((nodes) => of !== 'reboot' || !isLimit(kind, { ...at, handedOver }, nodes)).map((nodes) => ({
      ...at,
      nodes,
      of,
    })),
  );
  for (const nodesLost of chosen(cells, CELLS[of])) await expectEnd(kind, nodesLost);
}

/** What the README says is lost, or is left, when the target is rebooted. */
function isLimit(kind: Kind, { step, handedOver }: RecordedStep, nodes: LossOfNodes['nodes']): boolean {
  if (!nodes.includes('target')) return false;
  // It is restored from its checkpoint again, and nobody makes another one in its place.
  if (kind === 'OriginalPod') return handedOver;
  // The last step: the process that took over has responded, and what it takes when it is started again goes with its pod.
  return step === 'DeletePodQueues' && (kind === 'Single' || kind === 'Deployment');
}

test.each(PLAYED)(
  'MIG-45 MIG-46 a migration of a pod of kind %s ends where nodes lose their power for good as a step begins',
  async (kind) => expectEnds(kind, await stepsOf(kind), 'power'),
);

describe('MIG-45 MIG-46 a migration whose nodes return', () => {
  test.each(PLAYED)('ends where they are rebooted as a step begins: kind %s', async (kind) => {
    await expectEnds(kind, await stepsOf(kind), 'reboot');
  });

  test('ends with its state where they are cut off from the cluster for a while as a step begins', async () => {
    await expectEnds('Single', await stepsOf('Single'), 'network');
  });
});

const REBOOTS: readonly (readonly [Kind, string, number])[] = [
  ['Single', 'TakeOver', 1],
  ['Single', 'DeleteQueues', 1],
  ['Single', 'TakeOver', 2],
  ['Single', 'Confirm', 2],
  ['Deployment', 'RemoveSource', 1],
  ['Pod', 'Confirm', 1],
];
test.each(some(1, REBOOTS))(
  'MIG-46 who lost the state in a reboot takes no message with it: kind %s, in step %s of handover %i',
  async (kind, step, epoch) => {
    await expectEnd(kind, { step, epoch, nodes: ['target'], of: 'reboot' });
  },
);

// A process that is started again reads the same barrier, and writes there what it has: nothing.
test.each(some(1, ['Single', 'Pod'] as const))(
  'MIG-85 what the successor of a source that was rebooted writes at the barrier is not taken for its state: kind %s',
  async (kind) => {
    await expectEnd(kind, { step: 'Barrier', epoch: 1, nodes: ['source'], of: 'reboot' });
  },
);

const both = ['source', 'target'] as const;

const WAITING: readonly (readonly [string, Kind, Omit<LossOfNodes, 'of'>])[] = [
  [
    'pod that the StatefulSet makes before the loss is on record',
    'Single',
    { step: 'DeleteQueues', epoch: 1, nodes: both },
  ],
  ['pod that takes over', 'Single', { step: 'TakeOver', epoch: 2, nodes: ['target'] }],
  [
    'pod that our finalizer keeps when its node is gone',
    'OriginalSingle',
    { step: 'SwitchOver', epoch: 2, nodes: ['target'] },
  ],
];
test.each(some(1, WAITING))(
  'MIG-46 nobody waits for the state that was lost: not the %s',
  async (_which, kind, nodesLost) => {
    await expectEnd(kind, { ...nodesLost, of: 'power' });
  },
);
