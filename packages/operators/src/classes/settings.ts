import type { Environment } from '../kit/operator.ts';
import type { ClassRuntime, Timeouts } from './api.ts';
import type { SETTING_NAMES } from './setting-names.ts';

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'] as const;
type PullPolicy = (typeof PULL_POLICIES)[number];
const ODGM_HEALTH = ['workload', 'ping', 'shards'] as const;

/** A setting that a class can override: the field of `spec.timeouts`, and the default. */
const OWN = {
  progressTimeout: ['progress_timeout_secs', 600],
  unreadyGrace: ['unready_grace_secs', 15],
  recoveryStable: ['recovery_stable_secs', 10],
  crashLoopRestarts: ['crashloop_restarts', 3],
  imagePullGrace: ['imagepull_grace_secs', 60],
  unschedulableGrace: ['unschedulable_grace_secs', 120],
  replicaFailureGrace: ['replica_failure_grace_secs', 30],
  orphanGrace: ['orphan_grace_secs', 120],
  cacheLag: ['cache_lag_secs', 5],
  odgmGrace: ['odgm_grace_secs', 60],
  analyzerInterval: ['analyzer_interval_secs', 60],
  stability: ['enforcement_stability_secs', 180],
  cooldown: ['enforcement_cooldown_secs', 120],
} as const satisfies Readonly<Record<string, readonly [keyof Timeouts, number]>>;

/** The settings of the process; times in seconds. */
export type Settings = Readonly<Record<keyof typeof OWN, number>> & {
  readonly profile: string;
  /** What the whole environment has; absent: its nodes differ, and are labelled. */
  readonly region?: string | undefined;
  readonly zone?: string | undefined;
  readonly hwClass?: string | undefined;
  readonly isEdge: boolean;
  readonly isDatacenter: boolean;
  readonly otelEnabled: boolean;
  /** Empty: there is none. */
  readonly otelEndpoint: string;
  readonly odgm: boolean;
  /** How the health of data grids is judged: by their pods, by a call that they respond to, or by their shards, too. */
  readonly odgmHealth: (typeof ODGM_HEALTH)[number];
  /** Recommendations may be enforced, where a class says so. */
  readonly nfrEnforcement: boolean;
  /** Functions may be Services of Knative, where the cluster serves them. */
  readonly knative: boolean;
  readonly odgmImage?: string | undefined;
  readonly odgmPullPolicy?: PullPolicy | undefined;
  readonly resync: number;
  readonly promUrl?: string | undefined;
  readonly promTokenFile?: string | undefined;
  readonly promTenantFile?: string | undefined;
  readonly promCaFile?: string | undefined;
  /** Names of Knative's metrics: of OpenTelemetry, or those before version 1.19. */
  readonly dialect: 'otel' | 'legacy';
  readonly promTimeout: number;
  readonly promRange: string;
  /** Default: three analyzer intervals. */
  readonly maxAge?: number | undefined;
  /** Default: as `stability`. */
  readonly downStability?: number | undefined;
  /** Millicores. */
  readonly cpuPerPod: number;
  readonly maxReplicas: number;
  /** Percent; 0 means no limit. */
  readonly maxDelta: number;
  readonly stabilization: 'exact' | 'window';
};

