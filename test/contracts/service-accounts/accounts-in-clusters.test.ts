import { appsv1, corev1, type Transport } from '@kubewright/kube';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeClusters } from '../../servers/describe-clusters.ts';
import { Story } from '../workloads/story.ts';

const CONTROLLERS = [
  'deployment-controller',
  'replicaset-controller',
  'serviceaccount-controller',
  'statefulset-controller',
] as const;

const PATIENCE = { timeout: 30_000 };
const CA = 'kube-root-ca.crt';

/** Pods need an account that is there, whoever makes them, and what their token is checked by. */
function accountsInClusters(transport: () => Transport): void {
  let story: Story;
  beforeEach(async () => {
    story = await Story.begin(transport(), () => false);
  });
  afterEach(() => story.end());

  const makeRootCa = (): Promise<unknown> =>
    story.client.create(corev1.configmaps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: story.key(CA),
      data: { 'ca.crt': '' },
    });
  const makeAccount = (name: string): Promise<unknown> =>
    story.client.create(corev1.serviceaccounts, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: story.key(name),
    });
  const labels = { app: 'web' };
  const template = (serviceAccountName?: string): corev1.PodTemplateSpec => ({
    metadata: { labels },
    spec: {
      containers: [{ name: 'web', image: 'web:1' }],
      ...(serviceAccountName !== undefined && { serviceAccountName }),
    },
  });
  /** What was said of failures, without what is generated. */
  const failures = async (): Promise<readonly string[]> => {
    const { items } = await story.client.list(corev1.events, { namespace: story.namespace });
    const told = items.filter(({ reason }) => reason === 'FailedCreate').map(({ message = '' }) => message);
    return [...new Set(told.map((text) => text.replace(/"web-[0-9a-z]+-"/, '"web-HASH-"')))];
  };
  const phases = async (): Promise<readonly string[]> =>
    (await story.pods()).map(
      ({ spec, status }) => `${spec.serviceAccountName} ${status?.phase ?? 'unknown'}`,
    );

  test('pods of a new namespace run as its default account, when there is something to check its token by', async () => {
    await story.deploy({ replicas: 2 });
    await expect.poll(phases, PATIENCE).toEqual(['default Pending', 'default Pending']);
    const waits = async (): Promise<boolean> => {
      const { items } = await story.client.list(corev1.events, { namespace: story.namespace });
      return items.some(
        ({ reason, message = '' }) =>
          reason === 'FailedMount' &&
          /volume "kube-api-access-.*configmap "kube-root-ca.crt" not found/.test(message),
      );
    };
    await expect.poll(waits, PATIENCE).toBe(true);
    await makeRootCa();
    await expect.poll(phases, PATIENCE).toEqual(['default Running', 'default Running']);
    expect(await failures()).toEqual([]);
  });

  test('a Deployment whose account is missing says so, and has its pods once the account is there', async () => {
    await makeRootCa();
    await story.deploy({ replicas: 2, template: template('late') });
    await expect
      .poll(failures, PATIENCE)
      .toEqual([
        `Error creating: pods "web-HASH-" is forbidden: error looking up service account ${story.namespace}/late: serviceaccount "late" not found`,
      ]);
    const { status } = await story.deployment(
      (live) => live.status?.conditions?.some(({ type }) => type === 'ReplicaFailure') === true,
    );
    expect(status?.conditions?.find(({ type }) => type === 'ReplicaFailure')?.reason).toBe('FailedCreate');
    await makeAccount('late');
    await expect.poll(phases, PATIENCE).toEqual(['late Running', 'late Running']);
  });

  test('a StatefulSet whose account is missing says so, and has its pods once the account is there', async () => {
    await makeRootCa();
    await story.client.create(appsv1.statefulsets, {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: story.key('web'),
      spec: {
        serviceName: 'web',
        selector: { matchLabels: labels },
        template: template('late'),
        replicas: 2,
      },
    });
    await expect
      .poll(failures, PATIENCE)
      .toEqual([
        `Create Pod web-0 in StatefulSet web failed error: pods "web-0" is forbidden: error looking up service account ${story.namespace}/late: serviceaccount "late" not found`,
      ]);
    await makeAccount('late');
    await expect.poll(phases, PATIENCE).toEqual(['late Running', 'late Running']);
  });
}

const parts = { controllers: CONTROLLERS, nodes: 1, accounts: true };
describeClusters('accounts of the pods of workloads', parts, accountsInClusters);
