import {
  isConditionTrue,
  getCondition,
  type JsonObject,
  appsv1,
  batchv1,
  corev1,
  type Transport,
} from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { CONTROLLER_PROFILES } from './controller-profile/controller-profiles.ts';
import { driftParts } from './controller.ts';
import { openKind } from './testing/open-kind.ts';
import { type Body, standIns } from './testing/stand-ins.ts';

const FLEET = openKind('fleet.example.com', 'Fleet', 'fleets');
const JOB_SET = openKind('jobset.x-k8s.io', 'JobSet', 'jobsets');
const EXTERNAL_SECRET = openKind('external-secrets.io', 'ExternalSecret', 'externalsecrets');
const REVISION = openKind('serving.knative.dev', 'Revision', 'revisions');
const KINDS = [FLEET, JOB_SET, EXTERNAL_SECRET, REVISION];

/** What people know of controllers, and what is shipped. */
export function profilesContract(transport: () => Transport): void {
  describe('profiles of controllers', () => {
    const resources = KINDS.map(({ ref }) => ref.resource);
    const apiGroups = KINDS.map(({ ref }) => ref.group);
    const operator = useOperator(transport, driftParts, { anyKind: { apiGroups, resources } });
    const { alice, parent, says, make, patch, remove, denied, start, end } = standIns(operator, KINDS);
    const { namespace } = operator;

    beforeAll(() =>
      start([
        { apiGroups: [''], resources: ['secrets', 'configmaps'] },
        { apiGroups: ['batch'], resources: ['jobs'] },
        { apiGroups: ['apps'], resources: ['deployments'] },
      ]),
    );
    afterAll(end);
    const added = new Set<string>();
    afterEach(async () => {
      for (const name of added) await operator.admin.delete(CONTROLLER_PROFILES, { name });
      added.clear();
    });

    /** A profile, as soon as the operator has seen it. */
    const know = async (spec: JsonObject, name = 'fleets') => {
      added.add(name);
      const applied = await operator.admin.apply(
        CONTROLLER_PROFILES,
        {
          apiVersion: 'kausality.io/v1alpha1',
          kind: 'ControllerProfile',
          metadata: { name },
          spec: { group: FLEET.ref.group, kind: FLEET.ref.kind, ...spec },
        },
        { fieldManager: 'admin', force: true },
      );
      const { generation } = applied.metadata;
      const seen = await waitForObject(
        operator.admin,
        CONTROLLER_PROFILES,
        { name },
        (live) => live?.status?.conditions?.[0]?.observedGeneration === generation,
      );
      return seen?.status?.conditions;
    };
    const map = (data: Body) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' }, data });
    const data = (more: Body): Promise<unknown> => patch(corev1.configmaps, 'web', { data: more });
    const secret = (name: string, key: string) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name },
      data: { [key]: '' },
    });

    test('DRF-109 with a profile that a person adds, a controller does by itself what the profile says, and nothing else', async () => {
      const conditions = await know({
        source: 'Fleet 1.0',
        ready: [],
        observedGeneration: 'seen.generation',
        working: [{ field: 'state.name', values: ['Rolling'] }],
        due: ['next.at'],
        changing: [{ kind: 'ConfigMap', fields: ['data.leader'] }],
        transient: ['Secret'],
        follows: ['zone.example.org/*'],
      });
      expect(getCondition(conditions, 'Ready')).toMatchObject({ status: 'True', reason: 'InUse' });
      const fleet = await parent(FLEET, 'web', { size: 1 });
      await make(corev1.configmaps, fleet, map({ leader: 'a', size: '1' }));
      const steady = { seen: { generation: 1 }, state: { name: 'Steady' } };
      await says(FLEET, 'web', steady);
      expect(await denied(data({ size: '2' }))).toContain('nobody has changed Fleet web');
      await data({ leader: 'b' });
      await denied(data({ leader: 'c', size: '2' }));
      await make(corev1.secrets, fleet, secret('key-1', 'a'));
      await denied(make(corev1.secrets, fleet, secret('key-2', 'b')));
      await remove(corev1.secrets, 'key-1');
      await denied(remove(corev1.configmaps, 'web'));
      await says(FLEET, 'web', { state: { name: 'Rolling' } });
      await data({ size: '2' });
      await says(FLEET, 'web', { state: { name: 'Steady' } });
      await denied(data({ size: '3' }));
      await says(FLEET, 'web', { next: { at: '2026-01-01T10:00:00Z' } });
      await denied(data({ size: '3' }));
      const labels = { 'zone.example.org/name': 'north' };
      await alice().patch(
        FLEET.ref,
        { namespace, name: 'web' },
        { type: 'merge', body: { metadata: { labels } } },
      );
      await data({ size: '3' });
    });

    test('DRF-110 a changed profile holds at once, without a restart, and a deleted one no more', async () => {
      await know({ ready: [], changing: [{ kind: 'ConfigMap', fields: ['data.leader'] }] });
      const fleet = await parent(FLEET, 'held', {});
      const held = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'held' },
        data: { leader: 'a', mode: 'x' },
      };
      await make(corev1.configmaps, fleet, held);
      await says(FLEET, 'held', { state: 'Steady' });
      const write = (more: Body) => patch(corev1.configmaps, 'held', { data: more });
      await write({ leader: 'b' });
      await denied(write({ mode: 'y' }));
      await know({ working: [{ field: 'state', values: ['Steady'] }] });
      await write({ mode: 'y' });
      await know({ ready: [], changing: [{ kind: 'ConfigMap', fields: ['data.mode'] }] });
      await write({ mode: 'z' });
      await denied(write({ leader: 'c' }));
    });

    test.each<[string, JsonObject, string]>([
      ['nothing', {}, 'it says nothing'],
      ['a field of no status', { due: ['a b'] }, 'spec.due[0]'],
      ['two things at once', { working: [{ field: 'a', values: ['b'], condition: 'C' }] }, 'either field'],
      ['too much', { transient: Array.from({ length: 21 }, () => 'Secret') }, 'spec.transient'],
      ['something of our own kinds', { group: 'kausality.io', ready: [] }, 'this group'],
    ])('DRF-111 a profile that says %s is rejected', async (_what, spec, message) => {
      await expect(know(spec)).rejects.toMatchObject({
        code: 422,
        message: expect.stringContaining(message) as string,
      });
      added.clear();
    });

    test('DRF-111 of two profiles for one kind, the first by name is used, and the other one says so', async () => {
      await know({ ready: ['Synced'] }, 'a-fleets');
      const conditions = await know({ ready: ['Ready'] }, 'b-fleets');
      expect(isConditionTrue(conditions, 'Ready')).toBe(false);
      expect(getCondition(conditions, 'Ready')).toMatchObject({
        reason: 'AnotherInUse',
        message: expect.stringContaining('a-fleets') as string,
      });
    });

    test('DRF-113 a Secret is refreshed from elsewhere, also after it was deleted, and one of another type is denied', async () => {
      const owner = await parent(EXTERNAL_SECRET, 'login', {});
      const login = (value: string) => ({ ...secret('login', 'password'), data: { password: btoa(value) } });
      await make(corev1.secrets, owner, login('one'));
      // No generation, and a text of its own in place of it.
      const conditions = [{ type: 'Ready', status: 'True' }];
      await says(EXTERNAL_SECRET, 'login', { conditions, syncedResourceVersion: '1-2f' });
      await patch(corev1.secrets, 'login', { data: { password: btoa('two') } });
      await remove(corev1.secrets, 'login');
      await make(corev1.secrets, owner, login('three'));
      await remove(corev1.secrets, 'login');
      await denied(make(corev1.secrets, owner, { ...login('four'), type: 'example.com/other' }));
    });

    test('DRF-113 a Revision is scaled by its own user, and what a new version makes of its Deployment is denied', async () => {
      const owner = await parent(REVISION, 'web-1', {});
      const labels = { app: 'web' };
      const containers = (image: string) => [{ name: 'user', image }];
      await make(appsv1.deployments, owner, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web-1' },
        spec: {
          replicas: 1,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: containers('proxy:1') } },
        },
      });
      const conditions = [{ type: 'Ready', status: 'True' }];
      await says(REVISION, 'web-1', { observedGeneration: 1, conditions });
      await patch(appsv1.deployments, 'web-1', { spec: { replicas: 0 } });
      const template = { spec: { containers: containers('proxy:2') } };
      expect(await denied(patch(appsv1.deployments, 'web-1', { spec: { template } }))).toContain(
        'containers',
      );
    });

    test('DRF-112 a JobSet, which says nothing of generations, restarts its Jobs, and Jobs with another default are denied', async () => {
      const owner = await parent(JOB_SET, 'train', { replicatedJobs: [] });
      const job = (name: string, attempt: number, more: Body = {}) => {
        const labels = { 'jobset.sigs.k8s.io/restart-attempt': String(attempt) };
        const spec = { containers: [{ name: 'main', image: 'main:1' }], restartPolicy: 'Never' };
        return make(batchv1.jobs, owner, {
          apiVersion: 'batch/v1',
          kind: 'Job',
          metadata: { name, labels },
          spec: { template: { metadata: { labels }, spec }, ...more },
        });
      };
      await job('train-workers-0', 0);
      await job('train-workers-1', 0);
      await says(JOB_SET, 'train', { restarts: 0, replicatedJobsStatus: [{ name: 'workers', active: 2 }] });
      // One has failed: all are deleted and made again.
      for (const name of ['train-workers-0', 'train-workers-1']) {
        await remove(batchv1.jobs, name);
        await job(name, 1);
      }
      // What depends on them comes when they are ready.
      await job('train-driver-0', 1);
      await denied(job('train-workers-2', 1, { backoffLimit: 0 }));
      await denied(patch(batchv1.jobs, 'train-workers-0', { spec: { backoffLimit: 0 } }));
      await patch(batchv1.jobs, 'train-workers-0', { spec: { suspend: true } });
    });
  });
}
