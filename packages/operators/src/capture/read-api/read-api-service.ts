import type { KubeObject } from '@kubewright/kube';
import { VERSION } from '../api/annotations.ts';

/** The original's group. */
export const READ_GROUP = 'subresources.state-snapshotter.deckhouse.io';

/** The API that reads checkpoints, which the manager serves. Priorities are those of the original. */
export const READ_API_SERVICE: KubeObject = {
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: `${VERSION}.${READ_GROUP}` },
  spec: { group: READ_GROUP, version: VERSION, groupPriorityMinimum: 999, versionPriority: 15 },
};
