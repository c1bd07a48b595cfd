import type { JsonObject, Transport } from '@kubewright/kube';
import { beforeEach, expect, test } from 'vitest';
import { at } from '../../support/at.ts';
import { QuotaStory } from './quota-story.ts';

const PATIENCE = { timeout: 60_000 };

/** What quotas say of themselves, and how room comes back. */
export function quotaUsage(transport: () => Transport): void {
  let story: QuotaStory;
  beforeEach(async () => {
    story = await QuotaStory.begin(transport());
  });
  const expectStatus = (hard: JsonObject, used: JsonObject): Promise<void> =>
    expect.poll(() => story.status('q'), PATIENCE).toEqual({ hard, used });
  /**
   * A controller counts what its cache holds, which may be older than what was made just before the quota, and what comes later
   * it leaves to admission. Each change of a quota's spec makes it count anew.
   */
  const untilCounted = async (resource: string, count: string): Promise<void> => {
    let limit = 10;
    await story.quota('scout', { [resource]: String(limit) });
    const counted = async (): Promise<unknown> => {
      await story.patch('resourcequotas', 'scout', { spec: { hard: { [resource]: String(++limit) } } });
      return at(await story.status('scout'), 'used', resource);
    };
    await expect.poll(counted, PATIENCE).toBe(count);
    await story.delete('resourcequotas', 'scout');
  };
  /** Admission counts nothing for a quota of which it has not heard: what it knows is as old as its cache. */
  const untilHeardOf = async (): Promise<void> => {
    const resource = 'coordination.k8s.io/leases';
    await story.quota('probe', { 'count/leases.coordination.k8s.io': '0' });
    const probe = async (): Promise<number> => (await story.create(resource, 'probe')).status;
    await expect.poll(probe, PATIENCE).toBe(403);
  };
  /** Until it knows the status of the quota, too, it rejects what that counts. */
  const untilAdmitted = (create: () => Promise<{ readonly status: number }>): Promise<void> =>
    expect.poll(async () => (await create()).status, PATIENCE).toBe(201);
  const asks = (cpu: string, memory: string): JsonObject => ({ requests: { cpu }, limits: { memory } });

  test('what is there when a quota is made counts', async () => {
    await story.pod('a', asks('100m', '1Gi'));
    await story.pod('b', asks('250m', '512Mi'));
    await story.pod('late', {}, { activeDeadlineSeconds: 10 });
    await untilCounted('pods', '3');
    const hard = { pods: '10', 'requests.cpu': '1', 'limits.memory': '4Gi', services: '3' };
    await story.quota('q', hard);
    await expectStatus(hard, { pods: '3', 'requests.cpu': '350m', 'limits.memory': '1536Mi', services: '0' });
  });

  test('only what is in all scopes of a quota counts', async () => {
    await story.pod('stays');
    await story.pod('ends', {}, { activeDeadlineSeconds: 10 });
    await untilCounted('pods', '2');
    await story.quota('q', { pods: '10' }, { scopes: ['Terminating', 'BestEffort'] });
    await expectStatus({ pods: '10' }, { pods: '1' });
  });

  test('a deleted pod makes room, and one that is done', async () => {
    await story.quota('q', { pods: '2', 'count/pods': '9' });
    await expectStatus({ pods: '2', 'count/pods': '9' }, { pods: '0', 'count/pods': '0' });
    await untilHeardOf();
    await untilAdmitted(() => story.pod('a'));
    await story.pod('b');
    await expectStatus({ pods: '2', 'count/pods': '9' }, { pods: '2', 'count/pods': '2' });
    expect((await story.pod('c')).status).toBe(403);
    await story.delete('pods', 'a');
    await expectStatus({ pods: '2', 'count/pods': '9' }, { pods: '1', 'count/pods': '1' });
    await story.patch('pods', 'b/status', { status: { phase: 'Succeeded' } });
    await expectStatus({ pods: '2', 'count/pods': '9' }, { pods: '0', 'count/pods': '1' });
    expect((await story.pod('c')).status).toBe(201);
    await expectStatus({ pods: '2', 'count/pods': '9' }, { pods: '1', 'count/pods': '2' });
  });

  test('a raised limit is in force, and others are forgotten', async () => {
    await story.quota('q', { pods: '1', services: '1' });
    await expectStatus({ pods: '1', services: '1' }, { pods: '0', services: '0' });
    await story.patch('resourcequotas', 'q', { spec: { hard: { pods: '7', services: null } } });
    await expectStatus({ pods: '7' }, { pods: '0' });
  });

  test('objects of any kind are counted, and uncounted when they go', async () => {
    const hard = { 'count/roles.rbac.authorization.k8s.io': '3', secrets: '4', 'count/secrets': '5' };
    await story.create('rbac.authorization.k8s.io/roles', 'before', { rules: [] });
    await untilCounted('count/roles.rbac.authorization.k8s.io', '1');
    await story.quota('q', hard);
    const used = (roles: string, secrets: string): JsonObject => ({
      'count/roles.rbac.authorization.k8s.io': roles,
      secrets,
      'count/secrets': secrets,
    });
    await expectStatus(hard, used('1', '0'));
    await untilHeardOf();
    await untilAdmitted(() => story.create('rbac.authorization.k8s.io/roles', 'after', { rules: [] }));
    await untilAdmitted(() => story.create('secrets', 's'));
    await expectStatus(hard, used('2', '1'));
    await story.delete('rbac.authorization.k8s.io/roles', 'before');
    await story.delete('secrets', 's');
    await expectStatus(hard, used('1', '0'));
  });

  test('a service that needs no ports of nodes any more gives them back', async () => {
    const hard = { 'services.nodeports': '2', 'services.loadbalancers': '1' };
    await story.create('services', 's', { spec: { type: 'LoadBalancer', ports: [{ port: 80 }] } });
    await untilCounted('services', '1');
    await story.quota('q', hard);
    await expectStatus(hard, { 'services.nodeports': '1', 'services.loadbalancers': '1' });
    await story.patch('services', 's', { spec: { type: 'ClusterIP' } });
    await expectStatus(hard, { 'services.nodeports': '0', 'services.loadbalancers': '0' });
  });
}
