import { type RunResult, runWorld } from '@kubewright/cluster';
import { describe, expect, test } from 'vitest';
import { seeds, some } from '../support/seeds.ts';
import { crashAtCall, crashAtRecord } from './migration/crash-at.ts';
import type { LossOfPod } from './migration/lose-pod.ts';
import type { LossOfNodes } from './migration/loss-of-nodes.ts';
import { migrationScenario } from './migration/migration.ts';
import type { MigrationStory } from './migration/script.ts';
import { statusOf } from './migration/status-of.ts';

// The source ends before its successor starts. In each of these worlds the consumer of the queue has in the end applied each
// message that was published once, and nothing is left: the scenario sees to it.

type Kind =
  | 'Sequential'
  | 'SequentialSingle'
  | 'SequentialPod'
  | 'SequentialDeployment'
  | 'OriginalSequential';

const PAUSE_SECS = 60;
/** Slow enough for what happens in a step to happen before the next. */
const PACE = { bootMs: 1000, applyMs: 20 };

async function played(story: MigrationStory, kind: Kind = 'Sequential', seed?: number): Promise<RunResult> {
  const scenario = { ...migrationScenario({ workloads: [kind], ...story }), stableFor: 60_000 };
  const result = await runWorld({ scenario, ...(seed === undefined ? { seed: 1, faults: [] } : { seed }) });
  expect({ ...story, seed, failure: result.failure }).toMatchObject({ failure: undefined });
  return result;
}

async function play(story: MigrationStory, kind?: Kind): Promise<string> {
  const { phase, outcome } = statusOf(await played(story, kind));
  return [phase, outcome?.reason].filter((one) => one !== undefined).join(' ');
}

/** The pods that there were, by name. */
function namesOf({ history }: RunResult): readonly string[] {
  const names = history.all
    .filter(({ resource }) => resource === 'pods')
    .map(({ object }) => object.metadata.name);
  return [...new Set(names)].toSorted();
}

describe('MIG-5 Sequential', () => {
  test('moves the pod of a StatefulSet in one handover, without a shadow; the pod is there a minute later', async () => {
    const result = await played({});
    const { phase, strategy, handover, steps = [] } = statusOf(result);
    expect({ phase, strategy, epoch: handover?.epoch }).toEqual({
      phase: 'Completed',
      strategy: 'Sequential',
      epoch: 1,
    });
    expect(steps.map(({ step }) => step)).not.toContain('CreateMirror');
    expect(namesOf(result)).toEqual(['consumer-0', 'consumer-1']);
    const last = result.history.of('pods', 'consumer-0').at(-1)?.object.metadata;
    expect(last?.uid).toBe(handover?.to.uid);
    expect(last).not.toHaveProperty('deletionTimestamp');
  });

  test('moves an application of the original system in one checkpoint', async () => {
    const result = await played({}, 'OriginalSequential');
    expect(statusOf(result)).toMatchObject({ phase: 'Completed', handover: { epoch: 1 } });
    expect(namesOf(result)).toEqual(['consumer-0', 'consumer-1']);
  });
});

