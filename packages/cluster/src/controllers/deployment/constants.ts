/** Annotations that a Deployment and its ReplicaSets carry; names of Kubernetes. */
export const REVISION = 'deployment.kubernetes.io/revision';
export const REVISION_HISTORY = 'deployment.kubernetes.io/revision-history';
export const DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas';
export const MAX_REPLICAS = 'deployment.kubernetes.io/max-replicas';
export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
export const ROLLBACK_TO = 'deprecated.deployment.rollback.to';

/** Label that tells the pods of one revision from those of another. */
export const TEMPLATE_HASH = 'pod-template-hash';

/** A progress deadline or history limit of this much is none. */
export const UNLIMITED = 0x7fffffff;
