import type { JsonObject, Transport } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { admissionSuite, configurations, RULE } from '../../support/admission.ts';
import { PATCH } from '../../support/api.ts';
import { at } from '../../support/at.ts';
import { patchOf } from '../../support/webhook-server.ts';

type Server = { transport(): Transport };

const DEPLOYMENTS = { ...RULE, apiGroups: ['apps'], resources: ['deployments'] };
const PODS = { containers: [{ name: 'a', image: 'a' }] };

function deployment(name: string): JsonObject {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: PODS } },
  };
}

/** In which order a write is admitted, versioned, validated and stored, as whoever decides on admission has to know it. */
export function orderOfWritesContract(server: () => Server): void {
  const suite = admissionSuite(server, `order-${process.pid}`);
  const { maps, namespace, call, map, register } = suite;
  const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;

  describe('a write', () => {
    test('that names a stale resourceVersion is shown to mutating webhooks, refused, and shown to no validating one', async () => {
      const object = map({ data: { a: '1' } });
      const made = await call('POST', maps, object);
      const path = `${maps}/${object.metadata.name}`;
      await call('PATCH', path, { data: { a: '2' } }, PATCH.merge);
      const [mutating = []] = await register('mutating', {});
      const [validating = []] = await register('validating', {});
      const stale = { ...made.body, data: { a: '3' } };
      const { status, body } = await call('PUT', path, stale);
      expect([status, body['reason']]).toEqual([409, 'Conflict']);
      expect([mutating.length, validating.length]).toEqual([1, 0]);
    });

    test('that is invalid is shown to mutating webhooks only', async () => {
      const [mutating = []] = await register('mutating', {});
      const [validating = []] = await register('validating', {});
      const { status } = await call('POST', maps, map({ data: { 'no key': '' } }));
      expect([status, mutating.length, validating.length]).toEqual([422, 1, 0]);
    });

    test('has its next generation after mutation, before validation', async () => {
      const [mutating = []] = await register('mutating', { with: { rules: [DEPLOYMENTS] } });
      const [validating = []] = await register('validating', { with: { rules: [DEPLOYMENTS] } });
      await call('POST', deployments, deployment('counted'));
      await call('PATCH', `${deployments}/counted`, { spec: { replicas: 2 } }, PATCH.merge);
      const generations = (asked: readonly JsonObject[]): unknown[] =>
        asked.map((one) => at(one, 'object', 'metadata', 'generation'));
      expect(generations(mutating)).toEqual([undefined, 1]);
      expect(generations(validating)).toEqual([1, 2]);
    });

    test('is admitted anew when the object changed before it was stored', async () => {
      const object = map({ data: { a: '1' } });
      const path = `${maps}/${object.metadata.name}`;
      await call('POST', maps, object);
      let between = true;
      const [asked = []] = await register('mutating', {
        async answering() {
          if (!between) return { allowed: true };
          between = false;
          await call('PATCH', path, { data: { other: 'yes' } }, PATCH.merge);
          return { allowed: true };
        },
      });
      const { body } = await call('PATCH', path, { data: { a: '2' } }, PATCH.merge);
      expect(at(body, 'data')).toEqual({ a: '2', other: 'yes' });
      const mine = asked.filter((one) => at(one, 'object', 'data', 'a') === '2');
      expect(mine.map((one) => at(one, 'oldObject', 'data'))).toEqual([{ a: '1' }, { a: '1', other: 'yes' }]);
    });
  });

  describe('webhooks', () => {
    test('that mutate are asked one after the other, those that validate at once', async () => {
      const log: string[] = [];
      let both = (): void => {};
      const arrived = new Promise<void>((resolve) => {
        both = resolve;
      });
      const say = (name: string) => async (): Promise<JsonObject> => {
        log.push(`asked ${name}`);
        await Promise.resolve();
        log.push(`answered ${name}`);
        return { allowed: true };
      };
      let waiting = 0;
      const together = async (): Promise<JsonObject> => {
        waiting += 1;
        if (waiting === 2) both();
        await arrived;
        return { allowed: true };
      };
      await register('mutating', { answering: say('first') }, { answering: say('second') });
      await register('validating', { answering: together }, { answering: together });
      const { status } = await call('POST', maps, map());
      expect(status).toBe(201);
      expect(log).toEqual(['asked first', 'answered first', 'asked second', 'answered second']);
      expect(waiting).toBe(2);
    });

    test('are not asked again for their own patch alone, and before others that patch they are', async () => {
      const add = (key: string) => (): JsonObject =>
        patchOf([{ op: 'add', path: `/data/${key}`, value: 'x' }]);
      const again = { reinvocationPolicy: 'IfNeeded' };
      const [alone = []] = await register('mutating', { answering: add('a'), with: again });
      await call('POST', maps, map({ data: { z: '' } }));
      expect(alone).toHaveLength(1);
      // A patch that changes nothing is no reason to ask anybody again.
      const [, idle = []] = await register(
        'mutating',
        { with: again },
        { answering: () => patchOf([{ op: 'add', path: '/data/z', value: '' }]) },
      );
      await call('POST', maps, map({ data: { z: '', a: 'x' } }));
      expect([alone.length, idle.length]).toEqual([2, 1]);
    });

    test('have at most 30 seconds, 10 unless they say so, and must be free of side effects on a dry run', async () => {
      const hook = {
        name: 'w.example.com',
        clientConfig: { url: 'https://127.0.0.1:1/x' },
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        // It would be asked of nothing.
        rules: [{ ...RULE, resources: ['configmaps/none'] }],
      };
      const write = (fields: JsonObject): ReturnType<typeof call> =>
        call('POST', `${configurations('validating')}?dryRun=All`, {
          metadata: { name: `${namespace}-bounds` },
          webhooks: [{ ...hook, ...fields }],
        });
      expect(at((await write({})).body, 'webhooks', 0, 'timeoutSeconds')).toBe(10);
      const refused = await Promise.all([
        write({ timeoutSeconds: 31 }),
        write({ timeoutSeconds: 0 }),
        write({ sideEffects: 'Some' }),
      ]);
      expect(refused.map(({ status, body }) => [status, at(body, 'details', 'causes', 0, 'field')])).toEqual([
        [422, 'webhooks[0].timeoutSeconds'],
        [422, 'webhooks[0].timeoutSeconds'],
        [422, 'webhooks[0].sideEffects'],
      ]);
    });

    test('that patch what is deleted make the deletion an internal error', async () => {
      const object = map();
      await call('POST', maps, object);
      await register('mutating', {
        answering: () => patchOf([{ op: 'add', path: '/data', value: { a: 'b' } }]),
      });
      const { status, body } = await call('DELETE', `${maps}/${object.metadata.name}`);
      expect([status, body['reason']]).toEqual([500, 'InternalError']);
    });

    test('are asked about reviews of tokens and of access too', async () => {
      const reviews = {
        operations: ['CREATE'],
        apiGroups: ['authorization.k8s.io', 'authentication.k8s.io'],
        apiVersions: ['v1'],
        resources: ['*'],
      };
      const anywhere = { rules: [reviews], namespaceSelector: {}, matchPolicy: 'Exact' };
      const [asked = []] = await register('validating', { with: anywhere });
      const { name } = map().metadata;
      await call('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
        spec: { resourceAttributes: { verb: 'get', resource: 'pods', name } },
      });
      await call('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: name } });
      // Kubelets of suites that run beside this one review tokens, too.
      const own = asked.filter((one) =>
        [
          at(one, 'object', 'spec', 'token'),
          at(one, 'object', 'spec', 'resourceAttributes', 'name'),
        ].includes(name),
      );
      expect(own.map((one) => at(one, 'kind', 'kind'))).toEqual(['SelfSubjectAccessReview', 'TokenReview']);
    });
  });
}
