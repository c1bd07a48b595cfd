import type { ActOutcome, Io } from '@kubewright/runtime';
import { FIELD_MANAGER, type Resource, RESOURCE_ENFORCERS } from './api.ts';
import { quantityOf, sizeManagers } from './size-of.ts';
import type { LiveDeployment, ResizeAction } from './decide/observed-class.ts';
import { enforcementOutcome } from './enforcement-outcome.ts';
import { DEPLOYMENTS } from './observe.ts';

/**
 * Sets what the container of a function asks for, under a field manager of the resource's own. Takes it from the template's
 * manager only, never from another one.
 */
export async function resize({ object, resource, size }: ResizeAction, { client }: Io): Promise<ActOutcome> {
  const fieldManager = RESOURCE_ENFORCERS[resource];
  const ours: readonly (string | undefined)[] = [fieldManager, FIELD_MANAGER];
  const force = sizeManagers(object, resource).every((manager) => ours.includes(manager));
  const { request, limit } = size;
  const named = (value: number | undefined) =>
    value === undefined ? undefined : { [resource]: quantityOf(value, resource) };
  const [requests, limits] = [named(request), named(limit)];
  const resources = { ...(requests && { requests }), ...(limits && { limits }) };
  const spec = { template: { spec: { containers: [{ name: 'function', resources }] } } };
  try {
    await client.apply(DEPLOYMENTS, { ...identityOf(object), spec }, { fieldManager, force });
    return 'done';
  } catch (error) {
    return enforcementOutcome(error);
  }
}

/** Removes what the resource's manager has set; fields that others own, too, stay. */
export async function unsize(object: LiveDeployment, resource: Resource, { client }: Io): Promise<void> {
  const options = { fieldManager: RESOURCE_ENFORCERS[resource], force: true };
  await client.apply(DEPLOYMENTS, identityOf(object), options);
}

function identityOf({ apiVersion, kind, metadata }: LiveDeployment) {
  const { name, namespace, uid, resourceVersion } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion } };
}
