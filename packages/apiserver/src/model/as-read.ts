import { type KubeObject, jsonEqual } from '@kubewright/kube';
import { decodeStructural, defaultStructural } from '@kubewright/kube/schema';
import type { ResourceDefinition } from './resource-definition.ts';

type Kind = Pick<ResourceDefinition, 'builtIn' | 'schema' | 'structural'>;

/**
 * An object as its next reader finds it: itself, unless a custom resource was written with what reading changes:
 * empty lists in its metadata (only an apply brings them so far), or without defaults (a scale made its spec).
 */
export function asRead({ builtIn, schema, structural = schema }: Kind, object: KubeObject): KubeObject {
  if (builtIn) return object;
  const read = decodeStructural(structural, object).object as KubeObject;
  return jsonEqual(read, object) ? object : read;
}

/** A custom resource that an apply has merged: its defaults are filled in, and nothing in it is pruned. */
export function asApplied(
  { schema, structural = schema }: Kind,
  { metadata, ...rest }: KubeObject,
): KubeObject {
  const filled = defaultStructural(structural, rest, true) as Omit<KubeObject, 'metadata'>;
  return { ...filled, metadata } as KubeObject;
}
