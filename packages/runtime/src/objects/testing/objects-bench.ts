import { randomUUID } from 'node:crypto';
import {
  type Client,
  createClient,
  type RecordingTransport,
  type ResourceRef,
  recordRequests,
} from '@kubewright/client';
import {
  apiextensionsv1,
  corev1,
  customResource,
  type KubeObject,
  s,
  type Transport,
} from '@kubewright/kube';
import { afterAll, beforeAll } from 'vitest';
import { installDefinitions } from '../install-definitions.ts';

const namespaces: ResourceRef = corev1.namespaces;

/** The part of a server under test that these suites use; the repository's `TestServer` is one. */
export type ServerUnderTest = { transport(): Transport };

/** A namespace of a suite's own with ConfigMaps and, of a kind of its own, tasks. */
export function objectsBench(server: () => ServerUnderTest) {
  const namespace = `objects-${randomUUID().slice(0, 8)}`;
  const jobs = customResource({
    group: `${namespace}.example.com`,
    version: 'v1',
    kind: 'Task',
    plural: 'tasks',
    scope: 'Namespaced',
    schema: s.object({
      spec: s.object({ text: s.string() }),
      status: s.optional(s.object({ phase: s.string() })),
    }),
  });
  let inner: Transport | undefined;
  const transport: RecordingTransport = recordRequests({
    // The server is there only while tests run.
    request: (request) => (inner ??= server().transport()).request(request),
    close: async () => inner?.close(),
  });
  const client: Client = createClient(transport, { fieldOwner: 'helper' });
  beforeAll(async () => {
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
    await client.create(namespaces, object);
    await installDefinitions(client, [jobs.definition], { fieldManager: 'helper' });
  });
  afterAll(async () => {
    const { name } = jobs.definition.metadata;
    await client.delete(apiextensionsv1.customresourcedefinitions, { name });
    await client.delete(namespaces, { name: namespace });
    await transport.close();
  });
  const at = (name: string) => ({ namespace, name });
  const map = (name: string, data: Record<string, string> = {}): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: at(name),
    data,
  });
  const task = (name: string) =>
    client.create(jobs, {
      apiVersion: `${jobs.group}/v1`,
      kind: 'Task',
      metadata: at(name),
      spec: { text: 'x' },
    });
  return { namespace, jobs, transport, client, at, map, task };
}

/** What a promise fails with; undefined when it does not. */
export const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );
