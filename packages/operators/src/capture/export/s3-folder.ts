import type { Environment } from '../../kit/operator.ts';
import { OperatorError } from '../../operator-error.ts';
import type { ExportFolder } from './export-folder.ts';
import { s3Client } from './s3-client.ts';
import { s3Keys } from './s3-keys.ts';
import { createObject, deleteObject, getObject, putObject, type S3Target } from './create-object.ts';
import { s3Place } from './s3-place.ts';
import type { S3Limits } from './s3-response.ts';

/** Of every store, in bytes. */
const LONGEST_KEY = 1024;

/** The objects under a prefix of a bucket. */
export function s3Folder(source: string, env: Environment, limits: S3Limits = {}): ExportFolder {
  const { bucket, prefix } = s3Place(source);
  const client = s3Client(bucket, env, limits);
  const at = (path: string): S3Target => {
    const target = { key: `${prefix}${path}`, title: `s3://${bucket}/${prefix}${path}` };
    if (Buffer.byteLength(target.key) <= LONGEST_KEY) return target;
    const message = `${target.title} is longer than a key may be; name a shorter prefix`;
    throw new OperatorError('Usage', message);
  };
  return {
    title: (path) => at(path).title,
    read: async (path) => getObject(client, at(path)),
    write: async ({ path, content }) => putObject(client, at(path), content),
    create: async ({ path, content }) => createObject(client, at(path), content),
    remove: async (path) => deleteObject(client, at(path)),
    async *list() {
      for await (const key of s3Keys(client, prefix)) {
        // A console shows such an object as a folder.
        if (!key.endsWith('/')) yield key.slice(prefix.length);
      }
    },
  };
}
