type Changes = Readonly<Record<string, string | undefined>>;

/** An application of `manifests/`, in a namespace of its name. */
export type Application = {
  readonly name: string;
  /** What users see of it when it works. */
  readonly works: readonly string[];
  /** What they see in a copy in another namespace in place of that; undefined: nothing. */
  readonly inCopy?: Changes;
  /** The same in the same namespace of a fresh cluster. */
  readonly inFresh?: Changes;
};

const DONE: Changes = { 'Job/migrate: 1 succeeded, suspended: false': undefined };

export const APPLICATIONS_PLAYED: readonly Application[] = [
  {
    name: 'web-shop',
    works: [
      'Namespace: team=shop',
      'Deployment/web: 2 of 2 ready',
      'Service/web: 2 endpoints',
      'HorizontalPodAutoscaler/web: scales Deployment/web: True',
      'ServiceAccount/web: may nothing',
    ],
  },
  {
    name: 'postgres',
    works: [
      'StatefulSet/postgres: 2 of 2 ready',
      'Service/postgres: 2 endpoints',
      'Service/postgres-primary: 1 endpoints',
      'PersistentVolumeClaim/data-postgres-0: Bound',
      'PersistentVolumeClaim/data-postgres-1: Bound',
    ],
  },
  {
    name: 'cert-manager',
    works: [
      'Deployment/web: 1 of 1 ready',
      'Secret/authority: of authority …',
      'Secret/web-tls: of authority …',
    ],
  },
  {
    name: 'keda',
    works: [
      'Deployment/worker: 1 of 1 ready',
      'HorizontalPodAutoscaler/keda-hpa-worker: scales Deployment/worker: True',
    ],
  },
  {
    name: 'flux',
    works: [
      'Kustomization/shop: to this namespace, suspended: false, applied: true',
      'Kustomization/monitoring: to default, suspended: false, applied: true',
    ],
    inCopy: {
      'Kustomization/shop: to this namespace, suspended: false, applied: true':
        'Kustomization/shop: to this namespace, suspended: true, applied: false',
      'Kustomization/monitoring: to default, suspended: false, applied: true':
        'Kustomization/monitoring: to default, suspended: true, applied: false',
    },
  },
  {
    name: 'argo-cd',
    works: ['Application/shop: to this namespace, automated: true'],
    inCopy: {
      'Application/shop: to this namespace, automated: true':
        'Application/shop: to this namespace, automated: false',
    },
  },
  {
    name: 'kafka',
    works: [
      'StatefulSet/kafka: 3 of 3 ready',
      'Service/kafka: 3 endpoints',
      'PodDisruptionBudget/kafka: 1 pods may be evicted',
      'PersistentVolumeClaim/logs-kafka-0: Bound',
      'PersistentVolumeClaim/logs-kafka-1: Bound',
      'PersistentVolumeClaim/logs-kafka-2: Bound',
    ],
  },
  {
    name: 'jobs',
    works: [
      'Job/migrate: 1 succeeded, suspended: false',
      'Job/import: 0 succeeded, suspended: true',
      'CronJob/report: at 30 2 29 2 *, suspended: false',
    ],
    inCopy: DONE,
    inFresh: DONE,
  },
  {
    name: 'rbac',
    works: [
      'Deployment/controller: 1 of 1 ready',
      'ServiceAccount/controller: may update configmaps, may get secrets',
      'ServiceAccount/viewer: may get secrets',
      'ServiceAccount/default: may get secrets, pulls with registry',
    ],
  },
  { name: 'network-policies', works: ['Deployment/web: 1 of 1 ready', 'Service/web: 1 endpoints'] },
  {
    name: 'budgets',
    works: [
      'Namespace: example.com/owner=payments',
      'Namespace: pod-security.kubernetes.io/enforce=baseline',
      'Deployment/payments: 2 of 2 ready',
      'PodDisruptionBudget/payments: 1 pods may be evicted',
      'ResourceQuota/all: counts, 5 pods at most',
    ],
  },
  {
    name: 'widgets',
    works: ['Deployment/painter: 1 of 1 ready', 'Widget/blue: held by widgets.example.com/clean-up'],
  },
];
