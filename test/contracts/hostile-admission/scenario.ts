import assert from 'node:assert/strict';
import type { Client, ObjectKey, ResourceRef } from '@kubewright/client';
import type { Json, JsonObject, KubeObject } from '@kubewright/kube';
import { vi } from 'vitest';
import type { Hostility, Target } from './hostility.ts';

/** One controller, what of its writes is met with hostility, and how one can see what has become of them. */
export type Scenario = {
  /** The controller's service account in `kube-system`. */
  readonly account: string;
  readonly target: Target;
  /** Where not all make sense. */
  readonly only?: readonly Hostility[];
  /** Ends of ours that are not kube-controller-manager's, and should not be: docs/conformance.md says why. */
  readonly ours?: Partial<Record<Hostility, Json>>;
  /** `play` ends when another one has been dealt with after this one: no more is needed to see that this one rests. */
  readonly isFence?: true;
  readonly play: (place: Place) => Promise<void>;
  /** What the controller has made of it, without times, uids, and names that are drawn. */
  readonly see: (place: Place) => Promise<Json>;
};

/** A namespace in which a scenario is played. */
export class Place {
  readonly client: Client;
  readonly namespace: string;

  constructor(client: Client, namespace: string) {
    this.client = client;
    this.namespace = namespace;
  }

  /** Names of what is in no namespace begin with this one's. */
  key({ namespaced }: ResourceRef, name: string): ObjectKey {
    return namespaced ? { namespace: this.namespace, name } : { name: `${this.namespace}-${name}` };
  }

  create<T extends KubeObject>(ref: ResourceRef<T>, name: string, fields: JsonObject = {}): Promise<T> {
    const { metadata = {}, ...rest } = fields;
    const object = {
      apiVersion: ref.group === '' ? ref.version : `${ref.group}/${ref.version}`,
      kind: ref.kind,
      metadata: { ...this.key(ref, name), ...(metadata as JsonObject) },
      ...rest,
    };
    return this.client.create(ref, object as unknown as T);
  }

  patch<T extends KubeObject>(
    ref: ResourceRef<T>,
    name: string,
    body: JsonObject,
    subresource?: string,
  ): Promise<T> {
    const options = subresource === undefined ? {} : { subresource };
    return this.client.patch(ref, this.key(ref, name), { type: 'merge', body }, options);
  }

  async list<T extends KubeObject>(ref: ResourceRef<T>): Promise<readonly T[]> {
    const { items } = await this.client.list(ref, { namespace: this.namespace });
    return items;
  }

  /** The first object of a kind that `isSo`, as soon as the namespace has one. */
  one<T extends KubeObject>(ref: ResourceRef<T>, isSo: (object: T) => boolean = () => true): Promise<T> {
    const find = async (): Promise<T> => {
      const found = (await this.list(ref)).find(isSo);
      assert(found !== undefined, `no such ${ref.resource}`);
      return found;
    };
    return vi.waitFor(find, { timeout: 240_000, interval: 50 });
  }
}

/** Types, statuses and reasons, in a fixed order. */
export function conditionsOf(
  status: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
    }[];
  } = {},
): readonly string[] {
  return (status.conditions ?? [])
    .map(({ type, status: holds, reason = '' }) => `${type} ${holds} ${reason}`)
    .sort();
}

/** Numbers and names of a status, without its conditions and times. */
export function countsOf(status: object = {}): JsonObject {
  const entries = Object.entries(status as JsonObject);
  return Object.fromEntries(
    entries.filter(([name, value]) => typeof value === 'number' && name !== 'observedGeneration'),
  );
}
