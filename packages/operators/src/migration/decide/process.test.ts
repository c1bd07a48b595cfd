import { type corev1, defined } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { type MigrationStatus, NAME_FINALIZER } from '../api.ts';
import type { QueueFacts } from '../brokers/broker.ts';
import {
  ALL_WELL,
  decidedAt,
  marked,
  MIGRATION_UID,
  migrationOf,
  type PodFacts,
  podOf,
  setOf,
  SOURCE,
  timeAt,
} from '../testing/migration-bench.ts';
import type { NodeFacts } from '../checkpoints/node-agents.ts';
import { readSettings } from '../settings.ts';
import type { ObservedMigration } from './observed-migration.ts';

// An application of the original system: it reports nothing, and has a control queue by the name of its pod.

const CONTROL = 'ms2m.control.consumer-0';
const IMAGE = 'localhost/ms2m/shop/consumer-0:f0e1d2c3-2';

type Queues = Readonly<Record<string, Partial<QueueFacts>>>;

function seen(status: MigrationStatus | undefined, queues: Queues, facts: Partial<ObservedMigration> = {}) {
  const all = Object.entries({ [CONTROL]: {}, ...queues }).map(
    ([name, more]) => [name, { ready: 0, consumers: 0, ...more }] as const,
  );
  const primary = { ready: 0, consumers: 1, ...queues['orders-0'] };
  return {
    ...ALL_WELL,
    canCheckpoint: true,
    migration: migrationOf({}, status),
    broker: { type: 'reached', exchange: true, primary, reports: new Map(), queues: new Map(all) },
    ...facts,
  } as const satisfies ObservedMigration;
}

/** Its status once it was checked. */
function checked(): MigrationStatus {
  const { status } = decidedAt(0, seen(undefined, {})).decision;
  const later = decidedAt(3, seen(status, {})).decision.status;
  if (later === undefined) throw new TypeError('nothing was decided');
  return later;
}

/** The second handover, from the shadow to the pod of the StatefulSet. */
function replacing(sentAt?: number): MigrationStatus {
  return {
    ...checked(),
    handedOver: true,
    step: 'ReplaceSource',
    handover: {
      epoch: 2,
      from: { pod: 'consumer-0-shadow', uid: 'shadow-uid' },
      to: { pod: 'consumer-0' },
      mirror: 'hold-2',
      checkpoint: { image: IMAGE, sha256: 'a', bytes: 1 },
      ...(sentAt !== undefined && { sent: 'ReplaceSource', sentTime: timeAt(sentAt) }),
      committed: false,
    },
  };
}

const shadow = podOf({
  uid: 'shadow-uid',
  name: 'consumer-0-shadow',
  owner: { kind: 'StatefulMigration', uid: MIGRATION_UID },
  labels: marked('shadow'),
});

/** The pod that is, or was, the source; with the finalizer that keeps its name. */
function named(facts: PodFacts, isKept: boolean) {
  const pod = podOf(facts);
  return isKept ? { ...pod, metadata: { ...pod.metadata, finalizers: ['other', NAME_FINALIZER] } } : pod;
}

const REGISTRIES = readSettings({ MS2M_REGISTRIES: 'registry.shop' });
const withRepository = (checkpointImageRepository: string) => migrationOf({ checkpointImageRepository });

