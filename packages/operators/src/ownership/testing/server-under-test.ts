import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { ApiError, type Client, createClient } from '@kubewright/client';
import { type ApiRequest, type KubeObject, type Transport } from '@kubewright/kube';
import type { Registry } from '@kubewright/runtime';
import { afterAll, beforeAll } from 'vitest';
import type { ResourceState } from '../api.ts';
import { type AnyKindApi, anyKindApi } from '../../kit/any-kind-api.ts';
import { accountUser } from '../../kit/install-objects.ts';
import type { Environment } from '../../kit/operator.ts';
import type { Ran } from '../../kit/testing/run-with.ts';
import { useOperator } from '../../kit/testing/use-operator.ts';
import { ownershipParts } from '../controller.ts';
import type { MigrationPolicy } from '../migration-policy.ts';
import { type Clients, clientsIn } from './clients.ts';
import { reconcileManifest } from './reconciled.ts';

/** The part of a server under test that these suites use; the repository's `TestServer` is one. */
export type ServerUnderTest = { transport(): Transport };

/** The operator on a server, and the calls of the several clients that quarrel in a namespace of one's own. */
export type Arena = Clients & {
  readonly operator: ReturnType<typeof useOperator>;
  /** Of a cluster admin. */
  readonly client: Client;
  readonly namespace: string;
  /** Writes in the namespace since the last call of this function: everything but reads and dry runs. */
  writes(): readonly string[];
  /** The same, without those that the server rejected. */
  accepted(): readonly string[];
  /** One pass of the operator over one manifest, under its account. */
  reconcile(
    manifest: KubeObject,
    policy?: Partial<MigrationPolicy>,
    state?: ResourceState,
  ): Promise<Ran<ResourceState>>;
  /** The same, with another write right before the operator's first rewrite, or a later one. */
  reconcileAfter(
    race: () => Promise<unknown>,
    manifest: KubeObject,
    rewrite?: number,
  ): Promise<Ran<ResourceState>>;
  /** The same, with another way to the server. */
  reconcileThrough(
    change: (api: AnyKindApi) => AnyKindApi,
    manifest: KubeObject,
  ): Promise<Ran<ResourceState>>;
  remove(object: KubeObject): Promise<Ran<ResourceState>>;
};

export type ArenaEnvironment = Environment | ((namespace: string) => Environment);

/** On what the operator works in most suites. */
const WORKLOADS = {
  apiGroups: ['', 'apps', 'batch'],
  resources:
    'configmaps persistentvolumeclaims services deployments statefulsets daemonsets replicasets cronjobs jobs'.split(
      ' ',
    ),
};

/**
 * An {@link Arena} for the tests of the current suite; `server` is asked for when they begin. `env` may say something of
 * the suite's namespace.
 */
export function useArena(
  server: () => ServerUnderTest,
  anyKind = WORKLOADS,
  env: ArenaEnvironment = {},
  registry?: Registry,
): Arena {
  const namespace = `own-${randomUUID().slice(0, 8)}`;
  const settings = typeof env === 'function' ? env(namespace) : env;
  const log: Write[] = [];
  let transport: Transport | undefined;
  const way = (): Transport => {
    assert(transport !== undefined, 'the server is there only while tests run');
    return transport;
  };
  beforeAll(async () => {
    transport = recording(server().transport(), log);
    const object: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
    await createClient(transport).create(NAMESPACES, object);
  });
  afterAll(async () => {
    if (transport === undefined) return;
    await createClient(transport).delete(NAMESPACES, { name: namespace });
    await transport.close();
  });
  const operator = useOperator(way, ownershipParts, {
    anyKind,
    env: settings,
    ...(registry && { registry }),
  });
  return arenaOf(way, operator, { namespace, log });
}

const NAMESPACES = { group: '', version: 'v1', kind: 'Namespace' };

function arenaOf(
  way: () => Transport,
  operator: Arena['operator'],
  { namespace, log }: { readonly namespace: string; readonly log: Write[] },
): Arena {
  const api = (): Client => createClient(way());
  const own = () => anyKindApi(operator.as(accountUser('ownership')));
  const at = (object: KubeObject): KubeObject => ({ ...object, metadata: { namespace, ...object.metadata } });
  // Objects of a suite before this one may still be in deletion, and the operator works on them too.
  const writes = () => log.splice(0).filter(({ line }) => line.includes(`/namespaces/${namespace}/`));
  return {
    ...clientsIn(namespace, api),
    operator,
    get client() {
      return api();
    },
    namespace,
    writes: () => writes().map(({ line }) => line),
    accepted: () =>
      writes().flatMap(({ line, status }) => (status !== undefined && status < 300 ? [line] : [])),
    reconcile: (object, policy, state) => reconcileManifest(own(), { object: at(object) }, policy, state),
    reconcileAfter: (race, object, rewrite = 1) =>
      reconcileManifest(raced(own(), race, rewrite), { object: at(object) }),
    reconcileThrough: (change, object) => reconcileManifest(change(own()), { object: at(object) }),
    remove: (object) => reconcileManifest(own(), { object: at(object), deleted: true }),
  };
}

function raced(api: AnyKindApi, race: () => Promise<unknown>, rewrite: number): AnyKindApi {
  let rewrites = 0;
  return {
    ...api,
    async patchJson(...call) {
      rewrites += 1;
      if (rewrites === rewrite) await race();
      return api.patchJson(...call);
    },
  };
}

/** A request that writes, as `METHOD path`, and how the server responded, once it has. */
export type Write = { readonly line: string; status?: number };

/** Logs each write: everything but reads and dry runs. */
export function recording(inner: Transport, log: Write[]): Transport {
  return {
    async request(request: ApiRequest) {
      const isWrite =
        !['GET', 'HEAD', 'OPTIONS'].includes(request.method) && !request.path.includes('dryRun=All');
      if (!isWrite) return inner.request(request);
      const write: Write = { line: `${request.method} ${request.path}` };
      log.push(write);
      const response = await inner.request(request);
      write.status = response.status;
      return response;
    },
    close: () => inner.close(),
  };
}

/** The refusal of a call that has to be refused. */
export async function refusal(call: Promise<unknown>): Promise<ApiError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  assert.fail('the call was not refused');
}
