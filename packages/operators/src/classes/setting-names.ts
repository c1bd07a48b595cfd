/** Environment variables, each with one line for help. A class can override those in seconds in `spec.timeouts`. */
export const SETTING_NAMES = {
  OPRC_CRM_PROFILE: 'profile for choosing a template when a class names none; default dev',
  HTTP_PORT: 'port of the gRPC API for package managers, /health and /metrics; default none: not served',
  OPRC_CRM_HTTP_HOST: 'address that it listens on; default 127.0.0.1, all others need TLS',
  OPRC_CRM_TLS_CERT_FILE: 'certificate of the gRPC API, PEM; default none: without TLS',
  OPRC_CRM_TLS_KEY_FILE: 'its private key, PEM',
  OPRC_CRM_TLS_CLIENT_CA_FILE: 'CA of the clients that may call the gRPC API, PEM',
  OPRC_CRM_K8S_NAMESPACE: 'namespace of the classes that the gRPC API deploys; default default',
  OPRC_MOCK_CLUSTER_AVAILABILITY: 'availability that GetEnvHealth reports, 0 to 1; default computed',
  OPRC_ENV_REGION: 'region of the whole environment, for spec.placement; default none: that of its nodes',
  OPRC_ENV_ZONE: 'zone of the whole environment; default none: that of its nodes',
  OPRC_ENV_HW_CLASS:
    'hardware of the whole environment; default none: that of its nodes, in oaas.io/hw-class',
  OPRC_ENV_IS_EDGE: 'true: the cluster is at the edge, which counts for choosing a template; default false',
  OPRC_ENV_IS_DATACENTER: 'true: the cluster is in a datacenter, which counts, too; default false',
  OPRC_CRM_OTEL_ENABLED: 'true: classes that do not say otherwise send telemetry; default false',
  OPRC_CRM_OTEL_ENDPOINT: 'where telemetry is sent to by OTLP; default http://otel-collector:4317',
  OPRC_CRM_FEATURES_ODGM: 'false disables the data grid for all classes; default true',
  OPRC_CRM_FEATURES_KNATIVE:
    'false disables the template knative; default true, where the cluster serves Knative',
  OPRC_CRM_FEATURES_NFR_ENFORCEMENT:
    'false: recommendations are enforced in no class, and what was enforced stays; default true, as each class says',
  OPRC_CRM_TEMPLATES_ODGM_IMAGE: "the data grid's image; default by template",
  OPRC_CRM_TEMPLATES_ODGM_PULL_POLICY: "the data grid's imagePullPolicy; default none",
  OPRC_CRM_PROGRESS_TIMEOUT_SECS: 'a class without progress for this long is degraded; default 600',
  OPRC_CRM_UNREADY_GRACE_SECS: 'an available class may be unready for this long; default 15',
  OPRC_CRM_RECOVERY_STABLE_SECS:
    'how long a recovering class must be ready before it is available; default 10',
  OPRC_CRM_CRASHLOOP_RESTARTS: 'restarts after which a container counts as crash-looping; default 3',
  OPRC_CRM_IMAGEPULL_GRACE_SECS: 'pulling an image may fail for this long; default 60',
  OPRC_CRM_UNSCHEDULABLE_GRACE_SECS: 'a pod may be unschedulable for this long; default 120',
  OPRC_CRM_REPLICA_FAILURE_GRACE_SECS: 'creating pods may fail for this long; default 30',
  OPRC_CRM_ORPHAN_GRACE_SECS: 'deleting orphans may fail for this long; default 120',
  OPRC_CRM_CACHE_LAG_SECS: 'an applied object may be missing from the cache for this long; default 5',
  OPRC_CRM_ODGM_HEALTH:
    'workload, ping or shards: by what the health of data grids is judged; default workload, their pods',
  OPRC_CRM_ODGM_GRACE_SECS: 'a data grid may be silent, or lack shards, for this long; default 60',
  OPRC_CRM_RESYNC_SECS: 'resync period of each class; default 600, 0 disables it',
  OPRC_CRM_PROM_URL: 'URL of the Prometheus that has the load of functions; default none: no recommendations',
  OPRC_CRM_PROM_TOKEN_FILE:
    'file with a bearer token for it, read at each query; default none: what the URL has',
  OPRC_CRM_PROM_TENANT_FILE:
    'file with the tenant to read (X-Scope-OrgID of Mimir and Cortex), read at each query; default none',
  OPRC_CRM_PROM_CA_FILE: 'its CA, PEM, read at each query; default: those of the system',
  OPRC_CRM_PROM_QUERY_TIMEOUT_SECS: 'how long a query may take; default 5',
  OPRC_CRM_METRICS_DIALECT: "otel, or legacy: names of Knative's metrics before version 1.19; default otel",
  OPRC_CRM_PROM_RANGE: 'range of rate queries, in s, m or h; default 10m',
  OPRC_CRM_ANALYZER_INTERVAL_SECS: 'how often the load of a class is read; default 60',
  OPRC_CRM_NFR_MAX_AGE_SECS: 'a load older than this is not enforced; default 3 intervals',
  OPRC_CRM_REQ_CPU_PER_POD_M: 'target CPU of one replica, in millicores; default 500',
  OPRC_CRM_LIMITS_MAX_REPLICAS: 'maximum of enforced replicas of a function; default 20',
  OPRC_CRM_ENFORCEMENT_STABILITY_SECS:
    'how long a recommendation must be stable before it is enforced; default 180',
  OPRC_CRM_ENFORCEMENT_DOWN_STABILITY_SECS: 'the same, to scale down; default as to scale up',
  OPRC_CRM_ENFORCEMENT_COOLDOWN_SECS: 'minimum time between two changes of a function; default 120',
  OPRC_CRM_ENFORCEMENT_MAX_REPLICA_DELTA:
    'maximum change of replicas at once, in percent; default 30, 0: no limit',
  OPRC_CRM_ENFORCEMENT_STABILIZATION:
    'exact, or window: the smallest change within the stability window; default exact',
} as const;
