import type { JsonObject, Transport } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { admissionSuite, RULE } from '../../support/admission.ts';
import { PATCH } from '../../support/api.ts';
import { at } from '../../support/at.ts';

type Server = { transport(): Transport };

const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles';

/** Which writes a webhook is shown, and which pass it by. */
export function selectionContract(server: () => Server): void {
  const id = `sees-${process.pid}`;
  const { maps, namespace, call, map, register } = admissionSuite(server, id);
  const resources = (asked: readonly JsonObject[]): readonly unknown[] =>
    asked.map((one) => [at(one, 'resource', 'resource'), at(one, 'subResource')]);

  describe('a webhook', () => {
    test('for all resources sees no subresource; one for a subresource does not see its object', async () => {
      const path = `/apis/apps/v1/namespaces/${namespace}/replicasets`;
      const labels = { app: 'seen' };
      const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'a' }] } };
      await call('POST', path, {
        metadata: { name: 'seen' },
        spec: { selector: { matchLabels: labels }, template },
      });
      const rule = { ...RULE, apiGroups: ['apps'] };
      const [all = [], status = []] = await register(
        'validating',
        { with: { rules: [{ ...rule, resources: ['*'] }] } },
        { with: { rules: [{ ...rule, resources: ['*/status'] }] } },
      );
      await call('PATCH', `${path}/seen/status`, { status: { replicas: 0 } }, PATCH.merge);
      expect([resources(all), resources(status)]).toEqual([[], [['replicasets', 'status']]]);
      await call('PATCH', `${path}/seen`, { spec: { replicas: 2 } }, PATCH.merge);
      expect([resources(all), resources(status)]).toEqual([
        [['replicasets', undefined]],
        [['replicasets', 'status']],
      ]);
    });

    test('for some namespaces sees all cluster-scoped objects but other namespaces', async () => {
      const rules = [
        { ...RULE, apiGroups: ['', 'rbac.authorization.k8s.io'], resources: ['clusterroles', 'namespaces'] },
      ];
      const objectSelector = { matchLabels: { of: id } };
      const [asked = []] = await register('validating', { with: { rules, objectSelector } });
      const metadata = { name: `${id}-other`, labels: { of: id } };
      await call('POST', '/api/v1/namespaces', { metadata });
      await call('POST', ROLES, { metadata, rules: [] });
      await call('DELETE', `${ROLES}/${metadata.name}`);
      await call('DELETE', `/api/v1/namespaces/${metadata.name}`);
      expect(asked.map((one) => [at(one, 'operation'), at(one, 'resource', 'resource')])).toEqual([
        ['CREATE', 'clusterroles'],
        ['DELETE', 'clusterroles'],
      ]);
    });

    test('that selects by labels can be evaded by whoever sets them', async () => {
      const objectSelector = { matchLabels: { watched: 'yes' } };
      const answering = (): JsonObject => ({ allowed: false });
      await register('validating', { with: { objectSelector }, answering });
      const watched = map({ metadata: { labels: { watched: 'yes' } } });
      expect((await call('POST', maps, watched)).status).toBe(400);
      expect((await call('POST', maps, map())).status).toBe(201);
    });
  });
}
