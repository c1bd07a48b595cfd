import { FieldSet } from '../../fields/field-set.ts';
import { field } from '../../fields/path-element.ts';

/** What identifies an object or is kept by the server is nobody's to claim. */
const UNCLAIMABLE = FieldSet.of(
  [field('apiVersion')],
  [field('kind')],
  [field('metadata')],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => [field('metadata'), field(name)]),
);

export function stripMetadata(set: FieldSet): FieldSet {
  return set.difference(UNCLAIMABLE);
}