describe('an application of the original system', () => {
  test('goes through a registry that an administrator has allowed', () => {
    const facts = { settings: REGISTRIES, migration: withRepository('registry.shop/checkpoints') };
    const { status } = decidedAt(0, seen(undefined, {}, facts)).decision;
    const later = { ...facts.migration, ...defined({ status }) };
    expect(decidedAt(3, seen(status, {}, { ...facts, migration: later }))).toMatchObject({ step: 'Lock' });
  });

  test('is moved in a checkpoint, with the guarantee on record', () => {
    expect(checked()).toMatchObject({ step: 'Lock', backend: 'Checkpoint', consistency: 'ExactlyOnce' });
  });

  test('one of the SDK that has not reported yet is not taken for one', () => {
    const { decision, message } = decidedAt(0, seen(undefined, {}));
    const waits = 'waiting for the consumer in pod consumer-0 to report';
    expect([message, decidedAt(1, seen(decision.status, {})).message]).toEqual([waits, waits]);
  });

  test.each<readonly [string, string, Partial<ObservedMigration>]>([
    ['nodes have no agents', 'NoNodeAgent', { canCheckpoint: false }],
    [
      'no administrator has allowed the registry',
      'RepositoryNotAllowed',
      { migration: withRepository('registry.example/checkpoints'), settings: REGISTRIES },
    ],
    [
      'the name of the registry hides another one',
      'RepositoryNotAllowed',
      { migration: withRepository('registry.shop:443@registry.example/checkpoints'), settings: REGISTRIES },
    ],
    [
      'MIG-70 there is another container, which would start without a state',
      'ContainersNotSupported',
      { named: podOf({ spec: { containers: [{ name: 'main' }, { name: 'side' }] } }) },
    ],
    [
      'an emptyDir would stay on the node',
      'VolumesNotSupported',
      { named: podOf({ spec: { volumes: [{ name: 'cache', emptyDir: {} }] } }) },
    ],
    [
      'an ephemeral volume goes with its pod',
      'VolumesNotSupported',
      { named: podOf({ spec: { volumes: [{ name: 'cache', ephemeral: {} }] } }) },
    ],
  ])('is rejected: %s', (_what, reason, facts) => {
    const { status } = decidedAt(0, seen(undefined, {})).decision;
    const { migration = migrationOf(), ...others } = facts;
    const given = { ...others, migration: { ...migration, ...defined({ status }) } };
    const { phase, why } = decidedAt(3, seen(status, {}, given));
    expect({ phase, why }).toEqual({ phase: 'Rejected', why: reason });
  });

  test.each([
    ['Sequential', {}, 'StrategyNotSupported'],
    ['', { volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'd' } }] }, 'VolumesNotSupported'],
  ])(
    'is rejected: it would end first (strategy %j), and no StatefulSet makes it again',
    (migrationStrategy, spec, reason) => {
      const facts = { named: podOf({ owner: 'nobody', spec }) };
      const at = (status?: MigrationStatus): ObservedMigration => {
        const { set: _set, ...observed } = seen(undefined, {}, facts);
        return { ...observed, migration: migrationOf({ migrationStrategy }, status) };
      };
      const { phase, why } = decidedAt(3, at(decidedAt(0, at()).decision.status));
      expect({ phase, why }).toEqual({ phase: 'Rejected', why: reason });
    },
  );

  const FACTS = { arch: 'amd64', cgroup: 'v2', kernel: '6.12', criu: '4.1' };
  const onNodes = (target: Partial<NodeFacts> | undefined): Partial<ObservedMigration> => ({
    nodes: { type: 'reached', source: FACTS, target: target && { ...FACTS, ...target } },
  });
  test.each<readonly [string, string, Partial<NodeFacts> | undefined, string]>([
    ['the target node has no agent', 'NoNodeAgent', undefined, 'node b has no agent'],
    [
      'MIG-69 its runtime restores no container: how that is enabled, and what needs none',
      'RestoreDisabled',
      { restoreDisabled: 'set container_level_enabled to checkpoint_restore in crio.conf' },
      'node b restores no container: set container_level_enabled to checkpoint_restore in crio.conf; an application of the SDK needs none',
    ],
    [
      'MIG-70 its processors are others',
      'NodesDiffer',
      { arch: 'arm64' },
      'a process of arch amd64 (a) does not run with arm64 (b)',
    ],
    [
      'MIG-70 its cgroups are others',
      'NodesDiffer',
      { cgroup: 'v1' },
      'a process of cgroup v2 (a) does not run with v1 (b)',
    ],
    [
      'MIG-69 it cannot get the image of the container',
      'BaseImageMissing',
      { imageMissing: 'ctr: not found' },
      'node b cannot get the image of the container: ctr: not found',
    ],
  ])('is rejected: %s', (_what, reason, target, message) => {
    const { status } = decidedAt(0, seen(undefined, {})).decision;
    const given = decidedAt(3, seen(status, {}, onNodes(target)));
    expect(given).toMatchObject({ phase: 'Rejected', why: reason, message });
  });

  test.each<readonly [string, corev1.PodSpec['securityContext'], string]>([
    ['of another user is rejected', { runAsUser: 1000 }, 'Rejected'],
    ['that must not be root is rejected', { runAsNonRoot: true }, 'Rejected'],
    ['of root begins', { runAsUser: 0 }, 'Pending'],
  ])('MIG-70 where only containers of root can be checkpointed, one %s', (_what, securityContext, phase) => {
    const { status } = decidedAt(0, seen(undefined, {})).decision;
    const source = { ...FACTS, rootOnly: 'it lacks CAP_SYS_RESOURCE' };
    const named = podOf({ spec: { securityContext: securityContext ?? {} } });
    const given = decidedAt(
      3,
      seen(status, {}, { named, nodes: { type: 'reached', source, target: FACTS } }),
    );
    expect(given).toMatchObject({
      phase,
      ...(phase === 'Rejected' && {
        why: 'UserNotSupported',
        message: 'only containers that run as root can be checkpointed on node a: it lacks CAP_SYS_RESOURCE',
      }),
    });
  });

  const mounted = (...paths: readonly string[]) => ({
    name: 'main',
    image: 'consumer',
    volumeMounts: paths.map((mountPath) => ({ name: 'any', mountPath })),
  });
  const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
  test.each<readonly [string, readonly string[], readonly string[], string | undefined]>([
    [
      'it has one that the template lacks',
      ['/data', '/late'],
      ['/data'],
      'only pod consumer-0 has a mount at /late',
    ],
    [
      'it lacks one of the template',
      [],
      ['/data'],
      'only the template of its StatefulSet has a mount at /data',
    ],
    ['they are equal, but for the token', ['/data', ACCOUNT], ['/data'], undefined],
  ])('MIG-70 the mounts of the pod and of its template: %s', (_what, has, gets, problem) => {
    const { status } = decidedAt(0, seen(undefined, {})).decision;
    const named = podOf({ spec: { containers: [mounted(...has)] } });
    const set = setOf({ template: { spec: { containers: [mounted(...gets)] } } });
    const { phase, why, message } = decidedAt(3, seen(status, {}, { named, set }));
    if (problem === undefined) expect([phase, why]).toEqual(['Pending', undefined]);
    else {
      expect([phase, why]).toEqual(['Rejected', 'MountsDiffer']);
      expect(message).toContain(problem);
    }
  });

  test('MIG-70 other versions of the kernel and of CRIU are reported, and the migration begins', () => {
    const { status } = decidedAt(0, seen(undefined, {})).decision;
    const { step, decision } = decidedAt(3, seen(status, {}, onNodes({ kernel: '5.10', criu: '3.17' })));
    expect(step).toBe('Lock');
    expect(decision.events).toContainEqual({
      type: 'Warning',
      reason: 'NodesDiffer',
      message:
        'The nodes differ: kernel 6.12 and 5.10, criu 4.1 and 3.17. If the process cannot be restored, the source goes on',
    });
  });

  test('waits for agents that do not respond', () => {
    const { status } = decidedAt(0, seen(undefined, {})).decision;
    const nodes = { type: 'unavailable', message: 'the agent of node b: connection refused' } as const;
    expect(decidedAt(3, seen(status, {}, { nodes }))).toMatchObject({
      step: 'Preflight',
      message: nodes.message,
      requeueAfter: 200,
    });
  });

  test('MIG-49 the reason of a checkpoint that failed is that of the migration, which is undone', () => {
    const status: MigrationStatus = { ...checked(), step: 'Checkpoint' };
    const state = { phase: 'Failed', reason: 'RuntimeFailed', message: 'criu dump failed' } as const;
    const { step, decision } = decidedAt(4, seen(status, {}, { checkpoint: { type: 'reached', state } }));
    expect(step).toBe('UndoSource');
    expect(decision.status?.outcome).toEqual({
      phase: 'Failed',
      reason: 'RuntimeFailed',
      message: 'criu dump failed',
    });
  });

  test('its shadow is made with the checkpoint that was made a moment ago', () => {
    const status: MigrationStatus = {
      ...checked(),
      step: 'Checkpoint',
      handover: {
        epoch: 1,
        from: { pod: 'consumer-0', uid: SOURCE },
        to: { pod: 's' },
        mirror: 'h',
        committed: false,
      },
    };
    const state = { phase: 'Ready', image: IMAGE, sha256: 'a', bytes: 1 } as const;
    const { decision } = decidedAt(4, seen(status, {}, { checkpoint: { type: 'reached', state } }));
    expect(decision.action).toMatchObject({
      type: 'createShadow',
      migration: { status: { handover: { checkpoint: { image: IMAGE } } } },
    });
  });
});

