import { type appsv1, type corev1, defined, type JsonObject, jsonEqual, type Stored } from '@kubewright/kube';
import { COST_BEFORE, EPOCH_ANNOTATION, LABELS, type StatefulMigration } from '../api.ts';
import { copiedSpec } from './shadow-pod.ts';

/** The name of the ControllerRevision that keeps the template of a source which no controller makes again. */
export function templateName({ metadata: { uid } }: StatefulMigration): string {
  return `ms2m-${uid}`;
}

/**
 * It has no owner: who deletes a migration in the foreground deletes what the migration owns, and the pod may be gone by then.
 * Its label is in no selector of a StatefulSet or DaemonSet, so none adopts it.
 */
export function templateRevision(
  migration: StatefulMigration,
  source: Stored<corev1.Pod>,
): appsv1.ControllerRevision {
  const { namespace, uid } = migration.metadata;
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name: templateName(migration), namespace, labels: { [LABELS.migration]: uid } },
    data: templateOf(source),
    revision: 1,
  };
}

/** Whether the template is that of this pod as it is now, and not one that somebody else has put there. */
export function isTemplateOf({ data }: appsv1.ControllerRevision, source: Stored<corev1.Pod>): boolean {
  return jsonEqual(data, templateOf(source));
}

const OURS: ReadonlySet<string> = new Set([LABELS.migration, LABELS.role, EPOCH_ANNOTATION, COST_BEFORE]);

/**
 * What another pod of that name gets: all but what migrations have written, and finalizers. Who has put one on the source has to
 * see the new pod first.
 */
function templateOf({ metadata, spec }: Stored<corev1.Pod>): JsonObject {
  const { labels = {}, annotations = {}, ownerReferences } = metadata;
  const kept = {
    labels: ofOthers(labels),
    annotations: ofOthers(annotations),
    ...defined({ ownerReferences }),
  };
  return { metadata: kept, spec: copiedSpec(spec) };
}

function ofOthers(entries: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(entries).filter(([key]) => !OURS.has(key)));
}
