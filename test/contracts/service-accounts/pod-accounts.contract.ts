import type { JsonObject } from '@kubewright/kube';
import { beforeAll, describe, expect, test } from 'vitest';
import type { TestServer } from '../../servers/test-server.ts';
import { type Answer, call, PATCH } from '../../support/api.ts';
import { admissionSuite } from '../../support/admission.ts';
import { at, textAt } from '../../support/at.ts';
import { patchOf } from '../../support/webhook-server.ts';

const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
const PODS = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] };

/** Which account a pod runs as, and what that gives it. */
export function podAccountsContract(server: () => TestServer): void {
  const suite = admissionSuite(server, `pod-accounts-${process.pid}`);
  const { namespace, register } = suite;
  const base = `/api/v1/namespaces/${namespace}`;
  let told = 0;

  const account = async (metadata: JsonObject, more: JsonObject = {}): Promise<void> => {
    expect((await suite.call('POST', `${base}/serviceaccounts`, { metadata, ...more })).status).toBe(201);
  };
  const create = (spec: JsonObject = {}, metadata: JsonObject = {}): Promise<Answer> =>
    suite.call('POST', `${base}/pods`, {
      metadata: { name: `pod-${++told}`, ...metadata },
      spec: { containers: [{ name: 'main', image: 'main:1' }], ...spec },
    });
  const volumeOf = (body: JsonObject): string => textAt(body, 'spec', 'volumes', 0, 'name');
  const mount = (name: string): JsonObject => ({ name, readOnly: true, mountPath: MOUNT_PATH });

  beforeAll(() => account({ name: 'default' }));

  test('a pod that names no account runs as the default one, and finds its token', async () => {
    const init = [{ name: 'init', image: 'init:1' }];
    const { status, body } = await create({ initContainers: init, volumes: [{ name: 'own', emptyDir: {} }] });
    expect(status).toBe(201);
    const name = textAt(body, 'spec', 'volumes', 1, 'name');
    expect(name).toMatch(/^kube-api-access-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    const fieldRef = { apiVersion: 'v1', fieldPath: 'metadata.namespace' };
    expect(body['spec']).toMatchObject({
      serviceAccountName: 'default',
      serviceAccount: 'default',
      initContainers: [{ volumeMounts: [mount(name)] }],
      containers: [{ volumeMounts: [mount(name)] }],
    });
    expect(at(body, 'spec', 'volumes')).toEqual([
      { name: 'own', emptyDir: {} },
      {
        name,
        projected: {
          defaultMode: 420,
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
            { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
            { downwardAPI: { items: [{ path: 'namespace', fieldRef }] } },
          ],
        },
      },
    ]);
    expect(at(body, 'spec', 'imagePullSecrets')).toBeUndefined();
    const [owner] = at(body, 'metadata', 'managedFields') as readonly JsonObject[];
    expect(JSON.stringify(owner)).not.toContain('kube-api-access');
    expect(at(owner, 'fieldsV1', 'f:spec', 'f:serviceAccountName')).toBeUndefined();
  });

  test('an apply that makes a pod is admitted as any create', async () => {
    const path = `${base}/pods/applied?fieldManager=me`;
    const containers = [{ name: 'main', image: 'main:1' }];
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'applied' }, spec: { containers } };
    const first = await suite.call('PATCH', path, pod, PATCH.apply);
    expect(first.status).toBe(201);
    expect(at(first.body, 'spec', 'containers', 0, 'volumeMounts', 0, 'mountPath')).toBe(MOUNT_PATH);
    const again = await suite.call('PATCH', path, pod, PATCH.apply);
    expect(at(again.body, 'metadata', 'resourceVersion')).toBe(at(first.body, 'metadata', 'resourceVersion'));
  });

  test('the secrets for images are those of the account, unless the pod has its own', async () => {
    const imagePullSecrets = [{ name: 'first' }, { name: 'second' }];
    await account({ name: 'puller' }, { imagePullSecrets });
    const theirs = await create({ serviceAccountName: 'puller' });
    expect(theirs.body['spec']).toMatchObject({ serviceAccount: 'puller', imagePullSecrets });
    const own = await create({ serviceAccount: 'puller', imagePullSecrets: [{ name: 'own' }] });
    expect(own.body['spec']).toMatchObject({
      serviceAccountName: 'puller',
      imagePullSecrets: [{ name: 'own' }],
    });
  });

  test('the account may keep its token to itself, and the pod has the last word', async () => {
    await account({ name: 'quiet' }, { automountServiceAccountToken: false });
    const volumes = async (spec: JsonObject) => at((await create(spec)).body, 'spec', 'volumes');
    expect(await volumes({ serviceAccountName: 'quiet' })).toBeUndefined();
    expect(await volumes({ serviceAccountName: 'quiet', automountServiceAccountToken: true })).toHaveLength(
      1,
    );
    expect(await volumes({ automountServiceAccountToken: false })).toBeUndefined();
  });

  test('what is mounted at its place stays, and a volume of its name is used', async () => {
    const own = { name: 'kube-api-access-own', emptyDir: {} };
    const taken = { name: 'taken', image: 'x', volumeMounts: [{ name: own.name, mountPath: MOUNT_PATH }] };
    const { body } = await create({ volumes: [own], containers: [taken, { name: 'free', image: 'x' }] });
    expect(at(body, 'spec', 'volumes')).toEqual([own]);
    expect(at(body, 'spec', 'containers', 0, 'volumeMounts')).toEqual(taken.volumeMounts);
    expect(at(body, 'spec', 'containers', 1, 'volumeMounts')).toEqual([mount(own.name)]);
    const all = await create({
      volumes: [{ name: 'mine', emptyDir: {} }],
      containers: [{ ...taken, volumeMounts: [{ name: 'mine', mountPath: MOUNT_PATH }] }],
    });
    expect(at(all.body, 'spec', 'volumes')).toEqual([{ name: 'mine', emptyDir: {} }]);
  });

  describe('an account that is not there', () => {
    const why = (name: string, which: string): string =>
      `pods "${name}" is forbidden: error looking up service account ${namespace}/${which}: serviceaccount "${which}" not found`;

    test('has the pod refused', async () => {
      const { status, body } = await create({ serviceAccountName: 'nobody' }, { name: 'refused' });
      expect(status).toBe(403);
      expect(body).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: why('refused', 'nobody'),
        reason: 'Forbidden',
        details: { name: 'refused', kind: 'pods' },
        code: 403,
      });
    });

    test('is told before anything else, by whatever name the pod has so far', async () => {
      const messages = [
        await create({ serviceAccountName: 'nobody', containers: [] }, { name: 'invalid' }),
        await create({ serviceAccountName: 'nobody' }, { name: '', generateName: 'made-' }),
        await create({ serviceAccountName: 'nobody' }, { name: '' }),
      ].map(({ body }) => body['message']);
      expect(messages).toEqual(['invalid', 'made-', 'Unknown'].map((name) => why(name, 'nobody')));
    });

    test('is waited for a moment if it is the default one', async () => {
      const [other, empty] = [`${namespace}-other`, `${namespace}-empty`];
      for (const name of [other, empty])
        await suite.call('POST', '/api/v1/namespaces', { metadata: { name } });
      const pod = { metadata: { name: 'early' }, spec: { containers: [{ name: 'main', image: 'main:1' }] } };
      const early = call(suite.transport(), 'POST', `/api/v1/namespaces/${other}/pods`, pod);
      const metadata = { name: 'default' };
      await suite.call('POST', `/api/v1/namespaces/${other}/serviceaccounts`, { metadata });
      expect((await early).status).toBe(201);
      const never = await call(suite.transport(), 'POST', `/api/v1/namespaces/${empty}/pods`, pod);
      expect(never.body['message']).toBe(
        `pods "early" is forbidden: error looking up service account ${empty}/default: serviceaccount "default" not found`,
      );
      for (const name of [other, empty]) await suite.call('DELETE', `/api/v1/namespaces/${name}`);
    });

    test('does not matter to a pod that is there', async () => {
      await account({ name: 'leaving' });
      const { body } = await create({ serviceAccountName: 'leaving' });
      await suite.call('DELETE', `${base}/serviceaccounts/leaving`);
      const path = `${base}/pods/${textAt(body, 'metadata', 'name')}`;
      const labels = { metadata: { labels: { a: 'b' } } };
      expect((await suite.call('PATCH', path, labels, PATCH.merge)).status).toBe(200);
    });
  });

  describe('a mirror pod', () => {
    const mirror = async (spec: JsonObject) => {
      const annotations = { 'kubernetes.io/config.mirror': '' };
      const name = `mirror-${++told}`;
      const { status, body } = await create({ nodeName: 'node', ...spec }, { name, annotations });
      return status === 201 ? body : textAt(body, 'message').replace(`pods "${name}" is forbidden: `, '');
    };

    test('is left as its node has it', async () => {
      const body = await mirror({});
      expect(at(body, 'spec', 'containers', 0, 'volumeMounts')).toBeUndefined();
      expect(at(body, 'spec', 'serviceAccountName')).toBeUndefined();
    });

    test('may not depend on the API', async () => {
      expect(await mirror({ serviceAccountName: 'default' })).toBe(
        'a mirror pod may not reference service accounts',
      );
      const env = [{ name: 'A', valueFrom: { secretKeyRef: { name: 'secret', key: 'key' } } }];
      const projected = (source: JsonObject): JsonObject => ({
        volumes: [{ name: 'v', projected: { sources: [source] } }],
      });
      const withSecrets = [
        { imagePullSecrets: [{ name: 'secret' }] },
        { containers: [{ name: 'main', image: 'x', env }] },
        { initContainers: [{ name: 'i', image: 'x', envFrom: [{ secretRef: { name: 's' } }] }] },
        { volumes: [{ name: 'v', secret: { secretName: 'secret' } }] },
        { volumes: [{ name: 'v', csi: { driver: 'd', nodePublishSecretRef: { name: 'secret' } } }] },
        projected({ secret: { name: 'secret' } }),
      ];
      for (const spec of withSecrets)
        expect(await mirror(spec)).toBe('a mirror pod may not reference secrets');
      expect(await mirror(projected({ serviceAccountToken: { path: 'token' } }))).toBe(
        'a mirror pod may not use ServiceAccountToken volume projections',
      );
    });
  });

  describe('an account whose pods may use its own secrets only', () => {
    const annotations = { 'kubernetes.io/enforce-mountable-secrets': 'true' };
    const strict = { serviceAccountName: 'strict' };
    beforeAll(() =>
      account(
        { name: 'strict', annotations },
        { secrets: [{ name: 'known' }], imagePullSecrets: [{ name: 'pull' }] },
      ),
    );
    const from = (name: string): readonly JsonObject[] => [
      { name: 'KEY', valueFrom: { secretKeyRef: { name, key: 'key' } } },
    ];

    test('refuses others, wherever they are named', async () => {
      const container = (more: JsonObject): JsonObject => ({ name: 'c', image: 'x', ...more });
      const envFrom = [{ secretRef: { name: 'other' } }];
      const main = [container({ name: 'main' })];
      const specs: readonly JsonObject[] = [
        { volumes: [{ name: 'v', secret: { secretName: 'other' } }] },
        { containers: main, initContainers: [container({ env: from('other') })] },
        { containers: main, initContainers: [container({ envFrom })] },
        { containers: [container({ env: [...from('known'), ...from('other')] })] },
        { containers: [container({ envFrom })] },
        { imagePullSecrets: [{ name: 'pull' }, { name: 'other' }] },
      ];
      const messages: string[] = [];
      for (const spec of specs) {
        const { body } = await create({ ...strict, ...spec }, { name: 'strange' });
        messages.push(textAt(body, 'message').replace('pods "strange" is forbidden: ', ''));
      }
      const not = 'is not allowed because service account strict does not reference that';
      expect(messages).toEqual([
        `volume with secret.secretName="other" ${not} secret`,
        `init container c with envVar KEY referencing secret.secretName="other" ${not} secret`,
        `init container c with envFrom referencing secret.secretName="other" ${not} secret`,
        `container c with envVar KEY referencing secret.secretName="other" ${not} secret`,
        `container c with envFrom referencing secret.secretName="other" ${not} secret`,
        `imagePullSecrets[1].name="other" ${not} imagePullSecret`,
      ]);
    });

    test('takes its own; containers that look into a pod are held to the same', async () => {
      const containers = [{ name: 'main', image: 'x', env: from('known') }];
      const { status, body } = await create({ ...strict, containers });
      expect(status).toBe(201);
      const name = textAt(body, 'metadata', 'name');
      const debug = (secret: string): JsonObject => ({
        spec: { ephemeralContainers: [{ name: 'debug', image: 'x', env: from(secret) }] },
      });
      const path = `${base}/pods/${name}/ephemeralcontainers`;
      const refused = await suite.call('PATCH', path, debug('other'), PATCH.strategic);
      expect(refused.body).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message:
          'ephemeral container debug with envVar KEY referencing secret.secretName="other" is not allowed because service account strict does not reference that secret',
        code: 500,
      });
      expect((await suite.call('PATCH', path, debug('known'), PATCH.strategic)).status).toBe(200);
    });
  });

  describe('beside webhooks', () => {
    test('a pod has its account before they see it, and a container that they add has the token too', async () => {
      const sidecar = patchOf([
        { op: 'add', path: '/spec/containers/-', value: { name: 'side', image: 'side:1' } },
      ]);
      const [asked = []] = await register('mutating', {
        answering: (request) =>
          at(request, 'object', 'spec', 'containers', 1) === undefined ? sidecar : { allowed: true },
        with: { rules: [PODS], reinvocationPolicy: 'IfNeeded' },
      });
      const { body } = await create();
      const name = volumeOf(body);
      const seen = asked.map((one) => at(one, 'object', 'spec', 'containers') as readonly JsonObject[]);
      const mounts = seen.map((containers) => containers.map((one) => one['volumeMounts']));
      expect(mounts).toEqual([[[mount(name)]], [[mount(name)], [mount(name)]]]);
      expect(at(asked[0], 'object', 'spec', 'serviceAccountName')).toBe('default');
      expect(at(body, 'spec', 'containers', 1, 'volumeMounts')).toEqual([mount(name)]);
      expect(at(body, 'spec', 'volumes')).toHaveLength(1);
    });

    test('they cannot give it an account that is not there', async () => {
      const other = patchOf([{ op: 'replace', path: '/spec/serviceAccountName', value: 'nobody' }]);
      await register('mutating', { answering: () => other, with: { rules: [PODS] } });
      const { body } = await create({}, { name: 'misled' });
      expect(body['message']).toBe(
        `pods "misled" is forbidden: error looking up service account ${namespace}/nobody: serviceaccount "nobody" not found`,
      );
    });
  });
}
