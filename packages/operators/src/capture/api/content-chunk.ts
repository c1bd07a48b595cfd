import { type CustomObject, customResource, type Infer, s, type Stored } from '@kubewright/kube';
import { described } from '../../kit/described.ts';
import { MANIFEST_GROUP, VERSION } from './annotations.ts';
import { COLUMNS } from './columns.ts';

/** The most bytes of gzip whose base64 fits into a chunk's `data`. */
export const MAX_CHUNK_BYTES = 786_432;
/** The least that is worth an object of its own. */
export const MIN_CHUNK_BYTES = 1024;

const { count, text } = described;

const chunk = s.object(
  {
    spec: s.object(
      {
        checkpointName: text('The ManifestCheckpoint that the chunk belongs to, and that owns it.'),
        index: count('Its place among the chunks of the checkpoint, from 0.'),
        data: s.string({ maxLength: 1_048_576, description: 'Base64 of a gzip of a JSON array of objects.' }),
        objectsCount: count('How many objects it has.'),
        checksum: s.optional(s.string({ maxLength: 128, description: 'Hex SHA-256 of the gzip.' })),
        plainChecksum: s.optional(
          s.string({ maxLength: 128, description: 'Addition: hex SHA-256 of the JSON.' }),
        ),
      },
      {
        description: 'A part of what was captured. Immutable.',
        validations: [{ rule: 'self == oldSelf', message: 'spec is immutable' }],
      },
    ),
  },
  { description: 'A part of the content of a ManifestCheckpoint. It is deleted with it.' },
);

export const CONTENT_CHUNKS = customResource({
  group: MANIFEST_GROUP,
  version: VERSION,
  kind: 'ManifestCheckpointContentChunk',
  plural: 'manifestcheckpointcontentchunks',
  shortNames: ['mcpchunk'],
  categories: ['kubewright'],
  scope: 'Cluster',
  schema: chunk,
  columns: [
    { name: 'Checkpoint', type: 'string', jsonPath: '.spec.checkpointName' },
    { name: 'Index', type: 'integer', jsonPath: '.spec.index' },
    { name: 'Objects', type: 'integer', jsonPath: '.spec.objectsCount' },
    COLUMNS.age,
  ],
});

export type ContentChunk = Stored<CustomObject<Infer<typeof chunk>, 'Cluster'>>;
