import { type CustomObject, customResource, type Infer, s, type Stored } from '@kubewright/kube';
import { anyName, dnsLabel, kindName } from '../../kit/name-schemas.ts';
import { KEEPER_GROUP, VERSION } from './annotations.ts';

const followObjectRef = s.object({
  // Stored as it is: the status says what is wrong with it.
  apiVersion: s.string({ minLength: 1, maxLength: 253 }),
  kind: kindName(),
  namespace: dnsLabel({ description: 'Empty for a cluster-scoped object.' }),
  name: anyName(),
  uid: s.string({ minLength: 1, maxLength: 128 }),
});

const spec = s.object(
  {
    mode: s.oneOf(['FollowObject', 'TTL', 'FollowObjectWithTTL']),
    followObjectRef: s.optional(followObjectRef),
    ttl: s.optional(
      s.string({
        maxLength: 64,
        pattern: '^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$',
        description: 'Go duration: 1h30m.',
      }),
    ),
  },
  {
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

const status = s.object({
  phase: s.optional(s.oneOf(['Pending', 'Tracking', 'Expiring'])),
  message: s.optional(s.string()),
  lostAt: s.optional(s.time({ description: 'When the followed object was first found missing.' })),
  conditions: s.optional(s.conditions()),
});

const objectKeeper = s.object({ spec, status: s.optional(status) });

/** Owns the artifacts of an object in a namespace, and lives as long as that object, or for a TTL. */
export const OBJECT_KEEPERS = customResource({
  group: KEEPER_GROUP,
  version: VERSION,
  kind: 'ObjectKeeper',
  plural: 'objectkeepers',
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
