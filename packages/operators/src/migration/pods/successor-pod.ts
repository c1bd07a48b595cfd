import type { appsv1, corev1, KubeObject } from '@kubewright/kube';
import type { StatefulMigration } from '../api.ts';
import { anywhere } from './on-node.ts';
import { takingOver } from './replacement.ts';

/** What `templateRevision` has put into it. */
type Template = {
  readonly metadata: Pick<KubeObject['metadata'], 'labels' | 'annotations' | 'ownerReferences'>;
  readonly spec: corev1.PodSpec;
};

/** The pod that takes over from a source that no controller makes again, under its name. */
export function successorPod(
  { data }: appsv1.ControllerRevision,
  migration: StatefulMigration,
): KubeObject & corev1.Pod {
  const { metadata, spec } = data as Template;
  const { namespace } = migration.metadata;
  return takingOver(
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...metadata, name: migration.spec.sourcePod, namespace },
      // An earlier migration may have pinned it to the node on which the source was.
      spec: anywhere(spec),
    },
    migration,
  );
}
