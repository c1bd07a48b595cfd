import { s } from '@kubewright/kube';

/** A field of `spec.timeouts`, and the setting of the process that it overrides. */
const own = (what: string, setting: string) =>
  s.optional(
    s.integer({
      minimum: 0,
      maximum: 2_147_483_647,
      description: `${what} Default: the setting OPRC_CRM_${setting}.`,
    }),
  );

export const timeouts = s.object(
  {
    progress_timeout_secs: own(
      'Seconds without progress after which the class is degraded (Timeout).',
      'PROGRESS_TIMEOUT_SECS',
    ),
    unready_grace_secs: own(
      'Seconds for which an available class may be unready before its phase is progressing.',
      'UNREADY_GRACE_SECS',
    ),
    recovery_stable_secs: own(
      'Seconds for which a degraded class has to be ready before it is available again.',
      'RECOVERY_STABLE_SECS',
    ),
    crashloop_restarts: own(
      'Restarts (not seconds) after which a container counts as crash-looping.',
      'CRASHLOOP_RESTARTS',
    ),
    imagepull_grace_secs: own(
      'Seconds for which pulling an image may fail before the class is degraded (ImagePull).',
      'IMAGEPULL_GRACE_SECS',
    ),
    unschedulable_grace_secs: own(
      'Seconds for which a pod may be unschedulable before the class is degraded (Unschedulable).',
      'UNSCHEDULABLE_GRACE_SECS',
    ),
    replica_failure_grace_secs: own(
      'Seconds for which creating pods may fail before the class is degraded (ReplicaFailure).',
      'REPLICA_FAILURE_GRACE_SECS',
    ),
    orphan_grace_secs: own(
      'Seconds for which deleting objects that are no longer wanted may fail before the class is degraded (Orphaned).',
      'ORPHAN_GRACE_SECS',
    ),
    cache_lag_secs: own(
      'Seconds for which an applied object may be missing from the cache before it counts as deleted (ChildMissing).',
      'CACHE_LAG_SECS',
    ),
    odgm_grace_secs: own(
      'Seconds for which the data grid may be silent, or lack shards, before the class is degraded (OdgmUnhealthy).',
      'ODGM_GRACE_SECS',
    ),
    analyzer_interval_secs: own('Seconds between two looks at the load.', 'ANALYZER_INTERVAL_SECS'),
    nfr_max_age_secs: own('Seconds after which a load is too old to be enforced.', 'NFR_MAX_AGE_SECS'),
    enforcement_stability_secs: own(
      'Seconds for which a recommendation has to be stable before it is enforced.',
      'ENFORCEMENT_STABILITY_SECS',
    ),
    enforcement_down_stability_secs: own(
      'Seconds for which a lower recommendation has to be stable before it is enforced.',
      'ENFORCEMENT_DOWN_STABILITY_SECS',
    ),
    enforcement_cooldown_secs: own(
      'Seconds between two enforced changes of a function.',
      'ENFORCEMENT_COOLDOWN_SECS',
    ),
  },
  { description: 'Addition: overrides of the OPRC_CRM_* settings of the process for this class.' },
);
