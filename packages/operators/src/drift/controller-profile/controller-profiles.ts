import { type CustomObject, customResource, type Infer, s, type Stored } from '@kubewright/kube';
import { GROUP } from '../api.ts';
import { CONDITION_STATUSES, LIMITS } from './limits.ts';

const maxItems = LIMITS.most;
const field = () => s.string(LIMITS.field);
const fieldsOfChildren = (description: string) =>
  s.optional(
    s.list(
      s.object({
        kind: s.string({ ...LIMITS.kind, description: 'The kind of these children.' }),
        fields: s.list(field(), {
          minItems: 1,
          maxItems,
          description: 'Paths in the child, such as spec.replicas; through objects, not lists.',
        }),
      }),
      { maxItems, description },
    ),
  );

const working = s.object(
  {
    field: s.optional(s.string({ ...LIMITS.field, description: 'A field of the status.' })),
    values: s.optional(
      s.list(s.string(LIMITS.value), { minItems: 1, maxItems, description: 'It has one of these values.' }),
    ),
    differsFrom: s.optional(
      s.string({ ...LIMITS.field, description: 'It differs from this field of the status.' }),
    ),
    condition: s.optional(s.string({ ...LIMITS.condition, description: 'The type of a condition.' })),
    status: s.optional(s.oneOf(CONDITION_STATUSES, { description: 'It has this status.' })),
  },
  {
    validations: [
      {
        rule: 'has(self.field) ? has(self.values) != has(self.differsFrom) && !has(self.condition) && !has(self.status) : has(self.condition) && has(self.status) && !has(self.values) && !has(self.differsFrom)',
        message: 'either field with values or differsFrom, or condition with status',
      },
    ],
  },
);

const spec = s.object(
  {
    group: s.string({ ...LIMITS.group, description: 'The API group of the parents; empty: the core group.' }),
    kind: s.string({ ...LIMITS.kind, description: 'Their kind; in all versions.' }),
    source: s.optional(
      s.string({
        ...LIMITS.source,
        description: 'The project, and the release for which this is known: Argo Rollouts 1.9.',
      }),
    ),
    ready: s.optional(
      s.list(s.string(LIMITS.condition), {
        maxItems,
        description:
          'The conditions that are all True when a parent is ready, and its latest change done. Default: one of Ready, Available, Initialized. An empty list: as soon as its controller has written its status.',
      }),
    ),
    observedGeneration: s.optional(
      s.string({
        ...LIMITS.field,
        description:
          'The field of the status with the generation that its controller has seen. Default: observedGeneration, or that of a condition.',
      }),
    ),
    working: s.optional(
      s.list(working, {
        maxItems,
        description: 'What the status says while its controller is at work: then its changes are expected.',
      }),
    ),
    due: s.optional(
      s.list(field(), {
        maxItems,
        description: 'Fields of the status with the time, in RFC 3339, at which its controller acts next.',
      }),
    ),
    dueOnChild: s.optional(
      s.list(s.string(LIMITS.annotation), {
        maxItems,
        description: 'Annotations of children with the time after which its controller changes them.',
      }),
    ),
    varying: fieldsOfChildren('Fields of children that differ each time that they are made.'),
    changing: fieldsOfChildren(
      'Fields of children that its controller changes although nobody has changed the parent. A change of anything else is drift.',
    ),
    transient: s.optional(
      s.list(s.string(LIMITS.kind), {
        maxItems,
        description: 'Kinds of children that come and go although nobody has changed the parent.',
      }),
    ),
    announced: s.optional(
      s.list(
        s.object({
          kind: s.string({ ...LIMITS.kind, description: 'The kind of the child.' }),
          field: s.string({ ...LIMITS.announcedField, description: 'The path of its field.' }),
          at: s.string({
            ...LIMITS.announcedAt,
            description: 'The path in the status of the parent; * is each item of a list, at most twice.',
          }),
        }),
        {
          maxItems,
          description:
            'Where the status has the number that its controller is about to write to a field of a child: that write is expected.',
        },
      ),
    ),
    wanted: s.optional(
      s.string({
        ...LIMITS.field,
        description:
          'Where the status lists the children that are wanted, with kind and name: the deletion of others is expected.',
      }),
    ),
    follows: s.optional(
      s.list(s.string(LIMITS.followed), {
        maxItems,
        description:
          'Annotations and labels of the parent that its controller copies or obeys: whoever changes one has the parent reconciled for a minute. The last character may be *.',
      }),
    ),
    uncovered: s.optional(
      s.string({
        ...LIMITS.uncovered,
        description:
          'Why drift below these parents is not detected. It is all the same below one that was once ready: whose status had the condition Ready, Initialized or Available, or those of ready.',
      }),
    ),
  },
  {
    description: 'What cannot be learned of a kind from its objects.',
    validations: [
      {
        rule: '[has(self.ready), has(self.observedGeneration), has(self.working), has(self.due), has(self.dueOnChild), has(self.varying), has(self.changing), has(self.transient), has(self.announced), has(self.wanted), has(self.follows), has(self.uncovered)].exists(said, said)',
        message: 'it says nothing',
      },
      { rule: `self.group != '${GROUP}'`, message: 'this group has no controllers to know of' },
    ],
  },
);

const status = s.object(
  {
    conditions: s.optional(
      s.conditions({ description: 'Ready: whether the profile is used. It is not where it cannot be read.' }),
    ),
  },
  { description: 'What was found of the profile. The operator is its only writer.' },
);
const profile = s.object(
  { spec, status: s.optional(status) },
  {
    description: 'What a person knows of the controller of a kind, so that drift below its objects is found.',
  },
);

/** What a person knows of the controller of a kind. It takes precedence over what is shipped for it. */
export const CONTROLLER_PROFILES = customResource({
  group: GROUP,
  version: 'v1alpha1',
  kind: 'ControllerProfile',
  plural: 'controllerprofiles',
  shortNames: ['cprof'],
  categories: ['kubewright'],
  scope: 'Cluster',
  schema: profile,
  columns: [
    { name: 'Group', type: 'string', jsonPath: '.spec.group' },
    { name: 'Kind', type: 'string', jsonPath: '.spec.kind' },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});

export type ControllerProfile = Stored<CustomObject<Infer<typeof profile>, 'Cluster'>>;
export type ControllerProfileStatus = Infer<typeof status>;