describe('the name of a StatefulSet’s pod, for which no webhook may be called', () => {
  const at = (pod: PodFacts, isKept: boolean, ready = 0, sentAt?: number) =>
    decidedAt(9, seen(replacing(sentAt), { [CONTROL]: { ready } }, { named: named(pod, isKept), shadow }))
      .decision;

  test('is kept before the pod is deleted', () => {
    expect(at({}, false).action).toMatchObject({ type: 'keepName' });
    expect(at({}, true).action).toMatchObject({ type: 'deletePod' });
  });

  test('is not free while a container of the pod may read the command for its successor', () => {
    const pod = named({ ending: true }, true);
    const containerStatuses = [{ name: 'main', state: { running: {} } }];
    const running = { ...pod, status: { ...pod.status, containerStatuses } } as never;
    const { action, status } = decidedAt(9, seen(replacing(), {}, { named: running, shadow })).decision;
    expect({ action, message: status?.message }).toEqual({
      action: undefined,
      message: 'waiting for pod consumer-0 to end',
    });
  });

  test('is free once its successor has the command to stand still, alone in its queue', () => {
    const ended = { ending: true, phase: 'Failed' } as const;
    const command = { type: 'START_REPLAY', payload: { queue: 'hold-2' } };
    expect(at(ended, true, 0).action).toMatchObject({ type: 'leaveCommand', queue: CONTROL, command });
    expect(at(ended, true, 2).action).toMatchObject({ type: 'leaveCommand', queue: CONTROL, command });
    expect(at(ended, true, 2, 5).action).toMatchObject({ type: 'leaveCommand' });
    expect(at(ended, true, 1, 5).action).toMatchObject({ type: 'freeName' });
  });

  test('is not free before the broker has the command on disk, and gets another one if it was killed before', () => {
    const ended = { ending: true, phase: 'Failed' } as const;
    const { action, status } = at(ended, true, 1, 6);
    expect(action).toBeUndefined();
    expect(status?.message).toBe('the broker writes the queue to disk');
    expect(at(ended, true, 0, 6).action).toMatchObject({ type: 'leaveCommand', queue: CONTROL });
  });

  test('MIG-42 is not free by a command that the process has not read before it ended', () => {
    const ended = { ending: true, phase: 'Failed' } as const;
    expect(at(ended, true, 1).action).toMatchObject({ type: 'leaveCommand', queue: CONTROL });
  });

  test('is free when all was undone', () => {
    const outcome = { phase: 'Failed', reason: 'StateLost', message: '' } as const;
    const status = { ...replacing(), outcome, step: 'UndoLock' };
    const observed = seen(status, {}, defined({ named: named({ ending: true }, true) }));
    expect(decidedAt(9, observed).action).toBe('freeName');
  });

  test('whoever has it goes on when all is undone', () => {
    const outcome = { phase: 'Failed', reason: 'StateLost', message: '' } as const;
    const status = { ...replacing(), outcome, step: 'UndoSource' };
    const { action } = decidedAt(9, seen(status, {}, { named: podOf({ uid: 'blank' }) })).decision;
    expect(action).toMatchObject({ type: 'tell', queue: CONTROL, command: { type: 'END_REPLAY' } });
  });

  test('MIG-45 a command that is sent again is waited for again: it is unread for a moment, and is not sent at each look', () => {
    const outcome = { phase: 'Failed', reason: 'StateLost', message: '' } as const;
    const status = { ...replacing(1), outcome, step: 'UndoSource' };
    const sent = { ...status, handover: { ...status.handover, sent: 'UndoSource' } } as MigrationStatus;
    const unread = seen(sent, { [CONTROL]: { ready: 1 } }, { named: podOf({ uid: 'blank' }) });
    const { decision } = decidedAt(20, unread, ['UndoSource']);
    expect(decision.status?.handover).toMatchObject({ sent: 'UndoSource', sentTime: timeAt(20) });
  });
});
