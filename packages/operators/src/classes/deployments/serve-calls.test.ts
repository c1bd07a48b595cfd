import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { Registry, silentLogger } from '@kubewright/runtime';
import descriptor from 'protobufjs/ext/descriptor/index.js';
import { afterEach, expect, test } from 'vitest';
import type { DeploymentCalls } from './deployment-calls.ts';
import { listenSettings } from './listen-settings.ts';
import { protoFiles } from './proto-files.ts';
import { serveCalls } from './serve-calls.ts';
import { serviceDefinition } from './service-definition.ts';

const { root } = protoFiles();
const undo: (() => void | Promise<void>)[] = [];

afterEach(async () => {
  for (const one of undo.splice(0).toReversed()) await one();
});

const unused = (): Promise<never> => Promise.reject(new TypeError('it is not called'));
const CALLS: DeploymentCalls = {
  Deploy: unused,
  GetDeploymentStatus: unused,
  DeleteDeployment: unused,
  ListClassRuntimes: async () => ({ items: [] }),
  GetClassRuntime: unused,
  GetEnvHealth: unused,
};

type Tls = NonNullable<ReturnType<typeof listenSettings>>['tls'];

async function serve(calls: DeploymentCalls, tls?: Tls): Promise<number> {
  const stop = new AbortController();
  let served: Promise<void> = Promise.resolve();
  const port = await new Promise<number>((onListening, reject) => {
    const listen = { host: '127.0.0.1', port: 0, onListening, ...(tls && { tls }) };
    served = serveCalls(calls, listen, { log: silentLogger, registry: new Registry() }, stop.signal);
    served.catch(reject);
  });
  undo.push(async () => {
    stop.abort();
    await served;
  });
  return port;
}

function clientOf(port: number): Client {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  undo.push(() => client.close());
  return client;
}

type Listed = { readonly response: Promise<object>; cancel(): void };

function list(client: Client, deadlineMs: number): Listed {
  const { ListClassRuntimes: method } = serviceDefinition(
    root.lookupService('oaas.deployment.DeploymentService'),
  );
  if (method === undefined) throw new TypeError('there is no such method');
  const { path, requestSerialize, responseDeserialize } = method;
  const options = { deadline: Date.now() + deadlineMs };
  let cancel: () => void = () => undefined;
  const response = new Promise<object>((resolve, reject) => {
    const call = client.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      {},
      new Metadata(),
      options,
      (error, value) => (error === null ? resolve(value as object) : reject(error)),
    );
    cancel = () => call.cancel();
  });
  return { response, cancel: () => cancel() };
}

async function codeOf({ response }: Listed): Promise<unknown> {
  const error: unknown = await response.catch((one: unknown) => one);
  return (error as ServiceError).code;
}

test('a deadline passes', async () => {
  const port = await serve({ ...CALLS, ListClassRuntimes: () => new Promise(() => undefined) });
  expect(await codeOf(list(clientOf(port), 300))).toBe(status.DEADLINE_EXCEEDED);
});

test('a call that the client gives up is aborted on the server', async () => {
  const called = new EventTarget();
  const on = (name: string): Promise<unknown> =>
    new Promise((resolve) => called.addEventListener(name, resolve, { once: true }));
  const ListClassRuntimes: DeploymentCalls['ListClassRuntimes'] = (_request, { signal }) => {
    called.dispatchEvent(new Event('begun'));
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        called.dispatchEvent(new Event('aborted'));
        reject(new TypeError('aborted'));
      });
    });
  };
  const port = await serve({ ...CALLS, ListClassRuntimes });
  const [begun, isAborted] = [on('begun'), on('aborted')];
  const listed = list(clientOf(port), 60_000);
  const code = codeOf(listed);
  await begun;
  listed.cancel();
  expect(await code).toBe(status.CANCELLED);
  await isAborted;
});

type Reflected = {
  readonly list_services_response?: { readonly service: readonly { readonly name: string }[] };
  readonly file_descriptor_response?: { readonly file_descriptor_proto: readonly Uint8Array[] };
  readonly error_response?: object;
};

test.each(['v1', 'v1alpha'])(
  'reflection %s lists the services, and files with all that they import',
  async (version) => {
    const client = clientOf(await serve(CALLS));
    const name = `grpc.reflection.${version}.ServerReflection`;
    const { ServerReflectionInfo: method } = serviceDefinition(root.lookupService(name));
    if (method === undefined) throw new TypeError('there is no reflection');
    const stream = client.makeBidiStreamRequest(
      method.path,
      method.requestSerialize,
      method.responseDeserialize,
    );
    const ask = (request: object): Promise<Reflected> =>
      new Promise((resolve, reject) => {
        stream.once('data', resolve).once('error', reject);
        stream.write(request);
      });
    const { list_services_response } = await ask({ list_services: '' });
    expect(list_services_response?.service.map((one) => one.name)).toEqual([
      'oaas.deployment.DeploymentService',
      'oaas.health.CrmInfoService',
      'oaas.health.HealthService',
      'grpc.reflection.v1.ServerReflection',
      'grpc.reflection.v1alpha.ServerReflection',
    ]);
    const found = await ask({ file_containing_symbol: 'oaas.deployment.DeploymentService.Deploy' });
    const { file_descriptor_proto = [] } = found.file_descriptor_response ?? {};
    const files = file_descriptor_proto.map((bytes) =>
      descriptor.FileDescriptorProto.toObject(descriptor.FileDescriptorProto.decode(bytes)),
    );
    expect(files.map((file) => file['name'] as string)).toEqual([
      'deployment.proto',
      'common.proto',
      'deployment_types.proto',
      'runtime.proto',
    ]);
    const types = files[2]?.['messageType'] as { name: string; field: object[]; nestedType: object[] }[];
    const odgm = types.find((each) => each.name === 'OdgmConfig');
    expect(odgm?.field).toContainEqual(
      expect.objectContaining({
        name: 'env_node_ids',
        typeName: '.oaas.deployment.OdgmConfig.EnvNodeIdsEntry',
      }),
    );
    expect(odgm?.field).toContainEqual(expect.objectContaining({ name: 'log', proto3Optional: true }));
    const missing = await ask({ file_by_filename: 'none.proto' });
    expect(missing.error_response).toMatchObject({ error_code: status.NOT_FOUND });
    stream.end();
  },
);

test.each([
  [{}, undefined],
  [{ HTTP_PORT: '8088' }, { host: '127.0.0.1', port: 8088 }],
  [{ HTTP_PORT: 'x' }, 'HTTP_PORT must be a port'],
  [{ HTTP_PORT: '8088', OPRC_CRM_HTTP_HOST: '0.0.0.0' }, 'needs TLS'],
  [{ HTTP_PORT: '8088', OPRC_CRM_TLS_KEY_FILE: 'k' }, 'together'],
])('where it listens: %o', (env, expected) => {
  if (typeof expected === 'string') expect(() => listenSettings(env)).toThrow(expected);
  else expect(listenSettings(env)).toEqual(expected);
});
