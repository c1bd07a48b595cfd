import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { batchv1, type Stored } from '@kubewright/kube';
import { valueAt } from '../../../packages/operators/src/kit/testing/value-at.ts';
import { at, kindOf } from '../at-place.ts';
import type { Launch, Place, Scenario } from '../scenario.ts';

const JOB_SETS = kindOf('jobset.x-k8s.io/v1alpha2', 'JobSet', 'jobsets');
const NAME = 'train';
const JOBS = 3;

const job = (replicas: number, name: string) => ({
  name,
  replicas,
  template: {
    spec: {
      parallelism: 1,
      completions: 1,
      template: {
        spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'sleep:1' }] },
      },
    },
  },
});

/** Its Jobs, once there are as many as it has, of this attempt. */
async function jobsOf(place: Place, holds: (job: Stored) => boolean): Promise<boolean> {
  const found = (await at(place).list(batchv1.jobs)).filter(holds);
  return found.length === JOBS;
}

const isAttempt = (attempt: string) => (one: Stored) =>
  one.metadata.labels?.['jobset.sigs.k8s.io/restart-attempt'] === attempt;

/** A Job fails that has run for longer than it may. */
const fail = (place: Place, name: string): Promise<unknown> =>
  at(place).merge(batchv1.jobs, name, { spec: { activeDeadlineSeconds: 1 } });

/** Deleted by somebody, it is made again. */
const heals = {
  title: 'a Job is deleted',
  act: async (place: Place) => {
    const { metadata } = await at(place).get(batchv1.jobs, `${NAME}-workers-0`);
    await at(place).remove(batchv1.jobs, metadata.name);
    deleted.set(place.namespace, metadata.uid);
  },
  until: (place: Place) => jobsOf(place, ({ metadata }) => metadata.uid !== deleted.get(place.namespace)),
};
const deleted = new Map<string, string>();

function launch({ kubeconfig, folder, certificates, ports: [metrics, health, webhook] }: Launch) {
  const config = {
    apiVersion: 'config.jobset.x-k8s.io/v1alpha1',
    kind: 'Configuration',
    internalCertManagement: { enable: false },
    leaderElection: { leaderElect: false },
    webhook: { port: webhook, host: '127.0.0.1', certDir: certificates },
    metrics: { bindAddress: `127.0.0.1:${metrics}` },
    health: { healthProbeBindAddress: `127.0.0.1:${health}` },
  };
  const path = join(folder, 'jobset.json');
  writeFileSync(path, JSON.stringify(config));
  return { args: [`--kubeconfig=${kubeconfig}`, `--config=${path}`] };
}

/** JobSet: Jobs of its own, all of which are made again when one fails. */
export const jobset: Scenario = {
  name: 'jobset',
  leftOut: 'its webhooks',
  launch,
  resources: [
    { apiGroups: ['jobset.x-k8s.io'], resources: ['jobsets'] },
    { apiGroups: ['batch'], resources: ['jobs'] },
    { apiGroups: [''], resources: ['services'] },
  ],
  steps: [
    {
      title: 'a JobSet is created',
      act: (place) =>
        at(place).create(JOB_SETS, NAME, {
          spec: {
            failurePolicy: { maxRestarts: 5 },
            network: { enableDNSHostnames: true, subdomain: NAME },
            replicatedJobs: [job(1, 'driver'), job(2, 'workers')],
          },
        }),
      until: (place) => jobsOf(place, (one) => valueAt(one, 'status.active') === 1),
    },
    {
      title: 'it is suspended',
      act: (place) => at(place).merge(JOB_SETS, NAME, { spec: { suspend: true } }),
      until: (place) => jobsOf(place, (one) => valueAt(one, 'spec.suspend') === true),
    },
    {
      title: 'it goes on',
      act: (place) => at(place).merge(JOB_SETS, NAME, { spec: { suspend: false } }),
      until: (place) => jobsOf(place, (one) => valueAt(one, 'spec.suspend') === false),
    },
    {
      title: 'a Job fails',
      act: (place) => fail(place, `${NAME}-workers-1`),
      until: (place) => jobsOf(place, isAttempt('1')),
    },
    heals,
  ],
  later: [heals],
  provoke: { title: heals.title, act: heals.act },
};
