import type { JsonObject, KubeObject } from '@kubewright/kube';
import type { ResourceDefinition } from '../model/resource-definition.ts';
import type { ResourceRequest } from './resource-request.ts';
import type { Steps } from '../request/steps.ts';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE';

/** A write on its way to the store, as admission sees it. */
export type AdmissionAttributes = {
  readonly operation: Operation;
  readonly request: ResourceRequest;
  /** The kind of the objects: the resource's own, or that of a subresource with a shape of its own (`Scale`). */
  readonly kind: ResourceDefinition;
  /** Empty while the name is to be generated, and for the objects of a deleted collection. */
  readonly name: string;
  /** In the kind's version; absent on DELETE. */
  readonly object?: KubeObject;
  /** In the kind's version; absent on CREATE. */
  readonly oldObject?: KubeObject;
  readonly dryRun: boolean;
  /** `CreateOptions`, `UpdateOptions` or `DeleteOptions`; made when asked for. */
  readonly options: () => JsonObject;
};

/** Attributes of a write that has an object. */
export type WriteAttributes = AdmissionAttributes & { readonly object: KubeObject };

/**
 * Who may change and refuse writes: plugins of the server, and webhooks. It waits only where it asks someone or for
 * something, and throws refusals.
 * https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
 */
export type Admission = {
  /** The object as it is to be written; undefined where there is none. */
  readonly mutate: (attributes: AdmissionAttributes) => Steps<KubeObject | undefined>;
  readonly validate: (attributes: AdmissionAttributes) => Steps<void>;
};

/** The same write, of what has been made of its object. */
export function withObject(
  attributes: AdmissionAttributes,
  object: KubeObject | undefined,
): AdmissionAttributes {
  return object === undefined || object === attributes.object ? attributes : { ...attributes, object };
}
