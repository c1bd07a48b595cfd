import { getOwn, isJsonObject, type JsonObject } from '@kubewright/kube';
import { textIn } from './text-in.ts';

/** On every object of a migration. */
const MIGRATION_LABEL = 'migration.ms2m.io/migration';

/** Why an object of our own operators means nothing in another place, or does harm there; undefined for any other one. */
export function whyNotElsewhere(object: JsonObject): string | undefined {
  const [apiVersion, kind] = [textIn(object, 'apiVersion'), textIn(object, 'kind')];
  if (kind === 'DecisionLog' && apiVersion.startsWith('kausality.io/'))
    return 'it records what happened to objects of this cluster';
  if (kind === 'StatefulMigration' && apiVersion.startsWith('migration.ms2m.io/'))
    return 'it moves a pod once: a copy would move it again';
  return kind === 'ControllerRevision' && isOfMigration(object)
    ? 'it belongs to a StatefulMigration'
    : undefined;
}

function isOfMigration({ metadata }: JsonObject): boolean {
  const labels = isJsonObject(metadata) ? getOwn(metadata, 'labels') : undefined;
  return isJsonObject(labels) && getOwn(labels, MIGRATION_LABEL) !== undefined;
}
