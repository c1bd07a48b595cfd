import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { release } from 'node:os';
import { basename, join } from 'node:path';
import { systemClock } from '@kubewright/client';
import { appsv1, controllerOf, corev1 } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { criuProblem } from '../../packages/operators/src/migration/agent/node-facts.ts';
import { httpNodeAgents } from '../../packages/operators/src/migration/checkpoints/http-node-agents.ts';
import { useOriginal } from '../../packages/operators/src/migration/original-application.contract.ts';
import { PATIENT, reached } from '../../packages/operators/src/migration/testing/migration-calls.ts';
import { openWorld, settingOf, type World } from './open-world.ts';
import type { Child } from '../support/child.ts';
import type { NodeProcess } from './start-node.ts';
import { startAgent } from './start-agents.ts';

const ENDS = ['Completed', 'Failed', 'Rejected', 'Aborted'];

// What the preflight finds on real nodes before anything is written: a dry run is rejected, and says why.
describe('migrations that real nodes cannot do', () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld();
  });
  afterAll(() => world?.close());
  const suite = useOriginal(
    settingOf(() => world),
    'refused',
  );
  const { operator, name, podOf, template, move } = suite;
  const { namespace } = operator;
  const pod = `${name}-0`;

  /** Where the pod is, and where it is not. */
  const placesOf = async (of: string): Promise<readonly [from: NodeProcess, to: NodeProcess]> => {
    const { nodeName } = (await podOf(of)).spec;
    const [first, second] = world.nodes.nodes;
    assert(first !== undefined && second !== undefined);
    return nodeName === first.name ? [first, second] : [second, first];
  };
  const planned = async (migration: string, of: string = pod) => {
    const [, to] = await placesOf(of);
    await move(migration, of, to.name, { dryRun: true });
    const { status } = await reached(operator, migration, ENDS);
    const failed = status?.conditions?.find(({ type }) => type === 'Failed');
    return { phase: status?.phase, reason: failed?.reason, message: status?.message };
  };
  /** The agents that were started again, by node. */
  const agents = new Map<string, Child>();
  /** Whatever becomes of `run`, the node has its own commands again. */
  const withCommands = async (
    folderName: string,
    scripts: Readonly<Record<string, string>>,
    run: () => Promise<void>,
  ): Promise<void> => {
    const [, to] = await placesOf(pod);
    await (agents.get(to.name) ?? world.agents.processes[world.nodes.nodes.indexOf(to)])?.stop();
    const folder = join(to.folder, folderName);
    mkdirSync(folder);
    for (const path of ['/usr/bin/ctr', '/usr/bin/containerd', '/usr/sbin/criu'])
      if (scripts[basename(path)] === undefined) symlinkSync(path, join(folder, basename(path)));
    for (const [command, script] of Object.entries(scripts)) {
      writeFileSync(join(folder, command), `#!/bin/sh\n${script}\n`);
      chmodSync(join(folder, command), 0o755);
    }
    const other = await startAgent(world.nodes, to, { PATH: `${folder}:/bin` });
    try {
      await run();
    } finally {
      await other.stop();
      agents.set(to.name, await startAgent(world.nodes, to));
    }
  };

  beforeAll(async () => {
    await suite.declare();
    await operator.admin.create(appsv1.statefulsets, setOf(name, template()));
    await podOf(pod);
  });

  function setOf(app: string, podTemplate: ReturnType<typeof template>): appsv1.StatefulSet {
    const selector = { matchLabels: { app } };
    return {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: app, namespace },
      spec: {
        serviceName: app,
        replicas: 1,
        selector,
        updateStrategy: { type: 'OnDelete' },
        template: { ...podTemplate, metadata: { labels: { app } } },
      },
    };
  }

  /** A pod that was adopted bears no revision: it would count as one that is still to be replaced. */
  async function countAsUpdated(app: string): Promise<void> {
    const key = { namespace, name: app };
    const has = (live: appsv1.StatefulSet | undefined): boolean => live?.status?.updateRevision !== undefined;
    const live = await waitForObject(operator.admin, appsv1.statefulsets, key, has, PATIENT);
    const labels = { 'controller-revision-hash': live?.status?.updateRevision ?? '' };
    const pod = { namespace, name: `${app}-0` };
    await operator.admin.patch(corev1.pods, pod, { type: 'merge', body: { metadata: { labels } } });
    const isDone = (set: appsv1.StatefulSet | undefined): boolean =>
      set?.status?.updatedReplicas === 1 && set.status.currentRevision === set.status.updateRevision;
    await waitForObject(operator.admin, appsv1.statefulsets, key, isDone, PATIENT);
  }

  test('MIG-69 a target node that cannot get the image of the container', async () => {
    const [, to] = await placesOf(pod);
    const forget =
      'ctr -n k8s.io images ls -q | grep original-consumer | xargs -r ctr -n k8s.io images rm --sync';
    await to.start('sh', ['-c', forget]).ended;
    world.nodes.registry.isAway = true;
    try {
      expect(await planned('image')).toMatchObject({
        phase: 'Rejected',
        reason: 'BaseImageMissing',
        message: expect.stringContaining(`node ${to.name} cannot get the image of the container`),
      });
    } finally {
      world.nodes.registry.isAway = false;
    }
  });

  test('MIG-70 a CRIU that is too old for the kernel', async () => {
    const problem = criuProblem('3.17', release());
    await withCommands('old-criu', { criu: 'echo Version: 3.17' }, async () => {
      const { phase, message } = await planned('criu');
      expect(phase).toBe(problem === undefined ? 'Completed' : 'Rejected');
      expect(message).toContain(problem ?? 'the migration is possible');
    });
  });

  test('MIG-69 a containerd that is configured to restore nothing, as one of 2.3 says it', async () => {
    const [, to] = await placesOf(pod);
    const off = 'enable_experimental_restore_via_create = false';
    const script = `/usr/bin/containerd "$@" && echo '${off}'`;
    await withCommands('no-restore', { containerd: script }, async () => {
      expect(await planned('restore')).toMatchObject({
        phase: 'Rejected',
        reason: 'RestoreDisabled',
        message: `node ${to.name} restores no container: set enable_experimental_restore_via_create = true in the configuration of containerd; an application of the SDK needs none`,
      });
    });
  });

  test('MIG-70 a container of another user than root, where the node may checkpoint only those of root', async () => {
    const { metadata, spec } = template();
    const other = `${name}-user`;
    await operator.admin.create(corev1.pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...metadata, name: other, namespace },
      spec: { ...spec, securityContext: { runAsUser: 1000 } },
    });
    const [from] = await placesOf(other);
    const { url, token, ca, certificate } = world.agents;
    const known = httpNodeAgents({ url, token, caFile: ca, certificate }, systemClock);
    const facts = await known.facts(from.name);
    const { phase, reason, message } = await planned('user', other);
    if (facts?.rootOnly === undefined) expect(phase, message).not.toBe('Rejected');
    else expect([phase, reason], message).toEqual(['Rejected', 'UserNotSupported']);
    await operator.admin.delete(corev1.pods, { namespace, name: other });
  });

  test('MIG-70 a pod with a mount that its StatefulSet does not give to the next one', async () => {
    const app = `${name}-mounts`;
    const { spec } = template();
    const items = [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }];
    const mount = { name: 'info', mountPath: '/info' };
    await operator.admin.create(corev1.pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `${app}-0`, namespace, labels: { app } },
      spec: {
        ...spec,
        containers: spec.containers.map((one) => ({ ...one, volumeMounts: [mount] })),
        volumes: [{ name: 'info', downwardAPI: { items } }],
      },
    });
    await podOf(`${app}-0`);
    await operator.admin.create(appsv1.statefulsets, setOf(app, template()));
    const isAdopted = (live: corev1.Pod | undefined): boolean =>
      live !== undefined && controllerOf(live)?.kind === 'StatefulSet';
    await waitForObject(operator.admin, corev1.pods, { namespace, name: `${app}-0` }, isAdopted, PATIENT);
    await countAsUpdated(app);
    expect(await planned('mounts', `${app}-0`)).toEqual({
      phase: 'Rejected',
      reason: 'MountsDiffer',
      message: `only pod ${app}-0 has a mount at /info, and a process is restored only with the mounts that it had`,
    });
  });
});
