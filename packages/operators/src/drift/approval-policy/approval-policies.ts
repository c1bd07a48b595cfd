import {
  type CustomObject,
  customResource,
  type CustomResourceOptions,
  type Infer,
  s,
  type Stored,
} from '@kubewright/kube';
import { GROUP } from '../api.ts';

const cel = (what: string, variables: string) =>
  s.object(
    {
      cel: s.string({
        minLength: 1,
        maxLength: 4096,
        description: `An expression that is true where the rule holds. It reads ${variables}.`,
      }),
    },
    { description: what },
  );
const pattern = (description: string) =>
  s.string({ minLength: 1, maxLength: 253, default: '*', description });

/** When drift is approved: from each moment of a schedule on, for a while. */
const approvalWindow = s.object(
  {
    schedule: s.string({
      minLength: 1,
      maxLength: 128,
      description: 'Five fields, as of a CronJob: when the window opens.',
    }),
    duration: s.string({ minLength: 1, maxLength: 32, description: 'How long it stays open: 8h, 90m.' }),
    timeZone: s.optional(
      s.string({
        maxLength: 64,
        description: 'The time zone of the schedule, as Europe/Berlin. Default: UTC.',
      }),
    ),
  },
  { description: 'One window.' },
);

const RULE = {
  apiVersion: pattern('The apiVersion of the objects that may drift, as apps/v1; * is any.'),
  kind: pattern('Their kind; * is any.'),
  name: pattern('Their name; a last * stands for any characters.'),
  operations: s.optional(
    s.list(s.oneOf(['CREATE', 'UPDATE', 'DELETE'], { description: 'One operation.' }), {
      maxItems: 3,
      description: 'What may be done to them. Default: everything that the mode allows.',
    }),
  ),
  prereqs: s.optional(
    cel('What has to hold of the stored object.', 'old, parent, trace, user and operation'),
  ),
  match: s.optional(cel('What has to hold of the change.', 'old, new, parent, trace, user and operation')),
  mode: s.oneOf(['always', 'generation', 'once'], {
    default: 'always',
    description:
      'always: each time. generation: while the parent has the generation of the rule. once: each child once for each generation of its parent; no deletions.',
  }),
  generation: s.optional(
    s.integer({
      format: 'int64',
      minimum: 1,
      description: 'Only parents of this generation. Required for the mode generation.',
    }),
  ),
  expiry: s.optional(s.time({ description: 'From then on the rule approves nothing. Default: never.' })),
  windows: s.optional(
    s.list(approvalWindow, {
      maxItems: 10,
      description: 'The rule approves only while one of these is open. Default: always.',
    }),
  ),
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

const users = s.optional(
  s.list(s.string({ maxLength: 253, description: 'The name of a user.' }), {
    maxItems: 20,
    description:
      'The controllers whose drift is approved, as system:serviceaccount:NAMESPACE:NAME. Default: all.',
  }),
);
const status = s.object(
  {
    conditions: s.optional(
      s.conditions({
        description: 'Ready: whether all rules can be read. One that cannot approves nothing.',
      }),
    ),
  },
  { description: 'What was found of the policy. The operator is its only writer.' },
);

const RULES = {
  minItems: 1,
  maxItems: 50,
  description: 'Drift is approved where one rule matches it.',
} as const;
const RULE_OPTIONS = { validations: VALIDATIONS, description: 'One rule.' } as const;
const SPEC_OPTIONS = { description: 'Which drift is approved.' } as const;

const spec = s.object({ users, rules: s.list(s.object(RULE, RULE_OPTIONS), RULES) }, SPEC_OPTIONS);
const namespace = pattern('Their namespace; * is any, also none.');
const clusterSpec = s.object(
  { users, rules: s.list(s.object({ ...RULE, namespace }, RULE_OPTIONS), RULES) },
  SPEC_OPTIONS,
);
const policy = s.object(
  { spec, status: s.optional(status) },
  { description: 'Approves drift in its namespace by rules, so that nobody has to approve each change.' },
);
const clusterPolicy = s.object(
  { spec: clusterSpec, status: s.optional(status) },
  { description: 'Approves drift by rules in all namespaces, and of objects without one.' },
);

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
  shortNames: ['apol'],
  categories: ['kubewright'],
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
  shortNames: ['capol'],
  categories: ['kubewright'],
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
