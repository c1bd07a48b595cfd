import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ApiServer, createApiServer } from '../api-server.ts';
import { type Call, caller } from '../testing/call.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const JSON_PATCH = 'application/json-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const MERGE = 'application/merge-patch+json';

let server: ApiServer;
let call: Call;

beforeEach(async () => {
  server = createApiServer();
  call = caller(server.transport());
  await call('POST', MAPS, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a' },
    data: { x: '1' },
  });
});
afterEach(() => server.close());

/** Recorded from kube-apiserver 1.36.2. */
test.each([
  [JSON_PATCH, null, 200, undefined],
  [STRATEGIC, null, 200, undefined],
  [MERGE, null, 400, 'Invalid JSON Patch'],
  [
    JSON_PATCH,
    [1],
    400,
    'error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp',
  ],
  [
    JSON_PATCH,
    [{ op: 1 }],
    400,
    'error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string',
  ],
  [
    JSON_PATCH,
    [{ op: 'test', path: '/data/x', value: '2' }],
    422,
    'the server rejected our request due to an error in our request',
  ],
  [STRATEGIC, { data: { $patch: 'bogus' } }, 500, 'unknown patch type: bogus in map: map[$patch:bogus]'],
])('%s %j', async (type, patch, status, message) => {
  const answer = await call('PATCH', `${MAPS}/a`, patch, { 'content-type': type });
  expect(answer.status).toBe(status);
  if (message !== undefined) expect(answer.json['message']).toBe(message);
});

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const labels = { app: 'web' };

test.each([
  [{ replicas: 'x' }, 'unrecognized type: int32'],
  [{ replicas: true }, 'unrecognized type: int32'],
  [{ replicas: 1.5 }, 'cannot convert float64 to int32'],
  [{ paused: 1 }, 'unrecognized type: bool'],
])('a strategic patch of %j is refused in the words of the converter', async (spec, words) => {
  await call('POST', DEPLOYMENTS, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  });
  const answer = await call('PATCH', `${DEPLOYMENTS}/web`, { spec }, { 'content-type': STRATEGIC });
  expect(answer.status).toBe(422);
  expect(answer.json['message']).toMatch(new RegExp(`: ${words}$`));
});