describe('MIG-5 MIG-7 Sequential, of a pod that nobody controls', () => {
  test('moves it under its name, with its claim; it is there a minute later', async () => {
    const result = await played({}, 'SequentialPod');
    const { phase, strategy, handover } = statusOf(result);
    expect({ phase, strategy, epoch: handover?.epoch }).toEqual({
      phase: 'Completed',
      strategy: 'Sequential',
      epoch: 1,
    });
    expect(namesOf(result)).toEqual(['lone']);
    const last = result.history.of('pods', 'lone').at(-1)?.object.metadata;
    expect(last?.uid).toBe(handover?.to.uid);
    expect(last).not.toHaveProperty('deletionTimestamp');
  });

  test('somebody makes the pod again as soon as there is none: it leaves the queue alone, and is replaced', async () => {
    const result = await played({ remade: true }, 'SequentialPod');
    expect(statusOf(result)).toMatchObject({ phase: 'Completed', handover: { epoch: 1 } });
    const uids = new Set(result.history.of('pods', 'lone').map(({ object }) => object.metadata.uid));
    expect(uids.size).toBeGreaterThan(2);
  });

  // The operator makes the next one, whatever becomes of it meanwhile.
  const CALLS = ['POST \\S+/controllerrevisions', 'DELETE \\S+/pods/lone', 'POST \\S+/pods'];
  const CRASHES = CALLS.flatMap((call) =>
    (['before', 'after'] as const).map((when) => [when, call] as const),
  );
  test.each(some(1, CRASHES.toReversed()))(
    'completes although the operator crashes %s %s',
    async (when, call) => {
      const calm = await played({}, 'SequentialPod');
      const crash = crashAtCall(calm, when, new RegExp(`(operator-\\d) #(\\d+) ${call}[ ?]`));
      const scenario = { ...migrationScenario({ workloads: ['SequentialPod'] }), stableFor: 60_000 };
      const result = await runWorld({ seed: 1, scenario, faults: [crash] });
      expect(result.failure).toBeUndefined();
      expect(result.trace.filter((line) => line.includes(' crash '))).toHaveLength(1);
      expect(statusOf(result)).toMatchObject({ phase: 'Completed', handover: { epoch: 1 } });
    },
  );
});

describe('MIG-5 MIG-6 Sequential, of a pod of a Deployment', () => {
  test('its ReplicaSet makes one pod in its place, which is there a minute later', async () => {
    const result = await played({}, 'SequentialDeployment');
    const { phase, strategy, handover, replacementPod } = statusOf(result);
    expect({ phase, strategy, epoch: handover?.epoch }).toEqual({
      phase: 'Completed',
      strategy: 'Sequential',
      epoch: 1,
    });
    expect(namesOf(result)).toHaveLength(2);
    const last = result.history.of('pods', replacementPod ?? '').at(-1)?.object.metadata;
    expect(last?.uid).toBe(handover?.to.uid);
    expect(last).not.toHaveProperty('deletionTimestamp');
  });
});

describe('MIG-5 MIG-6 Sequential, while the webhook is away', () => {
  test.each(some(1, ['Sequential', 'SequentialDeployment'] as const))(
    '%s: pods are made without the state: they leave the queue alone, and are replaced',
    async (kind) => {
      expect(await play({ unhooked: true }, kind)).toBe('Completed');
    },
  );
});

const BACK_AND_FORTH = ['SequentialPod', 'SequentialDeployment', 'Sequential'] as const;
/** Only in the long run. */
test.each(some(0, BACK_AND_FORTH))(
  'MIG-5 MIG-6 MIG-7 Sequential, there and back, again and again, of kind %s: each message was applied once',
  async (kind) => {
    expect(await play({ roundTrips: 10 }, kind)).toBe('Completed');
  },
);

describe('MIG-38 spec.abort', () => {
  const ENDS: readonly (readonly [string, Kind, string])[] = [
    ['Snapshot', 'Sequential', 'Aborted AbortRequested'],
    ['HoldPrimary', 'Sequential', 'Completed'],
    ['Stop', 'Sequential', 'Aborted AbortRequested'],
    ['KeepTemplate', 'SequentialPod', 'Aborted AbortRequested'],
    ['ReplaceSource', 'SequentialPod', 'Completed'],
    ['Snapshot', 'SequentialDeployment', 'Aborted AbortRequested'],
    ['ReplaceSource', 'SequentialDeployment', 'Completed'],
    ['Checkpoint', 'OriginalSequential', 'Aborted AbortRequested'],
    ['ReplaceSource', 'OriginalSequential', 'Completed'],
  ];
  test.each(some(1, ENDS))('at %s of kind %s: %s', async (at, kind, end) => {
    expect(await play({ end: { by: 'abort', at } }, kind)).toBe(end);
  });

  test('MIG-36 deleted after the source has ended: it is finished, and goes', async () => {
    expect(await play({ end: { by: 'deletion', at: 'Restore' } })).toBe('Completed');
  });
});

