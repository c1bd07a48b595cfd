import {
  type CustomObject,
  customResource,
  type CustomResourceOptions,
  type Infer,
  s,
  type Stored,
} from '@kubewright/kube';
import { GROUP } from '../api.ts';

const cel = (description: string) =>
  s.object({ cel: s.string({ minLength: 1, maxLength: 4096, description }) });
const pattern = () => s.string({ minLength: 1, maxLength: 253, default: '*' });

/** When drift is approved: from each moment of a schedule on, for a while. */
const approvalWindow = s.object({
  schedule: s.string({
    minLength: 1,
    maxLength: 128,
    description: 'Five fields, as of a CronJob: when the window opens.',
  }),
  duration: s.string({ minLength: 1, maxLength: 32, description: 'How long it stays open: 8h, 90m.' }),
  timeZone: s.optional(s.string({ maxLength: 64, description: 'Default: UTC.' })),
});

const RULE = {
  apiVersion: pattern(),
  kind: pattern(),
  name: pattern(),
  operations: s.optional(s.list(s.oneOf(['CREATE', 'UPDATE', 'DELETE']), { maxItems: 3 })),
  prereqs: s.optional(cel('On the stored object: old, parent, trace, user, operation.')),
  match: s.optional(cel('On the change: old, new, parent, trace, user, operation.')),
  mode: s.oneOf(['always', 'generation', 'once'], {
    default: 'always',
    description: 'once: each child once for each generation of its parent; no deletions.',
  }),
  generation: s.optional(
    s.integer({ format: 'int64', minimum: 1, description: 'Only parents of this generation.' }),
  ),
  expiry: s.optional(s.time()),
  windows: s.optional(s.list(approvalWindow, { maxItems: 10 })),
};
const VALIDATIONS = [
  {
    rule: `self.mode != 'generation' || has(self.generation)`,
    message: 'mode generation needs a generation',
  },
  {
    rule: `self.mode != 'once' || !has(self.operations) || !('DELETE' in self.operations)`,
    message: 'mode once covers no DELETE',
  },
];

const users = s.optional(s.list(s.string({ maxLength: 253 }), { maxItems: 20 }));
const status = s.object({ conditions: s.optional(s.conditions()) });

const spec = s.object({
  users,
  rules: s.list(s.object(RULE, { validations: VALIDATIONS }), { minItems: 1, maxItems: 50 }),
});
const clusterSpec = s.object({
  users,
  rules: s.list(s.object({ ...RULE, namespace: pattern() }, { validations: VALIDATIONS }), {
    minItems: 1,
    maxItems: 50,
  }),
});
const policy = s.object({ spec, status: s.optional(status) });
const clusterPolicy = s.object({ spec: clusterSpec, status: s.optional(status) });

const COLUMNS: NonNullable<CustomResourceOptions<object>['columns']> = [
  { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
];

/** Approves drift in its namespace by rules, so that nobody has to approve each change. */
export const APPROVAL_POLICIES = customResource({
  group: GROUP,
  version: 'v1alpha1',
  kind: 'ApprovalPolicy',
  plural: 'approvalpolicies',
  scope: 'Namespaced',
  schema: policy,
  columns: COLUMNS,
});

/** The same for all namespaces, and for objects without one. */
export const CLUSTER_APPROVAL_POLICIES = customResource({
  group: GROUP,
  version: 'v1alpha1',
  kind: 'ClusterApprovalPolicy',
  plural: 'clusterapprovalpolicies',
  scope: 'Cluster',
  schema: clusterPolicy,
  columns: COLUMNS,
});

export type ApprovalPolicy = Stored<CustomObject<Infer<typeof policy>>>;
export type ClusterApprovalPolicy = Stored<CustomObject<Infer<typeof clusterPolicy>, 'Cluster'>>;
export type AnyApprovalPolicy = ApprovalPolicy | ClusterApprovalPolicy;
export type ApprovalPolicyStatus = Infer<typeof status>;
export type PolicyRule = Infer<typeof clusterSpec>['rules'][number];
export type ApprovalWindow = Infer<typeof approvalWindow>;
