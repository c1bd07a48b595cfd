import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@kubewright/client';
import { appsv1, corev1 } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { exchange } from '../../packages/operators/src/migration/checkpoints/exchange.ts';
import { httpNodeAgents } from '../../packages/operators/src/migration/checkpoints/http-node-agents.ts';
import { useOriginal } from '../../packages/operators/src/migration/original-application.contract.ts';
import { isReady, PATIENT, reached } from '../../packages/operators/src/migration/testing/migration-calls.ts';
import { startDockerRegistry, whyNoDockerRegistry } from '../servers/docker-registry.ts';
import { issueCertificate } from '../support/certificates.ts';
import { openWorld, settingOf, type World } from './open-world.ts';
import { startAgent } from './start-agents.ts';
import { REGISTRY } from './serve-registry.ts';
import type { NodeProcess } from './start-node.ts';

const ENDS = ['Completed', 'Failed', 'Rejected', 'Aborted'];

// In this order: the last test takes a node away.
describe('trouble on two real nodes', () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld();
  });
  afterAll(() => world?.close());
  const suite = useOriginal(
    settingOf(() => world),
    'trouble',
  );
  const { operator, name, podOf, template, move } = suite;
  const { namespace } = operator;
  const pod = `${name}-0`;

  /** Where the pod is, and where it is not. */
  const places = async (): Promise<readonly [from: NodeProcess, to: NodeProcess]> => {
    const { nodeName } = (await podOf(pod)).spec;
    const [first, second] = world.nodes.nodes;
    assert(first !== undefined && second !== undefined);
    return nodeName === first.name ? [first, second] : [second, first];
  };
  const over = async (migration: string) => (await reached(operator, migration, ENDS)).status;

  beforeAll(async () => {
    await suite.declare();
    const selector = { matchLabels: { app: name } };
    await operator.admin.create(appsv1.statefulsets, {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name, namespace },
      spec: { serviceName: name, replicas: 1, selector, template: template() },
    });
    await podOf(pod);
  });

  test('MIG-64 the token goes to no agent whose certificate is of another authority, or for another name, and no agent hears who has none', async () => {
    const { url, token, ca, certificate } = world.agents;
    const foreign = httpNodeAgents({ url, token }, systemClock);
    await expect(foreign.facts('node-1')).rejects.toThrow(/certificate/);
    const byAddress = httpNodeAgents({ url: 'https://10.77.0.11:9443', token, caFile: ca }, systemClock);
    await expect(byAddress.facts('node-1')).rejects.toThrow(/does not match certificate/);
    const inClear = httpNodeAgents({ url: 'http://$(NODE):9443', token, caFile: ca }, systemClock);
    await expect(inClear.facts('node-1')).rejects.toThrow('http://node-1:9443 is not https');
    const nobody = httpNodeAgents({ url, token, caFile: ca }, systemClock);
    await expect(nobody.facts('node-1')).rejects.toThrow(/a certificate of the CA of this agent is needed/);
    const known = httpNodeAgents({ url, token, caFile: ca, certificate }, systemClock);
    expect(await known.facts('node-1')).toMatchObject({
      arch: expect.any(String),
      criu: expect.stringMatching(/^\d/),
    });
  });

  test('MIG-69 a node without CRIU restores nothing: the plan says so', async () => {
    const [, to] = await places();
    const agent = world.agents.processes[world.nodes.nodes.indexOf(to)];
    await agent?.stop();
    const folder = join(to.folder, 'without-criu');
    mkdirSync(folder);
    for (const command of ['ctr', 'containerd']) symlinkSync(`/usr/bin/${command}`, join(folder, command));
    const other = await startAgent(world.nodes, to, { PATH: folder });
    await move('without-criu', pod, to.name, { dryRun: true });
    const status = await over('without-criu');
    expect(status).toMatchObject({ phase: 'Rejected' });
    expect(status?.message).toContain('it has no CRIU: install CRIU 4.2 or later');
    await other.stop();
    await startAgent(world.nodes, to);
  });

  test('MIG-48 a restored container that restarts in place is noticed, and its pod is made anew', async () => {
    const [, to] = await places();
    const born = await suite.identityOf(pod);
    await move('moved', pod, to.name);
    const status = await over('moved');
    expect(status?.phase, status?.message).toBe('Completed');
    expect(await suite.identityOf(pod)).toEqual(born);
    const moved = await podOf(pod);
    const container = moved.status?.containerStatuses?.[0]?.containerID?.replace('containerd://', '') ?? '';
    await to.start('ctr', ['--namespace', 'k8s.io', 'tasks', 'kill', '--signal', 'SIGKILL', container]).ended;
    const isNew = (live: corev1.Pod | undefined): boolean =>
      live !== undefined && live.metadata.uid !== moved.metadata.uid && isReady(live);
    await waitForObject(operator.admin, corev1.pods, { namespace, name: pod }, isNew, PATIENT);
    expect(await suite.identityOf(pod)).not.toEqual(born);
    const { items } = await operator.admin.list(corev1.events, { namespace });
    expect(items.map(({ reason }) => reason)).toContain('RestoredPodRestarted');
  });

  test.skipIf(whyNoDockerRegistry() !== undefined)(
    'a checkpoint goes through a registry, which has nothing of it afterwards [needs docker-registry]',
    async () => {
      const { hub, nodeCa } = world.nodes;
      const subject = [{ CN: [REGISTRY] }];
      const tls = await issueCertificate(nodeCa, { subject, usage: 'server', names: [REGISTRY] });
      const registry = await startDockerRegistry({ address: hub.address, tls });
      onTestFinished(() => registry.stop());
      const [, to] = await places();
      const born = await suite.identityOf(pod);
      const repository = `${REGISTRY}:${registry.port}/checkpoints`;
      await move('by-registry', pod, to.name, { checkpointImageRepository: repository });
      const status = await over('by-registry');
      expect(status?.phase, status?.message).toBe('Completed');
      const { spec } = await podOf(pod);
      expect(spec.nodeName).toBe(to.name);
      expect(spec.containers[0]?.image).toMatch(new RegExp(`^${repository}/${pod}:[0-9a-f]{8}-2@sha256:`));
      expect(await suite.identityOf(pod)).toEqual(born);
      const ca = Buffer.from(nodeCa.cert);
      const url = new URL(
        `https://${repository.replace('/', '/v2/')}/${pod}/manifests/${spec.containers[0]?.image?.split('@')[1]}`,
      );
      expect((await exchange(url, { method: 'GET', ca })).status).toBe(404);
    },
  );

  test('MIG-45 a target node that is lost in mid-transfer takes no message with it: the source goes on', async () => {
    const [from, to] = await places();
    const born = await suite.identityOf(pod);
    suite.publish();
    await move('lost', pod, to.name);
    await reached(operator, 'lost', ['Transferring', ...ENDS]);
    await to.kill();
    const status = await over('lost');
    expect(status?.phase, status?.message).toBe('Failed');
    expect((await podOf(pod)).spec.nodeName).toBe(from.name);
    expect(await suite.identityOf(pod)).toEqual(born);
    await suite.expectWhole(pod);
  });
});
