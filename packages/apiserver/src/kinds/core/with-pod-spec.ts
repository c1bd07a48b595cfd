import type { JsonObject, KubeObject } from '@kubewright/kube';
import type { Path } from '@kubewright/kube/fields';
import {
  changed,
  generationOf,
  keepOld,
  keepOldMetadata,
  withGeneration,
} from '../../model/status-strategy.ts';
import { changeObject, withField } from '../../objects/change-object.ts';

/** The annotation of a static pod's mirror in the API. */
export const MIRROR_POD = 'kubernetes.io/config.mirror';
const METADATA = ['annotations', 'deletionTimestamp', 'finalizers', 'labels', 'ownerReferences'];

/** What writes of a pod's subresources do not change. */
export const POD_SPEC_RESET: readonly Path[] = [
  ['f:status'],
  ...METADATA.map((key) => ['f:metadata', `f:${key}`]),
];

/** The old pod with this spec, and with the managedFields of the write. */
export function withPodSpec(object: KubeObject, old: KubeObject, spec: JsonObject): KubeObject {
  const kept = METADATA.reduce(
    (now, key) => keepOldMetadata(now, old, key),
    keepOld(
      changeObject(object, (body) => withField(body, 'spec', spec)),
      old,
      'status',
    ),
  );
  return changed(kept, old, 'spec') ? withGeneration(kept, generationOf(old) + 1) : kept;
}
