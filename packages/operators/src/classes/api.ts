import {
  type ApplyConfiguration,
  type CustomObject,
  customResource,
  type Infer,
  s,
  type Stored,
} from '@kubewright/kube';
import type { classFunction } from './schema/class-function.ts';
import type { lifecycle } from './schema/lifecycle.ts';
import type { applied, enforcement, nfrDetail, replicaPoint, resourceDetail } from './schema/nfr-detail.ts';
import type { odgmConfig } from './schema/odgm-config.ts';
import { specSchema } from './schema/spec-schema.ts';
import {
  type functionStatus,
  type PHASES,
  statusSchema,
  type templateStatus,
} from './schema/status-schema.ts';
import type { timeouts } from './schema/timeouts.ts';

// Fields and their names are those of the original API; additions are marked.

/** The field manager of everything that is applied. */
export const FIELD_MANAGER = 'oprc-crm';
/** The field manager of replicas that follow a recommendation. */
export const ENFORCER = 'oprc-crm-enforcer';
/** What is recommended of a function, and can be enforced. */
export const DIMENSIONS = ['replicas', 'memory', 'cpu'] as const;
export type Dimension = (typeof DIMENSIONS)[number];
export type Resource = Exclude<Dimension, 'replicas'>;
/** The field manager of a resource that follows a recommendation: each has its own, so that one can be given up alone. */
export const RESOURCE_ENFORCERS: Readonly<Record<Resource, string>> = {
  memory: `${ENFORCER}-memory`,
  cpu: `${ENFORCER}-cpu`,
};
/** The component that emits Events. */
export const COMPONENT = 'oprc-crm';
export const GROUP = 'oaas.io';
export const FINALIZER = 'oaas.io/finalizer';

export const LABELS = {
  /** On every child and its pods: the name of the ClassRuntime. */
  owner: 'oaas.io/owner',
  /** On the data grid: `<package>.<class>`. */
  class: 'oaas.io/class',
  /** On a class that a package manager deployed: the id of the deployment. */
  deployment: 'oaas.io/deployment-id',
} as const;

/** The Services of Zenoh routers. */
export const ROUTER_LABELS = 'app=router,platform=oaas';

/** Labels of nodes. That of the hardware is ours. */
export const NODE_LABELS = {
  region: 'topology.kubernetes.io/region',
  zone: 'topology.kubernetes.io/zone',
  hardware: 'oaas.io/hw-class',
} as const;

export const ANNOTATIONS = {
  /** `"true"`: reconciliation is paused. */
  paused: 'oaas.io/paused',
  /** On a class that is being deleted, `"true"`: its finalizer does not wait until what was deleted is gone. */
  forceDelete: 'oaas.io/force-delete',
  /** On a class: the correlation id of the call that deployed it. */
  correlation: 'oaas.io/correlation-id',
  /** On a child: the object is left alone, even as an orphan. */
  ignore: 'oaas.io/ignore',
  /** On a child: hash of the applied object. */
  appliedHash: 'oaas.io/applied-hash',
  /** On a pod: hash of its pod template. */
  templateHash: 'oaas.io/template-hash',
  /** On a Deployment: the dimensions of it that follow the recommendation. */
  enforced: 'oaas.io/enforced',
  /** On an autoscaler whose minReplicas we have raised: the minimum that it had. */
  ownMinimum: 'oaas.io/own-min-replicas',
  /** On a pod: its function speaks HTTP/2. */
  http2: 'oaas.io/http2',
} as const;

const classRuntime = s.object(
  { spec: specSchema, status: s.optional(statusSchema) },
  { description: 'One class of objects: its functions, and the data grid that keeps its objects.' },
);

/** One class: functions, and the data grid that keeps its objects. */
export const CLASS_RUNTIMES = customResource({
  group: GROUP,
  version: 'v1alpha1',
  kind: 'ClassRuntime',
  plural: 'classruntimes',
  shortNames: ['crt'],
  categories: ['kubewright'],
  scope: 'Namespaced',
  schema: classRuntime,
  columns: [
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'Available', type: 'string', jsonPath: '.status.conditions[?(@.type=="Available")].status' },
    { name: 'Reason', type: 'string', jsonPath: '.status.lifecycle.reason' },
    { name: 'Serving', type: 'string', jsonPath: '.status.conditions[?(@.type=="Serving")].status' },
    { name: 'Recommended', type: 'integer', jsonPath: '.status.nfr_recommendations.replicas' },
    { name: 'Template', type: 'string', jsonPath: '.status.functions[0].template' },
    { name: 'Message', type: 'string', jsonPath: '.status.message', priority: 1 },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});

export type ClassRuntime = Stored<CustomObject<Infer<typeof classRuntime>>>;
/** What is applied to make or change a class. */
export type ClassRuntimeConfiguration = ApplyConfiguration<CustomObject<Infer<typeof classRuntime>>>;
export type ClassRuntimeStatus = Infer<typeof statusSchema>;
export type ClassFunction = Infer<typeof classFunction>;
export type OdgmConfig = Infer<typeof odgmConfig>;
export type FunctionStatus = Infer<typeof functionStatus>;
export type Lifecycle = Infer<typeof lifecycle>;
export type NfrDetail = Infer<typeof nfrDetail>;
export type ResourceDetail = Infer<typeof resourceDetail>;
export type ResourceEnforcement = NonNullable<ResourceDetail['enforcement']>;
export type ReplicaPoint = Infer<typeof replicaPoint>;
export type Enforcement = Infer<typeof enforcement>;
export type AppliedRecommendation = Infer<typeof applied>;
export type TemplateStatus = Infer<typeof templateStatus>;
export type Timeouts = Infer<typeof timeouts>;
export type Refused = NonNullable<Lifecycle['refused']>;
export type Phase = (typeof PHASES)[number];

/** The reason of a phase, also used by Events and conditions. */
export type Reason =
  | 'Pending'
  | 'Applying'
  | 'Progressing'
  | 'RollingOut'
  | 'ReadinessLost'
  | 'Recovering'
  | 'Ready'
  | 'Deleting'
  | 'DeletionStuck'
  | 'ObservationFailed'
  | DegradedReason;

/** By priority: the first that holds is the condition's reason. */
export const DEGRADED_REASONS = [
  'ApplyInvalid',
  'NotOwned',
  'Conflict',
  'ApplyForbidden',
  'ApplyFailed',
  'ImagePull',
  'ContainerConfig',
  'CrashLoop',
  'ChildMissing',
  'ReplicaFailure',
  'Unschedulable',
  'RevisionFailed',
  'OdgmUnhealthy',
  'Timeout',
  'Orphaned',
  'EnforceConflict',
  'EnforceInvalid',
  'EnforceFallbackFailed',
  'EnforceFailed',
] as const;

export type DegradedReason = (typeof DEGRADED_REASONS)[number];
