import type { JsonObject, KubeObject } from '@kubewright/kube';
import { applyManagedFields } from '@kubewright/kube/merge';
import { checkedConfiguration, readConfiguration } from './apply-object.ts';
import { applyFailure } from './apply-failure.ts';
import type { ResourceRequest } from './resource-request.ts';
import type { WriteOptions } from './write-options.ts';
import { scaleSchemas } from './scale-of.ts';

/** Apply to a Scale: the present one with the configuration merged into it. */
export function mergeOntoScale(
  request: ResourceRequest,
  live: KubeObject,
  { manager, force }: WriteOptions,
  now: Date,
): KubeObject {
  const { value } = readConfiguration(request.body, false);
  const object = checkedConfiguration(request, value as JsonObject);
  try {
    return applyManagedFields({
      live,
      object,
      manager,
      subresource: 'scale',
      force,
      now,
      schemas: scaleSchemas,
    });
  } catch (error) {
    throw applyFailure(error);
  }
}
