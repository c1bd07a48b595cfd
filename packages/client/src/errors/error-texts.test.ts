import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { corev1 } from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../client/create-client.ts';
import { findContext } from '../kubeconfig/find-context.ts';
import { scriptedTransport } from '../testing/scripted-transport.ts';
import { createTransport } from '../transport/create-transport.ts';

const textOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'no error',
    (error: unknown) => String(error),
  );

describe('a kubeconfig that is wrong', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kubeconfig-texts-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const cluster = (server: string): string =>
    `{clusters: [{name: c, cluster: {server: "${server}"}}], contexts: [{name: c, context: {cluster: c}}], current-context: c}`;
  it.each([
    ['that is no YAML', 'a: [', 'is not a kubeconfig: line 1, column 5: '],
    [
      'that is no YAML beside a token, which is not shown',
      'users:\n- user: {token: "hunter2}',
      'FILE is not a kubeconfig: line 2, column 26: missing char',
    ],
    [
      'whose server has a password, which is not shown',
      cluster('https://me:hunter2@host'),
      'has a server with credentials: write them under "users"',
    ],
    [
      'whose server is no URL, with a password that is not shown',
      cluster('me:hunter2@host:6443'),
      'has the server "…@host:6443": expected https://host:port',
    ],
    ['that is a list', '[1, 2]', 'FILE is not a kubeconfig: expected "clusters", "users" and "contexts"'],
    ['that is a text', 'hello', 'FILE is not a kubeconfig'],
    [
      'that is empty',
      '',
      'kubeconfig FILE has no current context: choose one of none with "kubectl config use-context"',
    ],
    [
      'without current context',
      '{contexts: [{name: a, context: {}}, {name: b, context: {}}]}',
      'kubeconfig FILE has no current context: choose one of a, b with "kubectl config use-context"',
    ],
    [
      'with a context that is not there',
      '{contexts: [{name: a, context: {}}], current-context: b}',
      'kubeconfig FILE has no context "b": it has a',
    ],
    [
      'with a context without cluster',
      '{contexts: [{name: a, context: {}}], current-context: a}',
      'context "a" of kubeconfig FILE has no cluster "": it has none',
    ],
    [
      'with a cluster without server',
      cluster(''),
      'cluster "c" of kubeconfig FILE has the server "": expected https://host:port',
    ],
    [
      'with a server without scheme',
      cluster('localhost:6443'),
      'has the server "localhost:6443": expected https://',
    ],
  ])('names the file and the next step for one %s', async (_title, source, expected) => {
    const kubeconfig = join(folder, 'config');
    await writeFile(kubeconfig, source);
    const text = await textOf(findContext({ kubeconfig, env: {} }));
    expect(text.replaceAll(kubeconfig, 'FILE')).toContain(expected);
  });

  it('says where it looked', async () => {
    const looked = join(folder, '.kube', 'config');
    expect(await textOf(findContext({ env: { HOME: folder } }))).toContain(
      `no kubeconfig at ${looked}: name another, or set KUBECONFIG`,
    );
  });
});

it.each([
  ['http://127.0.0.1:9', 'cannot connect to http://127.0.0.1:9: connect ECONNREFUSED 127.0.0.1:9'],
  ['http://localhost:9', 'cannot connect to http://localhost:9: connect ECONNREFUSED'],
])('a server that is not there is named: %s', async (url, expected) => {
  const transport = createTransport({ url });
  expect(await textOf(createClient(transport).list(corev1.pods))).toContain(expected);
  await transport.close();
});

it.each<[string, string, string]>([
  [
    'a page',
    '<html>log in</html>',
    'the response to GET /api/v1/pods (200) is not JSON: <html>log in</html>; is this the URL of a Kubernetes API server?',
  ],
  ['a list of JSON', '[1]', 'the response to GET /api/v1/pods (200) is JSON, but no object: 3 bytes'],
  [
    'half a list of Secrets',
    '{"items":[{"data":{"a":"c2VjcmV0',
    'the response to GET /api/v1/pods (200) is not JSON: 32 bytes',
  ],
  ['nothing', '', 'is not JSON: no further information'],
  ['an object', '{"kind":"Pod"}', 'the server sent Pod in place of a list of Pod'],
  [
    'a list of numbers',
    '{"kind":"PodList","metadata":{},"items":[1]}',
    'a list of Pod with an item that is no object',
  ],
])('a response that is %s is shown', async (_title, body, expected) => {
  const transport = scriptedTransport([{ chunks: [body] }]);
  expect(await textOf(createClient(transport).list(corev1.pods))).toContain(expected);
});
