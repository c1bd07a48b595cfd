import type { JsonObject, Transport } from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Answer, call } from '../../support/api.ts';
import { at, textAt } from '../../support/at.ts';

const NAMESPACE = 'owners';
const MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const WAIT = { timeout: 30_000, interval: 50 };

/** What an owner reference means while its owner lives, dies and is dead. */
export function ownersContract(transport: () => Transport): void {
  const ask = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: JsonObject): Promise<Answer> =>
    call(transport(), method, path, body);
  const makeMap = (name: string, ownerReferences: readonly JsonObject[] = []): Promise<Answer> =>
    ask('POST', MAPS, {
      metadata: { name, ...(ownerReferences.length > 0 && { ownerReferences: [...ownerReferences] }) },
    });
  const ownerOf = ({ body }: Answer, kind = 'ConfigMap', apiVersion = 'v1'): JsonObject => ({
    apiVersion,
    kind,
    name: textAt(body, 'metadata', 'name'),
    uid: textAt(body, 'metadata', 'uid'),
  });
  const gone = (name: string): Promise<void> =>
    vi.waitFor(async () => expect((await ask('GET', `${MAPS}/${name}`)).status).toBe(404), WAIT);

  beforeAll(async () => {
    await ask('POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  });
  afterAll(async () => {
    await ask('DELETE', `${ROLES}/cluster-owner`);
  });

  describe('an owner', () => {
    test('of a namespaced object may be cluster-scoped, and is named without a namespace', async () => {
      const owner = await ask('POST', ROLES, { metadata: { name: 'cluster-owner' }, rules: [] });
      const reference = ownerOf(owner, 'ClusterRole', 'rbac.authorization.k8s.io/v1');
      const owned = await makeMap('of-cluster', [{ ...reference, namespace: NAMESPACE }]);
      expect(owned.status).toBe(201);
      expect(at(owned.body, 'metadata', 'ownerReferences')).toEqual([reference]);
      await ask('DELETE', `${ROLES}/cluster-owner`);
      await gone('of-cluster');
    });

    test('is its uid: another object of its name owns nothing', async () => {
      const first = await makeMap('reused');
      await ask('DELETE', `${MAPS}/reused`);
      await makeMap('reused');
      await makeMap('of-the-first', [ownerOf(first)]);
      await gone('of-the-first');
      expect((await ask('GET', `${MAPS}/reused`)).status).toBe(200);
    });

    test('deleted in the foreground is there, dying, until what it owns is gone', async () => {
      const owner = await makeMap('foreground');
      const blocking = { ...ownerOf(owner), blockOwnerDeletion: true };
      await ask('POST', MAPS, {
        metadata: { name: 'held', finalizers: ['example.com/hold'], ownerReferences: [blocking] },
      });
      await ask('DELETE', `${MAPS}/foreground`, { propagationPolicy: 'Foreground' });
      await vi.waitFor(async () => {
        expect(at((await ask('GET', `${MAPS}/held`)).body, 'metadata', 'deletionTimestamp')).toBeTruthy();
      }, WAIT);
      const { body } = await ask('GET', `${MAPS}/foreground`);
      expect(at(body, 'metadata', 'finalizers')).toEqual(['foregroundDeletion']);
      expect(at(body, 'metadata', 'deletionTimestamp')).toBeTruthy();
      await call(transport(), 'PUT', `${MAPS}/held`, {
        metadata: { name: 'held', ownerReferences: [blocking] },
      });
      await gone('foreground');
      await gone('held');
    });

    test('deleted in the background is gone before what it owns', async () => {
      const owner = await makeMap('background');
      await ask('POST', MAPS, {
        metadata: { name: 'later', finalizers: ['example.com/hold'], ownerReferences: [ownerOf(owner)] },
      });
      await ask('DELETE', `${MAPS}/background`, { propagationPolicy: 'Background' });
      expect((await ask('GET', `${MAPS}/background`)).status).toBe(404);
      await vi.waitFor(async () => {
        expect(at((await ask('GET', `${MAPS}/later`)).body, 'metadata', 'deletionTimestamp')).toBeTruthy();
      }, WAIT);
      await call(transport(), 'PUT', `${MAPS}/later`, { metadata: { name: 'later' } });
      await gone('later');
    });
  });
}
