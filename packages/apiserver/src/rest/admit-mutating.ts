import { errorText, type KubeObject } from '@kubewright/kube';
import { decodeManagers } from '@kubewright/kube/merge';
import {
  type WriteAttributes,
  type AdmissionAttributes,
  createAttributes,
  updateAttributes,
} from './admission-attributes.ts';
import type { ResourceRequest } from './resource-request.ts';
import type { RestContext } from './rest-context.ts';
import { checkNamespaceTakes } from './namespace-lifecycle.ts';
import { inRequestNamespace, withDistinctOwners, withMeta } from './object-metadata.ts';
import type { Steps } from '../request/steps.ts';
import { nameOf } from '../objects/name-of.ts';

/** What mutating admission makes of an object before its kind prepares and validates it. */
export function* admitMutating(context: RestContext, attributes: WriteAttributes): Steps<KubeObject> {
  const { operation, request, object } = attributes;
  if (operation === 'CREATE') checkNamespaceTakes(context, request, nameOf(object));
  const mutated = (yield* context.admission.mutate(attributes)) ?? object;
  if (mutated === object) return withDistinctOwners(object, request.warnings, true);
  const placed = inRequestNamespace(withValidManagers(mutated, object, request.warnings), request);
  return withDistinctOwners(placed, request.warnings, true);
}

/** What mutating admission makes of an object that replaces `live`, or that is created where there is none. */
export function admitUpdated(
  context: RestContext,
  request: ResourceRequest,
  object: KubeObject,
  live: KubeObject | undefined,
  dryRun: boolean,
): Steps<KubeObject> {
  const attributes =
    live === undefined
      ? createAttributes(request, object, dryRun)
      : updateAttributes(request, object, live, dryRun);
  return admitMutating(context, attributes);
}

/** Validating admission of a complete object. */
export function admitValidating(context: RestContext, attributes: WriteAttributes): Steps<void> {
  // A generated name is set by now.
  const name = attributes.name === '' ? nameOf(attributes.object) : attributes.name;
  return context.admission.validate(name === attributes.name ? attributes : { ...attributes, name });
}

/** A deletion cannot be mutated, but mutating admission sees it too. */
export function* admitDelete({ admission }: RestContext, attributes: AdmissionAttributes): Steps<void> {
  yield* admission.mutate(attributes);
  yield* admission.validate(attributes);
}

/** managedFields that cannot be decoded are reset to what they were. */
function withValidManagers(mutated: KubeObject, before: KubeObject, warnings: string[]): KubeObject {
  const { managedFields } = mutated.metadata;
  if (managedFields === undefined || managedFields === before.metadata.managedFields) return mutated;
  try {
    decodeManagers(managedFields);
    return mutated;
  } catch (error) {
    const why = errorText(error);
    warnings.push(
      '.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated ' +
        `mutating admission controller; please fix your requests: ${why}`,
    );
    const { managedFields: _, ...metadata } = mutated.metadata;
    const kept = before.metadata.managedFields;
    return withMeta(mutated, kept === undefined ? metadata : { ...metadata, managedFields: kept });
  }
}
