import { type Component, drawFaults, type Nodes, type Scenario } from '@kubewright/cluster';
import { migrationParts, migrationPartsWith } from '@kubewright/operators';
import { clusterComponent } from '../cluster-component.ts';
import { type OperatorDay, operatorScenario } from '../operator-scenario.ts';
import { flakyBrokers, overNetwork } from './flaky-brokers.ts';
import { deploymentsTouched, orphaned, siblingsTouched, wentBack } from './invariants.ts';
import type { WorkloadKind } from './manifests.ts';
import { missing } from './missing.ts';
import { flakyAgents } from './original-runtime.ts';
import type { LossOfNodes } from './loss-of-nodes.ts';
import { type MigrationStory, NODES, script } from './script.ts';
import type { MigrationVariant } from './variants.ts';
import { beginWorld, worldOf } from './world.ts';

/** Calls that the operator makes for one migration, about. */
const CALLS = 220;
/** Clocks jump here: limits of steps are for tests of decisions. */
const PATIENT = { MS2M_STEP_SECS: '100000', MS2M_PAUSE_SECS: '100000', MS2M_CONSUMER_SECS: '100000' };

/** Some states of a world that is drawn are larger. */
const SOME_BYTES = 2000;

const CONTROLLERS = [
  'statefulset-controller',
  'deployment-controller',
  'replicaset-controller',
  'garbage-collector-controller',
  'node-lifecycle-controller',
] as const;

const clusterAt = ({ processes, nodesLost }: MigrationStory = {}): Component => ({
  name: 'cluster',
  start(environment) {
    const world = beginWorld(environment.signal, environment.clock, processes);
    const { consumers, originals } = world;
    const runtimes = [consumers, originals];
    const nodes = { nodes: NODES.length, runtimes, leaseRenewMs: 20_000, ...withoutNodes(nodesLost)?.nodes };
    const controllers = [...CONTROLLERS, ...(withoutNodes(nodesLost)?.controllers ?? [])];
    const hand = (given: Nodes): void => void (world.nodes = given);
    return clusterComponent({ controllers, nodes, storage: false }, hand).start(environment);
  },
});

/** What a cluster needs where nodes are lost: one more, and who deletes their pods. */
function withoutNodes(lost: LossOfNodes | undefined) {
  if (lost === undefined) return undefined;
  return { nodes: { nodes: NODES.length + 1 }, controllers: ['pod-garbage-collector-controller'] as const };
}

/** An operator whose brokers are those of the world that it runs in. */
function withBrokersOf({
  change,
  withoutLease = false,
}: MigrationVariant): NonNullable<OperatorDay['operatorIn']> {
  return ({ parts, ...operator }, { signal }) => ({
    ...operator,
    parts: parts.map((part) => ({
      ...part,
      add(manager, env) {
        const { clock: caller, random } = manager;
        const ends = { caller, network: () => worldOf(signal).clock };
        const brokers = flakyBrokers(() => worldOf(signal).connect(), ends, random);
        const agents = flakyAgents(() => worldOf(signal).originals.agents, overNetwork(ends, random));
        const own = migrationPartsWith(
          () => brokers,
          change,
          () => agents,
        ).parts;
        const unfenced = withoutLease && { requireLease: () => undefined };
        own.find(({ account }) => account === part.account)?.add({ ...manager, ...unfenced }, env);
      },
    })),
  });
}

const DRAWN: readonly WorkloadKind[] = [
  'StatefulSet',
  'StatefulSet',
  'Sequential',
  'Deployment',
  'Pod',
  'SequentialPod',
  'SequentialDeployment',
];

/** Applications of the original system are migrated in checkpoints, while faults of all kinds are injected. */
export function checkpointScenario(variant?: MigrationVariant): Scenario {
  const day = migrationDay(undefined, variant);
  const kinds: readonly WorkloadKind[] = [
    'OriginalSet',
    'OriginalSet',
    'OriginalSequential',
    'OriginalDeployment',
    'OriginalPod',
  ];
  return operatorScenario({ ...day, script: (context) => script(context, kinds) });
}

/** A pod of a StatefulSet is migrated under load, while faults of all kinds are injected. */
export function migrationDay(story?: MigrationStory, variant: MigrationVariant = {}): OperatorDay {
  return {
    name: 'migration',
    operator: migrationParts,
    operatorIn: withBrokersOf(variant),
    env: {
      ...PATIENT,
      MS2M_BROKERS: 'broker',
      MS2M_COPY_BYTES: String(story === undefined ? SOME_BYTES : (story.copyBytes ?? 0)),
      ...(story?.pauseSecs !== undefined && { MS2M_PAUSE_SECS: String(story.pauseSecs) }),
      ...(story?.mirrorLength !== undefined && { MS2M_MIRROR_LENGTH: String(story.mirrorLength) }),
    },
    components: [clusterAt(story)],
    observed: [
      ['migration.ms2m.io', 'statefulmigrations'],
      ['', 'pods'],
      ['apps', 'statefulsets'],
      ['apps', 'deployments'],
    ],
    prepare: async () => undefined,
    script: (context) => script(context, story ?? DRAWN),
    missing,
    calls: CALLS,
    faults: (random) => drawFaults(random, ['operator-1', 'operator-2'], CALLS),
    invariants: {
      'the set and its other pods are left alone': siblingsTouched,
      'Deployments are left alone': deploymentsTouched,
      'there is no way back': wentBack,
      'no pod of the set is an orphan': orphaned,
    },
  };
}

export function migrationScenario(story?: MigrationStory, variant: MigrationVariant = {}): Scenario {
  return operatorScenario(migrationDay(story, variant));
}
