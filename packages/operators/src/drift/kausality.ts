import { defined, s } from '@kubewright/kube';
import { dnsLabel } from '../kit/name-schemas.ts';

const names = (description: string, maxItems: number, minItems?: number) =>
  s.list(s.string({ maxLength: 253, description: 'One of them.' }), {
    maxItems,
    description,
    ...defined({ minItems }),
  });

const namespaceNames = (description: string) =>
  s.list(dnsLabel({ description: 'The name of a namespace.' }), { maxItems: 100, description });

const selector = (description: string) =>
  s.object(
    {
      matchLabels: s.optional(
        s.record(s.string({ maxLength: 63, description: 'The value of the label.' }), {
          maxProperties: 100,
          description: 'Labels and their values, all of which it has to have.',
        }),
      ),
      matchExpressions: s.optional(
        s.list(
          s.object(
            {
              key: s.string({ maxLength: 317, description: 'The label.' }),
              operator: s.string({ maxLength: 63, description: 'In, NotIn, Exists or DoesNotExist.' }),
              values: s.optional(
                s.list(s.string({ maxLength: 63, description: 'One value.' }), {
                  maxItems: 100,
                  description: 'For In and NotIn: the values that the label may, or may not, have.',
                }),
              ),
            },
            { description: 'One condition.' },
          ),
          { maxItems: 100, description: 'Conditions, all of which have to hold.' },
        ),
      ),
    },
    { description },
  );

const resourceRule = s.object(
  {
    apiGroups: names(
      'The API groups of the resources; an empty one is the core group. * is not allowed.',
      10,
      1,
    ),
    resources: names('Resources by their plural, as deployments; * is every one of these groups.', 50, 1),
    excluded: s.optional(names('With * in resources: those that are not tracked.', 50)),
  },
  {
    description: 'Some resources.',
    validations: [
      { rule: `!('*' in self.apiGroups)`, message: `apiGroups must not contain '*'` },
      {
        rule: `!has(self.excluded) || size(self.excluded) == 0 || '*' in self.resources`,
        message: `excluded needs '*' in resources`,
      },
    ],
  },
);

const namespaces = s.object(
  {
    names: s.optional(namespaceNames('Only these namespaces. Not together with selector.')),
    selector: s.optional(selector('Only namespaces with these labels. Not together with names.')),
    excluded: s.optional(namespaceNames('Never these namespaces.')),
  },
  {
    description: 'The namespaces whose objects are tracked. Default: all, and objects without a namespace.',
    validations: [
      {
        rule: '!(has(self.names) && size(self.names) > 0 && has(self.selector))',
        message: 'names and selector exclude each other',
      },
    ],
  },
);

const given = (field: string): string => `(has(self.${field}) && size(self.${field}) > 0)`;

const override = s.object(
  {
    apiGroups: s.optional(names('Only resources of these API groups. Default: all.', 10)),
    resources: s.optional(names('Only these resources, by their plural. Default: all.', 50)),
    namespaces: s.optional(names('Only objects of these namespaces. Default: all.', 100)),
    mode: s.oneOf(['log', 'enforce'], { description: 'The mode for these objects.' }),
  },
  {
    description: 'Another mode for some objects. The first override that matches an object counts.',
    validations: [
      {
        rule: ['apiGroups', 'resources', 'namespaces'].map(given).join(' || '),
        message: 'one of apiGroups, resources and namespaces is needed',
      },
    ],
  },
);

/** Addition: how much may drift, or be deleted by controllers, because of one origin. */
export const brake = s.object(
  {
    drifts: s.optional(
      s.integer({
        minimum: 1,
        maximum: 1000,
        description:
          'How many objects may drift in the window because of one origin. One more freezes their parents.',
      }),
    ),
    deletes: s.optional(
      s.integer({
        minimum: 1,
        maximum: 1000,
        description:
          'How many objects controllers may delete in the window because of one origin. One more freezes their parents.',
      }),
    ),
    window: s.string({
      default: '10m',
      pattern: '^([1-9][0-9]{0,3}[smh])+$',
      maxLength: 20,
      description: 'How long a change counts, as 10m or 1h30m.',
    }),
  },
  {
    description:
      'Addition: freezes the parents of what drifts, or of what controllers delete, where one origin has caused too much of it. Default: nothing is frozen.',
    validations: [
      { rule: 'has(self.drifts) || has(self.deletes)', message: 'one of drifts and deletes is needed' },
    ],
  },
);

export const policySpec = s.object(
  {
    resources: s.list(resourceRule, {
      minItems: 1,
      maxItems: 20,
      description: 'The resources whose objects are tracked: traced, and checked for drift.',
    }),
    namespaces: s.optional(namespaces),
    objectSelector: s.optional(
      selector('Only objects with these labels, before or after the change. Default: all.'),
    ),
    mode: s.oneOf(['log', 'enforce'], {
      description:
        'log: drift is reported, and admitted. enforce: it is denied unless it is approved. The annotation kausality.io/mode of an object, its parent or its namespace takes precedence.',
    }),
    overrides: s.optional(
      s.list(override, { maxItems: 50, description: 'Other modes for some of the objects.' }),
    ),
    brake: s.optional(brake),
    enforceUncovered: s.optional(
      s.boolean({
        description:
          'Deny drift also below parents of kinds that are not covered yet: without this, enforce acts as log there.',
      }),
    ),
  },
  {
    description:
      'Which changes are checked, and what becomes of drift. Of several policies that match an object the most specific counts.',
  },
);

/** Addition: what controllers have written below parents of a kind. */
const kindCount = s.object(
  {
    group: s.string({ maxLength: 253, description: 'The API group of the parents.' }),
    kind: s.string({ maxLength: 63, description: 'Their kind.' }),
    writes: s.integer({ minimum: 0, format: 'int64', description: 'What their controllers have written.' }),
    alarms: s.integer({ minimum: 0, format: 'int64', description: 'How much of it is drift.' }),
    since: s.time({ description: 'When the first of them was seen.' }),
    lastAlarm: s.optional(s.time({ description: 'When drift was last seen.' })),
    isKnown: s.optional(
      s.boolean({ description: 'Their status, or a profile, says when their controller is done.' }),
    ),
  },
  { description: 'One kind.' },
);

export const policyStatus = s.object(
  {
    conditions: s.optional(
      s.conditions({
        description:
          'Ready: whether the policy is in force. Covered: whether drift can be detected below all kinds of parents that were seen.',
      }),
    ),
    kinds: s.optional(
      s.mapList(kindCount, ['group', 'kind'], {
        maxItems: 50,
        description:
          'What controllers have written below parents of each kind. Written a minute after a change at the earliest.',
      }),
    ),
    alarms: s.optional(s.string({ maxLength: 64, description: 'Of all kinds: 0 of 412 writes.' })),
    since: s.optional(s.time({ description: 'When counting began.' })),
  },
  { description: 'What was found of the policy. The operator is its only writer.' },
);
export const kausality = s.object(
  { spec: policySpec, status: s.optional(policyStatus) },
  {
    description: 'A policy: which changes by controllers are checked for drift, and whether drift is denied.',
  },
);
