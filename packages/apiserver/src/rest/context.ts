import type { Admission } from './admission.ts';
import type { Authorizer } from '../auth/authorizer.ts';
import type { UserInfo } from '../request/user-info.ts';
import { type Clock, formatTime, type JsonObject, type KubeObject } from '@kubewright/kube';
import type { OutputForm } from '../request/negotiate.ts';
import type { Registry } from '../registry/registry.ts';
import type { ResourceDefinition, StrategyContext } from '../model/resource-definition.ts';
import type { Store } from '../storage/store.ts';

/** What the REST code has at hand: the state, and everything that reaches outside. */
export type RestContext = {
  readonly store: Store;
  readonly registry: Registry;
  readonly admission: Admission;
  readonly authorize: Authorizer;
  readonly clock: Clock;
  /** What the clock says. */
  readonly now: () => Date;
  readonly random: (size: number) => Uint8Array;
  readonly log: (message: string, details?: Readonly<Record<string, unknown>>) => void;
  /** Frames that a watcher may be behind. */
  readonly watchQueueLimit: number;
};

/** One request on a resource, routed and read. */
export type ResourceRequest = {
  readonly definition: ResourceDefinition;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  /** The object is deleted with others of its collection. */
  readonly inCollection?: boolean;
  readonly query: URLSearchParams;
  readonly header: (name: string) => string | undefined;
  readonly body: Uint8Array;
  readonly user: UserInfo;
  readonly output: OutputForm;
  /** Aborted when the client goes away; made when first asked for, which only a watch does. */
  readonly signal: () => AbortSignal | undefined;
  /** Texts for `Warning` headers, filled on the way. */
  readonly warnings: string[];
  /** What the write asks for as its client wrote it: empty maps in it, which decoding drops. Filled on the way. */
  readonly sent: { object?: JsonObject };
  /** When it came, in milliseconds of the server's clock. */
  readonly receivedAt: number;
  /** Notes something for the audit log; what has been said under a key stays. */
  readonly annotate: (key: string, value: string) => void;
};

export function apiVersionOfDefinition({ group, version }: ResourceDefinition): string {
  return group === '' ? version : `${group}/${version}`;
}

/** An object of this version as it lies in the store. */
export function asStored(
  { group, storageVersion, toStorage }: ResourceDefinition,
  object: KubeObject,
): KubeObject {
  const apiVersion = group === '' ? storageVersion : `${group}/${storageVersion}`;
  if (object.apiVersion === apiVersion) return object;
  const renamed = { ...object, apiVersion };
  return toStorage === undefined ? renamed : toStorage(renamed);
}

export function strategyContext(
  { store, now, random }: RestContext,
  { sent }: ResourceRequest,
  dryRun: boolean,
): StrategyContext {
  return {
    now: now(),
    random,
    dryRun,
    sent: sent.object,
    list: (group, resource) => store.collection(group, resource).entries.map(({ object }) => object),
  };
}

/** Now, as `metadata` writes times. */
export function timestamp({ now }: RestContext): string {
  return formatTime(now());
}
