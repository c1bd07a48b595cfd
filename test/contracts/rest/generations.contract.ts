import type { Json, JsonObject } from '@kubewright/kube';
import { describe, expect, it } from 'vitest';
import type { TestServer } from '../../servers/test-server.ts';
import { type Answer, call, PATCH } from '../../support/api.ts';
import { metaOf, namespaceFor } from './namespace-for.ts';

const template = {
  metadata: { labels: { app: 'x' } },
  spec: { containers: [{ name: 'c', image: 'i' }] },
};
const selector = { matchLabels: { app: 'x' } };

type Case = {
  readonly kind: string;
  readonly apiVersion: string;
  readonly resource: string;
  readonly spec: JsonObject;
  /** A merge patch of the spec that changes something. */
  readonly change: JsonObject;
  /** What the server adds to the spec, among other things. */
  readonly defaults: JsonObject;
  /** A merge patch of the status. */
  readonly status: JsonObject;
};

/** The kinds that operators touch and that count their generations. */
const CASES: readonly Case[] = [
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    resource: 'deployments',
    spec: { selector, template },
    change: { replicas: 3 },
    defaults: {
      replicas: 1,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
    },
    status: { replicas: 1 },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    resource: 'statefulsets',
    spec: { selector, template, serviceName: 's' },
    change: { replicas: 3 },
    defaults: {
      replicas: 1,
      podManagementPolicy: 'OrderedReady',
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
    },
    status: { replicas: 1 },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    resource: 'daemonsets',
    spec: { selector, template },
    change: { minReadySeconds: 3 },
    defaults: {
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
    },
    status: { currentNumberScheduled: 1, numberMisscheduled: 0, desiredNumberScheduled: 1, numberReady: 0 },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    resource: 'replicasets',
    spec: { selector, template },
    change: { replicas: 3 },
    defaults: { replicas: 1 },
    status: { replicas: 1 },
  },
  {
    apiVersion: 'batch/v1',
    kind: 'Job',
    resource: 'jobs',
    spec: { template: { spec: { ...template.spec, restartPolicy: 'Never' } } },
    change: { parallelism: 2 },
    defaults: {
      parallelism: 1,
      completions: 1,
      backoffLimit: 6,
      completionMode: 'NonIndexed',
      suspend: false,
    },
    status: { active: 1 },
  },
  {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    resource: 'cronjobs',
    spec: {
      schedule: '* * * * *',
      jobTemplate: { spec: { template: { spec: { ...template.spec, restartPolicy: 'Never' } } } },
    },
    change: { suspend: true },
    defaults: {
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    },
    status: { lastScheduleTime: '2020-01-01T00:00:00Z' },
  },
];

/** What a kind's strategy does to every write: defaults, generations, and spec and status kept apart. */
export function generationsContract(server: () => TestServer): void {
  const { name: namespace, configMaps } = namespaceFor(server, 'generations');

  describe.each(CASES)('a $kind', ({ apiVersion, kind, resource, spec, change, defaults, status }) => {
    const path = `/apis/${apiVersion}/namespaces/${namespace}/${resource}`;
    const patch = (body: JsonObject, subresource = ''): Promise<Answer> =>
      call(server().transport(), 'PATCH', `${path}/x${subresource}`, body, PATCH.merge);
    const generation = ({ body }: Answer): Json => metaOf(body).generation ?? null;

    it('is completed, and counts the changes of its spec only', async () => {
      const object = { apiVersion, kind, metadata: { name: 'x', generation: 7 }, spec, status };
      const made = await call(server().transport(), 'POST', path, object);
      expect(made.status).toBe(201);
      expect(made.body['spec']).toMatchObject(defaults);
      expect(generation(made)).toBe(1);
      expect(made.body['status'] ?? {}).not.toMatchObject(status);

      expect(generation(await patch({ metadata: { labels: { a: 'b' } } }))).toBe(1);
      expect(generation(await patch({ metadata: { generation: 9 } }))).toBe(1);
      expect(generation(await patch({ spec: change }))).toBe(2);
      expect(generation(await patch({ spec: change }))).toBe(2);

      const ignored = await patch({ status });
      expect(generation(ignored)).toBe(2);
      expect(ignored.body['status'] ?? {}).not.toMatchObject(status);
      const told = await patch({ status, spec: { ...change, paused: true } }, '/status');
      expect(told.body['status']).toMatchObject(status);
      expect(told.body['spec']).not.toHaveProperty('paused');
      expect(generation(told)).toBe(2);
    });

    it('is not written when nothing changes', async () => {
      const before = await call(server().transport(), 'GET', `${path}/x`);
      const after = await call(server().transport(), 'PUT', `${path}/x`, before.body);
      expect(metaOf(after.body).resourceVersion).toBe(metaOf(before.body).resourceVersion);
    });
  });

  it.each([
    ['none', undefined, ['app', 'batch.kubernetes.io/job-name', 'job-name']],
    ['the same as its pods', { app: 'x' }, ['app']],
    ['others', { app: 'y' }, ['app']],
  ])('a Job that was given %s as labels has these', async (_title, labels, expected) => {
    const spec = { template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } };
    const object = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'l', ...(labels && { labels }) },
    };
    const jobs = `/apis/batch/v1/namespaces/${namespace}/jobs?dryRun=All`;
    const made = await call(server().transport(), 'POST', jobs, { ...object, spec });
    const has = Object.keys(metaOf(made.body).labels ?? {}).filter((key) => !key.endsWith('controller-uid'));
    expect(has.toSorted()).toEqual(expected);
  });

  it('a ConfigMap has the generation that its client gave it, for ever', async () => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'g', generation: 5 } };
    expect(metaOf((await call(server().transport(), 'POST', configMaps, object)).body)['generation']).toBe(5);
    const changed = { metadata: { generation: 6 }, data: { a: '1' } };
    const after = await call(server().transport(), 'PATCH', `${configMaps}/g`, changed, PATCH.merge);
    expect(metaOf(after.body).generation).toBe(5);
  });
}
