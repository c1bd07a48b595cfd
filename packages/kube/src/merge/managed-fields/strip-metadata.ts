import { FieldSet } from '../../fields/field-set.ts';
import { field } from '../../fields/path-element.ts';

/** Fields that identify an object, or that the server sets, have no owner. */
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
