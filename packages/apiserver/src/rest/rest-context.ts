import type { Admission } from './admission.ts';
import type { Convert } from './converting.ts';
import type { Authorizer } from '../auth/authorizer.ts';
import { type Clock, formatTime, type KubeObject } from '@kubewright/kube';
import type { Registry } from '../registry/registry.ts';
import type { StrategyContext } from '../model/resource-definition.ts';
import type { ServiceRanges } from '../model/service-ranges.ts';
import type { ResourceRequest } from './resource-request.ts';
import type { Store } from '../storage/store.ts';

/** What the REST code has at hand: the state, and everything that reaches outside. */
export type RestContext = {
  readonly store: Store;
  readonly registry: Registry;
  readonly admission: Admission;
  /** By the webhooks of CustomResourceDefinitions. */
  readonly convert: Convert;
  readonly authorize: Authorizer;
  /** Throws where the user may not write such an object. It runs before validation; `live` is what a write changes. */
  readonly authorizeWrite: (
    request: ResourceRequest,
    object: KubeObject,
    live: KubeObject | undefined,
  ) => void;
  /** Of resources that can only be created, by kind. */
  readonly createHandlers: Readonly<Record<string, CreateHandler>>;
  readonly clock: Clock;
  /** The time of `clock`. */
  readonly now: () => Date;
  readonly random: (size: number) => Uint8Array;
  readonly log: (message: string, details?: Readonly<Record<string, unknown>>) => void;
  /** Frames that a watcher may be behind. */
  readonly watchQueueLimit: number;
  readonly services: ServiceRanges;
};

/** The response to a create of an object that is not stored. May throw an `ApiServerError`. */
export type CreateHandler = (
  request: ResourceRequest,
  object: KubeObject,
  options: { readonly context: RestContext; readonly dryRun: boolean },
) => KubeObject;

export function strategyContext(
  { store, now, random, services }: RestContext,
  { sent, user }: ResourceRequest,
  dryRun: boolean,
): StrategyContext {
  return {
    user,
    services,
    now: now(),
    random,
    dryRun,
    sent: sent.object,
    list: (group, resource) => store.collection(group, resource).entries.map(({ object }) => object),
    withValue: ({ group, resource }, valuesOf, value) =>
      store
        .collection(group, resource)
        .withValue(valuesOf, value)
        .map(({ object }) => object),
  };
}

/** Now, as `metadata` writes times. */
export function timestamp({ now }: RestContext): string {
  return formatTime(now());
}
