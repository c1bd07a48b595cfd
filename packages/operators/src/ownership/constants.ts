/** Everything in annotations and labels under this prefix is addressed to the operator and never applied. */
export const ANNOTATION_PREFIX = 'eno.azure.io/';

/** The field manager of all that is applied. */
export const FIELD_MANAGER = 'eno';

/**
 * The field manager of the dry run that asks the server which fields a manifest would own. It never owns anything:
 * nothing is ever written under this name.
 */
export const PROBE_MANAGER = 'kubewright-probe';

/** Annotations of a manifest or, behind it, of its Composition. The first four are the original's. */
export const ANNOTATIONS = {
  disableReconciliation: 'eno.azure.io/disable-reconciliation',
  disableUpdates: 'eno.azure.io/disable-updates',
  replace: 'eno.azure.io/replace',
  deletionStrategy: 'eno.azure.io/deletion-strategy',
  /** Path patterns, comma-separated: what may be moved. */
  scope: 'eno.azure.io/migrate-ownership',
  mode: 'eno.azure.io/migrate-ownership-mode',
  /** Names of managers, comma-separated: from whom. */
  sources: 'eno.azure.io/migrate-ownership-sources',
  cascade: 'eno.azure.io/migrate-ownership-cascade',
  allowPrune: 'eno.azure.io/migrate-ownership-allow-prune',
  allowProtected: 'eno.azure.io/migrate-ownership-allow-protected',
} as const;