export function readSettings(env: Environment): Settings {
  const given = (name: keyof typeof SETTING_NAMES): number | undefined => {
    const text = env[name] ?? '';
    const value = text.trim() === '' ? Number.NaN : Number(text);
    return Number.isFinite(value) && value >= 0 ? value : undefined;
  };
  const own = Object.entries(OWN).map(([name, [field, fallback]]) => {
    const variable = `OPRC_CRM_${field.toUpperCase()}` as keyof typeof SETTING_NAMES;
    return [name, given(variable) ?? fallback];
  });
  return {
    ...(Object.fromEntries(own) as Record<keyof typeof OWN, number>),
    profile: env['OPRC_CRM_PROFILE'] ?? 'dev',
    ...environmentSettings(env),
    otelEnabled: env['OPRC_CRM_OTEL_ENABLED'] === 'true',
    otelEndpoint: env['OPRC_CRM_OTEL_ENDPOINT'] ?? 'http://otel-collector:4317',
    odgm: env['OPRC_CRM_FEATURES_ODGM'] !== 'false',
    odgmHealth: ODGM_HEALTH.find((layer) => layer === env['OPRC_CRM_ODGM_HEALTH']) ?? 'workload',
    nfrEnforcement: env['OPRC_CRM_FEATURES_NFR_ENFORCEMENT'] !== 'false',
    knative: env['OPRC_CRM_FEATURES_KNATIVE'] !== 'false',
    odgmImage: env['OPRC_CRM_TEMPLATES_ODGM_IMAGE'],
    odgmPullPolicy: PULL_POLICIES.find((policy) => policy === env['OPRC_CRM_TEMPLATES_ODGM_PULL_POLICY']),
    resync: given('OPRC_CRM_RESYNC_SECS') ?? 600,
    ...metricsSettings(env),
    promTimeout: given('OPRC_CRM_PROM_QUERY_TIMEOUT_SECS') ?? 5,
    maxAge: given('OPRC_CRM_NFR_MAX_AGE_SECS'),
    downStability: given('OPRC_CRM_ENFORCEMENT_DOWN_STABILITY_SECS'),
    cpuPerPod: Math.max(1, given('OPRC_CRM_REQ_CPU_PER_POD_M') ?? 500),
    maxReplicas: Math.max(1, Math.floor(given('OPRC_CRM_LIMITS_MAX_REPLICAS') ?? 20)),
    maxDelta: given('OPRC_CRM_ENFORCEMENT_MAX_REPLICA_DELTA') ?? 30,
    stabilization: env['OPRC_CRM_ENFORCEMENT_STABILIZATION'] === 'window' ? 'window' : 'exact',
  };
}

/** An empty variable is none. */
function textIn(env: Environment, name: keyof typeof SETTING_NAMES): string | undefined {
  return env[name] === '' ? undefined : env[name];
}

/** What the environment is like. */
function environmentSettings(
  env: Environment,
): Pick<Settings, 'region' | 'zone' | 'hwClass' | 'isEdge' | 'isDatacenter'> {
  return {
    region: textIn(env, 'OPRC_ENV_REGION'),
    zone: textIn(env, 'OPRC_ENV_ZONE'),
    hwClass: textIn(env, 'OPRC_ENV_HW_CLASS'),
    isEdge: env['OPRC_ENV_IS_EDGE'] === 'true',
    isDatacenter: env['OPRC_ENV_IS_DATACENTER'] === 'true',
  };
}

type MetricsSettings = Pick<
  Settings,
  'promUrl' | 'promTokenFile' | 'promTenantFile' | 'promCaFile' | 'promRange' | 'dialect'
>;

function metricsSettings(env: Environment): MetricsSettings {
  return {
    promUrl: env['OPRC_CRM_PROM_URL'],
    promTokenFile: textIn(env, 'OPRC_CRM_PROM_TOKEN_FILE'),
    promTenantFile: textIn(env, 'OPRC_CRM_PROM_TENANT_FILE'),
    promCaFile: textIn(env, 'OPRC_CRM_PROM_CA_FILE'),
    promRange: rangeOf(env['OPRC_CRM_PROM_RANGE']) ?? '10m',
    dialect: env['OPRC_CRM_METRICS_DIALECT'] === 'legacy' ? 'legacy' : 'otel',
  };
}

/** The settings of the process, with the overrides of a class. */
export function settingsFor(settings: Settings, { spec: { timeouts = {} } }: ClassRuntime): Settings {
  const own = Object.entries(OWN).flatMap(([name, [field]]) => {
    const value = timeouts[field];
    return value === undefined ? [] : [[name, value]];
  });
  return {
    ...settings,
    ...(Object.fromEntries(own) as Partial<Record<keyof typeof OWN, number>>),
    maxAge: timeouts.nfr_max_age_secs ?? settings.maxAge,
    downStability: timeouts.enforcement_down_stability_secs ?? settings.downStability,
  };
}

/** Rejects text that could inject into a query. */
function rangeOf(text: string | undefined): string | undefined {
  return text !== undefined && /^[1-9]\d{0,8}[smh]$/.test(text) ? text : undefined;
}
