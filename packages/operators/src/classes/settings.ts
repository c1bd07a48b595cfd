import type { Environment } from '../kit/operator.ts';
import type { SETTINGS } from './setting-names.ts';

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
