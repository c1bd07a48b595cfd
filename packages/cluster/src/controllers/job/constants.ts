/** The service account of `kube-system` that the controller of Jobs acts as. */
export const JOB_CONTROLLER = 'job-controller';

/** Keeps a pod that is over until it has been counted. */
export const TRACKING_FINALIZER = 'batch.kubernetes.io/job-tracking';
/** Annotation and label of the pods of an indexed Job. */
export const COMPLETION_INDEX = 'batch.kubernetes.io/job-completion-index';
/** How often pods of this index have failed so far, in annotations of the next. */
export const INDEX_FAILURES = 'batch.kubernetes.io/job-index-failure-count';
export const INDEX_IGNORED_FAILURES = 'batch.kubernetes.io/job-index-ignored-failure-count';
/** The value of `spec.managedBy` that means this controller. */
export const MANAGED_BY_US = 'kubernetes.io/job-controller';
