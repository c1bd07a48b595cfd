import { type CustomObject, customResource, type Infer, s, type Stored } from '@kubewright/kube';
import { described } from '../../kit/described.ts';
import { anyName, dnsLabel, kindName } from '../../kit/name-schemas.ts';
import { KEEPER_GROUP, VERSION } from './annotations.ts';

const followObjectRef = s.object(
  {
    // Stored as it is: the status says what is wrong with it.
    apiVersion: s.string({ minLength: 1, maxLength: 253, description: 'Its apiVersion.' }),
    kind: kindName({ description: 'Its kind.' }),
    namespace: dnsLabel({ description: 'Its namespace. Empty for a cluster-scoped object.' }),
    name: anyName({ description: 'Its name.' }),
    uid: s.string({
      minLength: 1,
      maxLength: 128,
      description: 'Its UID: another object of the same name counts as gone.',
    }),
  },
  {
    description:
      'The object that is followed. Required for FollowObject and FollowObjectWithTTL, forbidden for TTL.',
  },
);

const spec = s.object(
  {
    mode: s.oneOf(['FollowObject', 'TTL', 'FollowObjectWithTTL'], {
      description:
        'When the keeper is deleted, with all that it owns. FollowObject: when the object is gone. TTL: that long after its own creation. FollowObjectWithTTL: that long after the object is gone.',
    }),
    followObjectRef: s.optional(followObjectRef),
    ttl: s.optional(
      s.string({
        maxLength: 64,
        pattern: '^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$',
        description:
          'A Go duration: 1h30m. Required for TTL and FollowObjectWithTTL, forbidden for FollowObject.',
      }),
    ),
  },
  {
    description: 'What the keeper lives as long as.',
    validations: [
      {
        rule: "(self.mode == 'TTL') != has(self.followObjectRef)",
        message:
          'followObjectRef is required for FollowObject and FollowObjectWithTTL, and forbidden for TTL',
      },
      {
        rule: "(self.mode == 'FollowObject') != has(self.ttl)",
        message: 'ttl is required for TTL and FollowObjectWithTTL, and forbidden for FollowObject',
      },
    ],
  },
);

const status = s.object(
  {
    phase: s.optional(
      s.oneOf(['Pending', 'Tracking', 'Expiring'], {
        description:
          'Pending: what it follows cannot be read. Tracking: the object is there. Expiring: the TTL is running.',
      }),
    ),
    message: s.optional(described.text('What is wrong, for people.')),
    lostAt: s.optional(s.time({ description: 'When the followed object was first found missing.' })),
    conditions: s.optional(
      s.conditions({
        description: 'Active: whether the followed object is there, and why that is not known.',
      }),
    ),
  },
  { description: 'What was found of the object. The operator is its only writer.' },
);

const objectKeeper = s.object(
  { spec, status: s.optional(status) },
  {
    description:
      'Owns what was made for an object in a namespace, and lives as long as that object, or for a TTL: the garbage collector then deletes what it owns.',
  },
);

/** Owns the artifacts of an object in a namespace, and lives as long as that object, or for a TTL. */
export const OBJECT_KEEPERS = customResource({
  group: KEEPER_GROUP,
  version: VERSION,
  kind: 'ObjectKeeper',
  plural: 'objectkeepers',
  shortNames: ['okeep'],
  categories: ['kubewright'],
  scope: 'Cluster',
  schema: objectKeeper,
  columns: [
    { name: 'Mode', type: 'string', jsonPath: '.spec.mode' },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'Kind', type: 'string', jsonPath: '.spec.followObjectRef.kind' },
    { name: 'Namespace', type: 'string', jsonPath: '.spec.followObjectRef.namespace' },
    { name: 'Object', type: 'string', jsonPath: '.spec.followObjectRef.name' },
    { name: 'TTL', type: 'string', jsonPath: '.spec.ttl', priority: 1 },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});

export type ObjectKeeper = Stored<CustomObject<Infer<typeof objectKeeper>, 'Cluster'>>;
export type KeeperStatus = Infer<typeof status>;
export type FollowObjectRef = Infer<typeof followObjectRef>;
