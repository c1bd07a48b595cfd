import type { JsonObject, Transport } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { admissionSuite, RULE } from '../support/admission.ts';
import { PATCH } from '../support/api.ts';
import { at } from '../support/at.ts';
import { patchOf } from '../support/webhook-server.ts';

type Server = { readonly name: string; transport(): Transport };
const add = (key: string, value: string): JsonObject => patchOf([{ op: 'add', path: `/data/${key}`, value }]);

/** What webhooks see of a write. */
export function admissionReviewContract(server: () => Server): void {
  const suite = admissionSuite(server, `admission-review-${process.pid}`);
  const { maps, namespace, call, map, register } = suite;

  describe('what a webhook is asked', () => {
    test('of a create: who does what, with which options, to which object', async () => {
      const [asked = []] = await register('mutating', {});
      await call(
        'POST',
        `${maps}?fieldManager=me&fieldValidation=Strict`,
        map({ metadata: { name: 'seen' }, data: { a: 'b' } }),
      );
      const { uid, object, userInfo, url, ...rest } = asked[0] ?? {};
      expect(uid).toMatch(/^[0-9a-f-]{36}$/);
      expect(url).toMatch(/\?timeout=10s$/);
      expect(rest).toEqual({
        kind: { group: '', version: 'v1', kind: 'ConfigMap' },
        resource: { group: '', version: 'v1', resource: 'configmaps' },
        requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
        requestResource: { group: '', version: 'v1', resource: 'configmaps' },
        name: 'seen',
        namespace,
        operation: 'CREATE',
        oldObject: null,
        dryRun: false,
        options: {
          kind: 'CreateOptions',
          apiVersion: 'meta.k8s.io/v1',
          fieldManager: 'me',
          fieldValidation: 'Strict',
        },
      });
      expect(at(userInfo, 'groups')).toContain('system:masters');
      const { managedFields, ...metadata } = at(object, 'metadata') as JsonObject;
      expect({ ...(object as JsonObject), metadata }).toEqual({
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: { name: 'seen', namespace },
        data: { a: 'b' },
      });
      expect(at(managedFields, 0, 'manager')).toBe('me');
    });

    test('a validating one sees the object as it is to be stored', async () => {
      await register('mutating', { answering: () => add('b', 'mutated') });
      const [asked = []] = await register('validating', {});
      const { body } = await call('POST', maps, {
        ...map({ data: { a: '1' } }),
        metadata: { generateName: 'named-' },
      });
      expect(at(body, 'data')).toEqual({ a: '1', b: 'mutated' });
      expect(at(asked[0], 'name')).toBe(at(body, 'metadata', 'name'));
      expect(at(asked[0], 'object', 'metadata', 'uid')).toBe(at(body, 'metadata', 'uid'));
      expect(at(asked[0], 'object', 'data')).toEqual({ a: '1', b: 'mutated' });
    });

    test('a mutating one does not know a generated name yet', async () => {
      const [asked = []] = await register('mutating', {});
      await call('POST', maps, { ...map(), metadata: { generateName: 'later-' } });
      expect([at(asked[0], 'name'), at(asked[0], 'object', 'metadata', 'name')]).toEqual([
        undefined,
        undefined,
      ]);
    });

    test('of an update, a patch and an apply: both objects', async () => {
      const object = map({ data: { a: '1' } });
      const path = `${maps}/${object.metadata.name}`;
      const [asked = []] = await register('validating', {});
      await call('POST', maps, object);
      await call('PUT', path, { ...object, data: { a: '2' } });
      await call('PATCH', path, { data: { a: '3' } }, PATCH.merge);
      await call('PATCH', `${path}?fieldManager=x&force=true`, { ...object, data: { a: '4' } }, PATCH.apply);
      // A server whose cache was behind asks anew: what counts is the last question about each write.
      const settled = new Map(asked.map((one) => [at(one, 'object', 'data', 'a'), one]));
      const seen = [...settled.values()].map((one) => [
        at(one, 'operation'),
        at(one, 'oldObject', 'data', 'a'),
        at(one, 'object', 'data', 'a'),
        at(one, 'options', 'kind'),
      ]);
      expect(seen).toEqual([
        ['CREATE', undefined, '1', 'CreateOptions'],
        ['UPDATE', '1', '2', 'UpdateOptions'],
        ['UPDATE', '2', '3', 'UpdateOptions'],
        ['UPDATE', '3', '4', 'UpdateOptions'],
      ]);
      expect(at(settled.get('4'), 'options')).toEqual({
        kind: 'UpdateOptions',
        apiVersion: 'meta.k8s.io/v1',
        fieldManager: 'x',
      });
    });

    test('an apply of what is not there is a create', async () => {
      const [asked = []] = await register('validating', {});
      const object = map();
      await call('PATCH', `${maps}/${object.metadata.name}?fieldManager=x`, object, PATCH.apply);
      expect(asked.map((one) => [at(one, 'operation'), at(one, 'name'), at(one, 'options', 'kind')])).toEqual(
        [['CREATE', object.metadata.name, 'CreateOptions']],
      );
    });

    test('of a deletion: the old object, and the options', async () => {
      const object = map({ data: { a: '1' } });
      await call('POST', maps, object);
      const [mutating = []] = await register('mutating', {});
      const [validating = []] = await register('validating', {});
      await call('DELETE', `${maps}/${object.metadata.name}`, {
        propagationPolicy: 'Background',
        gracePeriodSeconds: 5,
      });
      for (const asked of [mutating, validating]) {
        expect(asked).toHaveLength(1);
        expect([
          at(asked[0], 'operation'),
          at(asked[0], 'object'),
          at(asked[0], 'oldObject', 'data'),
        ]).toEqual(['DELETE', null, { a: '1' }]);
        expect(at(asked[0], 'options')).toEqual({
          kind: 'DeleteOptions',
          apiVersion: 'meta.k8s.io/v1',
          propagationPolicy: 'Background',
          gracePeriodSeconds: 5,
        });
      }
    });

    test('of a deleted collection: each object, none by name', async () => {
      const labels = { set: 'collection' };
      for (const metadata of [{ labels }, { labels }]) await call('POST', maps, map({ metadata }));
      const [asked = []] = await register('validating', {});
      await call('DELETE', `${maps}?labelSelector=set%3Dcollection`);
      expect(asked.map((one) => at(one, 'name'))).toEqual([undefined, undefined]);
      expect(new Set(asked.map((one) => at(one, 'oldObject', 'metadata', 'name'))).size).toBe(2);
    });

    test('a graceful death at once is asked about twice: it dies, and it goes', async () => {
      const pods = `/api/v1/namespaces/${namespace}/pods`;
      const rules = [{ ...RULE, operations: ['DELETE'], resources: ['pods'] }];
      const spec = { containers: [{ name: 'a', image: 'a' }] };
      await call('POST', pods, { metadata: { name: 'dying' }, spec });
      const [asked = []] = await register('validating', { with: { rules } });
      await call('DELETE', `${pods}/dying`, { gracePeriodSeconds: 0 });
      const graces = asked.map((one) => at(one, 'oldObject', 'metadata', 'deletionGracePeriodSeconds'));
      // kube-apiserver looks at its cache first, and asks again when that was behind; the embedded server has none.
      const distinct = server().name === 'embedded' ? graces : [...new Set(graces)];
      expect(distinct).toEqual([undefined, 0]);
      expect(asked.every((one) => at(one, 'options', 'gracePeriodSeconds') === 0)).toBe(true);
    });
  });
}
