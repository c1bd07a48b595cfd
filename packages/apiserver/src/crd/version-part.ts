import { type JsonObject, jsonEqual } from '@kubewright/kube';

/** Parts of a version that an API server keeps once for all versions when they all have the same. */
export type VersionPart = 'schema' | 'subresources' | 'additionalPrinterColumns' | 'selectableFields';

const PARTS: readonly VersionPart[] = [
  'schema',
  'subresources',
  'additionalPrinterColumns',
  'selectableFields',
];

/** The parts that are the same in all versions; of a single version, all of them. */
export function sharedParts(versions: readonly JsonObject[]): ReadonlySet<VersionPart> {
  const first = versions[0];
  if (first === undefined) return new Set();
  return new Set(PARTS.filter((part) => versions.every((version) => jsonEqual(version[part], first[part]))));
}

/** The path of errors in a part that all versions share: that of the oldest form of a definition. */
export function sharedPath(part: VersionPart): string {
  return part === 'schema' ? 'spec.validation' : `spec.${part}`;
}
