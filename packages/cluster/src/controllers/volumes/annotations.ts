/** What controllers of volumes tell each other and themselves; names of Kubernetes. */

/** Of a claim: it has been bound once. */
export const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
/** Of a claim and a volume: the binder joined them, not a user. */
export const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';
/** Of a volume: which plugin made it. */
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';
/** Of a volume: the CSI driver that looks after it in a built-in plugin's place. */
export const MIGRATED_TO = 'pv.kubernetes.io/migrated-to';
/** Of a claim: who is to make its volume. */
export const STORAGE_PROVISIONER = 'volume.kubernetes.io/storage-provisioner';
export const BETA_STORAGE_PROVISIONER = 'volume.beta.kubernetes.io/storage-provisioner';
/** Of a claim whose class waits for a consumer: the node that the scheduler chose for it. */
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node';

const BETA_CLASS = 'volume.beta.kubernetes.io/storage-class';

type Classed = {
  readonly metadata: { readonly annotations?: { readonly [key: string]: string } };
  readonly spec: { readonly storageClassName?: string };
};

/** The class of a claim or a volume; empty for none. */
export function classOf({ metadata, spec }: Classed): string {
  return metadata.annotations?.[BETA_CLASS] ?? spec.storageClassName ?? '';
}

/** Whether a claim says anything about its class, and be it that it wants none. */
export function namesClass({ metadata, spec }: Classed): boolean {
  return metadata.annotations?.[BETA_CLASS] !== undefined || spec.storageClassName !== undefined;
}
