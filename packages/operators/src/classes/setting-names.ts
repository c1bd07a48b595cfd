/** Environment variables, each with one line for help. */
export const SETTINGS = {
  OPRC_CRM_PROFILE: 'which template is chosen where a class names none; default dev',
  OPRC_CRM_FEATURES_ODGM: 'false: no data grid for any class; default true',
  OPRC_CRM_TEMPLATES_ODGM_IMAGE: "the data grid's image; default by template",
  OPRC_CRM_TEMPLATES_ODGM_PULL_POLICY: "the data grid's imagePullPolicy; default none",
  OPRC_CRM_PROGRESS_TIMEOUT_SECS: 'without progress for this long a class is degraded; default 600',
  OPRC_CRM_UNREADY_GRACE_SECS: 'an available class may be unready for this long; default 15',
  OPRC_CRM_RECOVERY_STABLE_SECS: 'a degraded class is ready for this long before it is available; default 10',
  OPRC_CRM_CRASHLOOP_RESTARTS: 'restarts of a container from which on it counts as crashing; default 3',
  OPRC_CRM_IMAGEPULL_GRACE_SECS: 'pulling an image may fail for this long; default 60',
  OPRC_CRM_UNSCHEDULABLE_GRACE_SECS: 'a pod may be unschedulable for this long; default 120',
  OPRC_CRM_REPLICA_FAILURE_GRACE_SECS: 'creating pods may fail for this long; default 30',
  OPRC_CRM_CACHE_LAG_SECS: 'an object may be unseen for this long after it was applied; default 5',
} as const;
