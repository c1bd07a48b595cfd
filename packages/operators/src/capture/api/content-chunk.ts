import { type CustomObject, customResource, type Infer, s, type Stored } from '@kubewright/kube';
import { MANIFEST_GROUP, VERSION } from './annotations.ts';
import { COLUMNS } from './columns.ts';

/** The most bytes of gzip whose base64 fits into a chunk's `data`. */
export const MAX_CHUNK_BYTES = 786_432;
/** The least that is worth an object of its own. */
export const MIN_CHUNK_BYTES = 1024;

const count = s.integer({ minimum: 0 });

const chunk = s.object({
  spec: s.object(
    {
      checkpointName: s.string(),
      index: count,
      data: s.string({ maxLength: 1_048_576, description: 'Base64 of a gzip of a JSON array of objects.' }),
      objectsCount: count,
      checksum: s.optional(s.string({ maxLength: 128, description: 'Hex SHA-256 of the gzip.' })),
      plainChecksum: s.optional(
        s.string({ maxLength: 128, description: 'Addition: hex SHA-256 of the JSON.' }),
      ),
    },
    { validations: [{ rule: 'self == oldSelf', message: 'spec is immutable' }] },
  ),
});

export const CONTENT_CHUNKS = customResource({
  group: MANIFEST_GROUP,
  version: VERSION,
  kind: 'ManifestCheckpointContentChunk',
  plural: 'manifestcheckpointcontentchunks',
  shortNames: ['mcpchunk'],
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
