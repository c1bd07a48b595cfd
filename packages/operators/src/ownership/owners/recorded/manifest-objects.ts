import { isJsonArray, isJsonObject, type Json, type JsonObject, parseApiVersion } from '@kubewright/kube';
import type { Discovered } from '@kubewright/client';
import { parseDocuments } from '../../../kit/read-documents.ts';

type Resources = Discovered['resources'];

/** A manifest, and what it is of. */
export type ManifestObject = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly manifest: JsonObject;
};

/** The objects of rendered YAML; lists are taken apart. What is no object is left out: the tool could not apply it. */
export function manifestObjects(
  text: string,
  source: string,
  { namespace, resources }: { readonly namespace: string; readonly resources: Resources },
): readonly ManifestObject[] {
  return parseDocuments(text, source)
    .flatMap(itemsOf)
    .flatMap((value) => {
      const { apiVersion, kind, metadata } = value;
      const { name, namespace: own } = isJsonObject(metadata) ? metadata : {};
      if (typeof apiVersion !== 'string' || typeof kind !== 'string' || typeof name !== 'string') return [];
      const where = isNamespaced(apiVersion, kind, resources) ? stringOr(own, namespace) : undefined;
      return [{ apiVersion, kind, name, manifest: value, ...(where !== undefined && { namespace: where }) }];
    });
}

/** One object, whatever version it is written in. */
export function objectKey({
  apiVersion,
  kind,
  namespace = '',
  name,
}: Omit<ManifestObject, 'manifest'>): string {
  return JSON.stringify([parseApiVersion(apiVersion).group, kind, namespace, name]);
}

/** Of a kind that is not served: it does not matter. */
function isNamespaced(apiVersion: string, kind: string, resources: Resources): boolean {
  const { group } = parseApiVersion(apiVersion);
  return resources.some(({ ref }) => ref.group === group && ref.kind === kind && ref.namespaced);
}

function itemsOf(value: Json): readonly JsonObject[] {
  if (!isJsonObject(value)) return [];
  const { kind, items } = value;
  const isList = typeof kind === 'string' && kind.endsWith('List') && isJsonArray(items);
  return isList ? items.flatMap(itemsOf) : [value];
}

function stringOr(value: Json | undefined, fallback: string): string {
  return typeof value === 'string' && value !== '' ? value : fallback;
}
