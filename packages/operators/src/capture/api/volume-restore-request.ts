import { type CustomObject, customResource, type Infer, s, type Stored } from '@kubewright/kube';
import { described } from '../../kit/described.ts';
import { anyName, dnsLabel, dnsName } from '../../kit/name-schemas.ts';
import { VERSION, VOLUME_GROUP } from './annotations.ts';
import { COLUMNS } from './columns.ts';
import { ending, IMMUTABLE, patience, progress } from './volume-capture-request.ts';

const { text } = described;

const claimTemplate = s.object(
  {
    metadata: s.object(
      {
        name: dnsName({ description: 'The name of the claim. Nothing may have it yet.' }),
        labels: s.optional(s.record(text('The value of the label.'), { description: 'Its labels.' })),
        annotations: s.optional(
          s.record(text('The value of the annotation.'), { description: 'Its annotations.' }),
        ),
      },
      {
        description: 'The metadata of the claim.',
        validations: [{ rule: 'self.name.size() > 0', message: 'metadata.name must not be empty' }],
      },
    ),
    spec: s.optional(
      s.object(
        {
          accessModes: s.optional(
            s.list(
              s.oneOf(['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'], {
                description: 'One way of access.',
              }),
              { description: 'How the volume may be mounted. Default: ReadWriteOnce.' },
            ),
          ),
          resources: s.optional(
            s.object(
              {
                requests: s.optional(
                  s.record(s.quantity({ description: 'How much.' }), {
                    description:
                      'storage: how large the volume is, at least as the snapshot. Default: as the snapshot.',
                  }),
                ),
              },
              { description: 'What the claim requests.' },
            ),
          ),
          storageClassName: s.optional(
            dnsName({
              description: 'The StorageClass, of the driver of the snapshot. Default: that of the cluster.',
            }),
          ),
          volumeMode: s.optional(
            s.oneOf(['Filesystem', 'Block'], {
              description: 'What pods see of it. Default: as the snapshot.',
            }),
          ),
        },
        { description: 'The spec of the claim.' },
      ),
    ),
  },
  { description: 'The PersistentVolumeClaim that is created, in the namespace of the request.' },
);

const restoreSpec = s.object(
  {
    sourceRef: s.object(
      {
        apiVersion: s.optional(text('Its apiVersion. It is not read.')),
        kind: s.optional(text('Its kind. Default: VolumeSnapshotContent, the only one that is supported.')),
        namespace: s.optional(
          dnsLabel({
            description:
              'The namespace in which it was taken, where that is another one: the author of the request then needs the right to create VolumeSnapshotContents. Default: that of the request.',
          }),
        ),
        name: anyName({
          description: 'Its name, as status.data.artifactRef of a VolumeCaptureRequest has it.',
        }),
        uid: s.optional(text('Its UID, where it must be no other. Default: whatever has the name.')),
      },
      { description: 'The snapshot.' },
    ),
    pvcTemplate: claimTemplate,
    fsType: s.optional(text('Accepted for compatibility. It is not read: the snapshot has its file system.')),
    pvcRetention: s.oneOf(['Keep', 'WithRequest'], {
      default: 'Keep',
      description: 'Addition: whether the claim outlives the request.',
    }),
    ...patience,
  },
  { description: 'Which snapshot is restored, and as which claim. Once.' },
);

const restoreStatus = s.object(
  {
    ...ending,
    pvcRef: s.optional(
      s.object(
        {
          apiVersion: s.optional(text('Its apiVersion.')),
          kind: text('Its kind.'),
          namespace: text('Its namespace.'),
          name: text('Its name.'),
          uid: s.optional(text('Its UID.')),
        },
        { description: 'The claim that was created. Absent until the request is done.' },
      ),
    ),
    progress: s.optional(progress),
  },
  { description: 'How far the request is. The operator is its only writer.' },
);

const restore = s.object(
  { spec: restoreSpec, status: s.optional(restoreStatus) },
  {
    description: 'Creates a claim with the content of a snapshot, once.',
    validations: [IMMUTABLE],
  },
);

/** Creates a claim with the content of a snapshot, once. */
export const VOLUME_RESTORE_REQUESTS = customResource({
  group: VOLUME_GROUP,
  version: VERSION,
  kind: 'VolumeRestoreRequest',
  plural: 'volumerestorerequests',
  shortNames: ['vrr'],
  categories: ['kubewright'],
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

/** Whether the request says that its snapshot was taken in another namespace than its own. */
export function isFromElsewhere(
  { spec: { sourceRef } }: Pick<VolumeRestoreRequest, 'spec'>,
  namespace: string,
): boolean {
  return Boolean(sourceRef.namespace) && sourceRef.namespace !== namespace;
}
