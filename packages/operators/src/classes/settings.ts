import type { Environment } from '../kit/operator.ts';

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'] as const;
type PullPolicy = (typeof PULL_POLICIES)[number];

/** What the process is told; times in seconds. */
export type ClassSettings = {
  readonly profile: string;
  readonly odgm: boolean;
  readonly odgmImage?: string | undefined;
  readonly odgmPullPolicy?: PullPolicy | undefined;
  readonly progressTimeout: number;
  readonly unreadyGrace: number;
  readonly recoveryStable: number;
  readonly crashLoopRestarts: number;
  readonly imagePullGrace: number;
  readonly unschedulableGrace: number;
  readonly replicaFailureGrace: number;
  readonly cacheLag: number;
};

/** Environment variables, each with one line for help. */
const SETTINGS = {
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

export function classSettings(env: Environment): ClassSettings {
  const seconds = (name: keyof typeof SETTINGS, fallback: number): number => {
    const given = Number(env[name] ?? fallback);
    return Number.isFinite(given) && given >= 0 ? given : fallback;
  };
  return {
    profile: env['OPRC_CRM_PROFILE'] ?? 'dev',
    odgm: env['OPRC_CRM_FEATURES_ODGM'] !== 'false',
    odgmImage: env['OPRC_CRM_TEMPLATES_ODGM_IMAGE'],
    odgmPullPolicy: PULL_POLICIES.find((policy) => policy === env['OPRC_CRM_TEMPLATES_ODGM_PULL_POLICY']),
    progressTimeout: seconds('OPRC_CRM_PROGRESS_TIMEOUT_SECS', 600),
    unreadyGrace: seconds('OPRC_CRM_UNREADY_GRACE_SECS', 15),
    recoveryStable: seconds('OPRC_CRM_RECOVERY_STABLE_SECS', 10),
    crashLoopRestarts: seconds('OPRC_CRM_CRASHLOOP_RESTARTS', 3),
    imagePullGrace: seconds('OPRC_CRM_IMAGEPULL_GRACE_SECS', 60),
    unschedulableGrace: seconds('OPRC_CRM_UNSCHEDULABLE_GRACE_SECS', 120),
    replicaFailureGrace: seconds('OPRC_CRM_REPLICA_FAILURE_GRACE_SECS', 30),
    cacheLag: seconds('OPRC_CRM_CACHE_LAG_SECS', 5),
  };
}
