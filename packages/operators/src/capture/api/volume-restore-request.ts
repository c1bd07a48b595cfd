import { type CustomObject, customResource, type Infer, s, type Stored } from '@kubewright/kube';
import { anyName, dnsLabel, dnsName } from '../../kit/name-schemas.ts';
import { VERSION, VOLUME_GROUP } from './annotations.ts';
import { COLUMNS } from './columns.ts';
import { IMMUTABLE, patience, progress } from './volume-capture-request.ts';

const claimTemplate = s.object({
  metadata: s.object(
    {
      name: dnsName(),
      labels: s.optional(s.record(s.string())),
      annotations: s.optional(s.record(s.string())),
    },
    { validations: [{ rule: 'self.name.size() > 0', message: 'metadata.name must not be empty' }] },
  ),
  spec: s.optional(
    s.object({
      accessModes: s.optional(
        s.list(s.oneOf(['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'])),
      ),
      resources: s.optional(s.object({ requests: s.optional(s.record(s.quantity())) })),
      storageClassName: s.optional(dnsName()),
      volumeMode: s.optional(s.oneOf(['Filesystem', 'Block'])),
    }),
  ),
});

const restoreSpec = s.object({
  sourceRef: s.object({
    apiVersion: s.optional(s.string()),
    kind: s.optional(s.string()),
    namespace: s.optional(dnsLabel()),
    name: anyName(),
    uid: s.optional(s.string()),
  }),
  pvcTemplate: claimTemplate,
  fsType: s.optional(s.string()),
  pvcRetention: s.oneOf(['Keep', 'WithRequest'], {
    default: 'Keep',
    description: 'Addition: whether the claim outlives the request.',
  }),
  ...patience,
});

const restoreStatus = s.object({
  completionTimestamp: s.optional(s.time()),
  conditions: s.optional(s.conditions()),
  pvcRef: s.optional(
    s.object({
      apiVersion: s.optional(s.string()),
      kind: s.string(),
      namespace: s.string(),
      name: s.string(),
      uid: s.optional(s.string()),
    }),
  ),
  progress: s.optional(progress),
});

const restore = s.object(
  { spec: restoreSpec, status: s.optional(restoreStatus) },
  { validations: [IMMUTABLE] },
);

/** Creates a claim with the content of a snapshot, once. */
export const VOLUME_RESTORE_REQUESTS = customResource({
  group: VOLUME_GROUP,
  version: VERSION,
  kind: 'VolumeRestoreRequest',
  plural: 'volumerestorerequests',
  shortNames: ['vrr'],
  scope: 'Namespaced',
  schema: restore,
  columns: [
    { name: 'Source', type: 'string', jsonPath: '.spec.sourceRef.name' },
    { name: 'Claim', type: 'string', jsonPath: '.spec.pvcTemplate.metadata.name' },
    COLUMNS.ready,
    COLUMNS.reason,
    COLUMNS.message,
    COLUMNS.age,
  ],
});

export type VolumeRestoreRequest = Stored<CustomObject<Infer<typeof restore>>>;
export type VolumeRestoreStatus = Infer<typeof restoreStatus>;
