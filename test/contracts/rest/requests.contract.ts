import type { ApiResponse, JsonObject } from '@kubewright/kube';
import { expect, it } from 'vitest';
import type { TestServer } from '../../servers/test-server.ts';
import { call } from '../../support/api.ts';
import { namespaceFor } from './namespace-for.ts';

const PARTIAL = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
const PARTIAL_LIST = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';

/** What becomes of requests that few clients send, but some do. */
export function requestsContract(server: () => TestServer): void {
  const { name: namespace } = namespaceFor(server, 'requests');
  const at = (path: string): string => path.replace('NS', namespace);
  const send = (method: 'GET' | 'POST', path: string, body?: JsonObject) =>
    call(server().transport(), method, at(path), body);
  const get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<ApiResponse> =>
    server()
      .transport()
      .request({ method: 'GET', path: at(path), headers });
  const textOf = async ({ body }: ApiResponse): Promise<string> => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };
  const map = (name: string, resourceVersion: string): JsonObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, resourceVersion },
  });

  it.each(['v1', '0', '-1', ''])('an object is new with the resourceVersion %j', async (version) => {
    const name = `with${version.replace('-', '.')}`;
    const { status, body } = await send('POST', '/api/v1/namespaces/NS/configmaps', map(name, version));
    expect(status).toBe(201);
    expect((body['metadata'] as JsonObject)['resourceVersion']).toMatch(/^[1-9]\d*$/);
  });

  it('an object with the resourceVersion of another one is not new', async () => {
    const { status, body } = await send('POST', '/api/v1/namespaces/NS/configmaps', map('old', '5'));
    expect(status).toBe(500);
    expect(body['message']).toBe('resourceVersion should not be set on objects to be created');
  });

  it.each([
    [PARTIAL, '/api/v1/namespaces', 'PartialObjectMetadata', 'a list (*core.NamespaceList)'],
    [PARTIAL, '/apis/apps/v1/deployments', 'PartialObjectMetadata', 'a list (*apps.DeploymentList)'],
    [PARTIAL_LIST, '/api/v1/namespaces/NS', 'PartialObjectMetadataList', 'not a list (*core.Namespace)'],
  ])('what is asked for as %s has to be that: %s', async (accept, path, as, what) => {
    const response = await get(path, { accept });
    expect(response.status).toBe(406);
    const { message } = JSON.parse(await textOf(response)) as JsonObject;
    expect(message).toBe(`you requested ${as}, but the requested object is ${what}`);
  });

  it('a Service has no address outside of the range', async () => {
    const spec = { clusterIP: '192.0.2.7', ports: [{ port: 80 }] };
    const service = { metadata: { name: 'outside' }, spec };
    const { status, body } = await send('POST', '/api/v1/namespaces/NS/services', service);
    expect([status, body['message']]).toEqual([
      422,
      'Service "outside" is invalid: spec.clusterIPs: Invalid value: ["192.0.2.7"]: ' +
        'failed to allocate IP 192.0.2.7: the provided network does not match the current range',
    ]);
  });

  it('a list of metadata of nothing has null for its items', async () => {
    const list = await textOf(await get('/apis/apps/v1/namespaces/NS/daemonsets', { accept: PARTIAL_LIST }));
    expect(JSON.parse(list)).toMatchObject({ kind: 'PartialObjectMetadataList', items: null });
  });

  const DEPLOYMENTS = '/apis/apps/v1/namespaces/NS/deployments';
  it.each([
    [DEPLOYMENTS, 'extensions/v1beta1', 'Deployment', 'apps/v1'],
    [DEPLOYMENTS, 'apps/v1beta2', 'Deployment', 'apps/v1'],
    ['/apis/batch/v1/namespaces/NS/cronjobs', 'batch/v1beta1', 'CronJob', 'batch/v1'],
    [
      '/apis/autoscaling/v2/namespaces/NS/horizontalpodautoscalers',
      'autoscaling/v1',
      'HorizontalPodAutoscaler',
      'autoscaling/v2',
    ],
    ['/api/v1/namespaces/NS/events', 'events.k8s.io/v1', 'Event', 'v1'],
  ])('of what is sent to %s as %s the version is named', async (path, apiVersion, kind, expected) => {
    const { status, body } = await send('POST', path, { apiVersion, kind, metadata: { name: 'a' } });
    expect(status).toBe(400);
    const why = `does not match the expected API version (${expected})`;
    expect(body['message']).toBe(`the API version in the data (${apiVersion}) ${why}`);
  });

  it.each([
    [
      'extensions/v1beta1',
      'DaemonSet',
      'converting (v1beta1.DaemonSet) to (apps.Deployment): unknown conversion',
    ],
    [
      'extensions/v1beta1',
      'StatefulSet',
      'no kind "StatefulSet" is registered for version "extensions/v1beta1" in scheme "pkg/runtime/scheme.go:111"',
    ],
  ])('%s %s is no Deployment', async (apiVersion, kind, why) => {
    const { status, body } = await send('POST', DEPLOYMENTS, { apiVersion, kind, metadata: { name: 'a' } });
    expect(status).toBe(400);
    expect(body['message']).toBe(`${kind} in version "v1beta1" cannot be handled as a Deployment: ${why}`);
  });

  it.each(['policy/v1', 'policy/v1beta1'])('an Eviction of %s is one', async (apiVersion) => {
    const eviction = { apiVersion, kind: 'Eviction', metadata: { name: 'none', namespace } };
    const { body } = await send('POST', '/api/v1/namespaces/NS/pods/none/eviction', eviction);
    expect(body['message']).toBe('pods "none" not found');
  });

  const EVENTS = '/apis/events.k8s.io/v1/namespaces/NS/events?fieldSelector=';
  it.each([
    [`${EVENTS}regarding.name%3Da,reason%3DX,reportingController%3Dc,type%3DNormal`, 200, undefined],
    [`${EVENTS}involvedObject.name%3Da`, 400, 'field label not supported: involvedObject.name'],
    [
      '/apis/apps/v1/replicasets?fieldSelector=status.replicas%3D1',
      400,
      '"status.replicas" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ],
  ])('%s is answered with %d', async (path, code, message) => {
    const { status, body } = await send('GET', path);
    expect([status, body['message']]).toEqual([code, message]);
  });

  it.each(['/openapi/v2', '/openapi/v3/apis/apps/v1'])(
    '%s is sent once to who remembers it',
    async (path) => {
      const first = await get(path);
      await textOf(first);
      const { etag } = first.headers;
      expect(etag).toMatch(/^"[0-9A-F]{128}"$/);
      const again = await get(path, { 'if-none-match': etag as string });
      expect([again.status, await textOf(again)]).toEqual([304, '']);
    },
  );

  it('a document that is asked for by an earlier hash is where the present one is', async () => {
    const earlier = await get('/openapi/v3/apis/apps/v1?hash=EARLIER');
    const { location } = earlier.headers;
    expect([earlier.status, await textOf(earlier)]).toEqual([301, '']);
    const index = JSON.parse(await textOf(await get('/openapi/v3'))) as JsonObject;
    const { 'apis/apps/v1': present } = index['paths'] as Record<string, JsonObject>;
    expect(present).toEqual({ serverRelativeURL: location });
    const now = await get(location as string);
    await textOf(now);
    expect([now.status, now.headers['cache-control']]).toEqual([200, 'public, immutable']);
  });

  it('/readyz says which checks there are, and each has a path', async () => {
    const shown = await textOf(await get('/readyz?verbose&exclude=etcd'));
    expect(shown).toMatch(
      /^\[\+\]ping ok\n\[\+\]log ok\n\[\+\]etcd excluded: ok\n(.*\n)*readyz check passed\n$/,
    );
    const answers = await Promise.all(
      ['/readyz/etcd', '/livez/ping', '/readyz/nothing'].map((path) => get(path)),
    );
    expect(await Promise.all(answers.map(textOf))).toEqual(['ok', 'ok', '404 page not found\n']);
  });

  it('/version says what is emulated', async () => {
    const { body } = await send('GET', '/version');
    expect(body).toMatchObject({ emulationMajor: '1', minCompatibilityMajor: '1' });
    expect(body['emulationMinor']).toBe(body['minor']);
    expect(body['platform']).toMatch(/^[a-z]+\/(amd64|arm64)$/);
  });

  it('each user with a name is in system:authenticated', async () => {
    const { body } = await send('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'SelfSubjectReview',
    });
    expect(body).toMatchObject({
      status: { userInfo: { groups: expect.arrayContaining(['system:authenticated']) } },
    });
  });
}
