import type { JsonObject } from '@kubewright/kube';
import { beforeEach, expect, test } from 'vitest';
import { type ApiServer, createApiServer } from '../api-server.ts';

// Each of these was found by the differential fuzzer; the expected answers are those of kube-apiserver 1.36.2.

let server: ApiServer;
beforeEach(() => {
  server = createApiServer();
});

const MAPS = '/api/v1/namespaces/default/configmaps';

async function send(
  method: 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
  type = 'application/json',
) {
  const response = await server.transport().request({
    method,
    path,
    headers: { 'content-type': type },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  const object = JSON.parse(Buffer.concat(chunks).toString()) as { metadata: JsonObject; message?: string };
  return { ...object, code: response.status, warning: [response.headers['warning']].flat().join() };
}

const map = (name: string, metadata: object = {}, rest: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  ...rest,
});

test('an empty list of managed fields resets them', async () => {
  await send('POST', MAPS, map('a', {}, { data: { x: '1' } }));
  const patch = [{ op: 'replace', path: '/metadata/managedFields', value: [] }];
  const { metadata } = await send('PATCH', `${MAPS}/a`, patch, 'application/json-patch+json');
  expect(metadata['managedFields']).toBeUndefined();
});

test('repeated owner references are warned of by their uids, on a patch after admission', async () => {
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' };
  const ownerReferences = [owner, owner];
  const created = await send('POST', MAPS, map('a', { ownerReferences }));
  expect(created.warning).toContain('contains duplicate entries; API server');
  expect(created.warning).toContain('duplicate UID(s) observed: u"');
  const patch = { metadata: { ownerReferences } };
  const patched = await send('PATCH', `${MAPS}/a`, patch, 'application/merge-patch+json');
  expect(patched.warning).toContain(
    'contains duplicate entries after mutating admission happens; API server',
  );
});

test('a repeated finalizer of the garbage collector stays as it is', async () => {
  await send('POST', MAPS, map('a', { finalizers: ['foregroundDeletion', 'foregroundDeletion'] }));
  const { metadata } = await send('DELETE', `${MAPS}/a`);
  expect(metadata['finalizers']).toEqual(['foregroundDeletion', 'foregroundDeletion']);
});

test('a strategic patch of a wrong type is refused in the words of the unstructured converter', async () => {
  await send('POST', MAPS, map('a'));
  const refused = async (patch: object): Promise<string | undefined> =>
    (await send('PATCH', `${MAPS}/a`, patch, 'application/strategic-merge-patch+json')).message;
  expect(await refused({ data: { x: 5 } })).toContain('map[data:map[x:5]]": cannot convert int64 to string');
  expect(await refused({ data: { x: true, y: null } })).toContain(
    'map[data:map[x:true]]": unrecognized type: string',
  );
  expect(await refused({ binaryData: { x: '*' } })).toContain(
    'error decoding from json: illegal base64 data',
  );
});

test('faults of a patched object are told in the order of its fields', async () => {
  await send('POST', MAPS, map('a', {}, { data: { x: '1' } }));
  const patch = { data: { x: {} }, binaryData: 'x' };
  const { message } = await send('PATCH', `${MAPS}/a`, patch, 'application/merge-patch+json');
  expect(message).toContain('cannot unmarshal string into Go struct field ConfigMap.binaryData');
});

test('an apply that cannot be decoded says of which object', async () => {
  const body = map('a', {}, { binaryData: { x: '*' } });
  const applied = await send('PATCH', `${MAPS}/a?fieldManager=m`, body, 'application/apply-patch+yaml');
  expect(applied.code).toBe(500);
  expect(applied.message).toBe(
    'failed to convert new object (/a; /v1, Kind=ConfigMap) to proper version: unable to convert unstructured ' +
      'object to /v1, Kind=ConfigMap: error decoding from json: illegal base64 data at input byte 0',
  );
});

test('a dry run keeps the resourceVersion that a created object came with', async () => {
  const body = map('a', { resourceVersion: '5' });
  const created = await send('POST', `${MAPS}?dryRun=All`, body);
  expect(created.metadata['resourceVersion']).toBe('5');
  const path = `${MAPS}/a?fieldManager=m&dryRun=All`;
  const applied = await send('PATCH', path, body, 'application/apply-patch+yaml');
  expect(applied.metadata['resourceVersion']).toBe('5');
  expect((await send('POST', MAPS, body)).code).toBe(500);
});

test('a refused strategic patch is shown as merging has left it', async () => {
  const containers = [{ name: 'c', image: 'i' }];
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers } };
  const path = '/apis/apps/v1/namespaces/default/deployments';
  const metadata = { name: 'web' };
  const kind = { apiVersion: 'apps/v1', kind: 'Deployment' };
  await send('POST', path, { ...kind, metadata, spec: { selector: { matchLabels: { a: 'b' } }, template } });
  const spec = {
    containers: [{ name: 'c', securityContext: { runAsUser: null }, resources: { limits: { cpu: 'x' } } }],
    volumes: [{ name: null, emptyDir: {} }],
    $retainKeys: ['containers', 'volumes'],
  };
  const patch = { spec: { template: { spec } } };
  const { message } = await send('PATCH', `${path}/web`, patch, 'application/strategic-merge-patch+json');
  expect(message).toContain(
    'containers:[map[name:c resources:map[limits:map[cpu:x]] securityContext:map[]]] volumes:[map[emptyDir:map[]]]',
  );
});

test('faults in a value that a JSON patch brings are told in the order in which it was sent', async () => {
  await send('POST', MAPS, map('a', {}, { data: { x: '1' } }));
  const patch = [{ op: 'replace', path: '/data', value: { z: true, b: 5 } }];
  const { message } = await send('PATCH', `${MAPS}/a`, patch, 'application/json-patch+json');
  expect(message).toContain('cannot unmarshal bool into Go struct field ConfigMap.data');
});

test('many owner references cost no more than they are long, and many controllers are reported once each, to ten', async () => {
  const owners = (count: number, more: object = {}) =>
    Array.from({ length: count }, (_, index) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: `o${index}`,
      uid: `u${index}`,
      ...more,
    }));
  const created = await send('POST', MAPS, map('many', { ownerReferences: [...owners(2000), ...owners(1)] }));
  expect(created.metadata['ownerReferences']).toHaveLength(2000);
  expect(created.warning).toContain('duplicate UID(s) observed: u0"');
  const denied = await send('POST', MAPS, map('b', { ownerReferences: owners(100, { controller: true }) }));
  expect(denied.message?.match(/Only one reference can have Controller/g)).toHaveLength(9);
});