describe('MIG-42 a source that is lost after its state was taken', () => {
  const LOSSES: readonly (readonly [LossOfPod['by'], string])[] = [
    ['force', 'HoldPrimary'],
    ['restart', 'HoldPrimary'],
    ['deletion', 'HoldPrimary'],
    ['force', 'ReplaceSource'],
    ['restart', 'ReplaceSource'],
  ];
  test.each(some(1, LOSSES))('by %s at %s: its successor has all messages', async (by, step) => {
    expect(await play({ podLost: { by, step }, processes: PACE, backlog: 100 })).toBe('Completed');
  });

  test.each(seeds(1, 10))(
    'by force as it is replaced, while faults of all kinds are injected (seed %i)',
    async (seed) => {
      const podLost = { by: 'force', step: 'ReplaceSource' } as const;
      const result = await played({ podLost, processes: PACE, backlog: 100 }, 'Sequential', seed);
      expect(statusOf(result).phase).toBe('Completed');
    },
  );
});

describe('a successor that is lost while the operator is away', () => {
  test.each(some(1, ['SequentialDeployment', 'Sequential'] as const))(
    'as it has taken over (%s): who comes next waits for a queue that is held for nobody, and begins',
    async (kind) => {
      const podLost = { which: 'target', by: 'force', step: 'DeleteQueues' } as const;
      const calm = await played({}, kind);
      const crash = { ...crashAtRecord(calm, 'after', 'DeleteQueues'), restartAfter: 30_000 };
      const scenario = {
        ...migrationScenario({ workloads: [kind], podLost, pauseSecs: PAUSE_SECS }),
        stableFor: 60_000,
      };
      const result = await runWorld({ seed: 1, scenario, faults: [crash] });
      expect(result.failure).toBeUndefined();
      expect(result.trace.filter((line) => line.includes(' crash '))).toHaveLength(1);
      expect(statusOf(result)).toMatchObject({ phase: 'Failed', outcome: { reason: 'StateLost' } });
    },
  );
});

describe('nodes that are lost', () => {
  const lost = (nodes: LossOfNodes['nodes'], step: string, of: LossOfNodes['of']): LossOfNodes => ({
    nodes,
    step,
    of,
    epoch: 1,
  });
  const FOR_GOOD: readonly (readonly [string, LossOfNodes])[] = [
    ['the target node, as the state is restored', lost(['target'], 'Restore', 'power')],
    ['the target node, as the source is replaced', lost(['target'], 'ReplaceSource', 'power')],
    ['both, as the source is replaced', lost(['source', 'target'], 'ReplaceSource', 'power')],
  ];
  const OF_KINDS = some(1, ['SequentialPod', 'SequentialDeployment', 'SequentialSingle'] as const).flatMap(
    (kind) => some(1, FOR_GOOD).map(([what, nodesLost]) => [what, kind, nodesLost] as const),
  );
  test.each(OF_KINDS)(
    '%s (%s): its successor has the state on another one',
    async (_what, kind, nodesLost) => {
      const result = await played({ nodesLost, pauseSecs: PAUSE_SECS, processes: PACE }, kind);
      const { phase, conditions = [], targetNodeLost } = statusOf(result);
      expect({ phase, targetNodeLost }).toEqual({ phase: 'Completed', targetNodeLost: true });
      expect(conditions).toContainEqual(
        expect.objectContaining({ type: 'Completed', reason: 'TargetNodeLost' }),
      );
    },
  );

  const FOR_A_WHILE: readonly (readonly [string, LossOfNodes])[] = [
    ['the target node is rebooted', lost(['target'], 'Restore', 'reboot')],
    ['the target node is cut off', lost(['target'], 'Restore', 'network')],
    ['the source node is cut off', lost(['source'], 'ReplaceSource', 'network')],
  ];
  test.each(some(1, FOR_A_WHILE))('%s for a while: its successor has the state', async (_what, nodesLost) => {
    const story = { nodesLost, pauseSecs: PAUSE_SECS, processes: PACE };
    expect(await play(story, 'SequentialSingle')).toBe('Completed');
  });
});
