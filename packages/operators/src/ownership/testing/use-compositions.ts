import { ignoreNotFound, keyOf } from '@kubewright/client';
import { type KubeObject, ownerReferenceTo, type Stored } from '@kubewright/kube';
import type { Registry } from '@kubewright/runtime';
import { expect, vi } from 'vitest';
import {
  type Composition,
  COMPOSITIONS,
  type Manifest,
  RESOURCE_SLICES,
  type ResourceSlice,
  type ResourceState,
} from '../api.ts';
import { configMap } from './objects.ts';
import { type Arena, type ArenaEnvironment, type ServerUnderTest, useArena } from './server-under-test.ts';

const WITHIN = { timeout: 60_000, interval: 20 };

/** Compositions as a user or a pipeline writes them, on a server where the operator runs. */
export type Compositions = {
  readonly arena: Arena;
  readonly compose: (
    name: string,
    parts?: { metadata?: object; spec?: object },
  ) => Promise<Stored<Composition>>;
  readonly slice: (
    owner: Stored<Composition>,
    resources: readonly Manifest[],
    name?: string,
  ) => Promise<Stored<ResourceSlice>>;
  /** A manifest of a ConfigMap of the suite's namespace, with annotations of the operator without their prefix. */
  readonly config: (
    name: string,
    data: Readonly<Record<string, string>>,
    annotations?: Annotations,
  ) => Manifest;
  readonly states: (slice: KubeObject) => Promise<readonly ResourceState[]>;
  readonly composition: (owner: KubeObject) => Promise<Composition>;
  /** The object, unless it is gone. */
  readonly find: (object: KubeObject) => Promise<KubeObject | undefined>;
  readonly configMap: (name: string) => Promise<KubeObject | undefined>;
  /** Another client sets data of a ConfigMap. */
  readonly setData: (
    name: string,
    data: Readonly<Record<string, string | null>>,
    manager?: string,
  ) => Promise<unknown>;
  /** Waits until `check` passes. */
  readonly until: <T>(check: () => Promise<T>) => Promise<T>;
  /** Waits until the states of a slice are these. */
  readonly untilStates: (slice: KubeObject, expected: readonly object[]) => Promise<readonly ResourceState[]>;
};

type Annotations = Readonly<Record<string, string>>;

function manifestOf(object: object, deleted = false): Manifest {
  return { manifest: JSON.stringify(object), ...(deleted ? { deleted } : {}) };
}

/** {@link Compositions} for the tests of the current suite. */
export function useCompositions(
  server: () => ServerUnderTest,
  anyKind = { apiGroups: [''], resources: ['configmaps'] },
  env: ArenaEnvironment = {},
  registry?: Registry,
): Compositions {
  const arena = useArena(server, anyKind, env, registry);
  const at = (object: KubeObject): KubeObject => ({
    ...object,
    metadata: { ...object.metadata, namespace: arena.namespace },
  });
  const states = async (slice: KubeObject): Promise<readonly ResourceState[]> =>
    (await arena.client.get(RESOURCE_SLICES, keyOf(slice))).status?.resources ?? [];
  const until: Compositions['until'] = (check) => vi.waitFor(check, WITHIN);
  const find: Compositions['find'] = (object) => ignoreNotFound(arena.get(object));
  return {
    arena,
    compose: (name, { metadata, spec = {} } = {}) =>
      arena.client.create(COMPOSITIONS, {
        apiVersion: 'eno.azure.io/v1',
        kind: 'Composition',
        metadata: { name, namespace: arena.namespace, ...metadata },
        spec,
      }),
    slice(owner, resources, name = `${owner.metadata.name}-1`) {
      const ownerReferences = [ownerReferenceTo(owner, { controller: true, blockOwnerDeletion: true })];
      return arena.client.create(RESOURCE_SLICES, {
        apiVersion: 'eno.azure.io/v1',
        kind: 'ResourceSlice',
        metadata: { name, namespace: arena.namespace, ownerReferences },
        spec: { resources },
      });
    },
    config(name, data, annotations = {}) {
      const own = Object.entries(annotations).map(([key, text]) => [`eno.azure.io/${key}`, text]);
      const object = at(configMap(name, data));
      return manifestOf({
        ...object,
        metadata: { ...object.metadata, annotations: Object.fromEntries(own) },
      });
    },
    states,
    composition: (owner) => arena.client.get(COMPOSITIONS, keyOf(owner)),
    find: (object) => find(at(object)),
    configMap: (name) => find(at(configMap(name, {}))),
    setData: (name, data, manager = 'somebody') =>
      arena.patch(at(configMap(name, {})), { data }, manager, { type: 'merge' }),
    until,
    untilStates: (slice, expected) =>
      until(async () => {
        const now = await states(slice);
        expect(now).toMatchObject(expected);
        return now;
      }),
  };
}
